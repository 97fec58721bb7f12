#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "base/time.h"
#include "registry/artifact.h"
#include "runs/run.h"

namespace spindle::events {
class Outbox;
}
namespace spindle::storage {
class Database;
}

namespace spindle::runs {

class FlatRows;
class HistoryStore;
class MetricWatch;

/// What runs log. The metadata database knows how many lines a run has and where they are: large
/// pieces as blocks in the columnar store, the last few lines in a table of its own. A block is
/// written first and noted after, in the transaction that also counts its lines: a line that was
/// acknowledged is there once, whenever the server stops.
/// Thread-safe; calls block on disk: worker threads only. Any may return kUnavailable or kTimeout.
/// One server at a time writes to a columnar store, so appends to one run wait for one another
/// here.
class HistoryRepository {
 public:
  /// `watch` is null when nobody watches. Everything given must outlive this.
  HistoryRepository(storage::Database& database,
                    HistoryStore& store,
                    events::Outbox& outbox,
                    MetricWatch* watch,
                    const Clock& clock)
      : database_(database), store_(store), outbox_(outbox), watch_(watch), clock_(clock) {}

  struct Append {
    std::optional<std::int64_t> offset = {};  ///< the line that the first row is; absent: the next
    std::vector<NewRow> rows;
  };
  struct Appended {
    std::int64_t accepted = 0;
    std::int64_t ignored = 0;  ///< lines that were there already
    std::int64_t next_step = 0;
    std::int64_t line_count = 0;
    bool stop_requested = false;
  };
  /// Adds rows, all or none. Every accepted row is a sign of life.
  /// @return kNotFound; kConflict `run_not_active`, or `offset_gap` when lines before these are
  /// missing; kInvalidSchema `step_out_of_order`, or for too many different keys; kRateLimited,
  /// kStorageFull.
  Result<Appended> append(const registry::Place& place,
                          std::string_view run_id,
                          Stream stream,
                          const Append& append);

  /// Removes what removed runs have left in the columnar store.
  Result<void> clearRemains();

 private:
  struct Position;
  struct Batch;

  Result<Position> positionOf(std::string_view project_id, std::string_view run_id, Stream stream);
  Result<Appended> commit(const registry::Place& place,
                          Stream stream,
                          const Position& position,
                          const Batch& batch);

  storage::Database& database_;
  HistoryStore& store_;
  events::Outbox& outbox_;
  MetricWatch* const watch_;
  const Clock& clock_;
  std::array<Mutex, 64> locks_;  ///< by run; held over the whole of an append
};

}  // namespace spindle::runs
