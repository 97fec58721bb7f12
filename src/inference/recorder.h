#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "base/metrics.h"
#include "base/mutex.h"
#include "base/result.h"
#include "inference/traced_completion.h"
#include "inference/usage_sink.h"

namespace spindle::inference {

/// A request that is over: what it used, and the call to make of it when its project wants one.
struct FinishedCompletion {
  UsageRecord usage;
  std::optional<TracedCompletion> trace = {};
};

/// Writes down what was used and what was said, behind the backs of those who wait for answers:
/// recording never blocks, and the requests of a second become one write. What is queued
/// is bounded: the gateway asks hasRoom() before it takes a request on. What cannot be written is
/// tried again; completions that cannot be traced are dropped after some attempts and counted.
/// Thread-safe.
class Recorder {
 public:
  using Trace = std::function<Result<void>(std::vector<TracedCompletion>)>;

  /// The sink must outlive this.
  Recorder(UsageSink& usage, Trace trace, MetricRegistry& metrics);
  /// Writes what is queued, unless the disk does not take it.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  bool hasRoom() const;
  void record(FinishedCompletion finished);
  /// Waits until everything that was recorded before has been written, or cannot be. Not for I/O
  /// threads.
  void flush();

 private:
  void loop();
  /// Waits until it is time to write. @return false at the end.
  bool await() SPINDLE_REQUIRES(mutex_);
  void writeDown(std::deque<FinishedCompletion> taken);
  /// @return false when the usage could not be written yet.
  bool writeUsage(const std::vector<UsageRecord>& records);
  void writeTraces(std::vector<TracedCompletion> traces);
  static std::size_t sizeOf(const FinishedCompletion& finished);

  UsageSink& usage_;
  const Trace trace_;
  Counter& traces_lost_;
  Gauge& queued_;

  mutable Mutex mutex_;
  Condition changed_;
  std::deque<FinishedCompletion> queue_ SPINDLE_GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point oldest_ SPINDLE_GUARDED_BY(mutex_);  ///< of the queue
  std::size_t queued_bytes_ SPINDLE_GUARDED_BY(mutex_) = 0;
  std::uint64_t recorded_ SPINDLE_GUARDED_BY(mutex_) = 0;
  std::uint64_t written_ SPINDLE_GUARDED_BY(mutex_) = 0;
  int flushing_ SPINDLE_GUARDED_BY(mutex_) = 0;
  bool failing_ SPINDLE_GUARDED_BY(mutex_) = false;
  bool stopping_ SPINDLE_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace spindle::inference
