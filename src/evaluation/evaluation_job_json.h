#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "evaluation/run_recorder.h"

namespace spindle::evaluation {

/// Kinds of jobs.
inline constexpr std::string_view kRunJob = "evaluation.run";
inline constexpr std::string_view kScoringJob = "evaluation.score_calls";

/// An evaluation run to be carried out. The job has the run's id. References are internal, versions
/// digests.
struct RunJob {
  RunScope scope;
  std::string run_id;
  std::string evaluation;
  std::string model;
  Timestamp started_at;
  std::optional<std::string> source_run_id = {};  ///< score the predictions of this one again
  std::vector<std::string> scorers = {};          ///< with these; otherwise the evaluation's own
};

/// Calls to be scored as they are.
struct ScoringJob {
  RunScope scope;
  std::vector<std::string> call_ids;
  std::vector<std::string> scorers;
};

// What a job carries, as JSON. Reading @throws std::runtime_error for what was not written here.
std::string payloadOf(const RunJob& job);
std::string payloadOf(const ScoringJob& job);
RunJob runJobOf(std::string_view payload);
ScoringJob scoringJobOf(std::string_view payload);

/// The id of a step of a run, always the same for the same parts, so that a step that is made again
/// after a crash merges into the call it made before.
std::string stepId(const std::vector<std::string_view>& parts);

/// `{"completed_rows": …, "failed_rows": …}`.
std::string progressOf(std::int64_t completed, std::int64_t failed);

}  // namespace spindle::evaluation
