#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "columnar/store/store.h"
#include "runs/run.h"

namespace spindle::runs {

class FlatRows;

/// A stream of one run, limited to blocks stored between `since` and `until`.
struct HistoryRange {
  std::string_view project_id;
  std::int64_t run_number = 0;
  Stream stream = Stream::kHistory;
  Timestamp since;
  Timestamp until;
};

/// The numbers of one metric in one block.
struct StoredSeries {
  std::string block;
  std::vector<std::int64_t> steps;
  std::vector<double> values;
};

/// Stores lines of history in the columnar store, in blocks of about a thousand lines. A block is
/// one row with the lines, and one row per metric with its packed numbers: a reader of one metric
/// does not read the others. This class does not know which blocks are valid: `run_blocks` in SQL
/// does, and readers ignore a block that is not recorded there. Thread-safe; calls block on disk:
/// worker threads only. Every call can return kUnavailable or kTimeout.
class HistoryStore {
 public:
  /// `family` is the id of historyFamily() in the store. The store must outlive this object.
  HistoryStore(columnar::Store& store, columnar::FamilyId family)
      : store_(store), family_(family) {}

  /// Stores the rows as a block and returns when the block is durable. `block` must be a new id
  /// that is greater than all earlier ids (a UUIDv7 of `now`). @return also kRateLimited,
  /// kStorageFull.
  Result<void> write(std::string_view project_id,
                     std::int64_t run_number,
                     Stream stream,
                     std::string_view block,
                     const FlatRows& rows,
                     Timestamp now);

  /// Returns the lines of a block, each ended by a line feed. @return kNotFound.
  Result<std::string> lines(std::string_view project_id, std::string_view block) const;

  /// Returns the ids of the blocks that contain a value of at least one of the keys.
  Result<std::unordered_set<std::string>> blocksWith(const HistoryRange& place,
                                                     const std::vector<std::string>& keys) const;

  /// Returns the numbers of one key, from all blocks that overlap the two steps, in any order.
  Result<std::vector<StoredSeries>> series(const HistoryRange& place,
                                           const std::string& key,
                                           std::int64_t min_step,
                                           std::int64_t max_step) const;

  /// Deletes all blocks of a run.
  Result<void> remove(std::string_view project_id, std::int64_t run_number);

 private:
  columnar::Store& store_;
  const columnar::FamilyId family_;
};

/// Returns the table definition of the blocks.
columnar::Family historyFamily();

}  // namespace spindle::runs
