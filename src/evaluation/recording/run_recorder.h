#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "objects/values/ref_conversion.h"
#include "tracing/calls/call_query.h"
#include "tracing/ingest/stored_payload.h"
#include "wire/spelling.h"

namespace spindle::feedback {
class FeedbackStore;
class FeedbackValidator;
}  // namespace spindle::feedback
namespace spindle::tracing {
class CallStore;
struct Call;
}  // namespace spindle::tracing

namespace spindle::evaluation {

/// The project and the user of a run. The project must exist, and the user may write to it.
struct RunScope {
  tracing::ProjectScope project;
  std::string user_id;
  wire::Spelling spelling = wire::Spelling::kNeutral;  ///< for references to new media
  std::string key_id = {};  ///< id of the API key; empty for jobs of older versions
};

// Input of RunRecorder. References may be external or internal; payloads are JSON. A missing id is
// generated, a missing time is the current time. With an id from the caller (any UUID), a step is
// repeatable: a repeated step merges into the same call.

struct NewRun {
  std::string evaluation;
  std::string model;
  std::optional<std::string> source_run_id = {};  ///< run whose predictions are scored again
  std::optional<std::string> id = {};
  std::optional<Timestamp> started_at = {};
};

/// The answer of the model to one example. In a run it becomes two calls: the call of the model,
/// which has ended, and its parent `Evaluation.predict_and_score`, which stays open for scores.
struct NewPrediction {
  std::string model;
  std::string inputs;                           ///< inputs of the model, a JSON object
  std::optional<std::string> output = {};       ///< JSON; empty: null
  std::optional<std::string> exception = {};    ///< reason for a missing output
  std::optional<std::string> run_id = {};       ///< the run, which must exist
  std::optional<std::string> example = {};      ///< JSON: reference of a row; empty: the inputs
  std::optional<std::string> genai_spans = {};  ///< JSON list of {trace_id, span_id}
  std::string summary = "{}";                   ///< `{"usage": …}` of the call of the model
  std::optional<std::string> id = {};           ///< id of the call of the model
  std::optional<std::string> row_call_id = {};  ///< id of its parent call
  std::optional<Timestamp> started_at = {};
  std::optional<Timestamp> ended_at = {};
};
struct PredictionIds {
  std::string prediction_id;
  std::optional<std::string> row_call_id;  ///< id of `Evaluation.predict_and_score`; runs only
};

/// The score of a prediction. It becomes a call, and feedback with the same id on the prediction.
struct NewScore {
  std::string prediction_id;
  std::string scorer;                         ///< must be a reference to an object
  std::string value;                          ///< JSON
  std::optional<std::string> exception = {};  ///< reason for a null value; suppresses the feedback
  std::optional<std::string> run_id = {};
  std::string summary = "{}";  ///< `{"usage": …}` of a judge
  std::optional<std::string> id = {};
  std::optional<Timestamp> started_at = {};
  std::optional<Timestamp> ended_at = {};
};

struct RunFinish {
  std::string run_id;
  std::optional<std::string> summary = {};  ///< JSON object; empty: {}
  std::optional<std::string> output = {};   ///< JSON object; empty: the means of all numbers
  std::optional<std::string> summarize_id = {};
  std::optional<Timestamp> ended_at = {};
};

/// A finished run.
struct FinishedRun {
  const RunScope& scope;
  std::string_view run_id;
  std::string_view output;  ///< JSON: the output of the caller, or the means of all numbers
};

/// The dependencies of RunRecorder. All of them must outlive it and be thread-safe.
struct RecorderPorts {
  tracing::CallStore& calls;
  feedback::FeedbackStore& feedback;
  const feedback::FeedbackValidator& feedback_validator;
  std::function<std::unique_ptr<objects::RefProjects>(std::string_view user_id)> ref_projects;
  std::function<std::unique_ptr<tracing::MediaStore>(
      std::string_view user_id, const tracing::ProjectScope& project, wire::Spelling spelling)>
      media_store;
  /// Returns the retention of calls in the project, in days; empty: unlimited.
  std::function<Result<std::optional<std::int64_t>>(std::string_view project_id)> retention_days;
  const Clock& clock;
  /// Called for every finished run after it is durable, and again if the run is finished again. May
  /// be empty.
  std::function<Result<void>(const FinishedRun& run)> finished = {};
};

/// Records evaluation runs as calls (tracing.md §6.2 to §6.5), like an SDK. All writes of a
/// function are durable when it returns. Thread-safe; blocks on disk: worker threads only. All
/// functions return kRateLimited, kStorageFull, kUnavailable and kTimeout of the stores, and
/// kInvalidArgument for ids that are not UUIDs and for malformed references.
class RunRecorder {
 public:
  explicit RunRecorder(RecorderPorts ports) : ports_(std::move(ports)) {}

  /// Starts a run: the call `Evaluation.evaluate`. Does not resolve the references. Returns the id
  /// of the run.
  Result<std::string> createRun(const RunScope& scope, const NewRun& run) const;

  /// Records a prediction. @return kNotFound for an unknown run.
  Result<PredictionIds> recordPrediction(const RunScope& scope,
                                         const NewPrediction& prediction) const;

  /// Records a score. Returns its id. @return kNotFound for an unknown prediction, kInvalidArgument
  /// for a scorer that is not an object.
  Result<std::string> recordScore(const RunScope& scope, const NewScore& score) const;

  /// Ends the parent call of a prediction with the output of the prediction, the recorded scores by
  /// name of the scorer, and the latency of the model. Has no effect for an unknown id.
  Result<void> finishPrediction(const RunScope& scope,
                                std::string_view prediction_id,
                                std::optional<Timestamp> ended_at = {}) const;

  /// Summarizes the finished predictions, records `Evaluation.summarize` and ends the run. Has no
  /// effect for an unknown run.
  Result<void> finishRun(const RunScope& scope, const RunFinish& finish) const;

  /// Calls the `finished` port for a run that has ended, unless it failed. finishRun() does this
  /// too, but the server may stop, or the port may fail, after the end of the run is durable.
  Result<void> reportFinished(const RunScope& scope, const tracing::Call& run) const;

  /// Ends the run with an exception: its status becomes `failed`.
  Result<void> failRun(const RunScope& scope,
                       std::string_view run_id,
                       std::string_view exception,
                       std::optional<Timestamp> ended_at = {}) const;

 private:
  RecorderPorts ports_;
};

}  // namespace spindle::evaluation
