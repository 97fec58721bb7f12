#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace spindle::training {

/// The statistics of a trajectory.
struct TrajectoryStats {
  double reward = 0;
  std::vector<std::pair<std::string, double>> metrics;
  std::string scenario;  ///< JSON text of metadata.scenario_id; empty if absent
};

/// The statistics of a trajectory group.
struct GroupStats {
  std::vector<TrajectoryStats> trajectories;
  std::int64_t exceptions = 0;
  std::vector<std::pair<std::string, double>> metrics;
};

/// Returns true if the group can be trained on: it has more than one trajectory and different
/// rewards.
bool isTrainable(const GroupStats& group);

/// Aggregates groups one by one (training_inference.md B10).
class GroupSummary {
 public:
  void add(const GroupStats& group);

  std::int64_t groups() const { return groups_; }
  std::int64_t trainableGroups() const { return trainable_; }
  std::int64_t trajectories() const { return trajectories_; }

  /// Returns `s/reward` and so on for a split `s`, in the order of the document. Only the split
  /// `train` includes the metrics of the step's data.
  std::vector<std::pair<std::string, double>> metrics(const std::string& split,
                                                      std::int64_t step) const;

 private:
  struct Mean {
    double sum = 0;
    std::int64_t count = 0;
    void add(double value) {
      sum += value;
      ++count;
    }
    double value() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
  };

  std::int64_t groups_ = 0;
  std::int64_t trainable_ = 0;
  std::int64_t trajectories_ = 0;
  std::int64_t exceptions_ = 0;
  std::set<std::string> scenarios_;
  Mean reward_;
  Mean deviation_;
  std::map<std::string, Mean> metrics_;
  std::map<std::string, Mean> group_metrics_;
};

}  // namespace spindle::training
