#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/time.h"
#include "json/writer.h"
#include "tracing/calls/call.h"

namespace spindle::evaluation {

// Data that is parsed from the calls of a run. References are internal.

/// A run, parsed from its call.
struct Run {
  std::string id;
  std::string evaluation;
  std::string model;
  std::optional<std::string> status;  ///< `running`, `completed` or `failed`
  std::optional<Timestamp> started_at;
  std::optional<Timestamp> finished_at;
  std::optional<std::string> source_run_id;
};
Run runOf(const tracing::Call& call);

struct Prediction {
  std::string id;
  std::string model;
  json::Text inputs;  ///< an object
  json::Text output;
  std::optional<std::string> run_id;
  std::optional<std::string> user_id;
};
/// Parses a prediction. `run_id` comes from the attributes of the call; calls of SDKs have none.
Prediction predictionOf(const tracing::Call& call);

struct Score {
  std::string id;
  std::string scorer;
  json::Text value;  ///< null becomes 0.0
  std::optional<std::string> run_id;
  std::optional<std::string> user_id;
};
Score scoreOf(const tracing::Call& call);

/// Returns true for the call of a scorer: it has the attribute of the server or of an SDK, or its
/// op name ends with `.score`.
bool isScore(const tracing::Call& call);

// JSON payloads of the calls of a run.

using Members = std::vector<std::pair<std::string_view, std::string>>;  ///< names and JSON values
/// Returns an object with these members.
std::string objectOf(const Members& members);
/// Returns attributes with these members in the platform's object: `{"svc": {…}}`.
std::string attributesOf(const Members& members);

/// Returns `{"mean": …}`.
std::string meanJson(std::optional<double> mean);

/// Returns the output of a finished `Evaluation.predict_and_score`.
std::string rowOutput(const tracing::Call& prediction,
                      const std::vector<std::pair<std::string, std::string>>& scores);

/// Aggregates the outputs of the predictions of a run (tracing.md §6.4): the mean of the numbers of
/// each scorer, and of the model if it answers with numbers.
class RunTotals {
 public:
  /// Adds the output of one `Evaluation.predict_and_score`. Ignores a value that is not an object.
  void add(std::string_view output);
  std::string json() const;

 private:
  struct Mean {
    double sum = 0;
    std::size_t count = 0;

    void add(double value);
  };
  std::vector<std::pair<std::string, Mean>> scores_;  ///< in order of first occurrence
  Mean output_;
};

}  // namespace spindle::evaluation
