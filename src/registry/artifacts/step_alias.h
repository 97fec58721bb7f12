#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spindle::registry {

/// Prefix of the aliases of checkpoints, such as `step12`.
inline constexpr std::string_view kStepPrefix = "step";

struct StepAlias {
  std::int64_t step = 0;
  std::string alias;
};
/// Returns the alias with the highest step, or nothing if no alias is a step alias.
std::optional<StepAlias> newestStep(const std::vector<std::string>& aliases);

}  // namespace spindle::registry
