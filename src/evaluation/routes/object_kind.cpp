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
      .required("object_id", &Created::object_id, string())
      .required("version_index", &Created::version_index, integer());
  if (!ref_name.empty())
    record.required(ref_name, &Created::ref, string(), "Reference to the version.");
  return record.codec();
}

template <class View>
Record<View> viewRecord(const std::string& title) {
  Record<View> record(title + "View");
  record.required("object_id", &View::object_id, string())
      .required("digest", &View::digest, string())
      .required("version_index", &View::version_index, integer())
      .required("created_at", &View::created_at, schema::dateTime());
  return record;
}

template <class View>
Record<View> namedRecord(const std::string& title) {
  Record<View> record = viewRecord<View>(title);
  record.required("name", &View::name, string())
      .required("description", &View::description, nullable(string()));
  return record;
}

/// Sets name and description from the value, if present.
void showName(const ReadableVersion& reading, NamedView& view) {
  view.name = textIn(reading.value, "name").value_or(reading.version.object_id);
  view.description = textIn(reading.value, "description");
}

/// Reads the name of an object. idFromName() derives the object id from the name: it keeps these
/// characters and requires 1 to 128 of them.
Codec<std::string> nameCodec() {
  return schema::describedAs(string(), string({.max_length = 128, .pattern = "[A-Za-z0-9_. /-]"}));
}

/// Starts the record of a request body with a required name and an optional description.
template <class Body>
Record<Body> namedBody(const std::string& title) {
  Record<Body> record(title + "Create");
  record.required("name", &Body::name, nameCodec())
      .optional("description", &Body::description, nullable(string()));
  return record;
}

/// The names of a kind.
struct KindNames {
  std::string plural;
  std::string title;
  std::string ref;  ///< member of the reply with the reference; empty for none
};

/// Returns a kind of objects that have a name. `show` sets the other members.
template <class Body, class View>
Kind<Body, View> namedKind(const KindNames& names,
                           const Record<Body>& body,
                           const Record<View>& view,
                           std::function<Result<void>(const ReadableVersion&, View&)> show) {
  return {.plural = names.plural,
          .title = names.title,
          .filter = ofClass(names.title),
          .body = body.codec(),
          .created = createdCodec(names.title, names.ref),
          .view = view.codec(),
          .show = [show = std::move(show)](const ReadableVersion& reading, View& shown) {
            showName(reading, shown);
            return show(reading, shown);
          }};
}

}  // namespace

Kind<NewOp, OpView> opKind() {
  objects::ObjectFilter filter;
  filter.is_op = true;
  return {.plural = "ops",
          .title = "Op",
          .filter = std::move(filter),
          .body = Record<NewOp>("OpCreate")
                      .optional("name", &NewOp::name, nullable(nameCodec()))
                      .optional("source_code", &NewOp::source_code, nullable(string()))
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
  return namedKind<B, DatasetView>(
      {"datasets", "Dataset", ""},
      Record<B>("DatasetCreate")
          .optional("name", &B::name, nullable(nameCodec()))
          .optional("description", &B::description, nullable(string()))
          .required("rows", &B::rows, list(schema::jsonObject())),
      namedRecord<DatasetView>("Dataset").required("rows", &DatasetView::rows, string(),
                                                   "Reference to the table of rows."),
      [](const ReadableVersion& reading, DatasetView& view) -> Result<void> {
        view.rows = textIn(reading.value, "rows").value_or("");
        return {};
      });
}

Kind<NewScorer, ScorerView> scorerKind() {
  return namedKind<NewScorer, ScorerView>(
      {"scorers", "Scorer", "scorer"},
      namedBody<NewScorer>("Scorer").required("op_source_code", &NewScorer::source_code, string()),
      namedRecord<ScorerView>("Scorer").required("score_op", &ScorerView::score_op, string()),
      [](const ReadableVersion& reading, ScorerView& view) -> Result<void> {
        view.score_op = textIn(reading.value, "score").value_or("");
        return {};
      });
}

Kind<NewEvaluation, EvaluationView> evaluationKind() {
  using B = NewEvaluation;
  using V = EvaluationView;
  const auto text = nullable(string());
  return namedKind<B, V>(
      {"evaluations", "Evaluation", "evaluation_ref"},
      namedBody<B>("Evaluation")
          .required("dataset", &B::dataset, string(), "A reference.")
          .optional("scorers", &B::scorers, nullable(list(string())), "References.")
          .optional("trials", &B::trials, integer(), "Number of trials per row.")
          .optional("evaluation_name", &B::evaluation_name, text)
          .optional("eval_attributes", &B::attributes, nullable(schema::jsonObject()),
                    "Additional members of the object."),
      namedRecord<V>("Evaluation")
          .required("dataset", &V::dataset, string())
          .required("scorers", &V::scorers, list(string()))
          .required("trials", &V::trials, integer())
          .required("evaluation_name", &V::evaluation_name, text)
          .required("evaluate_op", &V::evaluate_op, text)
          .required("predict_and_score_op", &V::predict_and_score_op, text)
          .required("summarize_op", &V::summarize_op, text),
      [](const ReadableVersion& reading, V& view) -> Result<void> {
        view.dataset = textIn(reading.value, "dataset").value_or("");
        view.scorers = textsIn(reading.value, "scorers");
        view.trials = integerIn(reading.value, "trials").value_or(1);
        view.evaluation_name = textIn(reading.value, "evaluation_name");
        view.evaluate_op = textIn(reading.value, "evaluate");
        view.predict_and_score_op = textIn(reading.value, "predict_and_score");
        view.summarize_op = textIn(reading.value, "summarize");
        return {};
      });
}

Kind<NewModel, ModelView> modelKind() {
  using B = NewModel;
  using V = ModelView;
  return namedKind<B, V>(
      {"models", "Model", "model_ref"},
      namedBody<B>("Model")
          .required("source_code", &B::source_code, string())
          .optional("attributes", &B::attributes, nullable(schema::jsonObject()),
                    "Additional members of the object."),
      namedRecord<V>("Model")
          .required("source_code", &V::source_code, string())
          .required("attributes", &V::attributes, nullable(schema::jsonObject())),
      [](const ReadableVersion& reading, V& view) -> Result<void> {
        std::string source =
            TRY(reading.services.publisher.sourceOf(reading.project_id, reading.value));
        view.source_code = std::move(source);
        if (std::optional<std::string> attributes = modelAttributesIn(reading.value))
          view.attributes = json::Text{*std::move(attributes)};
        return {};
      });
}

}  // namespace spindle::evaluation
