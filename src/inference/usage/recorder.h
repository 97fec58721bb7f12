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

#include "base/core/metrics.h"
#include "base/core/mutex.h"
#include "base/core/result.h"
#include "inference/usage/traced_completion.h"
#include "inference/usage/usage_sink.h"

namespace spindle::inference {

class UsageJournal;

/// A finished request: its usage and, if its project is traced, the data of its call.
struct FinishedCompletion {
  UsageRecord usage;
  std::optional<TracedCompletion> trace = {};
};

/// Limits of the queues of a recorder.
struct RecorderLimits {
  std::size_t records = 20'000;    ///< not stored yet; beyond it admit() rejects requests
  std::size_t bytes = 64UL << 20;  ///< of the records that are not stored yet and their traces
  bool drops_traces = false;       ///< beyond `bytes`, drop traces instead of rejecting requests
};

/// Records finished completions: their usage durably, their traces best-effort.
///
/// The end of a response is released when its usage is in the journal. If the journal does not
/// sync, record() writes the usage itself: a write into the page cache takes less time than the
/// change to another thread and back. Otherwise, and while the disk is slow, the journal thread
/// writes; records that arrive meanwhile share its next write and sync (group commit). A second
/// thread moves usage from the journal to the usage store and writes traces, one write per second.
/// Usage that the store rejects is retried. Completions that cannot be traced are dropped after
/// some attempts and counted.
///
/// If the journal cannot be written, current responses are still released, their usage waits in
/// memory for the store, and admit() rejects new requests until it is stored.
///
/// The queues are bounded: the gateway calls admit() before it accepts a request. If the usage
/// store is another server, its failure must not stop the gateway: RecorderLimits then allow more
/// records, which are in the journal, and drop traces beyond the memory for them. Thread-safe;
/// record() never waits for a sync.
class Recorder {
 public:
  using Trace = std::function<Result<void>(std::vector<TracedCompletion>)>;
  using Release = std::function<void()>;

  /// Queues the records that the journal recovered. The sink must outlive this object. Without a
  /// journal, usage is durable when it is in the store.
  Recorder(UsageSink& usage,
           Trace trace,
           std::unique_ptr<UsageJournal> journal,
           MetricRegistry& metrics,
           const RecorderLimits& limits = {});
  /// Writes the queued records, unless the disk fails.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Checks whether a request may start. @return kUnavailable if the queues are full or the journal
  /// fails.
  Result<void> admit() const;

  /// Records a completion. Calls `release` once, when the usage is in the journal: before record()
  /// returns or on another thread. `release` must not block.
  void record(FinishedCompletion finished, Release release = {});

  /// Blocks until everything recorded so far is in the store. Do not call it from I/O threads.
  /// @return kUnavailable if the store fails.
  Result<void> flush();

 private:
  struct Arrived {
    FinishedCompletion completion;
    Release release;
  };
  struct Queued {
    FinishedCompletion completion;
    std::uint64_t group = 0;  ///< number of the journal group; 0: not in the journal
  };

  /// Writes a record, if that takes one short write and no earlier record waits for the journal
  /// thread. Returns the number of its journal group, or nothing.
  std::optional<std::uint64_t> journalNow(const UsageRecord& usage) SPINDLE_REQUIRES(mutex_);
  void enqueue(FinishedCompletion completion, std::uint64_t group) SPINDLE_REQUIRES(mutex_);
  void journalLoop();
  void commit(std::deque<Arrived> arrived);
  void storeLoop();
  /// Waits until a batch is due. @return false when the recorder has stopped.
  bool await() SPINDLE_REQUIRES(mutex_);
  void storeRecords(std::deque<Queued> taken);
  /// @return false if the usage could not be written.
  bool writeUsage(const std::vector<UsageRecord>& records);
  void writeTraces(const std::vector<TracedCompletion>& traces);
  static std::size_t sizeOf(const FinishedCompletion& finished);

  UsageSink& usage_;
  const Trace trace_;
  const std::unique_ptr<UsageJournal> journal_;
  const RecorderLimits limits_;
  Counter& traces_lost_;
  Counter& unjournalled_;
  Gauge& queued_;
  Histogram& sync_seconds_;

  mutable Mutex mutex_;
  Condition arrived_changed_;
  Condition changed_;
  std::deque<Arrived> arrived_ SPINDLE_GUARDED_BY(mutex_);  ///< not in the journal yet
  bool journalling_ SPINDLE_GUARDED_BY(mutex_) = false;     ///< the journal thread has records
  /// The end of the time in which only the journal thread writes, because a write took long.
  std::chrono::steady_clock::time_point disk_is_slow_until_ SPINDLE_GUARDED_BY(mutex_);
  std::deque<Queued> queue_ SPINDLE_GUARDED_BY(mutex_);  ///< not in the store yet
  std::chrono::steady_clock::time_point oldest_ SPINDLE_GUARDED_BY(mutex_);  ///< first of the queue
  std::size_t pending_ SPINDLE_GUARDED_BY(mutex_) = 0;        ///< recorded, not stored
  std::size_t pending_bytes_ SPINDLE_GUARDED_BY(mutex_) = 0;  ///< size of the pending ones
  std::uint64_t recorded_ SPINDLE_GUARDED_BY(mutex_) = 0;
  std::uint64_t written_ SPINDLE_GUARDED_BY(mutex_) = 0;
  int flushing_ SPINDLE_GUARDED_BY(mutex_) = 0;
  bool failing_ SPINDLE_GUARDED_BY(mutex_) = false;          ///< the store fails
  bool journal_failing_ SPINDLE_GUARDED_BY(mutex_) = false;  ///< some usage is only in memory
  bool stopping_ SPINDLE_GUARDED_BY(mutex_) = false;
  bool journal_ended_ SPINDLE_GUARDED_BY(mutex_) = false;
  std::thread journal_thread_;
  std::thread store_thread_;
};

}  // namespace spindle::inference
