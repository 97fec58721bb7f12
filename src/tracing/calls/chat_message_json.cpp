#include "tracing/calls/chat_message_json.h"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "json/members.h"
#include "json/stored.h"
#include "json/writer.h"

namespace spindle::tracing {
namespace {

using json::Node;

constexpr auto kRoles = std::to_array<std::string_view>(
    {"system", "developer", "user", "assistant", "tool", "function"});
/// MessageParts that chat completions accept unchanged.
constexpr auto kChatCompletionParts =
    std::to_array<std::string_view>({"text", "image_url", "input_audio", "file", "refusal"});

/// Returns a message with a text. Omits an empty id.
std::string messageJson(std::string_view role, std::string_view tool_call, std::string_view text) {
  std::string message;
  json::Writer out(message);
  out.beginObject().key("role").string(role);
  if (!tool_call.empty()) out.key("tool_call_id").string(tool_call);
  out.key("content").string(text).endObject();
  return message;
}

std::optional<json::Document> parsedList(const std::string& text) {
  if (!text.starts_with('[')) return std::nullopt;
  std::variant<json::Document, json::SyntaxError> parsed =
      json::Document::parse(text, json::kStoredDepth);
  auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr || !document->root().isArray()) return std::nullopt;
  return std::move(*document);
}

/// Returns the first of these members that exists: a string unchanged, anything else as JSON.
std::string valueIn(const Node& object, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const std::optional<Node> member = memberOf(object, name);
    if (!member || member->isNull()) continue;
    return member->isString() ? member->text() : json::compact(member->raw());
  }
  return {};
}

std::string roleOf(std::string_view role) {
  if (role == "model" || role == "ai") return "assistant";
  const bool known = std::find(kRoles.begin(), kRoles.end(), role) != kRoles.end();
  return std::string(known ? role : "user");
}

void append(std::string& text, const std::string& more) {
  if (more.empty()) return;
  if (!text.empty()) text += '\n';
  text += more;
}

/// Returns the content of a result: the strings of its parts, or the value itself.
std::string resultText(const Node& part) {
  for (const std::string_view name : {"response", "result", "content"}) {
    const std::optional<Node> given = memberOf(part, name);
    if (!given || given->isNull()) continue;
    if (!given->isArray()) return valueIn(part, {name});
    std::string words;
    for (const Node item : *given) append(words, valueIn(item, {"text", "content"}));
    return words.empty() ? json::compact(given->raw()) : words;
  }
  return {};
}

/// Sorts the parts of one message by kind.
class MessageParts {
 public:
  void add(const Node& part) {
    const std::string type = textIn(part, "type");
    if (part.isString()) {
      addText(part.text());
    } else if (type == "tool_call" || type == "tool_use" || type == "function_call") {
      addCall(part);
    } else if (type == "tool_call_response" || type == "tool_result") {
      std::string id = valueIn(part, {"id", "tool_use_id", "tool_call_id"});
      results_.push_back({"tool", toolMessageJson(id, resultText(part))});
    } else if (type == "reasoning" || type == "thinking") {
      append(reasoning_, valueIn(part, {"content", "text", "thinking"}));
    } else if (part.isObject()) {
      const std::string text = valueIn(part, {"text", "content"});
      if (text.empty()) {
        content_.push_back(json::compact(part.raw()));
        has_media_ = true;
      } else {
        addText(text);
      }
    }
  }

  std::vector<ChatMessageJson> messages(const std::string& role) && {
    std::vector<ChatMessageJson> made = std::move(results_);
    if (!made.empty() && content_.empty() && calls_.empty()) return made;
    std::string text;
    json::Writer out(text);
    out.beginObject().key("role").string(role).key("content");
    if (has_media_) {
      out.raw(listJson(content_));
    } else if (words_.empty() && !calls_.empty()) {
      out.null();
    } else {
      out.string(words_);
    }
    if (!reasoning_.empty()) out.key("reasoning_content").string(reasoning_);
    if (!calls_.empty()) out.key("tool_calls").raw(listJson(calls_));
    out.endObject();
    made.push_back({role, std::move(text)});
    return made;
  }

 private:
  void addText(const std::string& text) {
    append(words_, text);
    json::Writer out(content_.emplace_back());
    out.beginObject().key("type").string("text").key("text").string(text).endObject();
  }

  void addCall(const Node& part) {
    calls_.push_back(toolCallJson(valueIn(part, {"call_id", "id"}), textIn(part, "name"),
                                  valueIn(part, {"arguments", "input"})));
  }

  std::vector<ChatMessageJson> results_;
  std::vector<std::string> content_;  ///< strings and media as parts
  std::vector<std::string> calls_;
  std::string words_;
  std::string reasoning_;
  bool has_media_ = false;
};

bool isChatCompletionMessage(const Node& message, const std::string& role) {
  if (role != textIn(message, "role") || message.find("parts")) return false;
  const std::optional<Node> content = message.find("content");
  if (!content || !content->isArray()) return true;
  for (const Node part : *content) {
    const std::string type = textIn(part, "type");
    if (std::find(kChatCompletionParts.begin(), kChatCompletionParts.end(), type) ==
        kChatCompletionParts.end())
      return false;
    if (type == "text" && !part.find("text")) return false;
  }
  return true;
}

std::vector<ChatMessageJson> fromParts(const Node& list, const std::string& role) {
  MessageParts parts;
  for (const Node part : list) parts.add(part);
  return std::move(parts).messages(role);
}

}  // namespace

std::string textMessageJson(std::string_view role, std::string_view content) {
  return messageJson(role, {}, content);
}

std::string toolMessageJson(std::string_view id, std::string_view content) {
  return messageJson("tool", id, content);
}

std::string toolCallJson(std::string_view id, std::string_view name, std::string_view arguments) {
  std::string text;
  json::Writer out(text);
  out.beginObject().key("id").string(id).key("type").string("function");
  out.key("function").beginObject().key("name").string(name);
  out.key("arguments").string(arguments.empty() ? "{}" : arguments).endObject().endObject();
  return text;
}

std::string listJson(const std::vector<std::string>& items) {
  std::string text = "[";
  for (const std::string& item : items) text += (text.size() > 1 ? "," : "") + item;
  return text + "]";
}

std::vector<ChatMessageJson> chatMessagesOf(const Node& message) {
  const std::optional<Node> given = memberOf(message, "role");
  if (!given || !given->isString()) return {};
  const std::string role = roleOf(given->text());
  if (isChatCompletionMessage(message, role)) return {{role, std::string(message.raw())}};
  const std::optional<Node> parts = message.find(message.find("parts") ? "parts" : "content");
  if (parts && parts->isArray()) return fromParts(*parts, role);
  return {{role, textMessageJson(role, parts && parts->isString() ? parts->text() : "")}};
}

std::vector<ChatMessageJson> chatMessagesOf(std::string_view role, const std::string& content) {
  const std::string known = roleOf(role);
  if (const std::optional<json::Document> parts = parsedList(content)) {
    return fromParts(parts->root(), known);
  }
  return {
      {known, known == "tool" ? toolMessageJson("", content) : textMessageJson(known, content)}};
}

std::optional<std::string> chatToolsOf(const std::string& definitions) {
  const std::optional<json::Document> list = parsedList(definitions);
  if (!list) return std::nullopt;
  std::vector<std::string> tools;
  for (const Node tool : list->root()) {
    if (memberOf(tool, "function")) {
      tools.push_back(json::compact(tool.raw()));
      continue;
    }
    const std::string name = textIn(tool, "name");
    if (name.empty()) continue;
    std::string text;
    json::Writer out(text);
    out.beginObject().key("type").string("function").key("function").beginObject();
    out.key("name").string(name);
    if (const std::string words = textIn(tool, "description"); !words.empty()) {
      out.key("description").string(words);
    }
    for (const std::string_view member : {"parameters", "input_schema", "inputSchema"}) {
      const std::optional<Node> given = tool.find(member);
      if (!given || !given->isObject()) continue;
      out.key("parameters").raw(json::compact(given->raw()));
      break;
    }
    out.endObject().endObject();
    tools.push_back(std::move(text));
  }
  if (tools.empty()) return std::nullopt;
  return listJson(tools);
}

}  // namespace spindle::tracing
