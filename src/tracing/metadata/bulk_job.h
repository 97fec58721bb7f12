#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/time.h"

namespace spindle::tracing {

/// Actions of bulk jobs on each of their calls.
enum class BulkActionKind { kDelete, kScore, kAddToQueue, kAddToDataset };

/// Returns `delete`, `score`, `add_to_queue` or `add_to_dataset`.
std::string_view textOf(BulkActionKind kind);
/// @throws std::logic_error for any other text.
BulkActionKind bulkActionOf(std::string_view text);

enum class BulkState { kQueued, kRunning, kSucceeded, kFailed, kCancelled };

/// Returns `queued`, `running`, `succeeded`, `failed` or `cancelled`.
std::string_view textOf(BulkState state);
/// @throws std::logic_error for any other text.
BulkState bulkStateOf(std::string_view text);
inline bool isFinished(BulkState state) {
  return state != BulkState::kQueued && state != BulkState::kRunning;
}

struct NewBulkJob {
  std::string project_id;
  std::string project_name;  ///< team/project
  std::string team_id;
  std::string user_id;
  std::string key_id;  ///< of the API key that created the job
  BulkActionKind action = BulkActionKind::kDelete;
  std::string selection;   ///< JSON: `filter` and `query`, or `call_ids`, as requested
  std::string parameters;  ///< JSON of the action
  std::optional<std::int64_t> expected_count = {};
};

/// An action on the calls of a selection. The calls are stored with the job when it first runs; a
/// restart continues with the batch that is not done.
struct BulkJob : NewBulkJob {
  std::string id;  ///< later ids are greater
  BulkState state = BulkState::kQueued;
  bool cancel_requested = false;
  std::optional<std::int64_t> total = {};  ///< empty until the calls are selected
  std::int64_t done = 0;                   ///< includes failed calls
  std::int64_t failed = 0;
  std::string note = {};  ///< private to the action
  std::optional<std::string> error = {};
  Timestamp created_at = {};
  Timestamp updated_at = {};
  std::optional<Timestamp> finished_at = {};
};

/// Some calls of a job, which are processed together.
struct BulkBatch {
  std::int64_t number = 0;
  std::vector<std::string> call_ids;
};

}  // namespace spindle::tracing
