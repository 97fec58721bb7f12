#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spindle::registry {

/// How aliases of checkpoints begin: `step12`.
inline constexpr std::string_view kStepPrefix = "step";

struct StepAlias {
  std::int64_t step = 0;
  std::string alias;
};
/// The alias with the highest step; empty when none of them names a step.
std::optional<StepAlias> newestStep(const std::vector<std::string>& aliases);

}  // namespace spindle::registry
