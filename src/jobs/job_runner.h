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

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "jobs/job.h"
#include "jobs/job_queue.h"

namespace spindle::jobs {

/// The result of a handler.
struct JobOutcome {
  enum class Kind {
    kDone,
    kFailed,     ///< permanently
    kRetry,      ///< at `retry_at`
    kCancelled,  ///< stopped because of the cancel request
    kReleased,   ///< stopped early; another worker may continue immediately
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

/// A handler's access to its job. Thread-safe: a handler may use its own threads.
class JobContext {
 public:
  virtual ~JobContext() = default;

  virtual const Job& job() const = 0;
  /// Returns the token that requests the handler to stop because the job was cancelled, the server
  /// stops or the lease is lost. A handler must also wait for this token wherever it blocks.
  virtual std::stop_token stopToken() const = 0;
  /// Returns true if the job was cancelled.
  virtual bool cancelled() const = 0;
  /// As JobQueue::setProgress().
  virtual Result<void> setProgress(std::string_view json) = 0;
};

/// Runs one job on a thread of the runner. An earlier attempt may have run the same job up to any
/// point. An exception fails the job.
using JobHandler = std::function<JobOutcome(JobContext& context)>;

struct JobRunnerOptions {
  std::string kind;
  std::string worker;       ///< the name of this process, unique among those that share the queue
  std::size_t threads = 1;  ///< number of concurrent jobs
  std::chrono::milliseconds lease{30'000};
  std::chrono::milliseconds heart_beat{5'000};
  /// Poll interval for jobs that another process enqueued or that became due.
  std::chrono::milliseconds poll{1'000};
};

/// Leases jobs of one kind from a queue and runs them on its own threads. A background thread
/// renews the leases.
class JobRunner {
 public:
  /// The queue must outlive this object.
  JobRunner(JobQueue& queue, JobRunnerOptions options, JobHandler handler);
  /// Calls stop().
  ~JobRunner();
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  /// Releases the leases of a dead process with the same worker name, then starts the threads.
  void start();

  /// Triggers an immediate check for jobs and for cancel requests. Thread-safe; does not block on
  /// the database.
  void wake();

  /// Requests all handlers to stop and waits for them. At the deadline, releases the jobs of the
  /// handlers that still run; their results are ignored. Still waits for the threads of these
  /// handlers.
  void stop(std::chrono::milliseconds deadline = std::chrono::seconds(5));

 private:
  class Running;

  void work(const std::stop_token& stop);
  void beat(const std::stop_token& stop);
  void run(LeasedJob leased);
  JobOutcome handle(Running& running);
  void settle(Running& running, const JobOutcome& outcome);
  /// Renews all leases. Call it without the lock, because it blocks.
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
  std::jthread heartbeat_thread_;
};

}  // namespace spindle::jobs
