#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "jobs/job.h"
#include "jobs/job_queue.h"

namespace spindle::jobs {

/// How a handler ended.
struct JobOutcome {
  enum class Kind {
    kDone,
    kFailed,     ///< for good
    kRetry,      ///< at `retry_at`
    kCancelled,  ///< the wish to cancel was followed
    kReleased,   ///< stopped in the middle; another worker goes on at once
  };
  Kind kind = Kind::kDone;
  std::string error = {};
  Timestamp retry_at = {};

  static JobOutcome done() { return {}; }
  static JobOutcome failed(std::string error) { return {Kind::kFailed, std::move(error), {}}; }
  static JobOutcome retry(std::string error, Timestamp at) {
    return {Kind::kRetry, std::move(error), at};
  }
  static JobOutcome cancelled() { return {Kind::kCancelled, {}, {}}; }
  static JobOutcome released() { return {Kind::kReleased, {}, {}}; }
};

/// What a handler sees of its job. Thread-safe: a handler may have threads of its own.
class JobContext {
 public:
  virtual ~JobContext() = default;

  virtual const Job& job() const = 0;
  /// Asked to end, for whichever reason: the job was cancelled, the server stops, the lease is
  /// lost. A handler that waits for anything waits for this too.
  virtual std::stop_token stopToken() const = 0;
  /// The reason was the wish to cancel.
  virtual bool cancelled() const = 0;
  /// As JobQueue::setProgress().
  virtual Result<void> setProgress(std::string_view json) = 0;
};

/// Runs on a thread of the runner, which may have run the same job before, up to any point.
/// What it throws fails the job.
using JobHandler = std::function<JobOutcome(JobContext& context)>;

struct JobRunnerOptions {
  std::string kind;
  std::string worker;       ///< names this process among all that share the queue
  std::size_t threads = 1;  ///< jobs at a time
  std::chrono::milliseconds lease{30'000};
  std::chrono::milliseconds heart_beat{5'000};
  std::chrono::milliseconds poll{1'000};  ///< for jobs that others enqueued or that became due
};

/// Takes jobs of one kind off a queue and runs them, renewing their leases in the background.
class JobRunner {
 public:
  /// The queue must outlive this.
  JobRunner(JobQueue& queue, JobRunnerOptions options, JobHandler handler);
  /// stop()s.
  ~JobRunner();
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  /// Returns leases that a dead process of the same worker name left behind, and begins.
  void start();

  /// Looks for work, and for wishes to cancel, now. Thread-safe, does not block on the database.
  void wake();

  /// Asks every handler to end and waits for them. What has not ended at the deadline is handed
  /// back to the queue at once, its result will not count; its thread is still waited for.
  void stop(std::chrono::milliseconds deadline = std::chrono::seconds(5));

 private:
  class Running;

  void work(const std::stop_token& stop);
  void beat(const std::stop_token& stop);
  void run(LeasedJob leased);
  JobOutcome handle(Running& running);
  void settle(Running& running, const JobOutcome& outcome);
  /// Renews every lease. Outside the lock, because it blocks.
  void renew();
  std::vector<std::shared_ptr<Running>> snapshot();

  JobQueue& queue_;
  const JobRunnerOptions options_;
  const JobHandler handler_;

  Mutex mutex_;
  Condition changed_;
  std::uint64_t wakes_ SPINDLE_GUARDED_BY(mutex_) = 0;
  bool stopping_ SPINDLE_GUARDED_BY(mutex_) = false;
  /// Shared with the thread that runs the job and the one that renews its lease.
  std::list<std::shared_ptr<Running>> running_ SPINDLE_GUARDED_BY(mutex_);
  std::vector<std::jthread> workers_;
  std::jthread heart_;
};

}  // namespace spindle::jobs
