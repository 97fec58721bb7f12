#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "base/metrics.h"
#include "base/mutex.h"
#include "base/result.h"
#include "columnar/change.h"

namespace spindle::columnar {

/// A change on its way to the writer, and what became of it.
struct QueuedChange {
  Change& change;
  Result<void> outcome = {};
};

/// Changes that will be stored together.
struct Batch {
  std::vector<QueuedChange*> changes;
  std::size_t bytes = 0;
  bool done = false;
  Condition done_signal;
  std::shared_ptr<void> leftover;  ///< destroyed by the last who waited, not by the writer
};

/// What waits for the writer: changes, gathered into batches while the writer is busy, and tasks,
/// which go first. Thread-safe; take() and finish() are for the writer.
class WriteQueue {
 public:
  using Task = std::function<void()>;

  WriteQueue(std::size_t most_bytes, Gauge& queued_bytes)
      : most_bytes_(most_bytes), queued_bytes_(queued_bytes) {}

  /// Waits until the change was dealt with. @return its outcome, or kRateLimited.
  Result<void> submit(Change& change, std::size_t bytes);
  /// @return false when the queue is closed: the task will not run.
  bool post(Task task);
  /// No more changes come; take() goes on until all are dealt with.
  void close();

  struct Work {
    std::vector<Task> tasks;
    std::shared_ptr<Batch> batch;  // shared with those who wait for it
    bool closed = false;           ///< and nothing left
  };
  /// Waits for something to do. When `hold`, changes wait, unless the queue is closed.
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
