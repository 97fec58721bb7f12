#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "columnar/connection.h"
#include "columnar/generation.h"
#include "columnar/numbers.h"
#include "columnar/partitions.h"
#include "columnar/runs.h"
#include "columnar/statistics_table.h"

namespace spindle::columnar {

/// What a store remembers of its file from one start to the next.
struct StoredState {
  GenerationNumber generation = 0;  ///< the last one that is in the file as a whole
  RowNumber next_row = 1;
  PartitionNumber next_partition = 1;
  /// How many steps of the journal of generation + 1 are in the file already.
  std::int64_t applied_steps = 0;
};

/// The tables of the file and statistics about them, kept in the file and in memory.
///
/// The partitions of a family share one table, in which every flush is sorted by partition, so that
/// the cost of a flush follows its rows, and a scan of one partition skips the row groups of
/// others. A partition with many rows also gets a table of its own, for flushes that bring at least
/// a row group of it. Thread-safe apart from functions that take a connection, which are for its
/// user.
class StoredTables {
 public:
  explicit StoredTables(const std::vector<Family>& families)
      : families_(families), statistics_(families) {}

  /// Creates what is missing, migrates older formats, adds new columns, reads the statistics.
  /// @throws std::runtime_error, also when the file was written by a newer program.
  StoredState open(Connection& connection, Partitions& partitions);

  /// Whether a row of that key can be in the file; no is certain.
  bool mayHold(TableKey table, std::string_view key) const;
  /// Whether the file holds or held rows of the partition.
  bool isKnown(TableKey table) const;
  /// The tables in which a partition has rows.
  struct Location {
    bool shared = false;
    bool own = false;
  };
  Location locate(TableKey table) const;
  /// The same when this generation was the file's last: other tables may not exist yet.
  Location locateAt(TableKey table, GenerationNumber generation) const;
  std::vector<Run> runs(TableKey table) const;
  /// About how many rows the family has in the file.
  std::int64_t rowsOf(FamilyId family) const;
  /// The partitions with rows in the file; only those with a table of their own when `own`.
  std::vector<PartitionNumber> partitionsWith(FamilyId family, bool own) const;
  /// Whether so many new rows of one flush go into the partition's own table.
  bool wantsOwnTable(TableKey table, std::int64_t rows) const;

  /// Rows of one partition that a transaction adds to one table.
  struct Addition {
    TableKey table;
    Tally tally;
    bool own = false;
  };
  // Within the caller's transaction, in its file:
  Result<void> ensureOwnTable(Connection& connection, TableKey table, GenerationNumber generation);
  Result<void> saveStatistics(Connection& connection, const std::vector<Addition>& additions);
  /// The next row and partition never go back.
  Result<void> saveState(Connection& connection, const StoredState& state);
  Result<void> saveNames(Connection& connection, const std::vector<Partitions::Named>& names);
  Result<void> saveTrimmed(Connection& connection,
                           FamilyId family,
                           const std::vector<PartitionNumber>& partitions,
                           Timestamp moment);
  Result<void> saveRetired(Connection& connection, const std::vector<PartitionNumber>& numbers);
  Result<void> dropPartitions(Connection& connection, const std::vector<PartitionNumber>& numbers);

  // After the transaction is done:
  void added(const std::vector<Addition>& additions, GenerationNumber generation);
  void dropped(const std::vector<PartitionNumber>& numbers);
  /// Nothing before the moment is left in the tables of these partitions.
  void trimmed(FamilyId family, const std::vector<PartitionNumber>& partitions, Timestamp moment);

 private:
  struct Entry {
    bool shared = false;
    std::optional<GenerationNumber> own_since;  ///< the generation that created the own table
    std::int64_t rows = 0;
    std::string max_key;
    std::vector<Run> runs;
  };

  void createTables(Connection& connection);
  StoredState readState(Connection& connection);
  void readPartitions(Connection& connection, Partitions& partitions, StoredState& state);
  void readEntries(Connection& connection);
  void addColumns(Connection& connection);
  static void add(Entry& entry, const StatisticsRow& row);
  static void trim(Entry& entry, Timestamp moment);
  static void appendRows(TableKey table, const Entry& entry, std::vector<StatisticsRow>& rows);

  const std::vector<Family>& families_;
  const StatisticsTable statistics_;
  mutable Mutex mutex_;
  std::map<TableKey, Entry> entries_ SPINDLE_GUARDED_BY(mutex_);
  std::size_t statistics_rows_ SPINDLE_GUARDED_BY(mutex_) = 0;  ///< entries in the file
  std::size_t saved_rows_ SPINDLE_GUARDED_BY(mutex_) = 0;       ///< after the transaction under way
};

}  // namespace spindle::columnar
