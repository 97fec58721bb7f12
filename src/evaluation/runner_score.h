#pragma once

#include <stop_token>

#include "base/result.h"
#include "evaluation/run_recorder.h"
#include "evaluation/runner_objects_json.h"
#include "tracing/call_store.h"

namespace spindle::evaluation {

/// Where scores are recorded. Everything outlives it and is thread-safe.
struct ScoreWork {
  const RunRecorder& recorder;
  tracing::CallStore& calls;
  const Clock& clock;
  const RunScope& scope;
};

/// Scores an item and records it as `score` says, which has all but the value; its id follows from
/// what is scored. With `maybe_done` a score of that id that is there already is kept: a judge is
/// not asked twice. Blocks.
/// @return kUnavailable when stopped, kNotFound when what is scored is gone, and the errors of the
/// stores.
Result<void> scoreAndRecord(const ScoreWork& work,
                            const Scorer& scorer,
                            const ScoredItem& item,
                            NewScore score,
                            bool maybe_done,
                            const std::stop_token& stop);

/// Scores a call as it is, by each scorer once for `job_id`. A call that is not there, or has not
/// ended, is passed over. @return as above.
Result<void> scoreCall(const ScoreWork& work,
                       const std::vector<NamedScorer>& scorers,
                       std::string_view job_id,
                       std::string_view call_id,
                       bool maybe_done,
                       const std::stop_token& stop);

/// Content that cannot be stored (a broken reference in a text, nesting beyond all use), as opposed
/// to a store that cannot be reached.
bool isAboutContent(const Error& error);

}  // namespace spindle::evaluation
