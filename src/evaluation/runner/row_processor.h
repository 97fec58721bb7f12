#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "evaluation/runner/call_scoring.h"
#include "evaluation/runner/row_source.h"
#include "evaluation/scoring/model_port.h"

namespace spindle::evaluation {

/// The data that all rows of a run share. All references must outlive the rows and be thread-safe.
struct RowContext : ScoreContext {
  ModelPort& port;
  std::string run_id;
  std::string model_ref;
  std::optional<ModelSpec> model;  ///< empty if stored predictions are scored again
  std::vector<NamedScorer> scorers;
};

/// Processes one row: requests an answer of the model or uses the stored prediction, scores it, and
/// records everything. A row that was started before continues where it stopped; a repeated call
/// changes nothing. A permanent failure of the model is recorded and is not an error. Blocks.
/// Returns true if the model answered. @return kUnavailable if stopped, kNotFound if the run was
/// deleted, and the errors of the stores.
Result<bool> processRow(const RowContext& work, const RowTask& task, const std::stop_token& stop);

}  // namespace spindle::evaluation
