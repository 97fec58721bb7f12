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

#include "base/result.h"
#include "columnar/change.h"
#include "columnar/connection.h"
#include "columnar/generation.h"
#include "columnar/key_filter.h"
#include "columnar/partitions.h"
#include "columnar/recent_rows.h"
#include "columnar/stored_tables.h"

namespace spindle::columnar {

/// What a group looks rows up in. Borrowed.
struct GroupSources {
  const std::vector<Family>& families;
  const Partitions& partitions;
  const RecentRows& recent;
  const StoredTables& stored;
  KeyFilters& filters;
  const std::vector<std::shared_ptr<Generation>>& generations;  ///< in which recent rows are
  Connection& connection;
  std::size_t change_bytes;  ///< StoreOptions::change_bytes
};

/// Changes that are stored together: runs their plans one after the other, each over what the ones
/// before it left, and ends up with one step per row. Lives on the writer's thread for one group.
class Group final : public Plan {
 public:
  explicit Group(const GroupSources& sources)
      : sources_(sources), next_partition_(sources.partitions.nextNumber()) {}

  /// Looks up all rows that the changes will ask for.
  /// @return kTooLarge when those in the file exceed StoreOptions::change_bytes; kUnavailable
  Result<void> fetch(const std::vector<RowKey>& wanted);

  /// Runs one plan. After an error nothing of it is left.
  Result<void> run(Change& change);

  /// Finds the rows that puts and erases meet. To be called once, behind the last plan.
  Result<void> settle();

  const Row* find(FamilyId family, std::string_view partition, std::string_view key) override;
  void put(FamilyId family, std::string_view partition, Row row) override;
  void erase(FamilyId family, std::string_view partition, std::string_view key) override;

  /// Erases a row that is known to be there.
  void eraseAt(TableKey table, std::string_view key, const Place& place);

  /// One row's fate.
  struct Step {
    TableKey table;
    std::string_view key;
    const std::string& full_key;
    std::optional<Place> before;  ///< the row that goes
    const Row* after = nullptr;   ///< the row that comes
  };
  /// Rows that come or go, after settle(). Points into the group.
  std::vector<Step> steps() const;
  const std::vector<Partitions::Named>& newPartitions() const { return new_partitions_; }

 private:
  enum class Fate { kUntouched, kPut, kErased };
  struct Entry {
    std::string_view key() const { return keyIn(full_key); }

    TableKey table;
    std::string full_key;
    bool located = false;  ///< whether `before` is known
    std::optional<Place> before;
    std::optional<Row> stored;  ///< its values, once they were needed
    Fate fate = Fate::kUntouched;
    Row row;
    std::size_t row_bytes = 0;   ///< of `row`, put by the change that touched it last
    std::size_t touched_by = 0;  ///< the number of that change within the group
  };
  struct Undo {
    Entry* entry = nullptr;
    Fate fate = Fate::kUntouched;
    Row row;
  };

  TableKey tableOf(FamilyId family, std::string_view partition);
  std::optional<TableKey> knownTable(FamilyId family, std::string_view partition) const;
  Entry& entryOf(TableKey table, std::string_view key);
  Result<bool> mayBeInFile(const Entry& entry) const;
  /// Prepares an entry for another fate: keeps what it was before the change that runs.
  void touch(Entry& entry);
  /// Counts bytes of rows that the change puts or looks at, against the bound of each.
  bool fits(std::size_t bytes, std::size_t& counted);
  /// Finds entries in memory; asks the file for the rest, with their values when these are wanted.
  Result<void> locate(const std::vector<Entry*>& entries, bool values);
  /// Looks rows of one family up in one table of the file: that of partition `own`, or the shared.
  Result<void> askFile(FamilyId family,
                       std::optional<PartitionNumber> own,
                       const std::vector<Entry*>& entries,
                       bool values);
  void takeStored(FamilyId family, const Answer& answer, bool values);
  Error tooLarge() const;
  const Row* valuesOf(Entry& entry);

  const GroupSources sources_;
  std::deque<Entry> entries_;                            // stable addresses
  std::unordered_map<std::string_view, Entry*> by_key_;  // views of the entries' own
  std::vector<Undo> undo_;
  std::optional<Error> refused_;
  std::size_t change_number_ = 0;  ///< of the change that runs, from 1
  std::size_t put_bytes_ = 0;      ///< of rows that it puts
  std::size_t found_bytes_ = 0;    ///< of recent rows that it looks at
  std::size_t fetched_bytes_ = 0;  ///< of rows in the file, for all changes
  std::vector<Partitions::Named> new_partitions_;
  std::unordered_map<std::string, PartitionNumber> new_numbers_;
  PartitionNumber next_partition_;
  struct Found {
    std::string name;
    std::optional<PartitionNumber> number;
  };
  mutable Found last_found_;  ///< most rows of a group are of one partition
};

}  // namespace spindle::columnar
