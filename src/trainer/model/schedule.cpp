#include "trainer/model/schedule.h"

#include <cmath>

namespace spindle::trainer {

std::optional<Decay> decayOf(std::string_view name) {
  if (name == "constant") return Decay::kConstant;
  if (name == "linear") return Decay::kLinear;
  if (name == "cosine") return Decay::kCosine;
  return std::nullopt;
}

double learningRate(const Schedule& schedule, std::uint64_t step, std::uint64_t total) {
  const double range = schedule.peak - schedule.floor;
  const auto warmup =
      static_cast<std::uint64_t>(std::floor(static_cast<double>(total) * schedule.warmup_ratio));
  if (step < warmup)
    return schedule.floor + range * static_cast<double>(step + 1) / static_cast<double>(warmup);
  const double share = total - warmup <= 1 ? 0
                                           : static_cast<double>(step - warmup) /
                                                 static_cast<double>(total - warmup - 1);
  switch (schedule.decay) {
    case Decay::kLinear:
      return schedule.peak - range * share;
    case Decay::kCosine:
      return schedule.floor + range * 0.5 * (1 + std::cos(3.14159265358979323846 * share));
    case Decay::kConstant:
      break;
  }
  return schedule.peak;
}

double trajectoriesFactor(std::uint64_t trajectories, double power) {
  return power == 0 || trajectories == 0 ? 1 : std::pow(static_cast<double>(trajectories), power);
}

double spreadFactor(const std::vector<RewardSpread>& history) {
  if (history.size() < 2) return 1;
  const auto count = static_cast<double>(history.size());
  double step_sum = 0;
  double sum = 0;
  for (const RewardSpread& point : history) {
    step_sum += point.step;
    sum += point.deviation;
  }
  double above = 0;
  double below = 0;
  for (const RewardSpread& point : history) {
    above += (point.step - step_sum / count) * (point.deviation - sum / count);
    below += (point.step - step_sum / count) * (point.step - step_sum / count);
  }
  if (below == 0) return 1;
  const double slope = above / below;
  const double begin = sum / count - slope * step_sum / count;
  if (begin <= 0) return 1;
  return (slope * history.back().step + begin) / begin;
}

}  // namespace spindle::trainer
