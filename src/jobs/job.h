#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace spindle::jobs {

enum class JobState {
  kQueued,
  kRunning,  ///< under a lease, which may have run out
  kSucceeded,
  kFailed,
  kCancelled,
};

/// `queued`, `running`, `succeeded`, `failed`, `cancelled`.
std::string_view textOf(JobState state);
/// @throws std::logic_error for another word.
JobState jobStateOf(std::string_view text);
inline bool isFinished(JobState state) {
  return state != JobState::kQueued && state != JobState::kRunning;
}

/// Work to be done later.
struct NewJob {
  std::string kind;
  std::string payload = "{}";  ///< JSON; what it means is between the sender and the handler
  /// Jobs of one kind and key run one at a time, in the order they were enqueued. Absent: the job
  /// waits for no other.
  std::optional<std::string> queue_key = {};
  /// A second job of the same kind and key is not made for as long as the first is kept, whatever
  /// became of it.
  std::optional<std::string> unique_key = {};
  std::optional<Timestamp> run_at = {};  ///< absent: at once
  std::optional<std::string> id = {};    ///< absent: a new one
};

struct Job {
  std::string id;
  std::string kind;
  JobState state = JobState::kQueued;
  std::string payload = "{}";
  std::string progress = "{}";  ///< JSON, whatever the handler last said
  std::optional<std::string> error = {};
  std::optional<std::string> queue_key = {};
  std::optional<std::string> unique_key = {};
  /// How often a worker has taken it up, without the times it was handed back unharmed.
  std::int64_t attempts = 0;
  bool cancel_requested = false;
  std::optional<std::string> worker = {};
  std::optional<Timestamp> leased_until = {};
  Timestamp run_at = {};
  Timestamp created_at = {};
  Timestamp updated_at = {};
  std::optional<Timestamp> finished_at = {};
};

/// A job in the hands of a worker. The token proves it: a worker whose lease ran out and went to
/// another can no longer change the job.
struct LeasedJob {
  Job job;
  std::string token;
};

}  // namespace spindle::jobs
