#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/core/mutex.h"
#include "base/core/time.h"

namespace spindle::training {

/// A trainer that has asked this server for a job.
struct TrainerContact {
  std::string name;                        ///< its worker name
  std::optional<std::string> device = {};  ///< as the trainer reports it
  Timestamp seen_at;                       ///< its last request for a job
};

/// The trainers that have asked for jobs since the start of the server. Keeps the newest kMost in
/// memory. Thread-safe; does not block.
class TrainerContacts {
 public:
  static constexpr std::size_t kMost = 1000;

  void record(const TrainerContact& contact);
  /// Returns all contacts, in no particular order.
  std::vector<TrainerContact> all() const;

 private:
  mutable Mutex mutex_;
  std::unordered_map<std::string, TrainerContact> contacts_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::training
