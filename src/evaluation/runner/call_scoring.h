#pragma once

#include <stop_token>

#include "base/core/result.h"
#include "evaluation/recording/run_recorder.h"
#include "evaluation/runner/evaluation_objects.h"
#include "tracing/store/call_store.h"

namespace spindle::evaluation {

/// The dependencies for recording scores. All references must outlive it and be thread-safe.
struct ScoreContext {
  const RunRecorder& recorder;
  tracing::CallStore& calls;
  const Clock& clock;
  const RunScope& scope;
};

/// Scores an item and records `score`, which has all members except the value; its id is derived
/// from the item. With `maybe_done`, an existing score with that id is kept, so that a judge is not
/// asked twice. Blocks.
/// @return kUnavailable if stopped, kNotFound if the scored call was deleted, and the errors of the
/// stores.
Result<void> scoreAndRecord(const ScoreContext& work,
                            const Scorer& scorer,
                            const ScoredItem& item,
                            NewScore score,
                            bool maybe_done,
                            const std::stop_token& stop);

/// Scores an existing call with each scorer, once per `job_id`. Skips a missing or unfinished call.
/// @return as above.
Result<void> scoreCall(const ScoreContext& work,
                       const std::vector<NamedScorer>& scorers,
                       std::string_view job_id,
                       std::string_view call_id,
                       bool maybe_done,
                       const std::stop_token& stop);

/// Returns true if the content cannot be stored (a malformed reference in a text, too deep
/// nesting), as opposed to a store that is not available.
bool isContentError(const Error& error);

}  // namespace spindle::evaluation
