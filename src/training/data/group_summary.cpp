#include "training/data/group_summary.h"

#include <algorithm>
#include <cmath>

namespace spindle::training {
namespace {

/// Rewards that differ by less count as equal.
constexpr double kSameReward = 1e-12;

double populationDeviation(const GroupStats& group) {
  const auto count = static_cast<double>(group.trajectories.size());
  double mean = 0;
  for (const TrajectoryStats& each : group.trajectories) mean += each.reward / count;
  double variance = 0;
  for (const TrajectoryStats& each : group.trajectories) {
    variance += (each.reward - mean) * (each.reward - mean) / count;
  }
  return std::sqrt(variance);
}

}  // namespace

bool isTrainable(const GroupStats& group) {
  if (group.trajectories.size() < 2) return false;
  const auto [low, high] = std::minmax_element(
      group.trajectories.begin(), group.trajectories.end(),
      [](const TrajectoryStats& a, const TrajectoryStats& b) { return a.reward < b.reward; });
  return high->reward - low->reward > kSameReward;
}

void GroupSummary::add(const GroupStats& group) {
  ++groups_;
  if (isTrainable(group)) ++trainable_;
  exceptions_ += group.exceptions;
  trajectories_ += static_cast<std::int64_t>(group.trajectories.size());
  if (group.trajectories.size() > 1) deviation_.add(populationDeviation(group));
  for (const TrajectoryStats& each : group.trajectories) {
    reward_.add(each.reward);
    for (const auto& [name, value] : each.metrics) metrics_[name].add(value);
    if (!each.scenario.empty()) scenarios_.insert(each.scenario);
  }
  for (const auto& [name, value] : group.metrics) group_metrics_[name].add(value);
}

std::vector<std::pair<std::string, double>> GroupSummary::metrics(const std::string& split,
                                                                  std::int64_t step) const {
  std::vector<std::pair<std::string, double>> all;
  const auto tell = [&](const std::string& name, double value) { all.emplace_back(name, value); };
  const std::int64_t submitted = trajectories_ + exceptions_;
  if (reward_.count > 0) tell(split + "/reward", reward_.value());
  if (deviation_.count > 0) tell(split + "/reward_std_dev", deviation_.value());
  tell(split + "/exception_rate",
       submitted == 0 ? 0 : static_cast<double>(exceptions_) / static_cast<double>(submitted));
  for (const auto& [name, mean] : metrics_) tell(split + "/" + name, mean.value());
  for (const auto& [name, mean] : group_metrics_) tell(split + "/group_" + name, mean.value());
  tell("training_step", static_cast<double>(step));
  if (split != "train") return all;
  tell("data/step_num_scenarios", static_cast<double>(scenarios_.size()));
  tell("data/step_num_trajectories", static_cast<double>(submitted));
  tell("data/step_num_groups_submitted", static_cast<double>(groups_));
  tell("data/step_num_groups_trainable", static_cast<double>(trainable_));
  return all;
}

}  // namespace spindle::training
