#include "training/data/trajectory_preview.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spindle::training {
namespace {

/// Returns one bucket per distinct value; empty if there are more than kMostBuckets.
std::vector<RewardBucket> bucketPerValue(const std::vector<double>& sorted) {
  std::vector<RewardBucket> buckets;
  for (const double reward : sorted) {
    if (buckets.empty() || buckets.back().from != reward) {
      if (buckets.size() == kMostBuckets) return {};
      buckets.push_back({reward, reward, 0});
    }
    ++buckets.back().count;
  }
  return buckets;
}

std::vector<RewardBucket> bucketsOfEqualWidth(const std::vector<double>& sorted) {
  const double min = sorted.front();
  // Halved, so that the difference of two large rewards does not overflow.
  const double half_width = (sorted.back() / 2 - min / 2) / static_cast<double>(kMostBuckets);
  std::vector<RewardBucket> buckets;
  for (std::size_t i = 0; i < kMostBuckets; ++i) {
    const double steps = static_cast<double>(i);
    buckets.push_back({min + steps * half_width + steps * half_width, 0, 0});
    if (i > 0) buckets[i - 1].to = buckets[i].from;
  }
  buckets.back().to = sorted.back();
  std::size_t at = 0;
  for (const double reward : sorted) {
    while (at + 1 < kMostBuckets && reward >= buckets[at].to) ++at;
    ++buckets[at].count;
  }
  return buckets;
}

}  // namespace

std::optional<RewardSummary> summarizeRewards(std::vector<double> rewards) {
  std::erase_if(rewards, [](double reward) { return !std::isfinite(reward); });
  if (rewards.empty()) return std::nullopt;
  std::sort(rewards.begin(), rewards.end());
  RewardSummary summary;
  summary.count = static_cast<std::int64_t>(rewards.size());
  summary.min = rewards.front();
  summary.max = rewards.back();
  const double count = static_cast<double>(rewards.size());
  summary.mean =
      std::accumulate(rewards.begin(), rewards.end(), 0.0,
                      [count](double mean, double reward) { return mean + reward / count; });
  summary.histogram = bucketPerValue(rewards);
  if (summary.histogram.empty()) summary.histogram = bucketsOfEqualWidth(rewards);
  return summary;
}

Result<void> TrajectoryPreview::add(const Trajectory& trajectory) {
  const ChatAnswer& answer = trajectory.row.answers.at(trajectory.answer);
  ++trajectories_;
  if (hasLogprobs(answer)) ++with_logprobs_;
  if (by_group_) {
    const auto [known, fresh] =
        groups_.emplace(trajectory.group, GroupRange{trajectory.reward, trajectory.reward});
    GroupRange& range = known->second;
    if (!fresh) {
      range.min = std::min(range.min, trajectory.reward);
      range.max = std::max(range.max, trajectory.reward);
    }
  }
  if (samples_.size() == kMostSamples) return {};
  TrajectorySample& sample = samples_.emplace_back();
  sample.source = trajectory.notes;
  if (rewarded_ && std::isfinite(trajectory.reward)) sample.reward = trajectory.reward;
  std::string json =
      by_group_ ? trajectoryJson(trajectory.row, answer, trajectory.reward, trajectory.notes)
                : exampleLine(trajectory.row, answer);
  sample.bytes = json.size();
  if (json.size() <= kLargestSample) sample.json = std::move(json);
  return {};
}

std::int64_t TrajectoryPreview::lines() const {
  return by_group_ ? static_cast<std::int64_t>(groups_.size()) : trajectories_;
}

std::int64_t TrajectoryPreview::trainableGroups() const {
  return std::count_if(groups_.begin(), groups_.end(),
                       [](const auto& group) { return group.second.min < group.second.max; });
}

}  // namespace spindle::training
