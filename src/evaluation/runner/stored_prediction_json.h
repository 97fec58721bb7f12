#pragma once

#include <string>

#include "evaluation/runner/row_source.h"
#include "tracing/calls/call.h"

namespace spindle::evaluation {

/// Parses the prediction of a call `Evaluation.predict_and_score`, of the server or of any SDK.
StoredPrediction storedPredictionOf(const tracing::Call& row);
/// Returns the example of that call, as JSON.
std::string recordedExampleOf(const tracing::Call& row);

}  // namespace spindle::evaluation
