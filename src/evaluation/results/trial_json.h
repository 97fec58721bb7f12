#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracing/calls/call.h"

namespace spindle::evaluation {

/// Returns the digest that identifies a row in results: the digest in the reference to a row of a
/// dataset, or the digest of the example itself (tracing.md §6.6).
std::string rowDigestOf(std::string_view example);

/// Returns the example as a reference, if it is one.
std::optional<std::string> exampleRef(std::string_view example);

/// The data of one call `Evaluation.predict_and_score`.
struct TrialParts {
  std::string example = "null";  ///< JSON, references internal
  std::string model_output = "null";
  std::string scores = "{}";
  std::optional<double> latency_seconds = {};       ///< from the output
  std::optional<std::string> predict_call_id = {};  ///< from the attributes
  std::optional<std::string> genai_spans = {};      ///< JSON list
};
TrialParts trialPartsOf(const tracing::Call& call);

/// One value inside the scores of a trial. Lists and nulls are not leaves.
struct ScoreLeaf {
  enum class Kind { kBinary, kContinuous, kText };
  std::string scorer;
  std::optional<std::string> path;  ///< dotted; empty when the score itself is the value
  Kind kind = Kind::kText;
  double number = 0;  ///< 1 or 0 for kBinary

  bool operator==(const ScoreLeaf&) const = default;
};
std::vector<ScoreLeaf> leavesOf(std::string_view scores);

/// Returns the name of the scorer for a child call of a trial that is a score.
std::string scorerNameOf(const tracing::Call& call);

/// Returns true if a child call of a trial, which is not a score, is the call of the model.
bool isPredict(const tracing::Call& call, std::string_view model);

}  // namespace spindle::evaluation
