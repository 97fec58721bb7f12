#pragma once

#include <string_view>

namespace spindle::evaluation {

// The names of the calls that a run is made of (tracing.md §6.5). What is written here has the
// plain names; SDKs publish ops and record references to them.
inline constexpr std::string_view kEvaluateOp = "Evaluation.evaluate";
inline constexpr std::string_view kPredictAndScoreOp = "Evaluation.predict_and_score";
inline constexpr std::string_view kSummarizeOp = "Evaluation.summarize";

/// Of a call's op name, plain or a reference; in the spelling of either SDK.
bool isEvaluate(std::string_view op_name);
bool isPredictAndScore(std::string_view op_name);
bool isSummarize(std::string_view op_name);

}  // namespace spindle::evaluation
