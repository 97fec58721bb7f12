#include "columnar/changes/change_group.h"

#include <algorithm>
#include <set>

#include "base/core/check.h"
#include "columnar/duckdb/number_list.h"
#include "columnar/duckdb/stored_row.h"
#include "columnar/duckdb/table_sql.h"
#include "columnar/journal/row_codec.h"
#include "columnar/journal/utf8.h"

namespace spindle::columnar {
namespace {

constexpr FamilyId kMostFamilies = 256;

/// Returns the key of a row and aborts if the row does not match the family, which is a programming
/// error.
const std::string& checkedKey(const Family& family, const Row& row) {
  SPINDLE_ASSERT(isRowOf(family, row), "a row has a key, and for each column a value of its type");
  return std::get<std::string>(row[family.key]);
}

/// Returns the distinct numbers of the keys, separated by commas.
std::vector<std::int64_t> numbersOf(const std::vector<std::string>& keys, const KeyNumber& number) {
  std::set<std::int64_t> numbers;
  for (const std::string& key : keys) numbers.insert(number.of(key));
  return {numbers.begin(), numbers.end()};
}

}  // namespace

std::optional<TableKey> ChangeGroup::knownTable(FamilyId family, std::string_view partition) const {
  SPINDLE_ASSERT(family < sources_.families.size() && family < kMostFamilies,
                 "the store knows the family");
  if (!new_numbers_.empty()) {
    const auto made = new_numbers_.find(std::string(partition));
    if (made != new_numbers_.end()) return TableKey{family, made->second};
  }
  // Only the writer thread, which runs this, changes the partition of a name.
  if (!last_found_.number || last_found_.name != partition) {
    last_found_ = {std::string(partition), sources_.partitions.find(partition)};
  }
  if (!last_found_.number) return std::nullopt;
  return TableKey{family, *last_found_.number};
}

TableKey ChangeGroup::tableOf(FamilyId family, std::string_view partition) {
  if (const std::optional<TableKey> table = knownTable(family, partition)) return *table;
  new_partitions_.push_back({next_partition_, std::string(partition)});
  new_numbers_.emplace(partition, next_partition_);
  return {family, next_partition_++};
}

ChangeGroup::Entry& ChangeGroup::entryOf(TableKey table, std::string_view key) {
  std::string full = fullKey(table, key);
  const auto found = by_key_.find(full);
  if (found != by_key_.end()) return *found->second;
  Entry& entry = entries_.emplace_back();
  entry.table = table;
  entry.full_key = std::move(full);
  by_key_.emplace(entry.full_key, &entry);
  return entry;
}

Result<void> ChangeGroup::fetch(const std::vector<RowKey>& wanted) {
  std::vector<Entry*> entries;
  for (const RowKey& row : wanted) {
    const std::optional<TableKey> table = knownTable(row.family, row.partition);
    if (!table) continue;
    Entry& entry = entryOf(*table, row.key);
    if (!entry.located) entries.push_back(&entry);
  }
  return locate(entries, true);
}

Result<void> ChangeGroup::locate(const std::vector<Entry*>& entries, bool values) {
  // By family, and by partition if the partition has its own table.
  std::map<std::pair<FamilyId, std::optional<PartitionNumber>>, std::vector<Entry*>> in_file;
  for (Entry* entry : entries) {
    if (entry->located) continue;
    entry->located = true;
    entry->before = sources_.recent.find(entry->full_key);
    if (entry->before) continue;
    if (!TRY(mayBeInFile(*entry))) continue;
    const StoredTables::Location location = sources_.stored.locate(entry->table);
    const FamilyId family = entry->table.family;
    if (location.shared) in_file[{family, std::nullopt}].push_back(entry);
    if (location.own) in_file[{family, entry->table.partition}].push_back(entry);
  }
  for (const auto& [table, missing] : in_file) {
    TRY(queryFile(table.first, table.second, missing, values));
  }
  return {};
}

Result<bool> ChangeGroup::mayBeInFile(const Entry& entry) const {
  if (sources_.families[entry.table.family].isOrderedKey(entry.key()))
    return sources_.stored.mayContainOrdered(entry.table, entry.key());
  return sources_.filters.mayContain(entry.table, entry.full_key);
}

Result<void> ChangeGroup::queryFile(FamilyId id,
                                    std::optional<PartitionNumber> own,
                                    const std::vector<Entry*>& entries,
                                    bool values) {
  const Family& family = sources_.families[id];
  const SqlText key = quotedName(family.columns[family.key].name);
  std::vector<std::string> keys;
  keys.reserve(entries.size());
  std::set<PartitionNumber> partitions;
  for (const Entry* entry : entries) {
    keys.emplace_back(entry->key());
    partitions.insert(entry->table.partition);
  }
  SqlText sql = "SELECT " + SqlText(kRowColumn) + ", " +
                (own ? SqlText::number(*own) : SqlText(kPartitionColumn)) + "::BIGINT, ";
  sql += (values ? columnsOf(family) : key) + " FROM " +
         (own ? ownTable(family, *own) : sharedTable(family)) + " WHERE ";
  if (!own) {
    // The bounds let DuckDB skip whole row groups.
    sql += SqlText(kPartitionColumn) + " BETWEEN " + SqlText::number(*partitions.begin()) +
           " AND " + SqlText::number(*partitions.rbegin()) + " AND ";
  }
  std::vector<Value> params;
  if (family.key_number) {
    sql += isOneOf(quotedName(family.columns[family.key_number->column].name),
                   numbersOf(keys, *family.key_number));
  } else if (keys.size() == 1) {
    sql += key + " = ?";
    params.emplace_back(keys.front());
  } else {
    const auto [least, greatest] = std::minmax_element(keys.begin(), keys.end());
    sql += key + " BETWEEN ? AND ? AND " + key + " IN (SELECT unnest(?::VARCHAR[]))";
    params.emplace_back(*least);
    params.emplace_back(*greatest);
    params.emplace_back(std::move(keys));
  }
  const ScanGate::Pass pass(sources_.scans);
  QueryResult result = TRY(sources_.connection.query(sql, params));
  // Read to the end: an unfinished statement keeps its transaction on the file.
  bool too_large = false;
  while (TRY(result.nextChunk())) {
    if (!too_large) takeStored(id, result, values);
    too_large = values && fetched_bytes_ > sources_.change_bytes;
  }
  if (too_large) return tooLarge();
  return {};
}

void ChangeGroup::takeStored(FamilyId id, const QueryResult& result, bool values) {
  const Family& family = sources_.families[id];
  for (std::size_t row = 0; row < result.rows(); ++row) {
    const RowNumber number = result.integer(0, row);
    if (sources_.recent.isSuperseded(number)) continue;
    const TableKey table{id, static_cast<PartitionNumber>(result.integer(1, row))};
    // Other keys may share the number of a requested key.
    const auto entry = by_key_.find(fullKey(table, result.text(values ? 2 + family.key : 2, row)));
    if (entry == by_key_.end()) continue;
    entry->second->before = RowLocation{number, 0, {}};
    if (!values) continue;
    entry->second->stored = readRow(result, row, 2, family);
    fetched_bytes_ += encodedBytes(*entry->second->stored);
  }
}

const Row* ChangeGroup::valuesOf(Entry& entry) {
  if (!entry.before) return nullptr;
  if (!entry.stored) {
    if (!fits(entry.before->span.bytes, found_bytes_)) return nullptr;
    const auto generation =
        std::find_if(sources_.generations.begin(), sources_.generations.end(),
                     [&entry](const auto& g) { return g->number() == entry.before->generation; });
    SPINDLE_ASSERT(generation != sources_.generations.end(), "a recent row is in a generation");
    const RecordRange span = entry.before->span;
    entry.stored = decodeRow((*generation)->journal().read(span.offset, span.bytes),
                             sources_.families[entry.table.family].columns.size());
  }
  if (!entry.stored) {
    refused_ = Error::unavailable("The trace store cannot read its journal.");
    return nullptr;
  }
  return &*entry.stored;
}

const Row* ChangeGroup::find(FamilyId family, std::string_view partition, std::string_view key) {
  if (refused_) return nullptr;
  const std::optional<TableKey> table = knownTable(family, partition);
  if (!table) return nullptr;
  Entry& entry = entryOf(*table, key);
  if (entry.action == RowAction::kPut) return &entry.row;
  if (entry.action == RowAction::kErased) return nullptr;
  if (Result<void> found = locate({&entry}, true); !found) {
    refused_ = std::move(found).error();
    return nullptr;
  }
  return valuesOf(entry);
}

void ChangeGroup::touch(Entry& entry) {
  if (entry.touched_by == change_number_) {
    put_bytes_ -= entry.row_bytes;
  } else {
    undo_.push_back({&entry, entry.action, std::move(entry.row)});
    entry.touched_by = change_number_;
  }
  entry.row_bytes = 0;
  entry.row.clear();
}

bool ChangeGroup::fits(std::size_t bytes, std::size_t& counted) {
  counted += bytes;
  if (counted <= sources_.change_bytes) return true;
  refused_ = tooLarge();
  return false;
}

Error ChangeGroup::tooLarge() const {
  return {ErrorCode::kTooLarge,
          "The request would change more than " + std::to_string(sources_.change_bytes) +
              " bytes in the trace store (limits.stored_request). Send it in smaller parts."};
}

void ChangeGroup::put(FamilyId family, std::string_view partition, Row row) {
  if (refused_) return;
  if (!std::all_of(row.begin(), row.end(), isText)) {
    refused_ = Error::invalidArgument("A text is not UTF-8.");
    return;
  }
  const TableKey table = tableOf(family, partition);
  Entry& entry = entryOf(table, checkedKey(sources_.families[family], row));
  touch(entry);
  const std::size_t bytes = encodedBytes(row);
  if (!fits(bytes, put_bytes_)) return;
  entry.action = RowAction::kPut;
  entry.row = std::move(row);
  entry.row_bytes = bytes;
}

void ChangeGroup::erase(FamilyId family, std::string_view partition, std::string_view key) {
  if (refused_) return;
  const std::optional<TableKey> table = knownTable(family, partition);
  if (!table) return;
  Entry& entry = entryOf(*table, key);
  touch(entry);
  entry.action = RowAction::kErased;
}

void ChangeGroup::eraseAt(TableKey table, std::string_view key, const RowLocation& place) {
  Entry& entry = entryOf(table, key);
  entry.located = true;
  entry.before = place;
  entry.action = RowAction::kErased;
}

Result<void> ChangeGroup::run(Change& change) {
  undo_.clear();
  refused_.reset();
  ++change_number_;
  put_bytes_ = 0;
  found_bytes_ = 0;
  const std::size_t partitions = new_partitions_.size();
  Result<void> planned = change.plan(*this);
  if (refused_) planned = *std::exchange(refused_, std::nullopt);
  if (planned) return planned;
  for (auto undo = undo_.rbegin(); undo != undo_.rend(); ++undo) {
    undo->entry->action = undo->action;
    undo->entry->row = std::move(undo->row);
  }
  while (new_partitions_.size() > partitions) {
    new_numbers_.erase(new_partitions_.back().name);
    new_partitions_.pop_back();
  }
  next_partition_ = sources_.partitions.nextNumber() + static_cast<PartitionNumber>(partitions);
  return planned;
}

Result<void> ChangeGroup::locateTouchedRows() {
  std::vector<Entry*> entries;
  for (Entry& entry : entries_) {
    if (entry.action != RowAction::kUntouched && !entry.located) entries.push_back(&entry);
  }
  return locate(entries, false);
}

std::vector<ChangeGroup::Step> ChangeGroup::steps() const {
  std::vector<Step> steps;
  steps.reserve(entries_.size());
  for (const Entry& entry : entries_) {
    const bool comes = entry.action == RowAction::kPut;
    const bool goes = entry.action != RowAction::kUntouched && entry.before.has_value();
    if (!comes && !goes) continue;
    steps.push_back({entry.table, entry.key(), entry.full_key, goes ? entry.before : std::nullopt,
                     comes ? &entry.row : nullptr});
  }
  return steps;
}

}  // namespace spindle::columnar
