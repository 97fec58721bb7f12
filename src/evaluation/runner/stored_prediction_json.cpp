#include "evaluation/runner/stored_prediction_json.h"

#include <cmath>

#include "evaluation/scoring/prompt_template.h"
#include "evaluation/scoring/scorer_text.h"

namespace spindle::evaluation {

StoredPrediction storedPredictionOf(const tracing::Call& row) {
  StoredPrediction prediction;
  prediction.exception = row.exception;
  if (!row.output) return prediction;
  prediction.output = valueAt(*row.output, "output");
  if (!prediction.output) prediction.output = valueAt(*row.output, "model_output");
  if (prediction.output == "null") prediction.output.reset();
  for (const char* path : {"model_latency.mean", "model_latency"}) {
    const std::optional<std::string> latency = valueAt(*row.output, path);
    const std::optional<double> seconds = latency ? numberIn(*latency) : std::nullopt;
    if (!seconds || *seconds < 0 || *seconds > 1e6) continue;
    prediction.latency = std::chrono::microseconds(std::llround(*seconds * 1e6));
    break;
  }
  return prediction;
}

std::string recordedExampleOf(const tracing::Call& row) {
  if (!row.inputs) return "{}";
  std::optional<std::string> example = valueAt(*row.inputs, "example");
  return example ? *std::move(example) : *row.inputs;
}

}  // namespace spindle::evaluation
