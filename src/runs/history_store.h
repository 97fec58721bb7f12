#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "runs/run.h"

namespace spindle::runs {

class FlatRows;

/// A stream of one run, limited to blocks stored between `since` and `until`. A store may round
/// these times to whole hours.
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

/// Stores lines of history in blocks of about a thousand lines, and the numbers of each metric of a
/// block. A store does not know which blocks are valid: `run_blocks` in SQL does, and readers
/// ignore a block that is not recorded there. Thread-safe; calls block on disk: worker threads
/// only. Every call can return kUnavailable or kTimeout. `history_store_contract_for_test.h` tests
/// the rules for every implementation.
class HistoryStore {
 public:
  virtual ~HistoryStore() = default;

  /// Stores the rows as a block and returns when the block is durable. `block` must be a new id
  /// that is greater than all earlier ids (a UUIDv7 of `now`). @return also kRateLimited,
  /// kStorageFull.
  virtual Result<void> write(std::string_view project_id,
                             std::int64_t run_number,
                             Stream stream,
                             std::string_view block,
                             const FlatRows& rows,
                             Timestamp now) = 0;

  /// Returns the lines of a block, each ended by a line feed. @return kNotFound.
  virtual Result<std::string> lines(std::string_view project_id, std::string_view block) const = 0;

  /// Returns the ids of the blocks that contain a value of at least one of the keys.
  virtual Result<std::unordered_set<std::string>> blocksWith(
      const HistoryRange& place, const std::vector<std::string>& keys) const = 0;

  /// Returns the numbers of one key, from all blocks that overlap the two steps, in any order.
  virtual Result<std::vector<StoredSeries>> series(const HistoryRange& place,
                                                   const std::string& key,
                                                   std::int64_t min_step,
                                                   std::int64_t max_step) const = 0;

  /// Deletes all blocks of a run.
  virtual Result<void> remove(std::string_view project_id, std::int64_t run_number) = 0;
};

}  // namespace spindle::runs
