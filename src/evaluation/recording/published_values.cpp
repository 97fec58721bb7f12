#include "evaluation/recording/published_values.h"

#include <algorithm>
#include <array>
#include <utility>

#include "evaluation/recording/run_payload_json.h"
#include "json/document.h"
#include "json/writer.h"
#include "objects/values/new_value.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "tracing/ingest/json_path.h"

namespace spindle::evaluation {
namespace {

using json::Document, json::Node, json::Writer;
using schema::Codec, schema::Record, schema::string;

constexpr std::array<std::string_view, 6> kModelMembers = {"_type", "_class_name", "_bases",
                                                           "name",  "description", "files"};

// The values as they are stored.

struct DatasetValue : ObjectHeader {
  std::string rows;
};
struct ScorerValue : ObjectHeader {
  std::string score;
  std::string summarize;
  json::Text unset;  ///< null: a member that only SDKs set
};
struct EvaluationValue : ObjectHeader, EvaluationParts {
  json::Text unset;  ///< null: members that only SDKs set
};
struct ModelValue : ObjectHeader {
  schema::MapOf<std::string> files;
};

/// A record that begins with the header of an object.
template <class Value>
Record<Value> objectRecord(std::string name) {
  Record<Value> record(std::move(name));
  record.required("_type", &Value::class_name, string())
      .required("_class_name", &Value::class_name, string())
      .required("_bases", &Value::bases, schema::list(string()))
      .required("name", &Value::name, string())
      .required("description", &Value::description, schema::nullable(string()));
  return record;
}

/// Calls `each(name, value)` for the members of a JSON object; an empty text has no members.
template <class Each>
void forMembers(std::string_view json, const Each& each) {
  const std::optional<Document> document = parsedObject(json);
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
  const std::optional<Document> known = parsedObject(value);
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

std::string datasetValue(ObjectHeader head, std::string rows) {
  static const Codec<DatasetValue> codec = objectRecord<DatasetValue>("DatasetValue")
                                               .required("rows", &DatasetValue::rows, string())
                                               .codec();
  return codec.toJson({std::move(head), std::move(rows)});
}

std::string scorerValue(ObjectHeader head, std::string score, std::string summarize) {
  using V = ScorerValue;
  static const Codec<V> codec = objectRecord<V>("ScorerValue")
                                    .required("score", &V::score, string())
                                    .required("summarize", &V::summarize, string())
                                    .required("column_map", &V::unset, schema::anyJson())
                                    .codec();
  return codec.toJson({std::move(head), std::move(score), std::move(summarize), {}});
}

std::string evaluationValue(ObjectHeader head, EvaluationParts parts, std::string_view attributes) {
  using V = EvaluationValue;
  static const Codec<V> codec =
      objectRecord<V>("EvaluationValue")
          .required("dataset", &V::dataset, string())
          .required("scorers", &V::scorers, schema::list(string()))
          .required("trials", &V::trials, schema::integer())
          .required("evaluation_name", &V::evaluation_name, schema::nullable(string()))
          .required("metadata", &V::unset, schema::anyJson())
          .required("preprocess_model_input", &V::unset, schema::anyJson())
          .required("evaluate", &V::evaluate, string())
          .required("predict_and_score", &V::predict_and_score, string())
          .required("summarize", &V::summarize, string())
          .codec();
  return withMembers(codec.toJson({std::move(head), std::move(parts), {}}), attributes);
}

std::string modelValue(ObjectHeader head, std::string source_digest, std::string_view attributes) {
  static const Codec<ModelValue> codec =
      objectRecord<ModelValue>("ModelValue")
          .required("files", &ModelValue::files, schema::map(string()))
          .codec();
  ModelValue value{std::move(head), {}};
  value.files.emplace_back(objects::kSourceFile, std::move(source_digest));
  return withMembers(codec.toJson(value), attributes);
}

std::optional<std::string> textIn(std::string_view value, const std::string& member) {
  return tracing::stringAt(value, {member});
}

std::vector<std::string> textsIn(std::string_view value, std::string_view member) {
  std::vector<std::string> texts;
  const std::optional<Document> document = parsedObject(value);
  const std::optional<Node> list = document ? document->root().find(member) : std::nullopt;
  if (!list || !list->isArray()) return texts;
  for (const Node item : *list) {
    if (item.isString()) texts.push_back(item.text());
  }
  return texts;
}

std::optional<std::int64_t> integerIn(std::string_view value, std::string_view member) {
  const std::optional<Document> document = parsedObject(value);
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
