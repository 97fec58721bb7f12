#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "columnar/count_cache.h"
#include "columnar/disk_space.h"
#include "columnar/engine.h"
#include "columnar/generation.h"
#include "columnar/partitions.h"
#include "columnar/scan_gate.h"
#include "columnar/store.h"
#include "columnar/store_metrics.h"
#include "columnar/stored_tables.h"
#include "columnar/visibility.h"

namespace spindle::columnar {

/// The state that the writer, the flusher and the snapshots of an open store share. Thread-safe;
/// must outlive all of them.
struct StoreParts {
  /// `pause_before` is stored as `pause`.
  StoreParts(const StoreOptions& with,
             const std::vector<Family>& of,
             StoreMetrics& told,
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
  ScanGate scans;
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
