#pragma once

#include <array>
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
/// recording never blocks, many requests become one write within a second, and the thread that
/// writes runs when no other wants to. When it cannot keep up, a second one helps. What is queued
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
  /// Who writes.
  enum class Pace : std::size_t { kPatient, kHelping };
  static constexpr std::uint64_t kNothing = ~std::uint64_t{0};

  void loop(Pace pace);
  /// Waits until there is something to do at that pace. @return false at the end.
  bool await(Pace pace) SPINDLE_REQUIRES(mutex_);
  bool isDue(Pace pace) const SPINDLE_REQUIRES(mutex_);
  /// The first that has not been written.
  std::uint64_t firstUnwritten() const SPINDLE_REQUIRES(mutex_);
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
  struct Waiting {
    FinishedCompletion finished;
    std::chrono::steady_clock::time_point since;
  };
  std::deque<Waiting> queue_ SPINDLE_GUARDED_BY(mutex_);
  std::size_t queued_bytes_ SPINDLE_GUARDED_BY(mutex_) = 0;
  std::uint64_t recorded_ SPINDLE_GUARDED_BY(mutex_) = 0;
  /// The first of those that a thread is writing, by pace.
  std::array<std::uint64_t, 2> writing_ SPINDLE_GUARDED_BY(mutex_) = {kNothing, kNothing};
  int flushing_ SPINDLE_GUARDED_BY(mutex_) = 0;
  bool failing_ SPINDLE_GUARDED_BY(mutex_) = false;
  bool stopping_ SPINDLE_GUARDED_BY(mutex_) = false;
  std::thread patient_;
  std::thread helping_;
};

}  // namespace spindle::inference
