#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "base/core/time.h"
#include "registry/artifacts/artifact.h"
#include "runs/run.h"
#include "storage/database/forward.h"

namespace spindle::events {
class Outbox;
}
namespace spindle::live {
class ChangeLog;
}

namespace spindle::runs {

class FlatRows;
class HistoryStore;
class MetricObserver;

/// Appends the rows that runs log. The metadata database records how many lines a run has and where
/// they are: most lines in blocks of the columnar store, the last few lines in an SQL table.
/// append() first writes a block durably and then records it, in the transaction that counts its
/// lines. Therefore an acknowledged line exists exactly once, even if the server crashes at any
/// time. Thread-safe; calls block on disk: worker threads only. Every call can return kUnavailable
/// or kTimeout. Appends to one run are serialized here, because only one server at a time writes to
/// a columnar store.
class HistoryRepository {
 public:
  /// `observer` and `changes` may be null. All arguments must outlive this object.
  HistoryRepository(storage::Database& database,
                    HistoryStore& store,
                    events::Outbox& outbox,
                    MetricObserver* observer,
                    const Clock& clock,
                    live::ChangeLog* changes = nullptr)
      : database_(database),
        store_(store),
        outbox_(outbox),
        observer_(observer),
        clock_(clock),
        changes_(changes) {}

  struct Append {
    std::optional<std::int64_t> offset = {};  ///< line number of the first row; absent: the next
    std::vector<NewRow> rows;
  };
  struct Appended {
    std::int64_t accepted = 0;
    std::int64_t ignored = 0;  ///< rows whose lines exist already
    std::int64_t next_step = 0;
    std::int64_t line_count = 0;
    bool stop_requested = false;
  };
  /// Appends rows, all or none. Accepted rows count as a heartbeat.
  /// @return kNotFound; kConflict `run_not_active`, or `offset_gap` if lines before `offset` are
  /// missing; kInvalidSchema `step_out_of_order`, or for too many different keys; kRateLimited,
  /// kStorageFull.
  Result<Appended> append(const registry::Place& place,
                          std::string_view run_id,
                          Stream stream,
                          const Append& append);

  /// Deletes the blocks of removed runs from the columnar store, a limited number of runs per call.
  Result<void> deleteOrphanedHistory();

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
  MetricObserver* const observer_;
  const Clock& clock_;
  live::ChangeLog* const changes_;
  std::array<Mutex, 64> locks_;  ///< by hash of the run id; held during a complete append()
};

}  // namespace spindle::runs
