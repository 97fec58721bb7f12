#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "training/data/chat_row.h"

namespace spindle::training {

/// A conversation to train on, and its source.
struct Trajectory {
  ChatRow row = {};
  std::size_t answer = 0;  ///< index into row.answers
  double reward = 0;
  std::string group = {};  ///< trajectories with the same value form a group
  std::vector<std::pair<std::string, std::string>> notes = {};  ///< members of its metadata
};

/// Receives the trajectories of an export one by one.
class TrajectorySink {
 public:
  virtual ~TrajectorySink() = default;
  virtual Result<void> add(const Trajectory& trajectory) = 0;
};

}  // namespace spindle::training
