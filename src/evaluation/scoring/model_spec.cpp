#include "evaluation/scoring/model_spec.h"

#include <array>
#include <utility>
#include <variant>

#include "evaluation/scoring/object_parameters.h"
#include "evaluation/scoring/prompt_template.h"
#include "evaluation/scoring/scorer_text.h"
#include "json/document.h"
#include "json/stored.h"
#include "json/writer.h"
#include "tracing/calls/chat_message_json.h"

namespace spindle::evaluation {
namespace {

using json::Document;
using json::Node;

/// Returns the list of messages, followed by the prompt as a user message.
std::string messagesOf(const std::optional<std::string>& list, const std::string& prompt) {
  std::string messages;
  json::Writer out(messages);
  out.beginArray();
  if (list) {
    const Document document = json::parseStored(*list);
    if (document.root().isArray()) {
      for (const Node& message : document.root()) out.raw(message.raw());
    }
  }
  if (!prompt.empty()) out.raw(tracing::textMessageJson("user", prompt));
  out.endArray();
  return messages;
}

Result<ModelSpec> chatCompletion(ObjectParameters& parameters) {
  ModelSpec spec;
  spec.model = parameters.requiredText("model");
  spec.upstream = parameters.text("upstream", "");
  const std::optional<std::string> messages = parameters.list("messages");
  const std::string prompt = parameters.text("prompt", "");
  if (!messages && prompt.empty()) parameters.refuse("'messages' or 'prompt' is required");
  spec.messages = messagesOf(messages, prompt);
  spec.parameters = parameters.object("parameters").value_or("{}");
  const std::string output = parameters.text("output", "text");
  if (output != "text" && output != "json") parameters.refuse("'output' must be text or json");
  spec.json_output = output == "json";
  if (parameters.problem()) return *parameters.problem();
  return spec;
}

/// Writes the request parameters. `response_format` is a word in the model object, but an object in
/// the request.
void writeParameters(const Node& given, json::Writer& out) {
  static constexpr std::array<std::string_view, 6> kSame = {
      "temperature", "top_p", "max_tokens", "presence_penalty", "frequency_penalty", "stop"};
  for (const std::string_view name : kSame) {
    const std::optional<Node> value = given.find(name);
    if (value && !value->isNull()) out.key(name).raw(value->raw());
  }
  const std::optional<Node> format = given.find("response_format");
  if (format && format->isString() && format->textEquals("json_object"))
    out.key("response_format").raw(R"({"type":"json_object"})");
}

Result<ModelSpec> structuredCompletion(ObjectParameters& parameters) {
  ModelSpec spec;
  spec.model = parameters.requiredText("llm_model_id");
  const std::optional<Node> given = parameters.find("default_params");
  std::string written;
  json::Writer out(written);
  out.beginObject();
  if (given && given->isObject()) {
    ObjectParameters defaults(*given);
    spec.messages = messagesOf(defaults.list("messages_template"), defaults.text("prompt", ""));
    const std::optional<Node> format = given->find("response_format");
    spec.json_output = format && format->isString() && !format->textEquals("text");
    writeParameters(*given, out);
    if (defaults.problem()) return *defaults.problem();
  }
  out.endObject();
  spec.parameters = std::move(written);
  if (spec.messages.empty() || spec.messages == "[]")
    parameters.refuse("'default_params' has no messages_template and no prompt");
  if (parameters.problem()) return *parameters.problem();
  return spec;
}

}  // namespace

Result<ModelSpec> modelSpecOf(std::string_view object) {
  const Document document = json::parseStored(std::string(object));
  const Node root = document.root();
  if (root.isObject()) {
    ObjectParameters parameters(root);
    const std::optional<Node> kind = root.find("kind");
    if (kind && kind->isString()) {
      if (!kind->textEquals("chat_completion"))
        return Error::invalidArgument("'" + kind->text() + "' is no kind of model");
      return chatCompletion(parameters);
    }
    if (root.find("llm_model_id")) return structuredCompletion(parameters);
  }
  return Error::invalidArgument(
      "the server can only ask models with kind: chat_completion; others run in an SDK");
}

Result<ModelRequest> requestFor(const ModelSpec& spec,
                                std::string_view example,
                                const RunScope& scope) {
  std::string messages = TRY(
      fillTemplates(spec.messages, [&](std::string_view name) { return valueAt(example, name); }));
  return ModelRequest{.project = scope.project,
                      .user_id = scope.user_id,
                      .key_id = scope.key_id,
                      .upstream = spec.upstream,
                      .model = spec.model,
                      .messages = std::move(messages),
                      .parameters = spec.parameters};
}

std::string outputOf(const ModelSpec& spec, const ModelAnswer& answer) {
  if (spec.json_output) {
    const std::string_view text = stripped(answer.text);
    const auto read = Document::parse(std::string(text), json::kStoredDepth);
    if (std::holds_alternative<Document>(read)) return json::compact(text);
  }
  return jsonText(answer.text);
}

}  // namespace spindle::evaluation
