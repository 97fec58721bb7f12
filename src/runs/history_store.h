#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "columnar/store.h"
#include "runs/run.h"

namespace spindle::runs {

class FlatRows;

/// Whose lines, and between which moments they were stored.
struct HistoryPlace {
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

/// Lines of history in blocks of some thousand, in the embedded columnar store: one row with the
/// lines themselves, and for each metric one row with its numbers packed together, so that a metric
/// is read without the others. Which blocks count is not known here: a block that its writer never
/// got to note anywhere is as good as not there. Thread-safe; calls block on disk: worker threads
/// only. Any may return kUnavailable or kTimeout.
class HistoryStore {
 public:
  /// `family` is where historyFamily() stands in the store, which must outlive this.
  HistoryStore(columnar::Store& store, columnar::FamilyId family)
      : store_(store), family_(family) {}

  /// Stores the rows as a block; on disk when it returns. `block` is new and greater than all
  /// before (a UUIDv7 of `now`). @return also kRateLimited, kStorageFull.
  Result<void> write(std::string_view project_id,
                     std::int64_t run_number,
                     Stream stream,
                     std::string_view block,
                     const FlatRows& rows,
                     Timestamp now);

  /// The lines of a block, each ended by a line feed. @return kNotFound.
  Result<std::string> lines(std::string_view project_id, std::string_view block) const;

  /// The blocks of a run in which any of the keys has a value.
  Result<std::unordered_set<std::string>> blocksWith(const HistoryPlace& place,
                                                     const std::vector<std::string>& keys) const;

  /// The numbers of one key, from blocks that have some between the two steps, in any order.
  Result<std::vector<StoredSeries>> series(const HistoryPlace& place,
                                           const std::string& key,
                                           std::int64_t min_step,
                                           std::int64_t max_step) const;

  /// Removes everything of a run.
  Result<void> remove(std::string_view project_id, std::int64_t run_number);

 private:
  columnar::Store& store_;
  const columnar::FamilyId family_;
};

/// How blocks are kept.
columnar::Family historyFamily();

}  // namespace spindle::runs
