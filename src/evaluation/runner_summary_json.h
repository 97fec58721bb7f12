#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace spindle::evaluation {

/// Adds up the rows of a run as SDKs do: for each scorer and each leaf of what it said, `{mean}` of
/// numbers, `{true_count, true_fraction}` of truths; texts, lists and nulls count for nothing. And
/// how long the model took.
class RunSummary {
 public:
  /// The output of one `Evaluation.predict_and_score`; what is no object is passed over.
  void add(std::string_view output);
  /// `{"<scorer>": {…}, "model_latency": {"mean": …}}`.
  std::string json() const;

 private:
  struct Leaf {
    double sum = 0;
    std::int64_t numbers = 0;
    std::int64_t truths = 0;
    std::int64_t true_count = 0;
  };
  /// Leaves by their path, whose first part is the scorer.
  std::map<std::vector<std::string>, Leaf> leaves_;
  Leaf latency_;
};

}  // namespace spindle::evaluation
