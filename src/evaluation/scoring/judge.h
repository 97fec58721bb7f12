#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "evaluation/scoring/scorer.h"
#include "json/document.h"

namespace spindle::evaluation {

inline constexpr std::string_view kJudgeKind = "llm_judge";

/// Creates a scorer that asks a judge model. @return kInvalidArgument for invalid parameters.
Result<std::unique_ptr<const Scorer>> makeJudge(const json::Node& object, const ScorerPorts& ports);

/// The range of valid scores.
struct JudgeScale {
  double least = 0;
  double most = 1;
  std::optional<double> threshold = {};  ///< lowest score that passes
};

/// Parses the answer of a judge: a JSON object alone, in a fenced block, or inside a text. Returns
/// the value `{"score": …, "reason": …}`. @return kInvalidArgument for any other answer.
Result<std::string> parseJudgeAnswer(std::string_view answer, const JudgeScale& scale);

}  // namespace spindle::evaluation
