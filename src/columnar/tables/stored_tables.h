#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "columnar/duckdb/connection.h"
#include "columnar/journal/numbers.h"
#include "columnar/tables/generation.h"
#include "columnar/tables/partitions.h"
#include "columnar/tables/runs.h"
#include "columnar/tables/statistics_table.h"

namespace spindle::columnar {

/// Persistent state of the store in its file.
struct StoredState {
  GenerationNumber generation = 0;  ///< the last generation that the file contains completely
  RowNumber next_row = 1;
  PartitionNumber next_partition = 1;
  /// Number of steps of the journal of generation + 1 that are already in the file.
  std::int64_t applied_steps = 0;
};

/// The tables of the file and statistics about them, kept in the file and in memory.
///
/// The partitions of a family share one table. Every flush is sorted by partition, so the cost of a
/// flush is proportional to its rows and a scan of one partition skips the row groups of others. A
/// partition with many rows also gets its own table, for flushes that add at least a row group of
/// it. Thread-safe, except functions that take a connection, which are for the thread that uses it.
class StoredTables {
 public:
  explicit StoredTables(const std::vector<Family>& families)
      : families_(families), statistics_(families) {}

  /// Creates missing tables, migrates older formats, adds new columns and reads the statistics.
  /// @throws std::runtime_error, also when a newer program wrote the file.
  StoredState open(Connection& connection, Partitions& partitions);

  /// Returns false if the file certainly does not contain a row of that ordered key.
  bool mayContainOrdered(TableKey table, std::string_view key) const;
  /// Returns true if the file contains or contained rows of the partition.
  bool isKnown(TableKey table) const;
  /// The tables in which a partition has rows.
  struct Location {
    bool shared = false;
    bool own = false;
  };
  Location locate(TableKey table) const;
  /// Returns the location as of the time when `generation` was the last one in the file. Other
  /// tables may not exist yet.
  Location locateAt(TableKey table, GenerationNumber generation) const;
  std::vector<Run> runs(TableKey table) const;
  /// Returns the approximate number of rows of the family in the file.
  std::int64_t rowsOf(FamilyId family) const;
  /// Returns the partitions with rows in the file; only those with their own table if `own`.
  std::vector<PartitionNumber> partitionsWith(FamilyId family, bool own) const;
  /// Returns true if `rows` new rows of one flush go into the partition's own table.
  bool wantsOwnTable(TableKey table, std::int64_t rows) const;

  /// Rows of one partition that a transaction adds to one table.
  struct Addition {
    TableKey table;
    Tally tally;
    bool own = false;
  };
  // Within the caller's transaction on the file:
  Result<void> ensureOwnTable(Connection& connection, TableKey table, GenerationNumber generation);
  Result<void> saveStatistics(Connection& connection, const std::vector<Addition>& additions);
  /// Saves the state. The next row and partition never decrease.
  Result<void> saveState(Connection& connection, const StoredState& state);
  Result<void> saveNames(Connection& connection, const std::vector<Partitions::Named>& names);
  Result<void> saveTrimmed(Connection& connection,
                           FamilyId family,
                           const std::vector<PartitionNumber>& partitions,
                           Timestamp moment);
  Result<void> saveRetired(Connection& connection, const std::vector<PartitionNumber>& numbers);
  Result<void> dropPartitions(Connection& connection, const std::vector<PartitionNumber>& numbers);

  // After the transaction was committed:
  void added(const std::vector<Addition>& additions, GenerationNumber generation);
  void dropped(const std::vector<PartitionNumber>& numbers);
  /// Records that the tables of these partitions contain nothing before `moment`.
  void trimmed(FamilyId family, const std::vector<PartitionNumber>& partitions, Timestamp moment);

 private:
  struct Entry {
    bool shared = false;
    std::optional<GenerationNumber> own_since;  ///< generation that created the own table
    std::int64_t rows = 0;
    std::string max_key;  ///< of the ordered keys; a file of format 2 has counted all keys
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
  std::size_t saved_rows_ SPINDLE_GUARDED_BY(mutex_) = 0;       ///< after the current transaction
};

}  // namespace spindle::columnar
