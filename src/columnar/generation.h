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

#include "base/mutex.h"
#include "base/time.h"
#include "columnar/journal.h"
#include "columnar/numbers.h"
#include "columnar/runs.h"

namespace spindle::columnar {

/// What nobody needs any more, until there is time to clear it away. Thread-safe.
class Graveyard {
 public:
  /// The last user of the generation has gone: its tables may be dropped.
  void add(GenerationNumber number);
  /// Something large to be destroyed.
  void add(std::shared_ptr<void> leftover);

  struct Dead {
    std::vector<GenerationNumber> generations;
    std::vector<std::shared_ptr<void>> leftovers;  // of any type
  };
  Dead takeAll();

 private:
  Mutex mutex_;
  Dead dead_ SPINDLE_GUARDED_BY(mutex_);
};

/// What is known of the rows of one table in a generation. It only grows, and grows before the rows
/// can be seen: at any later time it covers at least what a snapshot sees.
struct Tally {
  std::int64_t rows = 0;
  std::int64_t timed_rows = 0;  ///< those with an order
  std::int64_t late_rows = 0;   ///< those far behind the latest before them
  Timestamp first;              ///< of the timed ones
  Timestamp last;
  std::string min_key;
  std::string max_key;
  std::int64_t superseded = 0;     ///< older rows of this table that this generation has replaced
  RowNumber first_superseded = 0;  ///< the least of them

  bool mayHold(std::string_view key) const { return min_key <= key && key <= max_key; }
  Run run() const { return {first, last, timed_rows}; }
};

/// The recent rows of one time: a journal, and tables in memory. Created when the one before is
/// nearly full, sealed when full, gone when its rows are in the file and nobody reads it any more.
/// The journal is the writer's; the tallies are thread-safe.
class Generation {
 public:
  Generation(GenerationNumber number,
             std::unique_ptr<Journal> journal,
             std::string journal_path,
             std::shared_ptr<Graveyard> graveyard);
  ~Generation();
  Generation(const Generation&) = delete;
  Generation& operator=(const Generation&) = delete;

  GenerationNumber number() const { return number_; }
  Journal& journal() const { return *journal_; }
  const std::string& journalPath() const { return journal_path_; }

  void countRow(TableKey table,
                RowNumber number,
                std::optional<Timestamp> order,
                std::string_view key,
                std::size_t bytes);
  void countSuperseded(TableKey table, RowNumber number);

  std::optional<Tally> tally(TableKey table) const;
  std::vector<std::pair<TableKey, Tally>> tallies() const;
  std::int64_t rows() const;
  std::int64_t superseded() const;
  std::int64_t bytes() const;
  RowNumber firstRow() const;  ///< the least number given out so far, 0 when none was
  RowNumber lastRow() const;   ///< the greatest number given out so far, 0 when none was

  using Moment = std::chrono::steady_clock::time_point;
  /// When the first row came, and the first that replaced an older generation's.
  std::optional<Moment> firstRowAt() const;
  std::optional<Moment> firstSupersededAt() const;

 private:
  const GenerationNumber number_;
  const std::unique_ptr<Journal> journal_;
  const std::string journal_path_;
  const std::shared_ptr<Graveyard> graveyard_;  // outlives the last snapshot, as the store may not

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
