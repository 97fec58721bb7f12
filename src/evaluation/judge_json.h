#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "evaluation/scorer.h"
#include "json/document.h"

namespace spindle::evaluation {

inline constexpr std::string_view kJudgeKind = "llm_judge";

/// A scorer that asks a model. @return kInvalidArgument for parameters that are wrong.
Result<std::unique_ptr<const Scorer>> makeJudge(const json::Node& object, const ScorerPorts& ports);

struct JudgeScale {
  double least = 0;
  double most = 1;
  std::optional<double> threshold = {};  ///< from here on it is passed
};

/// The value `{"score": …, "reason": …}` that a judge's answer holds: a JSON object alone, in a
/// fenced block, or the first one in a text. @return kInvalidArgument for everything else.
Result<std::string> verdictOf(std::string_view answer, const JudgeScale& scale);

}  // namespace spindle::evaluation
