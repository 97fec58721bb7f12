#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "columnar/engine.h"
#include "columnar/generation.h"
#include "columnar/partitions.h"
#include "columnar/store.h"
#include "columnar/store_metrics.h"
#include "columnar/stored_tables.h"
#include "columnar/visibility.h"

namespace spindle::columnar {

/// What the writer, the flusher and the snapshots of an open store share. Thread-safe; outlives all
/// of them.
struct StoreParts {
  StoreParts(const StoreOptions& with, const std::vector<Family>& of, StoreMetrics& told);

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
  Engine engine;
  Partitions partitions;
  StoredTables stored;
  std::shared_ptr<Graveyard> graveyard;  // shared with generations, which snapshots may hold
  Visibility visibility;
  std::atomic<bool> broken{false};
};

}  // namespace spindle::columnar
