#include "evaluation/recording/object_publisher.h"

#include <utility>

#include "evaluation/recording/object_name.h"
#include "evaluation/recording/published_values.h"
#include "objects/store/file_repository.h"
#include "objects/store/object_repository.h"
#include "objects/store/table_repository.h"
#include "objects/values/digest.h"
#include "objects/values/label.h"
#include "objects/values/new_value.h"
#include "objects/values/ref.h"

namespace spindle::evaluation {
namespace {

constexpr std::string_view kNoSource = "def op(*args, **kwargs):\n    ...  # no code was sent\n";
constexpr std::size_t kFileChunk = 64UL << 10;

std::string tableRef(const std::string& project_id, const std::string& digest) {
  objects::Ref ref;
  ref.scheme = wire::RefScheme::kInternal;
  ref.project = project_id;
  ref.kind = objects::RefKind::kTable;
  ref.name = digest;
  return objects::printRef(ref);
}

/// Returns the additional members of an object, or an empty text.
std::string_view attributesText(const std::optional<json::Text>& attributes) {
  return attributes ? std::string_view(attributes->json) : std::string_view();
}

}  // namespace

Result<std::string> ObjectPublisher::storeSource(const PublishContext& by,
                                                 std::string_view source_code) const {
  std::string digest = objects::contentDigest(source_code);
  TRY(files_.put(by.project_id, digest, source_code));
  return digest;
}

Result<PublishedObject> ObjectPublisher::store(const PublishContext& by,
                                               const std::string& object_id,
                                               std::string value) const {
  TRY(objects::checkObjectId(object_id));
  TRY(objects::internalizeRefs(value, by.projects));
  const objects::NewObject object =
      objects::newObject(by.project_id, object_id, std::move(value), by.user_id);
  TRY(objects_.publish(object));
  const objects::ObjectVersion version =
      TRY(objects_.find(by.project_id, object_id, object.digest, false));
  return PublishedObject{object_id, object.digest, version.version_index};
}

Result<PublishedObject> ObjectPublisher::publishOpAs(
    const PublishContext& by,
    const std::string& object_id,
    const std::optional<std::string>& source_code) const {
  // Check the id before anything is stored.
  TRY(objects::checkObjectId(object_id));
  const std::string source =
      TRY(storeSource(by, source_code ? std::string_view(*source_code) : kNoSource));
  return store(by, object_id, objects::opValue(source, by.spelling));
}

Result<PublishedObject> ObjectPublisher::publish(const PublishContext& by, const NewOp& op) const {
  return publishOpAs(by, objectIdOf(op.name, "Op"), op.source_code);
}

Result<PublishedObject> ObjectPublisher::publish(const PublishContext& by,
                                                 const NewDataset& dataset) const {
  const std::string object_id = objectIdOf(dataset.name, "Dataset");
  TRY(objects::checkObjectId(object_id));
  std::vector<objects::NewRow> rows;
  std::vector<std::string> digests;
  for (const json::Text& text : dataset.rows) {
    objects::NewRow row = TRY(objects::newRow(text.json, by.projects));
    digests.push_back(row.digest);
    rows.push_back(std::move(row));
  }
  const std::string table = objects::tableDigest(digests);
  TRY(tables_.create(by.project_id, table, digests, rows));
  return store(by, object_id,
               datasetValue({"Dataset", dataset.name.value_or("Dataset"), dataset.description},
                            tableRef(by.project_id, table)));
}

Result<PublishedObject> ObjectPublisher::publish(const PublishContext& by,
                                                 const NewScorer& scorer) const {
  const std::string object_id = objectIdOf(scorer.name, {});
  const PublishedObject score = TRY(publishOpAs(by, object_id + "_score", scorer.source_code));
  const PublishedObject summarize = TRY(publishOpAs(by, object_id + "_summarize", std::nullopt));
  return store(
      by, object_id,
      scorerValue({"Scorer", scorer.name, scorer.description}, score.digest, summarize.digest));
}

Result<PublishedObject> ObjectPublisher::publish(const PublishContext& by,
                                                 const NewEvaluation& evaluation) const {
  const std::string object_id = objectIdOf(evaluation.name, {});
  EvaluationParts parts;
  for (const auto& [suffix, digest] : {std::pair(".evaluate", &parts.evaluate),
                                       std::pair(".predict_and_score", &parts.predict_and_score),
                                       std::pair(".summarize", &parts.summarize)}) {
    PublishedObject op = TRY(publishOpAs(by, object_id + suffix, std::nullopt));
    *digest = std::move(op.digest);
  }
  parts.dataset = evaluation.dataset;
  parts.scorers = evaluation.scorers.value_or(std::vector<std::string>());
  parts.trials = evaluation.trials;
  parts.evaluation_name = evaluation.evaluation_name;
  return store(by, object_id,
               evaluationValue({"Evaluation", evaluation.name, evaluation.description},
                               std::move(parts), attributesText(evaluation.attributes)));
}

Result<PublishedObject> ObjectPublisher::publish(const PublishContext& by,
                                                 const NewModel& model) const {
  const std::string object_id = objectIdOf(model.name, {});
  TRY(objects::checkObjectId(object_id));
  const std::string source = TRY(storeSource(by, model.source_code));
  return store(by, object_id,
               modelValue({"Model", model.name, model.description}, source,
                          attributesText(model.attributes)));
}

Result<std::string> ObjectPublisher::sourceOf(std::string_view project_id,
                                              std::string_view value) const {
  const std::optional<std::string> digest = sourceIn(value);
  if (!digest) return std::string();
  Result<objects::FileReader> file = files_.open(project_id, *digest);
  if (!file && file.error().code() == ErrorCode::kNotFound) return std::string();
  if (!file) return std::move(file).error();
  std::string source;
  for (;;) {
    std::string piece = TRY(file->next(kFileChunk));
    if (piece.empty()) return source;
    source += piece;
  }
}

}  // namespace spindle::evaluation
