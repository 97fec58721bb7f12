#include "evaluation/scoring/chat_completion_json.h"

#include <utility>
#include <variant>

#include "base/core/utf8.h"
#include "json/document.h"
#include "json/stored.h"
#include "json/writer.h"

namespace spindle::evaluation {
namespace {

using json::Document;
using json::Node;

constexpr std::size_t kMaxErrorBytes = 300;

void writeMembers(json::Writer& out, const Node& object) {
  for (auto member = object.begin(); member != object.end(); ++member) {
    out.key((*member).text());
    ++member;
    out.raw((*member).raw());
  }
}

/// Shortens a text at a character boundary, so that it stays valid UTF-8.
std::string cut(std::string text) {
  if (text.size() <= kMaxErrorBytes) return text;
  std::size_t end = kMaxErrorBytes;
  while (end > 0 && !beginsCharacter(text[end])) --end;
  text.resize(end);
  return text + "…";
}

std::optional<Node> firstMessage(const Node& root) {
  if (!root.isObject()) return std::nullopt;
  const std::optional<Node> choices = root.find("choices");
  if (!choices || !choices->isArray() || choices->size() == 0) return std::nullopt;
  const Node choice = *choices->begin();
  if (!choice.isObject()) return std::nullopt;
  std::optional<Node> message = choice.find("message");
  if (message && !message->isObject()) message.reset();
  return message;
}

/// Returns the content of a message: its text, its refusal, or its tool calls as JSON.
std::optional<std::string> messageContentOf(const Node& message) {
  for (const std::string_view member : {"content", "refusal"}) {
    const std::optional<Node> text = message.find(member);
    if (text && text->isString()) return text->text();
  }
  const std::optional<Node> calls = message.find("tool_calls");
  if (calls && calls->isArray()) return json::compact(calls->raw());
  return std::nullopt;
}

}  // namespace

std::string completionBody(const ModelRequest& request) {
  const Document parameters = json::parseStored(request.parameters);
  std::string body;
  json::Writer out(body);
  out.beginObject();
  writeMembers(out, parameters.root());
  out.key("model").string(request.model);
  out.key("messages").raw(request.messages);
  out.endObject();
  return body;
}

Result<ModelAnswer> completionAnswer(std::string_view body, std::string_view asked_model) {
  const Error nonsense(ErrorCode::kUpstream, "The upstream's answer is not a chat completion.");
  const auto read = Document::parse(std::string(body));
  const Document* document = std::get_if<Document>(&read);
  if (document == nullptr) return nonsense;
  const Node root = document->root();
  const std::optional<Node> message = firstMessage(root);
  if (!message) return nonsense;
  std::optional<std::string> said = messageContentOf(*message);
  if (!said) return nonsense;
  ModelAnswer answer;
  answer.text = *std::move(said);
  answer.model = asked_model;
  if (const std::optional<Node> model = root.find("model"); model && model->isString())
    answer.model = model->text();
  if (const std::optional<Node> usage = root.find("usage"); usage && usage->isObject())
    answer.usage = json::compact(usage->raw());
  return answer;
}

std::string completionError(std::string_view body) {
  const auto read = Document::parse(std::string(body));
  const Document* document = std::get_if<Document>(&read);
  if (document == nullptr || !document->root().isObject()) return {};
  const std::optional<Node> error = document->root().find("error");
  if (!error) return {};
  if (error->isString()) return cut(error->text());
  const std::optional<Node> message = error->isObject() ? error->find("message") : std::nullopt;
  return message && message->isString() ? cut(message->text()) : std::string();
}

std::string usageSummary(const ModelAnswer& answer) {
  const Document usage = json::parseStored(answer.usage);
  std::string summary;
  json::Writer out(summary);
  out.beginObject().key("usage").beginObject().key(answer.model).beginObject();
  out.key("requests").integer(1);
  writeMembers(out, usage.root());
  out.endObject().endObject().endObject();
  return summary;
}

}  // namespace spindle::evaluation
