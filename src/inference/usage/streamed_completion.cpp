#include "inference/usage/streamed_completion.h"

#include <cstdint>
#include <map>
#include <optional>

#include "inference/catalogue/json_object.h"
#include "json/writer.h"

namespace spindle::inference {
namespace {

struct ToolCall {
  std::string id;
  std::string name;
  std::string arguments;
};

struct Choice {
  std::optional<std::string> text;  ///< of a legacy completion
  std::optional<std::string> content;
  std::optional<std::string> reasoning;
  std::optional<std::string> refusal;
  std::map<std::int64_t, ToolCall> calls;
  std::optional<std::string> finish_reason;
  std::optional<std::string> token_ids;  ///< items of a JSON list, without brackets
  std::optional<std::string> logprobs;
  std::optional<std::string> refusal_logprobs;
};

void append(std::optional<std::string>& to, const std::optional<json::Node>& from) {
  if (!from || !from->isString()) return;
  to = to.value_or(std::string()) + from->text();
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

  std::string text() const {
    std::string text;
    json::Writer out(text);
    out.beginObject();
    out.key("object").string(is_legacy_ ? "text_completion" : "chat.completion");
    for (const auto& [name, json] : head_) out.key(name).raw(json);
    out.key("choices").beginArray();
    for (const auto& [index, choice] : choices_) writeChoice(out, index, choice);
    out.endArray().endObject();
    return text;
  }

 private:
  void addChoice(const json::Node& item) {
    Choice& choice = choices_[indexOf(item)];
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
    append(choice.content, delta->find("content"));
    append(choice.refusal, delta->find("refusal"));
    append(choice.reasoning, delta->find("reasoning"));
    append(choice.reasoning, delta->find("reasoning_content"));
    const std::optional<json::Node> calls = delta->find("tool_calls");
    if (!calls || !calls->isArray()) return;
    for (const json::Node part : *calls) {
      if (!part.isObject()) continue;
      ToolCall& call = choice.calls[indexOf(part)];
      append(call.id, part.find("id"));
      const std::optional<json::Node> function = part.find("function");
      if (!function || !function->isObject()) continue;
      append(call.name, function->find("name"));
      append(call.arguments, function->find("arguments"));
    }
  }

  static void writeText(json::Writer& out,
                        std::string_view name,
                        const std::optional<std::string>& text) {
    if (text) out.key(name).string(*text);
  }

  void writeChoice(json::Writer& out, std::int64_t index, const Choice& choice) const {
    out.beginObject().key("index").integer(index);
    if (is_legacy_) {
      out.key("text").string(choice.text.value_or(std::string()));
    } else {
      out.key("message").beginObject().key("role").string("assistant").key("content");
      choice.content ? out.string(*choice.content) : out.null();
      writeText(out, "reasoning", choice.reasoning);
      writeText(out, "refusal", choice.refusal);
      if (!choice.calls.empty()) writeCalls(out, choice);
      out.endObject();
    }
    out.key("finish_reason");
    choice.finish_reason ? out.string(*choice.finish_reason) : out.null();
    if (choice.logprobs || choice.refusal_logprobs) {
      out.key("logprobs").beginObject();
      writeItems(out, "content", choice.logprobs);
      writeItems(out, "refusal", choice.refusal_logprobs);
      out.endObject();
    }
    if (choice.token_ids) writeItems(out, "token_ids", choice.token_ids);
    out.endObject();
  }

  static void writeItems(json::Writer& out,
                         std::string_view name,
                         const std::optional<std::string>& items) {
    out.key(name);
    items ? out.raw("[" + *items + "]") : out.null();
  }

  static void writeCalls(json::Writer& out, const Choice& choice) {
    out.key("tool_calls").beginArray();
    for (const auto& [index, call] : choice.calls) {
      out.beginObject().key("id").string(call.id).key("type").string("function");
      out.key("function").beginObject();
      out.key("name").string(call.name).key("arguments").string(call.arguments);
      out.endObject().endObject();
    }
    out.endArray();
  }

  std::map<std::string, std::string> head_;  ///< JSON by name
  std::map<std::int64_t, Choice> choices_;
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
  return assembly.text();
}

}  // namespace spindle::inference
