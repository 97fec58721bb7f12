#include "agents/chat/chat_for_test.h"

#include <fstream>
#include <sstream>
#include <variant>

#include "agents/chat/chat_json.h"
#include "agents/query/span_time_for_test.h"
#include "json/document.h"
#include "json/writer.h"

namespace spindle::agents {
namespace {

using json::Node;

json::Document parse(std::string text) {
  return std::get<json::Document>(json::Document::parse(std::move(text)));
}

/// Returns JSON with a space after commas and colons, as the server serialises values on ingest.
std::string spaced(const Node& node) {
  std::string text;
  if (node.isArray() || node.isObject()) {
    bool name = node.isObject();
    for (const Node item : node) {
      if (!text.empty()) text += node.isObject() && !name ? ": " : ", ";
      text += spaced(item);
      if (node.isObject()) name = !name;
    }
    return node.isArray() ? "[" + text + "]" : "{" + text + "}";
  }
  return std::string(node.raw());
}

std::string jsonText(const Node& value) {
  if (!value.isString()) return spaced(value);
  const std::string text = value.text();
  auto parsed = json::Document::parse(text);
  const auto* document = std::get_if<json::Document>(&parsed);
  const bool structured = document != nullptr && (text.starts_with('[') || text.starts_with('{'));
  return structured ? spaced(document->root()) : text;
}

std::vector<SpanMessage> messagesOf(const Node& list) {
  std::vector<SpanMessage> messages;
  for (const Node item : list) {
    SpanMessage message;
    message.role = item.find("role")->text();
    const std::optional<Node> content = item.find("content");
    message.content = content ? content->text() : spaced(*item.find("parts"));
    messages.push_back(std::move(message));
  }
  return messages;
}

std::vector<std::string> instructionsOf(const Node& value) {
  if (value.isString()) return {value.text()};
  std::vector<std::string> texts;
  for (const Node item : value) texts.push_back(item.find("content")->text());
  return texts;
}

std::string lowered(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(c));
  return text;
}

/// Adds a message in the legacy form: one attribute for each member of each message.
void addIndexed(std::vector<SpanMessage>& messages, std::string_view rest, const Node& value) {
  const auto index = static_cast<std::size_t>(rest[0] - '0');
  if (messages.size() <= index) messages.resize(index + 1);
  (rest.substr(2) == "role" ? messages[index].role : messages[index].content) = value.text();
}

/// Returns the last reasoning part in the messages, or nothing.
std::optional<std::string> reasoningIn(const Node& messages) {
  std::optional<std::string> reasoning;
  for (const Node message : messages) {
    const std::optional<Node> parts = message.find("parts");
    if (!parts) continue;
    for (const Node part : *parts) {
      if (part.find("type")->textEquals("reasoning")) reasoning = part.find("content")->text();
    }
  }
  return reasoning;
}

/// Adds the attribute to the span if it contains messages or instructions.
void addMessages(AgentSpan& span, const std::string& name, const Node& value) {
  if (name == "gen_ai.system_instructions") span.system_instructions = instructionsOf(value);
  if (name == "gen_ai.input.messages") span.input_messages = messagesOf(value);
  if (name.starts_with("gen_ai.prompt.")) addIndexed(span.input_messages, name.substr(14), value);
  if (name.starts_with("gen_ai.completion."))
    addIndexed(span.output_messages, name.substr(18), value);
  if (name == "gen_ai.output.messages") {
    span.output_messages = messagesOf(value);
    if (std::optional<std::string> reasoning = reasoningIn(value))
      span.reasoning_content = *std::move(reasoning);
  }
}

void addAttribute(AgentSpan& span, const std::string& name, const Node& value) {
  addMessages(span, name, value);
  if (name == "OP") span.operation_name = value.text();
  if (name == "gen_ai.agent.name") span.agent_name = value.text();
  if (name == "gen_ai.agent.version") span.agent_version = value.text();
  if (name == "gen_ai.provider.name" || name == "gen_ai.system")
    span.provider_name = lowered(value.text());
  if (name == "gen_ai.request.model") span.request_model = value.text();
  if (name == "gen_ai.response.model") span.response_model = value.text();
  if (name == "gen_ai.usage.input_tokens") span.input_tokens = *value.integer();
  if (name == "gen_ai.usage.output_tokens") span.output_tokens = *value.integer();
  if (name == "gen_ai.usage.reasoning.output_tokens") span.reasoning_tokens = *value.integer();
  if (name == "gen_ai.tool.name") span.tool_name = value.text();
  if (name == "gen_ai.tool.call.arguments") span.tool_call_arguments = jsonText(value);
  if (name == "gen_ai.tool.call.result") span.tool_call_result = jsonText(value);
  if (name == "gen_ai.tool.definitions") span.tool_definitions = jsonText(value);
  if (name == "svc.compaction.summary") span.compaction_summary = value.text();
  if (name == "svc.compaction.items_before") span.compaction_items_before = *value.integer();
  if (name == "svc.compaction.items_after") span.compaction_items_after = *value.integer();
  if (name == "svc.content_refs") {
    for (const Node ref : value) span.content_refs.push_back(ref.text());
  }
}

AgentSpan spanOf(const Node& node) {
  AgentSpan span;
  span.trace_id = "trace";
  span.span_id = node.find("id")->text();
  if (const std::optional<Node> parent = node.find("parent")) span.parent_span_id = parent->text();
  span.span_name = node.find("name")->text();
  span.status_code = node.find("status")->text();
  const Node times = *node.find("t");
  auto time = times.begin();
  if (!(*time).isNull()) span.started_at = at((*time).number());
  ++time;
  if (!(*time).isNull()) span.ended_at = at((*time).number());
  std::optional<std::string> name;
  const Node attributes = *node.find("attrs");
  for (const Node item : attributes) {
    if (!name) {
      name = item.text();
    } else {
      addAttribute(span, *name, item);
      name.reset();
    }
  }
  if (span.agent_name.empty() && span.span_name.starts_with("invoke_agent "))
    span.agent_name = span.span_name.substr(13);
  return span;
}

bool isEmpty(const Node& node) {
  return node.isNull() || (node.isString() && node.text().empty()) ||
         (node.isNumber() && node.number() == 0) || (node.isArray() && node.size() == 0);
}

std::string offsetOf(const std::string& text) {
  const auto micros = microsOf(*parseTimestamp(text).value) - microsOf(at(0));
  std::ostringstream out;
  out << '+' << static_cast<double>(micros) / 1e6 << 's';
  return out.str();
}

void writeShort(const Node& node, json::Writer& out) {
  if (node.isArray()) {
    out.beginArray();
    for (const Node item : node) writeShort(item, out);
    out.endArray();
    return;
  }
  if (!node.isObject()) {
    out.raw(node.raw());
    return;
  }
  out.beginObject();
  std::string name;
  bool at_name = true;
  for (const Node item : node) {
    if (at_name) name = item.text();
    at_name = !at_name;
    if (!at_name) continue;
    const bool always = name == "text" || name == "duration_ms";
    if (name == "trace_id" || (isEmpty(item) && !always)) continue;
    out.key(name);
    if (name == "started_at" || name == "ended_at") {
      out.string(offsetOf(item.text()));
    } else {
      writeShort(item, out);
    }
  }
  out.endObject();
}

}  // namespace

std::vector<AgentSpan> spansOfExample(const std::string& json) {
  const json::Document document = parse(json);
  std::vector<AgentSpan> spans;
  for (const Node node : document.root()) spans.push_back(spanOf(node));
  return spans;
}

std::vector<ChatExample> chatExamples() {
  std::ifstream file(SPINDLE_SOURCE_DIR "/tests/golden/chat_examples.json");
  std::ostringstream text;
  text << file.rdbuf();
  const json::Document document = parse(text.str());
  std::vector<ChatExample> examples;
  for (const Node node : document.root()) {
    examples.push_back({node.find("name")->text(),
                        spansOfExample(std::string(node.find("spans")->raw())),
                        json::compact(node.find("chat")->raw())});
  }
  return examples;
}

std::string shortForm(const Chat& chat) {
  const json::Document document =
      parse(chatCodec().toJson(chatDocument("trace", chat, std::nullopt)));
  std::string text;
  json::Writer out(text);
  writeShort(document.root(), out);
  return text;
}

}  // namespace spindle::agents
