#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/metrics.h"
#include "base/result.h"
#include "base/time.h"
#include "columnar/change.h"
#include "columnar/family.h"
#include "columnar/snapshot.h"

namespace spindle::columnar {

class StoreHold;

struct StoreOptions {
  std::string folder;                      ///< made when missing; one process at a time
  std::size_t memory_bytes = 400UL << 20;  ///< what DuckDB may use; beyond it queries spill
  std::size_t spill_bytes = 16UL << 30;    ///< of temporary files
  std::size_t threads = 2;                 ///< of DuckDB, for one query
  std::size_t readers = 16;                ///< snapshots at one time; others wait
  std::size_t recent_bytes = 96UL << 20;   ///< of recent rows kept in memory before a flush
  std::size_t recent_rows = 128 * 1024;
  std::size_t queued_bytes = 64UL << 20;         ///< of changes waiting for the writer
  std::size_t change_bytes = 128UL << 20;        ///< of the rows that one change puts
  std::chrono::milliseconds query_time{60'000};  ///< the longest one statement may run
};

/// Durable, partitioned, columnar storage of keyed records on one machine.
///
/// A write is in the journal, on disk, before write() returns; then it is in memory, where every
/// snapshot sees it; later a background thread moves it into DuckDB's file, into the table that
/// the partitions of a family share, or into that of a large partition. Neither that move nor a
/// checkpoint stops writers or readers. Thread-safe. Calls block on disk: worker threads only.
class Store {
 public:
  /// Opens or creates, and recovers what the journal holds.
  /// @throws std::runtime_error with a message for the operator.
  static std::unique_ptr<Store> open(const StoreOptions& options,
                                     std::vector<Family> families,
                                     MetricRegistry& metrics);
  /// Finishes what is queued. Snapshots must be gone.
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Applies the change and returns when it is on disk and visible. `bytes` is about its size, for
  /// the bounds of the queue.
  /// @return the change's own error; kTooLarge when it puts or looks at more than
  /// StoreOptions::change_bytes; kRateLimited when the queue is full; kStorageFull when the disk
  /// is; kUnavailable. After any error nothing of the change is stored.
  Result<void> write(Change& change, std::size_t bytes);

  /// @return kUnavailable when no connection came free in time.
  Result<Snapshot> snapshot();

  /// Removes the rows of a partition (of every partition when it is empty) whose kTime column
  /// `column` lies before `moment`. Rows where it is null stay. @return how many.
  Result<std::int64_t> removeBefore(FamilyId family,
                                    std::string_view partition,
                                    SqlName column,
                                    Timestamp moment);

  /// The partitions that something was ever written to, and that were not dropped.
  Result<std::vector<std::string>> partitions();

  /// Removes everything of a partition, in all families.
  Result<void> dropPartition(std::string_view partition);

  /// Moves all recent rows into the file and checkpoints it; for tests, tools and the end.
  Result<void> flush();

  /// Keeps the files of the store fit for copying until the hold is destroyed (store_hold.h). One
  /// at a time. Writes, reads and flushes go on. Blocks for a flush and a checkpoint.
  /// @return kConflict while another hold lives; kStorageFull; kUnavailable.
  Result<std::unique_ptr<StoreHold>> hold();

 private:
  class State;
  explicit Store(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace spindle::columnar
