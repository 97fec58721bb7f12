#include "jobs/job_runner.h"

#include <atomic>
#include <exception>
#include <memory>
#include <utility>

#include "base/core/log.h"

namespace spindle::jobs {
namespace {

constexpr Logger kLog("jobs");

}  // namespace

class JobRunner::Running final : public JobContext {
 public:
  Running(JobQueue& queue, LeasedJob leased) : queue_(queue), leased_(std::move(leased)) {
    if (leased_.job.cancel_requested) cancel();
  }

  const Job& job() const override { return leased_.job; }
  std::stop_token stopToken() const override { return stop_.get_token(); }
  bool cancelled() const override { return cancelled_; }
  Result<void> setProgress(std::string_view json) override {
    return queue_.setProgress(leased_.job.id, leased_.token, json);
  }

  const std::string& token() const { return leased_.token; }
  void cancel() {
    cancelled_ = true;
    stop_.request_stop();
  }
  void stop() { stop_.request_stop(); }
  /// Returns true for the first caller only. The handler's outcome and the release at the deadline
  /// exclude each other.
  bool settleOnce() { return !settled_.exchange(true); }
  bool settled() const { return settled_; }

 private:
  JobQueue& queue_;
  const LeasedJob leased_;
  std::stop_source stop_;
  std::atomic<bool> cancelled_ = false;
  std::atomic<bool> settled_ = false;
};

JobRunner::JobRunner(JobQueue& queue, JobRunnerOptions options, JobHandler handler)
    : queue_(queue), options_(std::move(options)), handler_(std::move(handler)) {}

JobRunner::~JobRunner() { stop(); }

void JobRunner::start() {
  const Result<std::int64_t> left = queue_.releaseWorker(options_.kind, options_.worker);
  if (!left) {
    kLog.warning("leases_not_returned", {{"reason", left.error().message()}});
  } else if (*left > 0) {
    kLog.info("leases_returned", {{"kind", options_.kind}, {"jobs", *left}});
  }
  for (std::size_t i = 0; i < options_.threads; ++i) {
    workers_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  }
  heartbeat_thread_ = std::jthread([this](const std::stop_token& stop) { beat(stop); });
}

void JobRunner::wake() {
  const MutexLock lock(mutex_);
  ++wakes_;
  changed_.notifyAll();
}

void JobRunner::work(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::uint64_t seen = 0;
    {
      const MutexLock lock(mutex_);
      seen = wakes_;
    }
    Result<std::optional<LeasedJob>> leased =
        queue_.lease(options_.kind, options_.worker, options_.lease);
    if (leased && *leased) {
      run(std::move(**leased));
      continue;
    }
    if (!leased) {
      kLog.warning("no_lease", {{"kind", options_.kind}, {"reason", leased.error().message()}});
    }
    const MutexLock lock(mutex_);
    if (!stopping_ && wakes_ == seen) changed_.waitFor(mutex_, options_.poll);
  }
}

void JobRunner::run(LeasedJob leased) {
  const auto running = std::make_shared<Running>(queue_, std::move(leased));
  bool begin = false;
  {
    const MutexLock lock(mutex_);
    running_.push_back(running);
    begin = !stopping_;
  }
  const JobOutcome outcome = begin ? handle(*running) : JobOutcome::released();
  if (running->settleOnce()) settle(*running, outcome);
  const MutexLock lock(mutex_);
  running_.remove(running);
  changed_.notifyAll();
}

JobOutcome JobRunner::handle(Running& running) {
  try {
    return handler_(running);
  } catch (const std::exception& problem) {
    kLog.error("job_threw", {{"job", running.job().id}, {"reason", problem.what()}});
    return JobOutcome::failed("Internal server error.");
  }
}

void JobRunner::settle(Running& running, const JobOutcome& outcome) {
  const std::string& id = running.job().id;
  Result<void> kept;
  switch (outcome.kind) {
    case JobOutcome::Kind::kDone:
      kept = queue_.complete(id, running.token());
      break;
    case JobOutcome::Kind::kFailed:
      kept = queue_.fail(id, running.token(), outcome.error);
      break;
    case JobOutcome::Kind::kRetry:
      kept = queue_.fail(id, running.token(), outcome.error, outcome.retry_at);
      break;
    case JobOutcome::Kind::kCancelled:
      kept = queue_.endCancelled(id, running.token());
      break;
    case JobOutcome::Kind::kReleased:
      kept = queue_.release(id, running.token());
      break;
  }
  if (!kept) {
    kLog.warning("outcome_not_kept", {{"job", id}, {"reason", kept.error().message()}});
  }
}

void JobRunner::beat(const std::stop_token& stop) {
  std::uint64_t seen = 0;
  while (!stop.stop_requested()) {
    {
      const MutexLock lock(mutex_);
      if (!stopping_ && wakes_ == seen) changed_.waitFor(mutex_, options_.heart_beat);
      seen = wakes_;
    }
    renew();
  }
}

void JobRunner::renew() {
  for (const std::shared_ptr<Running>& running : snapshot()) {
    if (running->settled()) continue;
    const Result<HeartBeat> beat =
        queue_.heartBeat(running->job().id, running->token(), options_.lease);
    if (beat && beat->cancel_requested) running->cancel();
    // An unavailable database may recover before the lease expires.
    if (!beat && beat.error().code() == ErrorCode::kConflict && !running->settled()) {
      kLog.warning("lease_lost", {{"job", running->job().id}});
      running->stop();
    }
  }
}

std::vector<std::shared_ptr<JobRunner::Running>> JobRunner::snapshot() {
  const MutexLock lock(mutex_);
  return {running_.begin(), running_.end()};
}

void JobRunner::stop(std::chrono::milliseconds deadline) {
  for (std::jthread& worker : workers_) worker.request_stop();
  std::vector<std::shared_ptr<Running>> late;
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notifyAll();
    for (const std::shared_ptr<Running>& running : running_) running->stop();
    const auto until = std::chrono::steady_clock::now() + deadline;
    while (!running_.empty()) {
      const auto left = until - std::chrono::steady_clock::now();
      if (left <= std::chrono::steady_clock::duration::zero()) break;
      changed_.waitFor(mutex_, left);
    }
    late.assign(running_.begin(), running_.end());
  }
  for (const std::shared_ptr<Running>& running : late) {
    if (running->settleOnce()) settle(*running, JobOutcome::released());
  }
  workers_.clear();
  if (heartbeat_thread_.joinable()) {
    heartbeat_thread_.request_stop();
    const MutexLock lock(mutex_);
    changed_.notifyAll();
  }
  heartbeat_thread_ = {};
}

}  // namespace spindle::jobs
