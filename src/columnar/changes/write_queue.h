#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "base/core/metrics.h"
#include "base/core/mutex.h"
#include "base/core/result.h"
#include "columnar/changes/change.h"

namespace spindle::columnar {

/// A queued change and its result.
struct QueuedChange {
  Change& change;
  Result<void> outcome = {};
};

/// Changes that are stored together.
struct Batch {
  std::vector<QueuedChange*> changes;
  std::size_t bytes = 0;
  bool done = false;
  Condition done_signal;
  std::shared_ptr<void> leftover;  ///< destroyed by the last waiting caller instead of the writer
};

/// Queue of the writer: changes, collected into batches while the writer is busy, and tasks, which
/// take precedence. Thread-safe; take() and finish() are for the writer.
class WriteQueue {
 public:
  using Task = std::function<void()>;

  WriteQueue(std::size_t most_bytes, Gauge& queued_bytes)
      : most_bytes_(most_bytes), queued_bytes_(queued_bytes) {}

  /// Blocks until the change was processed. @return its outcome, or kRateLimited.
  Result<void> submit(Change& change, std::size_t bytes);
  /// Queues a task. @return false when the queue is closed; the task does not run.
  bool post(Task task);
  /// Rejects further changes; take() continues until all queued ones are processed.
  void close();

  struct Work {
    std::vector<Task> tasks;
    std::shared_ptr<Batch> batch;  // shared with the waiting callers
    bool closed = false;           ///< closed and empty
  };
  /// Blocks until there is work. If `hold`, changes stay queued until the queue is closed.
  Work take(bool hold);
  void finish(Batch& batch);

 private:
  const std::size_t most_bytes_;
  Gauge& queued_bytes_;

  Mutex mutex_;
  Condition wanted_;
  std::deque<std::shared_ptr<Batch>> batches_ SPINDLE_GUARDED_BY(mutex_);
  std::vector<Task> tasks_ SPINDLE_GUARDED_BY(mutex_);
  std::size_t bytes_ SPINDLE_GUARDED_BY(mutex_) = 0;
  bool closed_ SPINDLE_GUARDED_BY(mutex_) = false;
};

}  // namespace spindle::columnar
