#include "columnar/changes/write_queue.h"

#include <utility>

namespace spindle::columnar {
namespace {

constexpr std::size_t kFullBatch = 8UL << 20;

}  // namespace

Result<void> WriteQueue::submit(Change& change, std::size_t bytes) {
  QueuedChange queued{change};
  std::shared_ptr<Batch> batch;  // outlives the lock
  const MutexLock lock(mutex_);
  if (closed_) return Error::unavailable("The trace store is closing.");
  // A change larger than the whole queue is accepted when it is alone.
  if (bytes_ > 0 && bytes_ + bytes > most_bytes_) {
    return Error(ErrorCode::kRateLimited, "Too many writes are waiting for the disk; try again.");
  }
  if (batches_.empty() || batches_.back()->bytes >= kFullBatch) {
    batches_.push_back(std::make_shared<Batch>());
  }
  batch = batches_.back();
  batch->changes.push_back(&queued);
  batch->bytes += bytes;
  bytes_ += bytes;
  queued_bytes_.set(static_cast<std::int64_t>(bytes_));
  wanted_.notifyOne();
  while (!batch->done) batch->done_signal.wait(mutex_);
  return std::move(queued.outcome);
}

bool WriteQueue::post(Task task) {
  const MutexLock lock(mutex_);
  if (closed_) return false;
  tasks_.push_back(std::move(task));
  wanted_.notifyOne();
  return true;
}

void WriteQueue::close() {
  const MutexLock lock(mutex_);
  closed_ = true;
  wanted_.notifyOne();
}

WriteQueue::Work WriteQueue::take(bool hold) {
  const MutexLock lock(mutex_);
  while (tasks_.empty() && (batches_.empty() || (hold && !closed_)) && !closed_) {
    wanted_.wait(mutex_);
  }
  Work work;
  if (!tasks_.empty()) {
    work.tasks = std::exchange(tasks_, {});
  } else if (!batches_.empty()) {
    work.batch = std::move(batches_.front());
    batches_.pop_front();
  } else {
    work.closed = true;
  }
  return work;
}

void WriteQueue::finish(Batch& batch) {
  const MutexLock lock(mutex_);
  bytes_ -= batch.bytes;
  queued_bytes_.set(static_cast<std::int64_t>(bytes_));
  batch.done = true;
  batch.done_signal.notifyAll();
}

}  // namespace spindle::columnar
