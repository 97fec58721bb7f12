#include "evaluation/recording/call_names.h"

#include <string>

#include "tracing/routes/call_json.h"

namespace spindle::evaluation {

bool isEvaluate(std::string_view op_name) { return tracing::opNameOf(op_name) == kEvaluateOp; }

bool isPredictAndScore(std::string_view op_name) {
  const std::string name = tracing::opNameOf(op_name);
  return name == kPredictAndScoreOp || name == "Evaluation.predictAndScore";
}

bool isSummarize(std::string_view op_name) { return tracing::opNameOf(op_name) == kSummarizeOp; }

}  // namespace spindle::evaluation
