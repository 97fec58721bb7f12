#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "tracing/call.h"

namespace spindle::evaluation {

// What is read off the calls of a run. References are internal.

/// A run, as its call tells.
struct Run {
  std::string id;
  std::string evaluation;
  std::string model;
  std::string_view status;  ///< `running`, `completed` or `failed`
  std::optional<Timestamp> started_at;
  std::optional<Timestamp> finished_at;
  std::optional<std::string> source_run_id;
};
Run runOf(const tracing::Call& call);

struct Prediction {
  std::string id;
  std::string model;
  std::string inputs;  ///< JSON object
  std::string output;  ///< JSON
  std::optional<std::string> run_id;
  std::optional<std::string> user_id;
};
/// The run is what the call itself says; a call of an SDK says nothing.
Prediction predictionOf(const tracing::Call& call);

struct Score {
  std::string id;
  std::string scorer;
  std::string value;  ///< JSON; a null reads as 0.0
  std::optional<std::string> run_id;
  std::optional<std::string> user_id;
};
Score scoreOf(const tracing::Call& call);

/// True for the call of a scorer: it says so, or an SDK says so of it, or it is named `….score`.
bool isScore(const tracing::Call& call);

// Payloads of the calls of a run, as JSON.

using Members = std::vector<std::pair<std::string_view, std::string>>;  ///< names and JSON values
/// An object of these members.
std::string objectOf(const Members& members);
/// The same as the platform's own member of the attributes: `{"svc": {…}}`.
std::string attributesOf(const Members& members);
std::string quoted(std::string_view text);

/// The output of a finished `Evaluation.predict_and_score`.
std::string rowOutput(const tracing::Call& prediction,
                      const std::vector<std::pair<std::string, std::string>>& scores);

/// What the outputs of a run's predictions come to (tracing.md §6.4): the mean of the numbers of
/// each scorer, and of the model where it answers with numbers.
class RunTotals {
 public:
  /// The output of one `Evaluation.predict_and_score`; what is no object is passed over.
  void add(std::string_view output);
  std::string json() const;

 private:
  struct Mean {
    double sum = 0;
    std::size_t count = 0;

    void add(double value);
  };
  std::vector<std::pair<std::string, Mean>> scores_;  ///< in the order they came
  Mean output_;
};

}  // namespace spindle::evaluation
