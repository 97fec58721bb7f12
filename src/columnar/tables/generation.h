#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/mutex.h"
#include "base/core/time.h"
#include "columnar/journal/journal.h"
#include "columnar/journal/numbers.h"
#include "columnar/tables/runs.h"

namespace spindle::columnar {

/// Objects queued for deferred destruction by the flusher. Thread-safe.
class DeferredDeleter {
 public:
  /// Queues the tables of a generation that has no more users.
  void add(GenerationNumber number);
  /// Queues a large object for destruction.
  void add(std::shared_ptr<void> leftover);

  struct Pending {
    std::vector<GenerationNumber> generations;
    std::vector<std::shared_ptr<void>> objects;  // of any type
  };
  Pending takeAll();

 private:
  Mutex mutex_;
  Pending pending_ SPINDLE_GUARDED_BY(mutex_);
};

/// Statistics about the rows of one table in a generation. They only grow, and they grow before the
/// rows become visible, so they always cover at least what a snapshot sees.
struct Tally {
  std::int64_t rows = 0;
  std::int64_t timed_rows = 0;  ///< rows with an order time
  std::int64_t late_rows = 0;   ///< rows far behind the latest time before them
  Timestamp first;              ///< of the timed rows
  Timestamp last;
  std::string min_key;
  std::string max_key;
  std::string max_ordered_key;     ///< of the keys that grow with time (Family::isOrderedKey)
  std::int64_t superseded = 0;     ///< older rows of this table that this generation replaces
  RowNumber first_superseded = 0;  ///< the smallest of their row numbers

  bool mayContain(std::string_view key) const { return min_key <= key && key <= max_key; }
  Run run() const { return {first, last, timed_rows}; }
};

/// The recent rows of one period: a journal and in-memory tables. Created when the previous
/// generation is nearly full, sealed when full, and destroyed when its rows are in the file and no
/// snapshot reads it. The writer owns the journal; the tallies are thread-safe.
class Generation {
 public:
  Generation(GenerationNumber number,
             std::unique_ptr<Journal> journal,
             std::string journal_path,
             std::shared_ptr<DeferredDeleter> deferred_deleter);
  ~Generation();
  Generation(const Generation&) = delete;
  Generation& operator=(const Generation&) = delete;

  GenerationNumber number() const { return number_; }
  Journal& journal() const { return *journal_; }
  const std::string& journalPath() const { return journal_path_; }

  /// A row that was added to the generation.
  struct AddedRow {
    RowNumber number = 0;
    const Row& values;
    std::size_t bytes = 0;
  };
  void countRow(TableKey table, const Family& family, const AddedRow& row);
  void countSuperseded(TableKey table, RowNumber number);

  std::optional<Tally> tally(TableKey table) const;
  std::vector<std::pair<TableKey, Tally>> tallies() const;
  std::int64_t rows() const;
  std::int64_t superseded() const;
  std::int64_t bytes() const;
  RowNumber firstRow() const;  ///< smallest row number so far, 0 if none
  RowNumber lastRow() const;   ///< greatest row number so far, 0 if none

  using Moment = std::chrono::steady_clock::time_point;
  /// Times of the first row, and of the first row that replaced a row of an older generation.
  std::optional<Moment> firstRowAt() const;
  std::optional<Moment> firstSupersededAt() const;

 private:
  const GenerationNumber number_;
  const std::unique_ptr<Journal> journal_;
  const std::string journal_path_;
  const std::shared_ptr<DeferredDeleter>
      deferred_deleter_;  // outlives the last snapshot; the store may not

  mutable Mutex mutex_;
  std::map<TableKey, Tally> tallies_ SPINDLE_GUARDED_BY(mutex_);
  std::int64_t rows_ SPINDLE_GUARDED_BY(mutex_) = 0;
  std::int64_t superseded_ SPINDLE_GUARDED_BY(mutex_) = 0;
  std::int64_t bytes_ SPINDLE_GUARDED_BY(mutex_) = 0;
  RowNumber first_row_ SPINDLE_GUARDED_BY(mutex_) = 0;
  RowNumber last_row_ SPINDLE_GUARDED_BY(mutex_) = 0;
  std::optional<Moment> first_row_at_ SPINDLE_GUARDED_BY(mutex_);
  std::optional<Moment> first_superseded_at_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::columnar
