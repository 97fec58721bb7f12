#include "evaluation/routes/object_kind.h"

#include <utility>

#include "evaluation/recording/published_values.h"
#include "schema/compound.h"
#include "schema/described.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::evaluation {
namespace {

using schema::Codec, schema::integer, schema::list, schema::nullable, schema::Record,
    schema::string;

objects::ObjectFilter ofClass(std::string base_class) {
  objects::ObjectFilter filter;
  filter.base_object_classes = {std::move(base_class)};
  filter.is_op = false;
  return filter;
}

/// `ref_name` is the name of the member with the reference; empty for none.
Codec<Created> createdCodec(const std::string& title, const std::string& ref_name) {
  Record<Created> record(title + "Created");
  record.required("digest", &Created::digest, string(), "Digest of the content.")
      .required("object_id", &Created::object_id, string(), "")
      .required("version_index", &Created::version_index, integer(), "");
  if (!ref_name.empty())
    record.required(ref_name, &Created::ref, string(), "Reference to the version.");
  return record.codec();
}

template <class View>
Record<View> viewRecord(const std::string& title) {
  Record<View> record(title + "View");
  record.required("object_id", &View::object_id, string(), "")
      .required("digest", &View::digest, string(), "")
      .required("version_index", &View::version_index, integer(), "")
      .required("created_at", &View::created_at, schema::dateTime(), "");
  return record;
}

template <class View>
Record<View> namedRecord(const std::string& title) {
  Record<View> record = viewRecord<View>(title);
  record.required("name", &View::name, string(), "")
      .required("description", &View::description, nullable(string()), "");
  return record;
}

/// Sets name and description from the value, if present.
template <class View>
void showName(const ReadableVersion& reading, View& view) {
  view.name = textIn(reading.value, "name").value_or(reading.version.object_id);
  view.description = textIn(reading.value, "description");
}

/// Reads the name of an object. idFromName() derives the object id from the name: it keeps these
/// characters and requires 1 to 128 of them.
Codec<std::string> nameCodec() {
  return schema::describedAs(string(), string({.max_length = 128, .pattern = "[A-Za-z0-9_. /-]"}));
}

}  // namespace

Kind<NewOp, OpView> opKind() {
  objects::ObjectFilter filter;
  filter.is_op = true;
  return {.plural = "ops",
          .title = "Op",
          .filter = std::move(filter),
          .body = Record<NewOp>("OpCreate")
                      .optional("name", &NewOp::name, nullable(nameCodec()), "")
                      .optional("source_code", &NewOp::source_code, nullable(string()), "")
                      .codec(),
          .created = createdCodec("Op", ""),
          .view = viewRecord<OpView>("Op")
                      .required("code", &OpView::code, string(), "The source code.")
                      .codec(),
          .show = [](const ReadableVersion& reading, OpView& view) -> Result<void> {
            std::string source =
                TRY(reading.services.publisher.sourceOf(reading.project_id, reading.value));
            view.code = std::move(source);
            return {};
          }};
}

Kind<NewDataset, DatasetView> datasetKind() {
  using B = NewDataset;
  return {
      .plural = "datasets",
      .title = "Dataset",
      .filter = ofClass("Dataset"),
      .body = Record<B>("DatasetCreate")
                  .optional("name", &B::name, nullable(nameCodec()), "")
                  .optional("description", &B::description, nullable(string()), "")
                  .required("rows", &B::rows, list(schema::jsonObject()), "")
                  .codec(),
      .created = createdCodec("Dataset", ""),
      .view = namedRecord<DatasetView>("Dataset")
                  .required("rows", &DatasetView::rows, string(), "Reference to the table of rows.")
                  .codec(),
      .show = [](const ReadableVersion& reading, DatasetView& view) -> Result<void> {
        showName(reading, view);
        view.rows = textIn(reading.value, "rows").value_or("");
        return {};
      }};
}

Kind<NewScorer, ScorerView> scorerKind() {
  using B = NewScorer;
  return {.plural = "scorers",
          .title = "Scorer",
          .filter = ofClass("Scorer"),
          .body = Record<B>("ScorerCreate")
                      .required("name", &B::name, nameCodec(), "")
                      .optional("description", &B::description, nullable(string()), "")
                      .required("op_source_code", &B::source_code, string(), "")
                      .codec(),
          .created = createdCodec("Scorer", "scorer"),
          .view = namedRecord<ScorerView>("Scorer")
                      .required("score_op", &ScorerView::score_op, string(), "")
                      .codec(),
          .show = [](const ReadableVersion& reading, ScorerView& view) -> Result<void> {
            showName(reading, view);
            view.score_op = textIn(reading.value, "score").value_or("");
            return {};
          }};
}

Kind<NewEvaluation, EvaluationView> evaluationKind() {
  using B = NewEvaluation;
  using V = EvaluationView;
  const auto text = nullable(string());
  return {.plural = "evaluations",
          .title = "Evaluation",
          .filter = ofClass("Evaluation"),
          .body = Record<B>("EvaluationCreate")
                      .required("name", &B::name, nameCodec(), "")
                      .optional("description", &B::description, text, "")
                      .required("dataset", &B::dataset, string(), "A reference.")
                      .optional("scorers", &B::scorers, nullable(list(string())), "References.")
                      .optional("trials", &B::trials, integer(), "Number of trials per row.")
                      .optional("evaluation_name", &B::evaluation_name, text, "")
                      .optional("eval_attributes", &B::attributes, nullable(schema::jsonObject()),
                                "Additional members of the object.")
                      .codec(),
          .created = createdCodec("Evaluation", "evaluation_ref"),
          .view = namedRecord<V>("Evaluation")
                      .required("dataset", &V::dataset, string(), "")
                      .required("scorers", &V::scorers, list(string()), "")
                      .required("trials", &V::trials, integer(), "")
                      .required("evaluation_name", &V::evaluation_name, text, "")
                      .required("evaluate_op", &V::evaluate_op, text, "")
                      .required("predict_and_score_op", &V::predict_and_score_op, text, "")
                      .required("summarize_op", &V::summarize_op, text, "")
                      .codec(),
          .show = [](const ReadableVersion& reading, V& view) -> Result<void> {
            showName(reading, view);
            view.dataset = textIn(reading.value, "dataset").value_or("");
            view.scorers = textsIn(reading.value, "scorers");
            view.trials = integerIn(reading.value, "trials").value_or(1);
            view.evaluation_name = textIn(reading.value, "evaluation_name");
            view.evaluate_op = textIn(reading.value, "evaluate");
            view.predict_and_score_op = textIn(reading.value, "predict_and_score");
            view.summarize_op = textIn(reading.value, "summarize");
            return {};
          }};
}

Kind<NewModel, ModelView> modelKind() {
  using B = NewModel;
  return {.plural = "models",
          .title = "Model",
          .filter = ofClass("Model"),
          .body = Record<B>("ModelCreate")
                      .required("name", &B::name, nameCodec(), "")
                      .optional("description", &B::description, nullable(string()), "")
                      .required("source_code", &B::source_code, string(), "")
                      .optional("attributes", &B::attributes, nullable(schema::jsonObject()),
                                "Additional members of the object.")
                      .codec(),
          .created = createdCodec("Model", "model_ref"),
          .view = namedRecord<ModelView>("Model")
                      .required("source_code", &ModelView::source_code, string(), "")
                      .required("attributes", &ModelView::attributes,
                                nullable(schema::jsonObject()), "")
                      .codec(),
          .show = [](const ReadableVersion& reading, ModelView& view) -> Result<void> {
            showName(reading, view);
            std::string source =
                TRY(reading.services.publisher.sourceOf(reading.project_id, reading.value));
            view.source_code = std::move(source);
            if (std::optional<std::string> attributes = modelAttributesIn(reading.value))
              view.attributes = json::Text{*std::move(attributes)};
            return {};
          }};
}

}  // namespace spindle::evaluation
