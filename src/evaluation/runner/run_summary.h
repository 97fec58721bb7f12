#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "evaluation/recording/run_payload_json.h"

namespace spindle::evaluation {

/// Aggregates the rows of a run like the SDKs: for each scorer and each leaf of its values,
/// `{mean}` of numbers and `{true_count, true_fraction}` of booleans; ignores texts, lists and
/// nulls. Also aggregates the latency of the model.
class RunSummary {
 public:
  /// Adds the output of one `Evaluation.predict_and_score`. Ignores a value that is not an object.
  void add(std::string_view output);
  /// Returns `{"<scorer>": {…}, "model_latency": {"mean": …}}`.
  std::string json() const;

 private:
  struct Leaf {
    Mean numbers;
    std::int64_t truths = 0;
    std::int64_t true_count = 0;
  };
  /// Leaves by path; the first part of a path is the scorer.
  std::map<std::vector<std::string>, Leaf> leaves_;
  Mean latency_;
};

}  // namespace spindle::evaluation
