#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "columnar/changes/change.h"
#include "columnar/changes/key_filter.h"
#include "columnar/changes/recent_rows.h"
#include "columnar/duckdb/connection.h"
#include "columnar/tables/generation.h"
#include "columnar/tables/partitions.h"
#include "columnar/tables/stored_tables.h"

namespace spindle::columnar {

/// Everything in which a group looks up rows. References are borrowed.
struct ChangeGroupSources {
  const std::vector<Family>& families;
  const Partitions& partitions;
  const RecentRows& recent;
  const StoredTables& stored;
  KeyFilters& filters;
  const std::vector<std::shared_ptr<Generation>>& generations;  ///< that contain the recent rows
  Connection& connection;
  ScanGate& scans;           ///< of statements that read the file
  std::size_t change_bytes;  ///< StoreOptions::change_bytes
};

/// A group of changes that are stored together. Runs their plans in order, each over the result of
/// the previous ones, and produces one step per row. Lives on the writer thread for one group.
class ChangeGroup final : public Plan {
 public:
  explicit ChangeGroup(const ChangeGroupSources& sources)
      : sources_(sources), next_partition_(sources.partitions.nextNumber()) {}

  /// Looks up all rows that the changes read. @return kTooLarge when the rows in the file exceed
  /// StoreOptions::change_bytes; kUnavailable
  Result<void> fetch(const std::vector<RowKey>& wanted);

  /// Runs one plan. After an error, none of its effects remain.
  Result<void> run(Change& change);

  /// Locates the existing rows that puts and erases replace. Call once, after the last plan.
  Result<void> locateTouchedRows();

  const Row* find(FamilyId family, std::string_view partition, std::string_view key) override;
  void put(FamilyId family, std::string_view partition, Row row) override;
  void erase(FamilyId family, std::string_view partition, std::string_view key) override;

  /// Erases a row at a known place.
  void eraseAt(TableKey table, std::string_view key, const RowLocation& place);

  /// The change of one row.
  struct Step {
    TableKey table;
    std::string_view key;
    const std::string& full_key;
    std::optional<RowLocation> before;  ///< the row to remove
    const Row* after = nullptr;         ///< the row to add
  };
  /// Returns the rows to add or remove, after settle(). The steps point into the group.
  std::vector<Step> steps() const;
  const std::vector<Partitions::Named>& newPartitions() const { return new_partitions_; }

 private:
  enum class RowAction { kUntouched, kPut, kErased };
  struct Entry {
    std::string_view key() const { return keyIn(full_key); }

    TableKey table;
    std::string full_key;
    bool located = false;  ///< true if `before` is known
    std::optional<RowLocation> before;
    std::optional<Row> stored;  ///< the stored values, once they were needed
    RowAction action = RowAction::kUntouched;
    Row row;
    std::size_t row_bytes = 0;   ///< size of `row`, put by the last change that touched it
    std::size_t touched_by = 0;  ///< the number of that change within the group
  };
  struct Undo {
    Entry* entry = nullptr;
    RowAction action = RowAction::kUntouched;
    Row row;
  };

  TableKey tableOf(FamilyId family, std::string_view partition);
  std::optional<TableKey> knownTable(FamilyId family, std::string_view partition) const;
  Entry& entryOf(TableKey table, std::string_view key);
  Result<bool> mayBeInFile(const Entry& entry) const;
  /// Saves the state of an entry before the current change modifies it.
  void touch(Entry& entry);
  /// Adds the size of rows that the change puts or reads to `counted`, and checks it against the
  /// limit.
  bool fits(std::size_t bytes, std::size_t& counted);
  /// Locates entries in memory, then in the file; reads their values too if `values`.
  Result<void> locate(const std::vector<Entry*>& entries, bool values);
  /// Looks up rows of one family in one table of the file: the table of partition `own`, or the
  /// shared table.
  Result<void> queryFile(FamilyId family,
                         std::optional<PartitionNumber> own,
                         const std::vector<Entry*>& entries,
                         bool values);
  void takeStored(FamilyId family, const QueryResult& result, bool values);
  Error tooLarge() const;
  const Row* valuesOf(Entry& entry);

  const ChangeGroupSources sources_;
  std::deque<Entry> entries_;                            // stable addresses
  std::unordered_map<std::string_view, Entry*> by_key_;  // keys are views of the entries
  std::vector<Undo> undo_;
  std::optional<Error> refused_;
  std::size_t change_number_ = 0;  ///< number of the running change, from 1
  std::size_t put_bytes_ = 0;      ///< of rows that the running change puts
  std::size_t found_bytes_ = 0;    ///< of recent rows that the running change reads
  std::size_t fetched_bytes_ = 0;  ///< of rows read from the file, for all changes
  std::vector<Partitions::Named> new_partitions_;
  std::unordered_map<std::string, PartitionNumber> new_numbers_;
  PartitionNumber next_partition_;
  struct Found {
    std::string name;
    std::optional<PartitionNumber> number;
  };
  mutable Found last_found_;  ///< cache: most rows of a group belong to one partition
};

}  // namespace spindle::columnar
