#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/time.h"
#include "evaluation/recording/run_recorder.h"

namespace spindle::evaluation {

/// Kinds of jobs in the job queue.
inline constexpr std::string_view kRunJob = "evaluation.run";
inline constexpr std::string_view kScoringJob = "evaluation.score_calls";

/// A job that executes an evaluation run. The job has the id of the run. References are internal,
/// and their versions are digests.
struct RunJob {
  RunScope scope;
  std::string run_id;
  std::string evaluation;
  std::string model;
  Timestamp started_at;
  std::optional<std::string> source_run_id = {};  ///< run whose predictions are scored again
  std::vector<std::string> scorers = {};  ///< for `source_run_id`; else the evaluation's own apply
};

/// A job that scores existing calls.
struct ScoringJob {
  RunScope scope;
  std::vector<std::string> call_ids;
  std::vector<std::string> scorers;
};

// Conversion of jobs to and from JSON payloads. Reading throws std::runtime_error for a payload
// that payloadOf() did not write.
std::string payloadOf(const RunJob& job);
std::string payloadOf(const ScoringJob& job);
RunJob runJobOf(std::string_view payload);
ScoringJob scoringJobOf(std::string_view payload);

/// Returns the run that a job executes.
NewRun newRunOf(const RunJob& job);

/// Returns the id of a step of a run, derived from its parts. A step that is repeated after a crash
/// has the same id and merges into the call that it recorded before.
std::string stepId(const std::vector<std::string_view>& parts);

/// Returns `{"completed_rows": …, "failed_rows": …}`.
std::string progressOf(std::int64_t completed, std::int64_t failed);

}  // namespace spindle::evaluation
