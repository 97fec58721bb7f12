#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracing/call.h"

namespace spindle::evaluation {

/// What stands for a row in results: the digest in a reference to a dataset's row, else that of the
/// example itself (tracing.md §6.6).
std::string rowDigestOf(std::string_view example);

/// The reference that the example is, if it is one.
std::optional<std::string> exampleRef(std::string_view example);

/// What is read off one `Evaluation.predict_and_score`.
struct TrialParts {
  std::string example = "null";  ///< JSON, references internal
  std::string model_output = "null";
  std::string scores = "{}";
  std::optional<double> latency_seconds = {};       ///< as the output reports it
  std::optional<std::string> predict_call_id = {};  ///< as the attributes say
  std::optional<std::string> genai_spans = {};      ///< JSON list
};
TrialParts trialPartsOf(const tracing::Call& call);

/// One value inside the scores of a trial. Lists and nulls are none.
struct ScoreLeaf {
  enum class Kind { kBinary, kContinuous, kText };
  std::string scorer;
  std::optional<std::string> path;  ///< dotted; empty when the score itself is the value
  Kind kind = Kind::kText;
  double number = 0;  ///< of kBinary 1 or 0

  bool operator==(const ScoreLeaf&) const = default;
};
std::vector<ScoreLeaf> leavesOf(std::string_view scores);

/// A child of a trial that is a score: by which name the scores know it.
std::string scorerNameOf(const tracing::Call& call);

/// Whether a child that is no score is the model's own call.
bool isPredict(const tracing::Call& call, std::string_view model);

}  // namespace spindle::evaluation
