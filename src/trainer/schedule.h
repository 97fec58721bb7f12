#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace spindle::trainer {

enum class Decay { kConstant, kLinear, kCosine };
/// `constant`, `linear`, `cosine`.
std::optional<Decay> decayOf(std::string_view name);

/// How fast is learned, from the first step to the last.
struct Schedule {
  double peak = 2e-4;
  double floor = 0;
  double warmup_ratio = 0.1;
  Decay decay = Decay::kLinear;
};
/// Of step `step` of `total`, the first is 0.
double learningRate(const Schedule& schedule, std::uint64_t step, std::uint64_t total);

/// By what the rate of a row is multiplied: the number of trajectories in it to some power.
double trajectoriesFactor(std::uint64_t trajectories, double power);

/// The spread of rewards in one training step.
struct RewardSpread {
  double step = 0;
  double deviation = 0;
};
/// By what the rate is multiplied: where the line through the spreads is now, against where it
/// began. 1 for fewer than two points, and for a line that begins at or below 0.
double spreadFactor(const std::vector<RewardSpread>& history);

}  // namespace spindle::trainer
