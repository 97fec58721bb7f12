#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/time.h"

namespace spindle::jobs {

enum class JobState {
  kQueued,
  kRunning,  ///< leased; the lease may have expired
  kSucceeded,
  kFailed,
  kCancelled,
};

/// Returns `queued`, `running`, `succeeded`, `failed` or `cancelled`.
std::string_view textOf(JobState state);
/// @throws std::logic_error for any other text.
JobState jobStateOf(std::string_view text);
inline bool isFinished(JobState state) {
  return state != JobState::kQueued && state != JobState::kRunning;
}

/// A job to enqueue.
struct NewJob {
  std::string kind;
  std::string payload = "{}";  ///< JSON that only the sender and the handler interpret
  /// Jobs of one kind and key run one at a time, in the order in which they were enqueued. If
  /// absent, the job waits for no other job.
  std::optional<std::string> queue_key = {};
  /// While a job of the same kind and key is stored, in whatever state, no second one is created.
  std::optional<std::string> unique_key = {};
  std::optional<Timestamp> run_at = {};  ///< absent: immediately
  std::optional<std::string> id = {};    ///< absent: a new id is generated
};

struct Job {
  std::string id;
  std::string kind;
  JobState state = JobState::kQueued;
  std::string payload = "{}";
  std::string progress = "{}";  ///< JSON: the last progress that the handler reported
  std::optional<std::string> error = {};
  std::optional<std::string> queue_key = {};
  std::optional<std::string> unique_key = {};
  /// The number of times that a worker leased the job, without the leases that it released.
  std::int64_t attempts = 0;
  bool cancel_requested = false;
  std::optional<std::string> worker = {};
  std::optional<Timestamp> leased_until = {};
  Timestamp run_at = {};
  Timestamp created_at = {};
  Timestamp updated_at = {};
  std::optional<Timestamp> finished_at = {};
};

/// A job that a worker has leased. The token identifies the lease: after the lease has expired and
/// another worker has leased the job, the old token can no longer change it.
struct LeasedJob {
  Job job;
  std::string token;
};

}  // namespace spindle::jobs
