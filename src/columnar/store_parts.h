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

/// What the writer, the flusher and the snapshots of an open store share. Thread-safe; outlives all
/// of them.
struct StoreParts {
  /// `pause_before` is how long the flusher leaves the file alone.
  StoreParts(const StoreOptions& with,
             const std::vector<Family>& of,
             StoreMetrics& told,
             std::chrono::seconds pause_before);

  /// Makes the tables and the journal of a generation. Used by one thread at a time.
  /// @return kStorageFull or kUnavailable
  Result<std::shared_ptr<Generation>> makeGeneration(Connection& connection,
                                                     GenerationNumber number);
  /// Only the tables.
  Result<void> makeTables(Connection& connection, GenerationNumber number);

  std::string journalPath(GenerationNumber number) const;

  /// True when nothing more can be done until everything has been opened again.
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
  std::shared_ptr<Graveyard> graveyard;  // shared with generations, which snapshots may hold
  Visibility visibility;
  ScanGate scans;
  std::atomic<bool> broken{false};

  /// Journals whose rows are in the file, or in DuckDB's log beside it. They go after a checkpoint:
  /// the log alone is not trusted. The flusher's, once recovery has listed those it found.
  struct FlushedJournal {
    std::string path;
    std::uint64_t bytes = 0;
  };
  std::vector<FlushedJournal> flushed_journals;
};

}  // namespace spindle::columnar
