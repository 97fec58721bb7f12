#include "inference/recorder.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.h"
#include "base/thread_hint.h"

namespace spindle::inference {
namespace {

constexpr Logger kLog("inference");
constexpr std::size_t kMostQueued = 20'000;
constexpr std::size_t kMostBytes = 64UL * 1024 * 1024;
constexpr std::size_t kBatch = 2'000;
/// How long the first of a batch waits for others: a write costs a sync, and a moment of all
/// processors, however small it is.
constexpr std::chrono::milliseconds kGather{1000};
/// So many, or so old a one, are more than patience can deal with.
constexpr std::size_t kTooMany = 3'000;
constexpr std::chrono::milliseconds kTooOld{3000};
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
      patient_([this] { loop(Pace::kPatient); }),
      helping_([this] { loop(Pace::kHelping); }) {}

Recorder::~Recorder() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notifyAll();
  }
  patient_.join();
  helping_.join();
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
  queue_.push_back({std::move(finished), std::chrono::steady_clock::now()});
  ++recorded_;
  // Threads that gather find it by themselves.
  if (queue_.size() == 1 || queue_.size() == kTooMany) changed_.notifyAll();
}

std::uint64_t Recorder::firstUnwritten() const {
  const std::uint64_t queued = queue_.empty() ? kNothing : recorded_ - queue_.size();
  return std::min({queued, writing_[0], writing_[1]});
}

void Recorder::flush() {
  const MutexLock lock(mutex_);
  const std::uint64_t wanted = recorded_;
  ++flushing_;
  changed_.notifyAll();
  while (firstUnwritten() < wanted && !failing_ && !stopping_) changed_.wait(mutex_);
  --flushing_;
}

bool Recorder::isDue(Pace pace) const {
  if (queue_.empty()) return false;
  if (flushing_ > 0 || stopping_) return true;
  const auto age = std::chrono::steady_clock::now() - queue_.front().since;
  if (pace == Pace::kPatient) return age >= kGather || queue_.size() >= kBatch;
  return age >= kTooOld || queue_.size() >= kTooMany;
}

bool Recorder::await(Pace pace) {
  while (!isDue(pace)) {
    if (stopping_) return false;
    if (queue_.empty()) {
      changed_.wait(mutex_);
    } else {
      changed_.waitFor(mutex_, pace == Pace::kPatient ? kGather / 4 : kTooOld / 4);
    }
  }
  return true;
}

void Recorder::loop(Pace pace) {
  if (pace == Pace::kPatient) runWhenIdle();
  const auto place = static_cast<std::size_t>(pace);
  while (true) {
    std::vector<UsageRecord> usage;
    std::vector<TracedCompletion> traces;
    {
      const MutexLock lock(mutex_);
      writing_[place] = kNothing;
      changed_.notifyAll();
      if (!await(pace)) return;
      writing_[place] = recorded_ - queue_.size();
      while (!queue_.empty() && usage.size() < kBatch) {
        FinishedCompletion& next = queue_.front().finished;
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
