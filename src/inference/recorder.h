#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/metrics.h"
#include "base/mutex.h"
#include "base/result.h"
#include "inference/traced_completion.h"
#include "inference/usage_sink.h"

namespace spindle::inference {

class UsageJournal;

/// A request that is over: what it used, and the call to make of it when its project wants one.
struct FinishedCompletion {
  UsageRecord usage;
  std::optional<TracedCompletion> trace = {};
};

/// Records finished completions: their usage durably, their traces best-effort.
///
/// One thread writes usage to the journal; records that arrive while it syncs share the next sync
/// (group commit). The end of an answer is released when its usage is in the journal. A second
/// thread moves usage from the journal to the usage store and writes traces, the requests of a
/// second in one write. Usage that the store does not take is tried again; completions that cannot
/// be traced are dropped after some attempts and counted.
///
/// When the journal cannot be written, answers under way are released all the same, their usage
/// waits in memory for the store, and admit() refuses new requests until it is stored.
///
/// Everything that is queued is bounded: the gateway asks admit() before it accepts a request.
/// Thread-safe; record() never blocks.
class Recorder {
 public:
  using Trace = std::function<Result<void>(std::vector<TracedCompletion>)>;
  using Release = std::function<void()>;

  /// Queues what the journal recovered. The sink must outlive this; without a journal usage is
  /// durable when the store has it.
  Recorder(UsageSink& usage,
           Trace trace,
           std::unique_ptr<UsageJournal> journal,
           MetricRegistry& metrics);
  /// Writes what is queued, unless the disk does not take it.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Returns whether a request may begin. kUnavailable: too much is queued, or the journal fails.
  Result<void> admit() const;

  /// Queues a completion. `release` is called once, from another thread, when the usage is in the
  /// journal: it must not block.
  void record(FinishedCompletion finished, Release release = {});

  /// Blocks until the store has everything that was recorded before. kUnavailable: the store does
  /// not take it now. Not for I/O threads.
  Result<void> flush();

 private:
  struct Arrived {
    FinishedCompletion completion;
    Release release;
  };
  struct Queued {
    FinishedCompletion completion;
    std::uint64_t group = 0;  ///< of the journal; 0: not in it
  };

  void journalLoop();
  void commit(std::deque<Arrived> arrived);
  void storeLoop();
  /// Waits until it is time to write. @return false at the end.
  bool await() SPINDLE_REQUIRES(mutex_);
  void writeDown(std::deque<Queued> taken);
  /// @return false when the usage could not be written yet.
  bool writeUsage(const std::vector<UsageRecord>& records);
  void writeTraces(std::vector<TracedCompletion> traces);
  static std::size_t sizeOf(const FinishedCompletion& finished);

  UsageSink& usage_;
  const Trace trace_;
  const std::unique_ptr<UsageJournal> journal_;
  Counter& traces_lost_;
  Counter& unjournalled_;
  Gauge& queued_;
  Histogram& sync_seconds_;

  mutable Mutex mutex_;
  Condition arrived_changed_;
  Condition changed_;
  std::deque<Arrived> arrived_ SPINDLE_GUARDED_BY(mutex_);  ///< not in the journal yet
  std::deque<Queued> queue_ SPINDLE_GUARDED_BY(mutex_);     ///< not in the store yet
  std::chrono::steady_clock::time_point oldest_ SPINDLE_GUARDED_BY(mutex_);  ///< of the queue
  std::size_t pending_ SPINDLE_GUARDED_BY(mutex_) = 0;        ///< recorded, not stored
  std::size_t pending_bytes_ SPINDLE_GUARDED_BY(mutex_) = 0;  ///< of these
  std::uint64_t recorded_ SPINDLE_GUARDED_BY(mutex_) = 0;
  std::uint64_t written_ SPINDLE_GUARDED_BY(mutex_) = 0;
  int flushing_ SPINDLE_GUARDED_BY(mutex_) = 0;
  bool failing_ SPINDLE_GUARDED_BY(mutex_) = false;          ///< the store
  bool journal_failing_ SPINDLE_GUARDED_BY(mutex_) = false;  ///< and some usage is in memory only
  bool stopping_ SPINDLE_GUARDED_BY(mutex_) = false;
  bool journal_ended_ SPINDLE_GUARDED_BY(mutex_) = false;
  std::thread journal_thread_;
  std::thread store_thread_;
};

}  // namespace spindle::inference
