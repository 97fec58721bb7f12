#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/metrics.h"
#include "base/core/result.h"
#include "base/core/time.h"
#include "columnar/changes/change.h"
#include "columnar/journal/family.h"
#include "columnar/store/snapshot.h"

namespace spindle::columnar {

class StoreHold;

struct StoreOptions {
  std::string folder;                      ///< created if missing; used by one process at a time
  std::size_t memory_bytes = 400UL << 20;  ///< memory limit of DuckDB; larger queries spill to disk
  /// Memory for DuckDB's descriptions of written row groups, which are freed when they need more.
  std::size_t description_bytes = 24UL << 20;
  std::size_t spill_bytes = 16UL << 30;   ///< limit of temporary files
  std::size_t threads = 2;                ///< DuckDB threads per query
  std::size_t readers = 16;               ///< maximum number of concurrent snapshots; others wait
  std::size_t recent_bytes = 96UL << 20;  ///< recent rows in memory before a flush
  std::size_t recent_rows = 128UL * 1024;
  std::size_t queued_bytes = 64UL << 20;         ///< changes that wait for the writer
  std::size_t change_bytes = 128UL << 20;        ///< rows that one change puts
  std::chrono::milliseconds query_time{60'000};  ///< time limit of one statement
};

/// Durable, partitioned, columnar storage of keyed records on one machine.
///
/// A write is synced to the journal before write() returns. It is then in memory, visible to every
/// new snapshot. Later a background thread moves it into the DuckDB file: into the table that the
/// partitions of a family share, or into the table of a large partition. Neither the move nor a
/// checkpoint stops writers or readers. Thread-safe. Calls block on disk; call them from worker
/// threads only.
class Store {
 public:
  /// Opens or creates a store and recovers the journals. @throws std::runtime_error with a message
  /// for the operator.
  static std::unique_ptr<Store> open(const StoreOptions& options,
                                     std::vector<Family> families,
                                     MetricRegistry& metrics);
  /// Completes the queued work. All snapshots must be destroyed before.
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Applies the change and returns when it is on disk and visible. `bytes` is its approximate
  /// size, for the queue limit. @return the change's own error; kTooLarge when it puts or reads
  /// more than StoreOptions::change_bytes; kRateLimited when the queue is full; kStorageFull when
  /// the disk is full; kUnavailable. After any error nothing of the change is stored.
  Result<void> write(Change& change, std::size_t bytes);

  /// Takes a snapshot. @return kUnavailable when no connection is free in time.
  Result<Snapshot> snapshot();

  /// Removes the rows of a partition (of every partition if it is empty) whose kTime column
  /// `column` is before `moment`. Rows with null stay. @return the number of removed rows.
  Result<std::int64_t> removeBefore(FamilyId family,
                                    std::string_view partition,
                                    SqlName column,
                                    Timestamp moment);

  /// Returns the partitions that were ever written to and not dropped.
  Result<std::vector<std::string>> partitions();

  /// Removes all rows of a partition, in all families.
  Result<void> dropPartition(std::string_view partition);

  /// Moves all recent rows into the file and checkpoints it. For tests, tools and shutdown.
  Result<void> flush();

  /// Keeps the files of the store copyable until the hold is destroyed (store_hold.h). Writes,
  /// reads and flushes continue. Allows one hold at a time. Blocks for a flush and a checkpoint.
  /// @return kConflict while another hold exists; kStorageFull; kUnavailable.
  Result<std::unique_ptr<StoreHold>> hold();

 private:
  class State;
  explicit Store(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace spindle::columnar
