#pragma once

#include <string_view>

namespace spindle::evaluation {

// Op names of the calls of an evaluation run (tracing.md §6.5). The server records these plain
// names; SDKs publish ops and record references to them.
inline constexpr std::string_view kEvaluateOp = "Evaluation.evaluate";
inline constexpr std::string_view kPredictAndScoreOp = "Evaluation.predict_and_score";
inline constexpr std::string_view kSummarizeOp = "Evaluation.summarize";

/// Classify the op name of a call: a plain name or a reference, as written by either SDK.
bool isEvaluate(std::string_view op_name);
bool isPredictAndScore(std::string_view op_name);
bool isSummarize(std::string_view op_name);

}  // namespace spindle::evaluation
