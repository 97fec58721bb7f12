#include "inference/recorder.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.h"

namespace spindle::inference {
namespace {

constexpr Logger kLog("inference");
constexpr std::size_t kMostQueued = 20'000;
constexpr std::size_t kMostBytes = 64UL * 1024 * 1024;
constexpr std::size_t kBatch = 2'000;
/// How long the first of a batch waits for others: a write costs a sync, and a moment of all
/// processors, however small it is.
constexpr std::chrono::milliseconds kGather{1000};
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
  if (queue_.empty()) oldest_ = std::chrono::steady_clock::now();
  queue_.push_back(std::move(finished));
  ++recorded_;
  // A thread that gathers finds it by itself.
  if (queue_.size() == 1 || queue_.size() == kBatch) changed_.notifyAll();
}

void Recorder::flush() {
  const MutexLock lock(mutex_);
  const std::uint64_t wanted = recorded_;
  ++flushing_;
  changed_.notifyAll();
  while (written_ < wanted && !failing_ && !stopping_) changed_.wait(mutex_);
  --flushing_;
}

bool Recorder::await() {
  while (true) {
    while (queue_.empty() && !stopping_) changed_.wait(mutex_);
    if (queue_.empty()) return false;
    const auto left = oldest_ + kGather - std::chrono::steady_clock::now();
    const bool due = flushing_ > 0 || stopping_ || queue_.size() >= kBatch || left.count() <= 0;
    if (due) return true;
    changed_.waitFor(mutex_, left);
  }
}

void Recorder::loop() {
  while (true) {
    // Whoever records waits for the lock: the queue is taken whole, and taken apart behind it.
    std::deque<FinishedCompletion> taken;
    {
      const MutexLock lock(mutex_);
      if (!await()) return;
      taken.swap(queue_);
      queued_bytes_ = 0;
    }
    writeDown(std::move(taken));
    const MutexLock lock(mutex_);
    if (failing_ && stopping_) return;
  }
}

void Recorder::writeDown(std::deque<FinishedCompletion> taken) {
  while (!taken.empty()) {
    std::vector<UsageRecord> usage;
    std::vector<TracedCompletion> traces;
    while (!taken.empty() && usage.size() < kBatch) {
      FinishedCompletion& next = taken.front();
      usage.push_back(std::move(next.usage));
      if (next.trace) traces.push_back(*std::move(next.trace));
      taken.pop_front();
    }
    queued_.set(static_cast<std::int64_t>(taken.size()));
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
