#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "evaluation/model_port.h"
#include "evaluation/run_recorder.h"
#include "evaluation/runner_rows.h"

namespace spindle::evaluation {

/// What all rows of a run share. Everything outlives the rows and is thread-safe.
struct RowWork {
  const RunRecorder& recorder;
  tracing::CallStore& calls;
  const Clock& clock;
  ModelPort& port;
  const RunScope& scope;
  std::string run_id;
  std::string model_ref;
  std::optional<ModelSpec> model;  ///< empty where predictions are stored already
  std::vector<NamedScorer> scorers;
};

/// Asks the model about one example, or takes what it said before, scores the answer and records
/// all of it. A row that was begun before goes on where it stopped; made again it changes nothing.
/// A model that fails for good is recorded, not an error. Blocks.
/// @return whether the model answered; kUnavailable when stopped, kNotFound when the run is gone,
/// and the errors of the stores.
Result<bool> workOnRow(const RowWork& work, const RowTask& task, const std::stop_token& stop);

}  // namespace spindle::evaluation
