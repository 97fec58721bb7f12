#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tracing/call_selection.h"

namespace spindle::evaluation {

/// Which runs are meant: lists name alternatives, an empty one sets no condition. References are
/// internal and in the neutral spelling.
struct RunFilter {
  std::vector<std::string> evaluations = {};
  std::vector<std::string> models = {};
  std::vector<std::string> ids = {};
};

// The calls that are runs, predictions and scores, by what they say of themselves. Calls of SDKs
// say nothing: they are read by id, and in the results of their run.
tracing::CallSelection runSelection(const RunFilter& filter);
tracing::CallSelection predictionSelection(const std::optional<std::string>& run_id);
tracing::CallSelection scoreSelection(const std::optional<std::string>& run_id);

}  // namespace spindle::evaluation
