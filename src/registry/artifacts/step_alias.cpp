#include "registry/artifacts/step_alias.h"

#include <charconv>

namespace spindle::registry {
namespace {

std::optional<std::int64_t> stepOf(std::string_view alias) {
  if (!alias.starts_with(kStepPrefix)) return std::nullopt;
  alias.remove_prefix(kStepPrefix.size());
  std::int64_t step = 0;
  const char* const end = alias.data() + alias.size();
  const auto [stop, error] = std::from_chars(alias.data(), end, step);
  if (error != std::errc() || stop != end || step < 0) return std::nullopt;
  return step;
}

}  // namespace

std::optional<StepAlias> newestStep(const std::vector<std::string>& aliases) {
  std::optional<StepAlias> newest;
  for (const std::string& alias : aliases) {
    const std::optional<std::int64_t> step = stepOf(alias);
    if (step && (!newest || newest->step < *step)) newest = StepAlias{*step, alias};
  }
  return newest;
}

}  // namespace spindle::registry
