#include "inference/usage/streamed_completion.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "inference/catalogue/json_object.h"
#include "json/writer.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::inference {
namespace {

using schema::anyJson, schema::integer, schema::list, schema::nullable, schema::Record,
    schema::string;

struct ToolFunction {
  std::string name;
  std::string arguments;
};
struct ToolCall {
  std::string id;
  std::string type = "function";
  ToolFunction function = {};
};
struct Message {
  std::string role = "assistant";
  std::optional<std::string> content = {};
  std::optional<std::string> reasoning = {};
  std::optional<std::string> refusal = {};
  std::optional<std::vector<ToolCall>> tool_calls = {};
};
struct Logprobs {
  std::optional<json::Text> content = {};
  std::optional<json::Text> refusal = {};
};
struct Choice {
  std::int64_t index = 0;
  std::optional<std::string> text = {};  ///< only of a legacy completion
  std::optional<Message> message = {};   ///< only of a chat completion
  std::optional<std::string> finish_reason = {};
  std::optional<Logprobs> logprobs = {};
  std::optional<json::Text> token_ids = {};
};

schema::Codec<Message> messageCodec() {
  using Call = ToolCall;
  using M = Message;
  const auto function = Record<ToolFunction>("StreamedFunction")
                            .required("name", &ToolFunction::name, string())
                            .required("arguments", &ToolFunction::arguments, string())
                            .codec();
  const auto call = Record<Call>("StreamedToolCall")
                        .required("id", &Call::id, string())
                        .required("type", &Call::type, string())
                        .required("function", &Call::function, function)
                        .codec();
  const auto text = nullable(string());
  return Record<M>("StreamedMessage")
      .required("role", &M::role, string())
      .required("content", &M::content, text)
      .required("reasoning", &M::reasoning, text)
      .omitNull()
      .required("refusal", &M::refusal, text)
      .omitNull()
      .required("tool_calls", &M::tool_calls, nullable(list(call)))
      .omitNull()
      .codec();
}

schema::Codec<Choice> choiceCodec() {
  const auto items = nullable(anyJson());
  const auto logprobs = Record<Logprobs>("StreamedLogprobs")
                            .required("content", &Logprobs::content, items)
                            .required("refusal", &Logprobs::refusal, items)
                            .codec();
  return Record<Choice>("StreamedChoice")
      .required("index", &Choice::index, integer())
      .required("text", &Choice::text, nullable(string()))
      .omitNull()
      .required("message", &Choice::message, nullable(messageCodec()))
      .omitNull()
      .required("finish_reason", &Choice::finish_reason, nullable(string()))
      .required("logprobs", &Choice::logprobs, nullable(logprobs))
      .omitNull()
      .required("token_ids", &Choice::token_ids, items)
      .omitNull()
      .codec();
}

/// The parts of one choice.
struct ChoiceParts {
  std::optional<std::string> text;
  Message message;
  std::map<std::int64_t, ToolCall> calls;
  std::optional<std::string> finish_reason;
  // Items of JSON lists, without brackets:
  std::optional<std::string> token_ids;
  std::optional<std::string> logprobs;
  std::optional<std::string> refusal_logprobs;
};

/// Returns the JSON list of some items.
std::optional<json::Text> listOf(const std::optional<std::string>& items) {
  if (!items) return std::nullopt;
  return json::Text{"[" + *items + "]"};
}

/// Returns the choice of a legacy completion or of a chat completion.
Choice assembled(std::int64_t index, ChoiceParts parts, bool is_legacy) {
  Choice choice;
  choice.index = index;
  if (is_legacy) {
    choice.text = std::move(parts.text).value_or("");
  } else {
    choice.message = std::move(parts.message);
    if (!parts.calls.empty()) choice.message->tool_calls.emplace();
    for (auto& [position, call] : parts.calls) {
      choice.message->tool_calls->push_back(std::move(call));
    }
  }
  choice.finish_reason = std::move(parts.finish_reason);
  if (parts.logprobs || parts.refusal_logprobs) {
    choice.logprobs = Logprobs{listOf(parts.logprobs), listOf(parts.refusal_logprobs)};
  }
  choice.token_ids = listOf(parts.token_ids);
  return choice;
}

void append(std::optional<std::string>& to, const std::optional<json::Node>& from) {
  if (!from || !from->isString()) return;
  if (!to) to.emplace();
  *to += from->text();
}

void append(std::string& to, const std::optional<json::Node>& from) {
  if (from && from->isString()) to += from->text();
}

/// Appends the items of one JSON list to another.
void appendItems(std::optional<std::string>& to, const std::optional<json::Node>& from) {
  if (!from || !from->isArray()) return;
  if (!to) to.emplace();
  const std::string_view raw = from->raw();
  if (from->size() == 0) return;
  if (!to->empty()) *to += ',';
  *to += raw.substr(1, raw.size() - 2);
}

std::int64_t indexOf(const json::Node& item) {
  const std::optional<json::Node> index = item.find("index");
  if (!index || index->kind() != json::Kind::kInteger) return 0;
  return index->integer().value_or(0);
}

/// Assembles the chunks of a stream.
class Assembly {
 public:
  void add(const json::Node& chunk) {
    for (const char* name :
         {"id", "created", "model", "system_fingerprint", "usage", "error", "prompt_token_ids"}) {
      const std::optional<json::Node> member = chunk.find(name);
      if (member && !member->isNull()) head_[name] = std::string(member->raw());
    }
    const std::optional<json::Node> choices = chunk.find("choices");
    if (!choices || !choices->isArray()) return;
    for (const json::Node choice : *choices) {
      if (choice.isObject()) addChoice(choice);
    }
  }

  /// Returns the completion as JSON. Call it once, at the end.
  std::string finish() {
    static const auto codec = list(choiceCodec());
    std::vector<Choice> choices;
    for (auto& [index, parts] : choices_) {
      choices.push_back(assembled(index, std::move(parts), is_legacy_));
    }
    std::string text;
    json::Writer out(text);
    out.beginObject();
    out.key("object").string(is_legacy_ ? "text_completion" : "chat.completion");
    for (const auto& [name, json] : head_) out.key(name).raw(json);
    out.key("choices");
    codec.write(choices, out);
    out.endObject();
    return text;
  }

 private:
  void addChoice(const json::Node& item) {
    ChoiceParts& choice = choices_[indexOf(item)];
    const std::optional<json::Node> text = item.find("text");
    if (text) is_legacy_ = true;
    append(choice.text, text);
    const std::optional<json::Node> reason = item.find("finish_reason");
    if (reason && reason->isString()) choice.finish_reason = reason->text();
    appendItems(choice.token_ids, item.find("token_ids"));
    const std::optional<json::Node> logprobs = item.find("logprobs");
    if (logprobs && logprobs->isObject()) {
      appendItems(choice.logprobs, logprobs->find("content"));
      appendItems(choice.refusal_logprobs, logprobs->find("refusal"));
    }
    const std::optional<json::Node> delta = item.find("delta");
    if (!delta || !delta->isObject()) return;
    append(choice.message.content, delta->find("content"));
    append(choice.message.refusal, delta->find("refusal"));
    append(choice.message.reasoning, delta->find("reasoning"));
    append(choice.message.reasoning, delta->find("reasoning_content"));
    const std::optional<json::Node> calls = delta->find("tool_calls");
    if (!calls || !calls->isArray()) return;
    for (const json::Node part : *calls) {
      if (!part.isObject()) continue;
      ToolCall& call = choice.calls[indexOf(part)];
      append(call.id, part.find("id"));
      const std::optional<json::Node> function = part.find("function");
      if (!function || !function->isObject()) continue;
      append(call.function.name, function->find("name"));
      append(call.function.arguments, function->find("arguments"));
    }
  }

  std::map<std::string, std::string> head_;  ///< JSON by name
  std::map<std::int64_t, ChoiceParts> choices_;
  bool is_legacy_ = false;
};

}  // namespace

std::string assembleCompletion(std::string_view events) {
  constexpr std::string_view kField = "data:";
  Assembly assembly;
  while (!events.empty()) {
    const std::size_t end = std::min(events.find('\n'), events.size());
    std::string_view line = events.substr(0, end);
    events.remove_prefix(std::min(end + 1, events.size()));
    if (!line.starts_with(kField)) continue;
    const std::optional<json::Document> event =
        parseObject(std::string(line.substr(kField.size())));
    if (event) assembly.add(event->root());
  }
  return assembly.finish();
}

}  // namespace spindle::inference
