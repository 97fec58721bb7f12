#pragma once

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

namespace spindle::columnar {

/// What a store remembers of its file from one start to the next.
struct StoredState {
  GenerationNumber generation = 0;  ///< the last one that is in the file
  RowNumber next_row = 1;
};

/// The tables of the file and what is known about them, kept in the file and in memory. Thread-safe
/// apart from what takes a connection, which is for its user.
class StoredTables {
 public:
  explicit StoredTables(const std::vector<Family>& families) : families_(families) {}

  /// Makes the file ready: creates what is missing, adds new columns, reads what it remembers.
  /// @throws std::runtime_error, also when the file was written by a newer program.
  StoredState open(Connection& connection, Partitions& partitions);

  /// Whether a row of that key can be in the file; no is certain.
  bool mayHold(TableKey table, std::string_view key) const;
  bool isKnown(TableKey table) const;
  /// Whether the file had the table when this generation was its last.
  bool existedAt(TableKey table, GenerationNumber generation) const;
  std::vector<Run> runs(TableKey table) const;
  std::vector<PartitionNumber> partitionsWith(FamilyId family) const;

  /// Rows of one table that a transaction is about to add.
  struct Addition {
    TableKey table;
    Tally tally;
  };
  // Within the caller's transaction, in its file:
  /// Creates the table when it is new.
  Result<void> ensureTable(Connection& connection, TableKey table, GenerationNumber generation);
  Result<void> saveStatistics(Connection& connection, const Addition& addition);
  Result<void> saveState(Connection& connection, const StoredState& state);
  Result<void> saveNames(Connection& connection, const std::vector<Partitions::Named>& names);
  Result<void> saveTrimmed(Connection& connection, TableKey table, Timestamp moment);
  Result<void> saveRetired(Connection& connection, PartitionNumber number);
  Result<void> dropPartition(Connection& connection, PartitionNumber number);

  // After the transaction is done:
  void added(const Addition& addition, GenerationNumber generation);
  void dropped(PartitionNumber number);
  /// Nothing before the moment is left in the table.
  void trimmed(TableKey table, Timestamp moment);

 private:
  struct Entry {
    GenerationNumber created = 0;
    std::string max_key;
    std::vector<Run> runs;
  };

  void readEntries(Connection& connection);
  void addColumns(Connection& connection);

  const std::vector<Family>& families_;
  mutable Mutex mutex_;
  std::map<TableKey, Entry> entries_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::columnar
