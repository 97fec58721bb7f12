#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "training/data/trajectory_sink.h"

namespace spindle::training {

/// One bucket of a histogram. Contains `from`; contains `to` only in the last bucket, or if both
/// are equal.
struct RewardBucket {
  double from = 0;
  double to = 0;
  std::int64_t count = 0;
};

/// The distribution of rewards. Values that are not finite do not count.
struct RewardSummary {
  std::int64_t count = 0;
  double min = 0;
  double max = 0;
  double mean = 0;
  std::vector<RewardBucket> histogram = {};
};

/// The maximum number of buckets of a RewardSummary.
inline constexpr std::size_t kMostBuckets = 20;

/// Returns the distribution of rewards: one bucket per value if there are at most kMostBuckets,
/// otherwise buckets of equal width. Empty if there is no finite reward.
std::optional<RewardSummary> summarizeRewards(std::vector<double> rewards);

/// A trajectory that an export would contain.
struct TrajectorySample {
  std::vector<std::pair<std::string, std::string>> source = {};  ///< ids of the call and trace
  std::optional<double> reward = {};
  std::size_t bytes = 0;
  std::optional<std::string> json = {};  ///< example or trajectory; empty if it is too large
};

/// Counts the trajectories of an export and keeps the first few, instead of storing them. Belongs
/// to one request and one thread.
class TrajectoryPreview final : public TrajectorySink {
 public:
  static constexpr std::size_t kMostSamples = 5;
  static constexpr std::size_t kLargestSample = 64UL * 1024;

  /// `groups`: a line is a group. `rewarded`: trajectories have rewards.
  TrajectoryPreview(bool groups, bool rewarded) : by_group_(groups), rewarded_(rewarded) {}

  Result<void> add(const Trajectory& trajectory) override;

  std::int64_t trajectories() const { return trajectories_; }
  /// Returns the number of examples or groups.
  std::int64_t lines() const;
  /// Returns the number of groups whose rewards differ: only these have a training signal.
  std::int64_t trainableGroups() const;
  std::int64_t withLogprobs() const { return with_logprobs_; }
  const std::vector<TrajectorySample>& samples() const { return samples_; }

 private:
  struct GroupRange {
    double min = 0;
    double max = 0;
  };

  const bool by_group_;
  const bool rewarded_;
  std::int64_t trajectories_ = 0;
  std::int64_t with_logprobs_ = 0;
  std::unordered_map<std::string, GroupRange> groups_;
  std::vector<TrajectorySample> samples_;
};

}  // namespace spindle::training
