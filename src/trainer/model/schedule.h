#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace spindle::trainer {

enum class Decay { kConstant, kLinear, kCosine };
/// Returns the decay of a name: `constant`, `linear` or `cosine`.
std::optional<Decay> decayOf(std::string_view name);

/// A learning rate schedule: warm-up from the floor to the peak, then decay to the floor.
struct Schedule {
  double peak = 2e-4;
  double floor = 0;
  double warmup_ratio = 0.1;
  Decay decay = Decay::kLinear;
};
/// Returns the learning rate of step `step` of `total`, counted from 0.
double learningRate(const Schedule& schedule, std::uint64_t step, std::uint64_t total);

/// Returns the factor for a row's learning rate: its number of trajectories to a power.
double trajectoriesFactor(std::uint64_t trajectories, double power);

/// The standard deviation of rewards in one training step.
struct RewardSpread {
  double step = 0;
  double deviation = 0;
};
/// Returns the factor for the learning rate: the current value of the regression line through the
/// deviations, divided by its value at step 0. Returns 1 for fewer than two points or a line that
/// starts at or below 0.
double spreadFactor(const std::vector<RewardSpread>& history);

}  // namespace spindle::trainer
