#include "evaluation/recording/published_values.h"

#include <algorithm>
#include <array>

#include "json/document.h"
#include "json/writer.h"
#include "objects/values/new_value.h"
#include "tracing/ingest/json_path.h"
#include "tracing/ingest/stored_payload.h"

namespace spindle::evaluation {
namespace {

using json::Document, json::Node, json::Writer;

constexpr std::array<std::string_view, 6> kModelMembers = {"_type", "_class_name", "_bases",
                                                           "name",  "description", "files"};

Writer& writeText(Writer& out, const std::optional<std::string>& text) {
  return text ? out.string(*text) : out.null();
}

void writeHead(Writer& out, const ObjectHeader& head) {
  out.beginObject();
  out.key("_type").string(head.class_name);
  out.key("_class_name").string(head.class_name);
  out.key("_bases").beginArray().string("Object").string("BaseModel").endArray();
  out.key("name").string(head.name);
  writeText(out.key("description"), head.description);
}

std::optional<Document> parsed(std::string_view json) {
  auto outcome = Document::parse(std::string(json), tracing::kMaxBodyDepth);
  auto* document = std::get_if<Document>(&outcome);
  if (document == nullptr || !document->root().isObject()) return std::nullopt;
  return std::move(*document);
}

/// Calls `each(name, value)` for the members of a JSON object; an empty text has no members.
template <class Each>
void forMembers(std::string_view json, const Each& each) {
  const std::optional<Document> document = parsed(json);
  if (!document) return;
  for (auto at = document->root().begin(); at != document->root().end(); ++at) {
    const std::string name = (*at).text();
    ++at;
    each(name, *at);
  }
}

/// Adds the members of `attributes` to the object `value`; skips names that it has already.
std::string withMembers(std::string value, std::string_view attributes) {
  std::string added;
  const std::optional<Document> known = parsed(value);
  forMembers(attributes, [&](const std::string& name, const Node& member) {
    if (known && known->root().find(name)) return;
    added += ',';
    Writer(added).string(name);
    added += ':';
    added += member.raw();
  });
  value.insert(value.size() - 1, added);
  return value;
}

}  // namespace

std::string datasetValue(const ObjectHeader& head, std::string_view rows) {
  std::string text;
  Writer out(text);
  writeHead(out, head);
  out.key("rows").string(rows);
  out.endObject();
  return text;
}

std::string scorerValue(const ObjectHeader& head,
                        std::string_view score,
                        std::string_view summarize) {
  std::string text;
  Writer out(text);
  writeHead(out, head);
  out.key("score").string(score);
  out.key("summarize").string(summarize);
  out.key("column_map").null();
  out.endObject();
  return text;
}

std::string evaluationValue(const ObjectHeader& head,
                            const EvaluationParts& parts,
                            std::string_view attributes) {
  std::string text;
  Writer out(text);
  writeHead(out, head);
  out.key("dataset").string(parts.dataset);
  out.key("scorers").beginArray();
  for (const std::string& scorer : parts.scorers) out.string(scorer);
  out.endArray();
  out.key("trials").integer(parts.trials);
  writeText(out.key("evaluation_name"), parts.evaluation_name);
  out.key("metadata").null();
  out.key("preprocess_model_input").null();
  out.key("evaluate").string(parts.evaluate);
  out.key("predict_and_score").string(parts.predict_and_score);
  out.key("summarize").string(parts.summarize);
  out.endObject();
  return withMembers(std::move(text), attributes);
}

std::string modelValue(const ObjectHeader& head,
                       std::string_view source_digest,
                       std::string_view attributes) {
  std::string text;
  Writer out(text);
  writeHead(out, head);
  out.key("files").beginObject().key(objects::kSourceFile).string(source_digest).endObject();
  out.endObject();
  return withMembers(std::move(text), attributes);
}

std::optional<std::string> textIn(std::string_view value, const std::string& member) {
  return tracing::stringAt(value, {member});
}

std::vector<std::string> textsIn(std::string_view value, std::string_view member) {
  std::vector<std::string> texts;
  const std::optional<Document> document = parsed(value);
  const std::optional<Node> list = document ? document->root().find(member) : std::nullopt;
  if (!list || !list->isArray()) return texts;
  for (const Node item : *list) {
    if (item.isString()) texts.push_back(item.text());
  }
  return texts;
}

std::optional<std::int64_t> integerIn(std::string_view value, std::string_view member) {
  const std::optional<Document> document = parsed(value);
  const std::optional<Node> number = document ? document->root().find(member) : std::nullopt;
  if (!number || number->kind() != json::Kind::kInteger) return std::nullopt;
  return number->integer();
}

std::optional<std::string> sourceIn(std::string_view value) {
  return tracing::stringAt(value, {"files", std::string(objects::kSourceFile)});
}

std::optional<std::string> modelAttributesIn(std::string_view value) {
  std::string text;
  Writer out(text);
  bool any = false;
  out.beginObject();
  forMembers(value, [&](const std::string& name, const Node& member) {
    if (std::find(kModelMembers.begin(), kModelMembers.end(), name) != kModelMembers.end()) return;
    out.key(name).raw(member.raw());
    any = true;
  });
  out.endObject();
  if (!any) return std::nullopt;
  return text;
}

}  // namespace spindle::evaluation
