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

// Request bodies that create objects.
struct OpBody {
  std::optional<std::string> name;
  std::optional<std::string> source_code;
};
struct DatasetBody {
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::vector<json::Text> rows;
};
struct ScorerBody {
  std::string name;
  std::optional<std::string> description;
  std::string op_source_code;
};
struct EvaluationBody {
  std::string name;
  std::optional<std::string> description;
  std::string dataset;
  std::optional<std::vector<std::string>> scorers;
  std::int64_t trials = 1;
  std::optional<std::string> evaluation_name;
  std::optional<json::Text> eval_attributes;
};
struct ModelBody {
  std::string name;
  std::optional<std::string> description;
  std::string source_code;
  std::optional<json::Text> attributes;
};

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
struct DatasetView : VersionView {
  std::string name;
  std::optional<std::string> description;
  std::string rows;
};
struct ScorerView : VersionView {
  std::string name;
  std::optional<std::string> description;
  std::string score_op;
};
struct EvaluationView : VersionView {
  std::string name;
  std::optional<std::string> description;
  std::string dataset;
  std::vector<std::string> scorers;
  std::int64_t trials = 1;
  std::optional<std::string> evaluation_name;
  std::optional<std::string> evaluate_op;
  std::optional<std::string> predict_and_score_op;
  std::optional<std::string> summarize_op;
};
struct ModelView : VersionView {
  std::string name;
  std::optional<std::string> description;
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

/// One kind of object: its request body, how it is published, and its JSON representation.
template <class Body, class View>
struct Kind {
  std::string plural;  ///< used in paths
  std::string title;   ///< used in the names of records and operations
  objects::ObjectFilter filter;
  schema::Codec<Body> body;
  schema::Codec<Created> created;
  schema::Codec<View> view;
  std::function<Result<PublishedObject>(const ObjectPublisher&, const PublishContext&, Body)>
      publish;
  std::function<Result<void>(const ReadableVersion&, View&)> show;
};

Kind<OpBody, OpView> opKind();
Kind<DatasetBody, DatasetView> datasetKind();
Kind<ScorerBody, ScorerView> scorerKind();
Kind<EvaluationBody, EvaluationView> evaluationKind();
Kind<ModelBody, ModelView> modelKind();

}  // namespace spindle::evaluation
