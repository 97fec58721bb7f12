#include "agents/chat/model_exchange.h"

#include <array>
#include <map>
#include <string_view>
#include <utility>
#include <variant>

#include "json/document.h"
#include "json/members.h"
#include "json/stored.h"
#include "json/writer.h"

namespace spindle::agents {
namespace {

using json::Node;

std::optional<json::Document> parse(const std::string& text) {
  if (text.empty()) return std::nullopt;
  auto parsed = json::Document::parse(text, json::kStoredDepth);
  auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr) return std::nullopt;
  return std::move(*document);
}

bool hasText(const Node& object, std::string_view name, std::string_view text) {
  const std::optional<Node> member = memberOf(object, name);
  return member && member->isString() && member->textEquals(text);
}

/// Returns the content of a string, or other values as JSON. Null is empty.
std::string textOrJson(const Node& node) {
  if (node.isNull()) return {};
  return node.isString() ? node.text() : json::compact(node.raw());
}

std::string textOrJson(const Node& object, std::string_view name) {
  const std::optional<Node> member = memberOf(object, name);
  return member ? textOrJson(*member) : std::string();
}

/// Calls `each` with the name and value of every member of an object.
template <class Each>
void forMembers(const Node& object, Each each) {
  std::optional<std::string> name;
  for (const Node item : object) {
    if (!name) {
      name = item.text();
    } else {
      each(*name, item);
      name.reset();
    }
  }
}

void append(std::string& text, const std::string& more) {
  if (more.empty()) return;
  if (!text.empty()) text += '\n';
  text += more;
}

/// Returns the texts of blocks such as `{"type": "text", "text": …}`, or the text itself.
std::string textOfBlocks(const Node& content) {
  if (content.isString()) return content.text();
  std::string words;
  if (!content.isArray()) return words;
  for (const Node part : content)
    append(words, part.isString() ? part.text() : textIn(part, "text"));
  return words;
}

bool isMessageList(const Node& node) {
  if (!node.isArray()) return false;
  for (const Node item : node) {
    if (item.isObject() && item.find("role")) return true;
  }
  return false;
}

std::int64_t countIn(const Node& object, std::string_view name) {
  const std::optional<Node> member = memberOf(object, name);
  return member && member->isNumber() ? member->integer().value_or(0) : 0;
}

/// Builds a ModelExchange from the JSON of a request and its response.
class ExchangeParser {
 public:
  ModelExchange take() {
    span_.operation_name = "chat";
    return {std::move(span_), std::move(requested_), std::move(outcomes_)};
  }

  /// Reads the request. Returns false if it is not a model request.
  bool readInputs(const Node& inputs) {
    if (!inputs.isObject()) return false;
    span_.request_model = textIn(inputs, "model");
    if (const std::optional<Node> tools = inputs.find("tools"); tools && tools->isArray())
      span_.tool_definitions = json::compact(tools->raw());
    for (const std::string_view name : {"system", "instructions"}) {
      const std::optional<Node> given = inputs.find(name);
      if (given) addInstruction(textOfBlocks(*given));
    }
    const std::optional<Node> messages = messagesIn(inputs);
    if (messages) {
      for (const Node message : *messages) readMessage(message);
      return true;
    }
    const std::optional<Node> input = inputs.find("input");
    const bool asks_model = !span_.request_model.empty() && input;
    if (asks_model && input->isString()) {
      span_.input_messages.push_back({"user", input->text(), ""});
      return true;
    }
    if (asks_model && input->isArray()) {
      for (const Node item : *input) readMessage(item);
      return true;
    }
    return false;
  }

  void readOutput(const Node& output) {
    if (output.isString()) return addAnswer(output.text());
    if (output.isArray()) return readList(output);
    if (!output.isObject()) return;
    readResponse(output);
    if (!answered_ && !output.isNull()) addAnswer(json::compact(output.raw()));
  }

 private:
  /// Returns the list of messages in the arguments, named `messages` or otherwise.
  static std::optional<Node> messagesIn(const Node& inputs) {
    std::optional<Node> found;
    if (const std::optional<Node> usual = inputs.find("messages"); usual && isMessageList(*usual))
      return usual;
    forMembers(inputs, [&found](const std::string& /*name*/, const Node& value) {
      if (found) return;
      if (isMessageList(value)) found = value;
      const std::optional<Node> inner = memberOf(value, "messages");
      if (inner && isMessageList(*inner)) found = inner;
    });
    return found;
  }

  void addInstruction(std::string text) {
    if (!text.empty()) span_.system_instructions.push_back(std::move(text));
  }

  void addAnswer(std::string text) {
    answered_ = true;
    if (!text.empty()) span_.output_messages.push_back({"assistant", std::move(text), ""});
  }

  /// Adds an empty message that separates user messages of the history.
  void addSeparator(std::string_view role) {
    span_.input_messages.push_back({std::string(role), "", ""});
  }

  void readMessage(const Node& item) {
    if (item.isString()) {
      span_.input_messages.push_back({"user", item.text(), ""});
      return;
    }
    if (!item.isObject()) return;
    if (hasText(item, "type", "function_call_output")) {
      outcomes_.push_back({textIn(item, "call_id"), textOrJson(item, "output")});
      return addSeparator("tool");
    }
    const std::string role = textIn(item, "role");
    const std::optional<Node> given = item.find(item.find("parts") ? "parts" : "content");
    if (role.empty()) return addSeparator("assistant");  // an earlier action of the model
    if (role == "system" || role == "developer") {
      if (given) addInstruction(textOfBlocks(*given));
    } else if (role == "tool" || role == "function") {
      std::string id = textIn(item, "tool_call_id");
      if (id.empty()) id = textIn(item, "name");
      outcomes_.push_back({std::move(id), given ? resultText(*given) : std::string()});
      addSeparator("tool");
    } else if (role == "assistant" || role == "model") {
      span_.input_messages.push_back({"assistant", given ? textOrJson(*given) : std::string(), ""});
    } else {
      readUserMessage(role, given);
    }
  }

  /// Reads a user message, whose parts may be tool results.
  void readUserMessage(const std::string& role, const std::optional<Node>& given) {
    if (!given) return;
    if (!given->isArray()) {
      span_.input_messages.push_back({role, textOrJson(*given), ""});
      return;
    }
    std::string parts;
    json::Writer out(parts);
    out.beginArray();
    bool any = false;
    bool results = false;
    for (const Node part : *given) {
      if (hasText(part, "type", "tool_result")) {
        const std::optional<Node> result = part.find("content");
        outcomes_.push_back(
            {textIn(part, "tool_use_id"), result ? resultText(*result) : std::string()});
        results = true;
      } else {
        out.raw(json::compact(part.raw()));
        any = true;
      }
    }
    out.endArray();
    if (results) addSeparator("tool");
    if (any) span_.input_messages.push_back({role, std::move(parts), ""});
  }

  static std::string resultText(const Node& content) {
    std::string words = textOfBlocks(content);
    return words.empty() ? textOrJson(content) : words;
  }

  void readResponse(const Node& answer) {
    if (span_.response_model.empty()) span_.response_model = textIn(answer, "model");
    if (span_.response_id.empty()) span_.response_id = textIn(answer, "id");
    readUsage(answer);
    const std::optional<Node> choices = answer.find("choices");
    const std::optional<Node> items = answer.find("output");
    const std::optional<Node> responses = answer.find("responses");
    if (choices && choices->isArray()) {
      answered_ = true;
      for (const Node choice : *choices) readChoice(choice);
    } else if (items && items->isArray()) {
      answered_ = true;
      for (const Node item : *items) readItem(item);
    } else if (responses && responses->isArray()) {
      for (const Node response : *responses) readResponse(response);
    } else if (answer.find("role") && answer.find("content")) {
      answered_ = true;
      readModelMessage(answer);
      finish(textIn(answer, "stop_reason"));
    } else {
      forMembers(answer, [this](const std::string& /*name*/, const Node& value) {
        if (answered_ || !isMessageList(value)) return;
        answered_ = true;
        for (const Node message : value) readModelMessage(message);
      });
    }
  }

  void readChoice(const Node& choice) {
    if (const std::optional<Node> message = memberOf(choice, "message")) {
      readModelMessage(*message);
    } else if (const std::string text = textIn(choice, "text"); !text.empty()) {
      addAnswer(text);
    }
    finish(textIn(choice, "finish_reason"));
  }

  void finish(std::string reason) {
    if (!reason.empty()) span_.finish_reasons.push_back(std::move(reason));
  }

  /// Reads a message of the model.
  void readModelMessage(const Node& message) {
    if (!message.isObject()) return;
    std::string words = textIn(message, "refusal");
    for (const std::string_view name : {"reasoning_content", "reasoning"})
      append(span_.reasoning_content, textIn(message, name));
    const std::optional<Node> content = message.find(message.find("parts") ? "parts" : "content");
    if (content && content->isString()) append(words, content->text());
    if (content && content->isArray()) {
      for (const Node part : *content) readPart(part, words);
    }
    addAnswer(std::move(words));
    if (const std::optional<Node> calls = message.find("tool_calls"); calls && calls->isArray()) {
      for (const Node call : *calls) {
        const std::optional<Node> function = memberOf(call, "function");
        if (function) request(textIn(call, "id"), *function);
      }
    }
    const std::optional<Node> legacy = message.find("function_call");
    if (legacy && legacy->isObject()) request(textIn(*legacy, "name"), *legacy);
  }

  void request(std::string id, const Node& function) {
    requested_.push_back(
        {std::move(id), textIn(function, "name"), textOrJson(function, "arguments")});
  }

  /// Reads a part of a model's message and appends its text to `words`.
  void readPart(const Node& part, std::string& words) {
    if (part.isString()) return append(words, part.text());
    if (hasText(part, "type", "thinking")) {
      append(span_.reasoning_content, textIn(part, "thinking"));
    } else if (hasText(part, "type", "reasoning")) {
      append(span_.reasoning_content, textIn(part, "content"));
    } else if (hasText(part, "type", "tool_use")) {
      requested_.push_back({textIn(part, "id"), textIn(part, "name"), textOrJson(part, "input")});
    } else if (hasText(part, "type", "tool_call")) {
      request(textIn(part, "id"), part);
    } else if (hasText(part, "type", "refusal")) {
      append(words, textIn(part, "refusal"));
    } else {
      std::string text = textIn(part, "text");
      append(words, text.empty() ? textIn(part, "content") : text);
    }
  }

  /// Reads one output item of the OpenAI Responses API.
  void readItem(const Node& item) {
    if (hasText(item, "type", "function_call")) {
      request(textIn(item, "call_id"), item);
    } else if (hasText(item, "type", "reasoning")) {
      for (const std::string_view name : {"summary", "content"}) {
        const std::optional<Node> said = memberOf(item, name);
        if (said) append(span_.reasoning_content, textOfBlocks(*said));
      }
    } else {
      readModelMessage(item);
    }
  }

  void readUsage(const Node& answer) {
    const std::optional<Node> usage = memberOf(answer, "usage");
    if (!usage || !usage->isObject()) return;
    span_.input_tokens += countIn(*usage, "prompt_tokens") + countIn(*usage, "input_tokens");
    span_.output_tokens += countIn(*usage, "completion_tokens") + countIn(*usage, "output_tokens");
    for (const std::string_view name : {"completion_tokens_details", "output_tokens_details"}) {
      const std::optional<Node> details = usage->find(name);
      if (details) span_.reasoning_tokens += countIn(*details, "reasoning_tokens");
    }
  }

  /// Reads a list: the chunks of a stream, messages, or another value.
  void readList(const Node& list) {
    if (isMessageList(list)) {
      for (const Node message : list) readModelMessage(message);
      return;
    }
    std::string words;
    std::map<std::int64_t, RequestedTool> tools;
    bool chunks = false;
    for (const Node chunk : list) {
      const std::optional<Node> choices = memberOf(chunk, "choices");
      if (!choices || !choices->isArray()) continue;
      chunks = true;
      if (span_.response_model.empty()) span_.response_model = textIn(chunk, "model");
      readUsage(chunk);
      for (const Node choice : *choices) {
        const std::optional<Node> delta = memberOf(choice, "delta");
        if (delta) addDelta(*delta, words, tools);
        finish(textIn(choice, "finish_reason"));
      }
    }
    if (!chunks) return addAnswer(json::compact(list.raw()));
    addAnswer(std::move(words));
    for (auto& [index, tool] : tools) requested_.push_back(std::move(tool));
  }

  void addDelta(const Node& delta,
                std::string& words,
                std::map<std::int64_t, RequestedTool>& tools) {
    words += textIn(delta, "content");
    span_.reasoning_content += textIn(delta, "reasoning_content");
    const std::optional<Node> calls = memberOf(delta, "tool_calls");
    if (!calls || !calls->isArray()) return;
    for (const Node call : *calls) {
      RequestedTool& tool = tools[countIn(call, "index")];
      tool.id += textIn(call, "id");
      if (const std::optional<Node> function = memberOf(call, "function")) {
        tool.name += textIn(*function, "name");
        tool.arguments += textIn(*function, "arguments");
      }
    }
  }

  AgentSpan span_;
  std::vector<RequestedTool> requested_;
  std::vector<ToolOutcome> outcomes_;
  bool answered_ = false;
};

}  // namespace

std::optional<ModelExchange> exchangeOf(const std::string& inputs, const std::string& output) {
  const std::optional<json::Document> sent = parse(inputs);
  ExchangeParser parser;
  if (!sent || !parser.readInputs(sent->root())) return std::nullopt;
  if (const std::optional<json::Document> received = parse(output))
    parser.readOutput(received->root());
  return parser.take();
}

std::string promptOf(const std::string& inputs) {
  const std::optional<json::Document> document = parse(inputs);
  if (!document) return {};
  const Node root = document->root();
  if (!root.isObject()) return textOrJson(root);
  constexpr auto kNames = std::to_array<std::string_view>(
      {"question", "query", "prompt", "message", "user_input", "input", "text", "task"});
  for (const std::string_view name : kNames) {
    const std::optional<Node> member = root.find(name);
    if (member && member->isString()) return member->text();
  }
  std::string rest;
  json::Writer out(rest);
  std::size_t members = 0;
  std::optional<std::string> only;
  out.beginObject();
  forMembers(root, [&](const std::string& name, const Node& value) {
    if (name == "self" || name == "this") return;
    ++members;
    only = value.isString() ? std::optional(value.text()) : std::nullopt;
    out.key(name).raw(json::compact(value.raw()));
  });
  out.endObject();
  if (members == 0) return {};
  return members == 1 && only ? *only : rest;
}

std::string plainText(const std::string& json) {
  const std::optional<json::Document> document = parse(json);
  return document ? textOrJson(document->root()) : std::string();
}

std::string textAt(const std::string& json, const std::vector<std::string>& path) {
  const std::optional<json::Document> document = parse(json);
  if (!document) return {};
  std::optional<Node> at = document->root();
  for (const std::string& name : path) {
    at = memberOf(*at, name);
    if (!at) return {};
  }
  return at->isString() ? at->text() : std::string();
}

}  // namespace spindle::agents
