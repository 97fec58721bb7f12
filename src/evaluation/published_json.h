#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/spelling.h"

namespace spindle::evaluation {

// The values of the objects that evaluations are made of (tracing.md §6.1), as JSON. Refs in them
// are whatever they were.

/// The file that holds the source code of an op or a model.
inline constexpr std::string_view kSourceFile = "obj.py";

/// What every object but an op has.
struct ObjectHead {
  std::string_view class_name;
  std::string name;
  std::optional<std::string> description;
};

/// The evaluation's own members.
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

std::string opValue(std::string_view source_digest, wire::Spelling spelling);
std::string datasetValue(const ObjectHead& head, std::string_view rows);
/// `score` and `summarize` are digests of ops.
std::string scorerValue(const ObjectHead& head, std::string_view score, std::string_view summarize);
/// `attributes`, a JSON object or empty, stand beside the members of the evaluation, which win.
std::string evaluationValue(const ObjectHead& head,
                            const EvaluationParts& parts,
                            std::string_view attributes);
std::string modelValue(const ObjectHead& head,
                       std::string_view source_digest,
                       std::string_view attributes);

// What can be read back, also of objects that SDKs have published, which may lack all of it.

std::optional<std::string> textIn(std::string_view value, const std::string& member);
std::vector<std::string> textsIn(std::string_view value, std::string_view member);
std::optional<std::int64_t> integerIn(std::string_view value, std::string_view member);
/// The digest of the source code, when there is some.
std::optional<std::string> sourceIn(std::string_view value);
/// The members of a model that no model has of itself, as an object; empty when there are none.
std::optional<std::string> modelAttributesIn(std::string_view value);

}  // namespace spindle::evaluation
