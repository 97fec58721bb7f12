#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "columnar/duckdb/engine.h"
#include "columnar/duckdb/scan_gate.h"
#include "columnar/journal/disk_space.h"
#include "columnar/store/store.h"
#include "columnar/store/store_metrics.h"
#include "columnar/tables/count_cache.h"
#include "columnar/tables/generation.h"
#include "columnar/tables/partitions.h"
#include "columnar/tables/stored_tables.h"
#include "columnar/tables/visibility.h"

namespace spindle::columnar {

/// The state that the writer, the flusher and the snapshots of an open store share. Thread-safe;
/// must outlive all of them.
struct StoreParts {
  /// `pause_before` is stored as `pause`.
  StoreParts(const StoreOptions& with,
             const std::vector<Family>& of,
             StoreMetrics& store_metrics,
             std::chrono::seconds pause_before);

  /// Creates the tables and the journal of a generation. For one thread at a time.
  /// @return kStorageFull or kUnavailable
  Result<std::shared_ptr<Generation>> makeGeneration(Connection& connection,
                                                     GenerationNumber number);
  /// Creates only the tables.
  Result<void> makeTables(Connection& connection, GenerationNumber number);

  std::string journalPath(GenerationNumber number) const;

  /// Returns true when the store must be reopened before any further work.
  bool failed() const { return broken || engine.failed(); }

  const StoreOptions& options;
  const std::vector<Family>& families;
  StoreMetrics& metrics;
  const std::chrono::seconds pause;
  Engine engine;
  DiskSpace disk;
  Partitions partitions;
  StoredTables stored;
  RemovalEpoch removals;
  CountCache counts;
  std::shared_ptr<DeferredDeleter>
      deferred_deleter;  // shared with generations, which snapshots may keep alive
  Visibility visibility;
  ScanGate scans;      ///< of statements
  ScanGate snapshots;  ///< of snapshots, which are open between their statements too
  std::atomic<bool> broken{false};

  /// Journals whose rows are in the file or in DuckDB's log. They are removed after a checkpoint,
  /// because the log alone is not trusted. Only the flusher uses the list after recovery has filled
  /// it.
  struct FlushedJournal {
    std::string path;
    std::uint64_t bytes = 0;
  };
  std::vector<FlushedJournal> flushed_journals;
};

}  // namespace spindle::columnar
