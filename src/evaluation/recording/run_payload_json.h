#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/time.h"
#include "json/document.h"
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

/// The members that predictions and scores have.
struct RecordedCall {
  std::string id;
  std::optional<std::string> run_id;
  std::optional<std::string> user_id;
};

struct Prediction : RecordedCall {
  std::string model;
  json::Text inputs;  ///< an object
  json::Text output;
};
/// Parses a prediction. `run_id` comes from the attributes of the call; calls of SDKs have none.
Prediction predictionOf(const tracing::Call& call);

struct Score : RecordedCall {
  std::string scorer;
  json::Text value;  ///< null becomes 0.0
};
Score scoreOf(const tracing::Call& call);

/// Returns true for the call of a scorer: it has the attribute of the server or of an SDK, or its
/// op name ends with `.score`.
bool isScore(const tracing::Call& call);

// JSON payloads of the calls of a run.

/// Parses a payload. Returns nothing if it is not an object.
std::optional<json::Document> parsedObject(std::string_view payload);

using Members = std::vector<std::pair<std::string_view, std::string>>;  ///< names and JSON values
/// Returns an object with these members.
std::string objectOf(const Members& members);
/// Returns attributes with these members in the platform's object: `{"svc": {…}}`.
std::string attributesOf(const Members& members);

/// A mean of numbers.
struct Mean {
  double sum = 0;
  std::size_t count = 0;

  void add(double number);
  double value() const { return sum / static_cast<double>(count); }
};
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
  std::vector<std::pair<std::string, Mean>> scores_;  ///< in order of first occurrence
  Mean output_;
};

}  // namespace spindle::evaluation
