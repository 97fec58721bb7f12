#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "objects/ref_conversion.h"
#include "tracing/call_selection.h"
#include "tracing/payload_json.h"
#include "wire/spelling.h"

namespace spindle::feedback {
class FeedbackStore;
class Intake;
}  // namespace spindle::feedback
namespace spindle::tracing {
class CallStore;
}

namespace spindle::evaluation {

/// Whose run it is, and in which project. The project exists, and the user may write to it.
struct RunScope {
  tracing::ProjectScope project;
  std::string user_id;
  wire::Spelling spelling = wire::Spelling::kNeutral;  ///< of refs to media that are made
  std::string key_id = {};  ///< of the API key that was used; empty for jobs of older versions
};

// What is recorded. References are taken in their external and in their internal form, payloads
// are JSON. Ids are made when they are left out, times are now. An id that the caller chose (any
// UUID) makes a step repeatable: the same step again merges into the same call.

struct NewRun {
  std::string evaluation;
  std::string model;
  std::optional<std::string> source_run_id = {};  ///< of a run whose predictions are scored again
  std::optional<std::string> id = {};
  std::optional<Timestamp> started_at = {};
};

/// What the model answered to one example. Within a run that is two calls: the model's own, which
/// is over, and around it `Evaluation.predict_and_score`, which stays open for scores.
struct NewPrediction {
  std::string model;
  std::string inputs;                           ///< what the model was given, an object
  std::optional<std::string> output = {};       ///< JSON; empty: null
  std::optional<std::string> exception = {};    ///< why there is no output
  std::optional<std::string> run_id = {};       ///< the run, which must exist
  std::optional<std::string> example = {};      ///< JSON: a row's reference; left out: the inputs
  std::optional<std::string> genai_spans = {};  ///< JSON list of {trace_id, span_id}
  std::string summary = "{}";                   ///< `{"usage": …}` of the model's call
  std::optional<std::string> id = {};           ///< of the model's call
  std::optional<std::string> row_call_id = {};  ///< of the call around it
  std::optional<Timestamp> started_at = {};
  std::optional<Timestamp> ended_at = {};
};
struct PredictionIds {
  std::string prediction_id;
  std::optional<std::string> row_call_id;  ///< of `Evaluation.predict_and_score`; only in a run
};

/// What a scorer says of a prediction: a call, and feedback of the same id on the prediction.
struct NewScore {
  std::string prediction_id;
  std::string scorer;                         ///< must be a reference to an object
  std::string value;                          ///< JSON
  std::optional<std::string> exception = {};  ///< why the value is null; then there is no feedback
  std::optional<std::string> run_id = {};
  std::string summary = "{}";  ///< `{"usage": …}` of a scorer that asks a model
  std::optional<std::string> id = {};
  std::optional<Timestamp> started_at = {};
  std::optional<Timestamp> ended_at = {};
};

struct RunFinish {
  std::string run_id;
  std::optional<std::string> summary = {};  ///< JSON object; left out: {}
  std::optional<std::string> output = {};   ///< JSON object; left out: the means of all numbers
  std::optional<std::string> summarize_id = {};
  std::optional<Timestamp> ended_at = {};
};

/// A run that has come to its end.
struct FinishedRun {
  const RunScope& scope;
  std::string_view run_id;
  std::string_view output;  ///< JSON: the means of all numbers, unless the caller said something
};

/// Where the recorder writes. Everything must outlive it and is thread-safe.
struct RecorderPorts {
  tracing::CallStore& calls;
  feedback::FeedbackStore& feedback;
  const feedback::Intake& feedback_intake;
  std::function<std::unique_ptr<objects::RefProjects>(std::string_view user_id)> ref_projects;
  std::function<std::unique_ptr<tracing::MediaKeeper>(
      std::string_view user_id, const tracing::ProjectScope& project, wire::Spelling spelling)>
      media_keeper;
  /// For how many days the project keeps its calls; empty: for ever.
  std::function<Result<std::optional<std::int64_t>>(std::string_view project_id)> retention_days;
  const Clock& clock;
  /// Told of every run that finished, once it is on disk; again when it is finished again. Empty:
  /// nobody is.
  std::function<Result<void>(const FinishedRun& run)> finished = {};
};

/// Writes evaluation runs as calls (tracing.md §6.2 to §6.5), as an SDK would. What a function
/// wrote is on disk when it returns. Thread-safe; blocks on disk: worker threads only.
/// All functions return kRateLimited, kStorageFull, kUnavailable and kTimeout of the stores, and
/// kInvalidArgument for ids that are no UUIDs and for malformed references.
class RunRecorder {
 public:
  explicit RunRecorder(RecorderPorts ports) : ports_(std::move(ports)) {}

  /// Starts `Evaluation.evaluate`. The references are not looked up. @return the run's id.
  Result<std::string> createRun(const RunScope& scope, const NewRun& run) const;

  /// @return kNotFound for an unknown run.
  Result<PredictionIds> recordPrediction(const RunScope& scope,
                                         const NewPrediction& prediction) const;

  /// @return the score's id; kNotFound for an unknown prediction, kInvalidArgument for a scorer
  /// that is no object.
  Result<std::string> recordScore(const RunScope& scope, const NewScore& score) const;

  /// Ends the call around a prediction with the prediction's output, the scores recorded so far by
  /// name of their scorer, and how long the model took. Nothing happens to unknown ids.
  Result<void> finishPrediction(const RunScope& scope,
                                std::string_view prediction_id,
                                std::optional<Timestamp> ended_at = {}) const;

  /// Adds up the finished predictions, writes `Evaluation.summarize` and ends the run. An unknown
  /// run changes nothing.
  Result<void> finishRun(const RunScope& scope, const RunFinish& finish) const;

  /// Ends the run with an exception: its status becomes `failed`.
  Result<void> failRun(const RunScope& scope,
                       std::string_view run_id,
                       std::string_view exception,
                       std::optional<Timestamp> ended_at = {}) const;

 private:
  RecorderPorts ports_;
};

}  // namespace spindle::evaluation
