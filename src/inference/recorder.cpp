#include "inference/recorder.h"

#include <chrono>
#include <utility>

#include "base/log.h"

namespace spindle::inference {
namespace {

constexpr Logger kLog("inference");
constexpr std::size_t kMostQueued = 20'000;
constexpr std::size_t kMostBytes = 64UL * 1024 * 1024;
constexpr std::size_t kBatch = 2'000;
/// How long the first of a batch waits for others: a write costs a sync, however small it is.
constexpr std::chrono::milliseconds kGather{200};
constexpr std::chrono::milliseconds kPause{250};
constexpr int kTraceAttempts = 3;

}  // namespace

Recorder::Recorder(UsageSink& usage, Trace trace, MetricRegistry& metrics)
    : usage_(usage),
      trace_(std::move(trace)),
      traces_lost_(metrics.counter("spindle_inference_traces_lost_total",
                                   "Completions that could not be written as calls.")),
      queued_(metrics.gauge("spindle_inference_recorder_queued",
                            "Finished completions that wait to be written down.")),
      thread_([this] { loop(); }) {}

Recorder::~Recorder() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notifyAll();
  }
  thread_.join();
}

std::size_t Recorder::sizeOf(const FinishedCompletion& finished) {
  constexpr std::size_t kUsage = 512;
  if (!finished.trace) return kUsage;
  return kUsage + finished.trace->request.size() + finished.trace->answer.size();
}

bool Recorder::hasRoom() const {
  const MutexLock lock(mutex_);
  return queue_.size() < kMostQueued && queued_bytes_ < kMostBytes;
}

void Recorder::record(FinishedCompletion finished) {
  const MutexLock lock(mutex_);
  queued_bytes_ += sizeOf(finished);
  queue_.push_back(std::move(finished));
  ++recorded_;
  // A thread that gathers finds it by itself.
  if (queue_.size() == 1) changed_.notifyAll();
}

void Recorder::flush() {
  const MutexLock lock(mutex_);
  const std::uint64_t wanted = recorded_;
  ++flushing_;
  changed_.notifyAll();
  while (written_ < wanted && !failing_ && !stopping_) changed_.wait(mutex_);
  --flushing_;
}

void Recorder::loop() {
  while (true) {
    std::vector<UsageRecord> usage;
    std::vector<TracedCompletion> traces;
    {
      const MutexLock lock(mutex_);
      while (queue_.empty() && !stopping_) changed_.wait(mutex_);
      if (queue_.empty()) return;
      const auto until = std::chrono::steady_clock::now() + kGather;
      while (flushing_ == 0 && !stopping_ && queue_.size() < kBatch) {
        const auto left = until - std::chrono::steady_clock::now();
        if (left.count() <= 0) break;
        changed_.waitFor(mutex_, left);
      }
      while (!queue_.empty() && usage.size() < kBatch) {
        FinishedCompletion& next = queue_.front();
        queued_bytes_ -= sizeOf(next);
        usage.push_back(std::move(next.usage));
        if (next.trace) traces.push_back(*std::move(next.trace));
        queue_.pop_front();
      }
      queued_.set(static_cast<std::int64_t>(queue_.size()));
    }
    while (!writeUsage(usage)) {
      const MutexLock lock(mutex_);
      failing_ = true;
      changed_.notifyAll();
      if (stopping_) return;
      changed_.waitFor(mutex_, kPause);
    }
    if (!traces.empty()) writeTraces(std::move(traces));
    const MutexLock lock(mutex_);
    failing_ = false;
    written_ += usage.size();
    changed_.notifyAll();
  }
}

bool Recorder::writeUsage(const std::vector<UsageRecord>& records) {
  const Result<void> written = usage_.write(records);
  if (!written) kLog.warning("usage_not_written", {{"reason", written.error().message()}});
  return written.has_value();
}

void Recorder::writeTraces(std::vector<TracedCompletion> traces) {
  for (int attempt = 1; attempt <= kTraceAttempts; ++attempt) {
    const Result<void> written = trace_(traces);
    if (written) return;
    kLog.warning("completions_not_traced", {{"reason", written.error().message()}});
  }
  traces_lost_.add(traces.size());
}

}  // namespace spindle::inference
