#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spindle::evaluation {

// JSON values of the objects of evaluations (tracing.md §6.1). References in them stay unchanged.

/// The members that all objects except ops have.
struct ObjectHeader {
  std::string class_name;
  std::string name;
  std::optional<std::string> description;
  std::vector<std::string> bases = {"Object", "BaseModel"};
};

/// The members of an evaluation.
struct EvaluationParts {
  std::string dataset;
  std::vector<std::string> scorers;
  std::int64_t trials = 1;
  std::optional<std::string> evaluation_name = {};
  // Digests of the ops.
  std::string evaluate = {};
  std::string predict_and_score = {};
  std::string summarize = {};
};

std::string datasetValue(ObjectHeader head, std::string rows);
/// `score` and `summarize` are digests of ops.
std::string scorerValue(ObjectHeader head, std::string score, std::string summarize);
/// `attributes` (a JSON object or an empty text) adds members; it cannot replace members of the
/// evaluation.
std::string evaluationValue(ObjectHeader head, EvaluationParts parts, std::string_view attributes);
std::string modelValue(ObjectHeader head, std::string source_digest, std::string_view attributes);

// Readers of these values. Objects that SDKs published may lack any of the members.

std::optional<std::string> textIn(std::string_view value, const std::string& member);
std::vector<std::string> textsIn(std::string_view value, std::string_view member);
std::optional<std::int64_t> integerIn(std::string_view value, std::string_view member);
/// Returns the digest of the source code, if there is one.
std::optional<std::string> sourceIn(std::string_view value);
/// Returns the additional members of a model as an object, or nothing if there are none.
std::optional<std::string> modelAttributesIn(std::string_view value);

}  // namespace spindle::evaluation
