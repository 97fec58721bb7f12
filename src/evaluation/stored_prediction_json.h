#pragma once

#include <string>

#include "evaluation/runner_rows.h"
#include "tracing/call.h"

namespace spindle::evaluation {

/// What `Evaluation.predict_and_score` says of its prediction, whichever SDK wrote it.
StoredPrediction storedPredictionOf(const tracing::Call& row);
/// The example it was about, as JSON.
std::string recordedExampleOf(const tracing::Call& row);

}  // namespace spindle::evaluation
