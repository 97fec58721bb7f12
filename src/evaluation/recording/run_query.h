#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/core/time.h"
#include "tracing/calls/call_query.h"

namespace spindle::evaluation {

/// The place of a run in the order of start times.
struct RunPosition {
  Timestamp started_at;
  std::string id;
};

/// A filter for runs. A list contains alternatives; an empty list matches all runs. References are
/// internal and in the neutral wire profile.
struct RunFilter {
  std::vector<std::string> evaluations = {};
  std::vector<std::string> models = {};
  std::vector<std::string> ids = {};
  std::optional<RunPosition> after = {};  ///< only runs that follow
  bool newest_first = false;              ///< the order of `after`
};

// Select the calls of runs, predictions and scores by their attributes. Calls of SDKs do not have
// these attributes: clients read them by id, and in the results of their run.
tracing::CallQuery runSelection(const RunFilter& filter);
tracing::CallQuery predictionSelection(const std::optional<std::string>& run_id);
tracing::CallQuery scoreSelection(const std::optional<std::string>& run_id);

}  // namespace spindle::evaluation
