#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "evaluation/recording/object_publisher.h"
#include "evaluation/routes/evaluation_api.h"
#include "json/writer.h"
#include "objects/values/object.h"
#include "schema/type.h"

namespace spindle::evaluation {

struct Created {
  std::string digest;
  std::string object_id;
  std::int64_t version_index = 0;
  std::string ref;  ///< only in the responses of some kinds
};

// JSON representations of versions.

/// The members that all kinds have.
struct VersionView {
  std::string object_id;
  std::string digest;
  std::int64_t version_index = 0;
  Timestamp created_at;
};
struct OpView : VersionView {
  std::string code;
};
/// The members that all kinds except ops have.
struct NamedView : VersionView {
  std::string name;
  std::optional<std::string> description;
};
struct DatasetView : NamedView {
  std::string rows;
};
struct ScorerView : NamedView {
  std::string score_op;
};
struct EvaluationView : NamedView {
  std::string dataset;
  std::vector<std::string> scorers;
  std::int64_t trials = 1;
  std::optional<std::string> evaluation_name;
  std::optional<std::string> evaluate_op;
  std::optional<std::string> predict_and_score_op;
  std::optional<std::string> summarize_op;
};
struct ModelView : NamedView {
  std::string source_code;
  std::optional<json::Text> attributes;
};

/// A stored version for one reader: the references in `value` are external.
struct ReadableVersion {
  const EvaluationServices& services;
  const std::string& project_id;
  const objects::ObjectVersion& version;
  const std::string& value;
};

/// One kind of object: the request body that publishes it, and its JSON representation.
template <class Body, class View>
struct Kind {
  std::string plural;  ///< used in paths
  std::string title;   ///< used in the names of records and operations
  objects::ObjectFilter filter;
  schema::Codec<Body> body;
  schema::Codec<Created> created;
  schema::Codec<View> view;
  std::function<Result<void>(const ReadableVersion&, View&)> show;
};

Kind<NewOp, OpView> opKind();
Kind<NewDataset, DatasetView> datasetKind();
Kind<NewScorer, ScorerView> scorerKind();
Kind<NewEvaluation, EvaluationView> evaluationKind();
Kind<NewModel, ModelView> modelKind();

}  // namespace spindle::evaluation
