#include "columnar/tables/stored_tables.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "columnar/duckdb/connection.h"
#include "columnar/duckdb/number_list.h"
#include "columnar/duckdb/row_appender.h"
#include "columnar/duckdb/table_sql.h"
#include "columnar/tables/stored_migration.h"

namespace spindle::columnar {
namespace {

/// 1: one table per partition, store_tables and store_runs. 2: shared tables and store_statistics.
/// 3: max_key covers only the ordered keys, so a program that expects all keys must not write the
/// file.
constexpr std::int64_t kFormat = 3;
/// A partition with at least this many rows in the file may have its own table.
constexpr std::int64_t kOwnTableRows = 4 * kRowGroupRows;
constexpr std::int64_t kRowsPerRun = 1024;
constexpr std::int64_t kFewestRuns = 4;
constexpr std::int64_t kMostRuns = 256;
/// Statistics are summarised when the file has more than this many entries per entry in memory.
constexpr std::size_t kEntriesPerSummary = 3;
constexpr std::size_t kFewEntries = 4096;

[[noreturn]] void fail(const Error& error) {
  throw std::runtime_error("cannot use the file of the trace store: " + error.message() +
                           std::string(kDamageAdvice));
}

void runOrThrow(Connection& connection, SqlView sql) {
  if (const Result<void> done = connection.execute(sql); !done) fail(done.error());
}

template <class Visit>
void forEachRowOrThrow(Connection& connection, SqlView sql, Visit visit) {
  if (const Result<void> done = forEachRow(connection, sql, visit); !done) fail(done.error());
}

Result<void> changeAll(Connection& connection, SqlView sql, const std::vector<Value>& params) {
  TRY(connection.change(sql, params));
  return {};
}

/// Returns the maximum number of runs. Small partitions keep few, so memory is proportional to
/// rows.
std::size_t runLimit(std::int64_t rows) {
  return static_cast<std::size_t>(std::clamp(rows / kRowsPerRun, kFewestRuns, kMostRuns));
}

}  // namespace

StoredState StoredTables::open(Connection& connection, Partitions& partitions) {
  createTables(connection);
  StoredState state = readState(connection);
  readPartitions(connection, partitions, state);
  readEntries(connection);
  addColumns(connection);
  return state;
}

void StoredTables::createTables(Connection& connection) {
  runOrThrow(connection,
             "CREATE TABLE IF NOT EXISTS stored.main.store_state (name VARCHAR, value BIGINT)");
  runOrThrow(connection,
             "CREATE TABLE IF NOT EXISTS stored.main.store_partitions "
             "(number BIGINT, name VARCHAR, retired BOOLEAN)");
  runOrThrow(connection,
             "CREATE TABLE IF NOT EXISTS stored.main.store_tables "
             "(family VARCHAR, partition BIGINT, created BIGINT, max_key VARCHAR)");
  if (const Result<void> made = statistics_.create(connection); !made) fail(made.error());
  for (const Family& family : families_) runOrThrow(connection, createSharedTable(family));
}

StoredState StoredTables::readState(Connection& connection) {
  StoredState state;
  std::int64_t format = 0;
  forEachRowOrThrow(connection, "SELECT name, value FROM stored.main.store_state",
                    [&](const QueryResult& result, std::size_t row) {
                      const std::string_view name = result.text(0, row);
                      const std::int64_t value = result.integer(1, row);
                      if (name == "format") format = value;
                      if (name == "generation") state.generation = value;
                      if (name == "next_row") state.next_row = value;
                      if (name == "next_partition") {
                        state.next_partition = static_cast<PartitionNumber>(value);
                      }
                      if (name == "applied_steps") state.applied_steps = value;
                    });
  if (format > kFormat) {
    throw std::runtime_error(
        "the trace store was written by a newer version of Spindle: use that one");
  }
  if (format == 0) {
    runOrThrow(connection, "INSERT INTO stored.main.store_state VALUES ('format', " +
                               SqlText::number(kFormat) +
                               "), ('generation', 0), ('next_row', 1), ('next_partition', 1), "
                               "('applied_steps', 0)");
  }
  if (format == 1) {
    const Result<void> migrated = migrateToSharedTables(connection, families_, kOwnTableRows);
    if (!migrated) fail(migrated.error());
  }
  if (format > 0 && format < kFormat) {
    runOrThrow(connection, "UPDATE stored.main.store_state SET value = " +
                               SqlText::number(kFormat) + " WHERE name = 'format'");
  }
  return state;
}

void StoredTables::readPartitions(Connection& connection,
                                  Partitions& partitions,
                                  StoredState& state) {
  forEachRowOrThrow(connection, "SELECT number, name, retired FROM stored.main.store_partitions",
                    [&](const QueryResult& result, std::size_t row) {
                      const auto number = static_cast<PartitionNumber>(result.integer(0, row));
                      partitions.define(number, result.text(1, row));
                      if (result.boolean(2, row)) partitions.retire({number, 0, 0});
                    });
  partitions.takeNew();
  state.next_partition = std::max(state.next_partition, partitions.nextNumber());
  partitions.reserve(state.next_partition);
}

void StoredTables::readEntries(Connection& connection) {
  std::map<std::string, FamilyId, std::less<>> ids;
  for (FamilyId id = 0; id < families_.size(); ++id) ids.emplace(families_[id].name.text(), id);
  std::map<TableKey, Entry> entries;
  forEachRowOrThrow(
      connection, "SELECT family, partition, created FROM stored.main.store_tables",
      [&](const QueryResult& result, std::size_t row) {
        const auto id = ids.find(result.text(0, row));
        if (id == ids.end()) return;
        const TableKey table{id->second, static_cast<PartitionNumber>(result.integer(1, row))};
        entries[table].own_since = result.integer(2, row);
      });
  std::size_t count = 0;
  const Result<void> loaded = statistics_.load(connection, [&](const StatisticsRow& row) {
    add(entries[row.table], row);
    ++count;
  });
  if (!loaded) fail(loaded.error());
  const MutexLock lock(mutex_);
  entries_ = std::move(entries);
  statistics_rows_ = count;
}

void StoredTables::addColumns(Connection& connection) {
  std::map<std::string, std::set<std::string, std::less<>>> have;
  forEachRowOrThrow(connection,
                    "SELECT table_name, column_name FROM duckdb_columns() "
                    "WHERE database_name = 'stored' AND schema_name = 'main'",
                    [&](const QueryResult& result, std::size_t row) {
                      have[std::string(result.text(0, row))].emplace(result.text(1, row));
                    });
  const auto complete = [&](const std::string& name, SqlView table, const Family& family) {
    for (const Column& column : family.columns) {
      if (have[name].count(column.name.text()) > 0) continue;
      runOrThrow(connection, "ALTER TABLE " + SqlText(table) + " ADD COLUMN " +
                                 quotedName(column.name) + " " + typeOf(column.type));
    }
  };
  for (const Family& family : families_) {
    complete(std::string(family.name.text()) + "_shared", sharedTable(family), family);
  }
  const MutexLock lock(mutex_);
  for (const auto& [table, entry] : entries_) {
    if (!entry.own_since) continue;
    const Family& family = families_[table.family];
    complete(std::string(family.name.text()) + "_p" + std::to_string(table.partition),
             ownTable(family, table.partition), family);
  }
}

void StoredTables::add(Entry& entry, const StatisticsRow& row) {
  entry.shared = entry.shared || row.shared;
  entry.rows += row.rows;
  entry.max_key = std::max(entry.max_key, row.max_key);
  if (!row.run) return;
  entry.runs.push_back(*row.run);
  const std::size_t limit = runLimit(entry.rows);
  if (entry.runs.size() > limit) shorten(entry.runs, limit - limit / 4);
}

void StoredTables::trim(Entry& entry, Timestamp moment) {
  std::erase_if(entry.runs, [moment](const Run& run) { return run.last < moment; });
  for (Run& run : entry.runs) run.first = std::max(run.first, moment);
}

void StoredTables::appendRows(TableKey table,
                              const Entry& entry,
                              std::vector<StatisticsRow>& rows) {
  rows.push_back({table, entry.shared, entry.rows, entry.max_key, std::nullopt});
  for (const Run& run : entry.runs) rows.push_back({table, entry.shared, 0, {}, run});
}

bool StoredTables::mayContainOrdered(TableKey table, std::string_view key) const {
  const MutexLock lock(mutex_);
  const auto entry = entries_.find(table);
  return entry != entries_.end() && key <= entry->second.max_key;
}

bool StoredTables::isKnown(TableKey table) const {
  const MutexLock lock(mutex_);
  return entries_.count(table) > 0;
}

StoredTables::Location StoredTables::locate(TableKey table) const {
  const MutexLock lock(mutex_);
  const auto entry = entries_.find(table);
  if (entry == entries_.end()) return {};
  return {entry->second.shared, entry->second.own_since.has_value()};
}

StoredTables::Location StoredTables::locateAt(TableKey table, GenerationNumber generation) const {
  const MutexLock lock(mutex_);
  const auto entry = entries_.find(table);
  if (entry == entries_.end()) return {};
  const std::optional<GenerationNumber> own = entry->second.own_since;
  return {entry->second.shared, own && *own <= generation};
}

std::vector<Run> StoredTables::runs(TableKey table) const {
  const MutexLock lock(mutex_);
  const auto entry = entries_.find(table);
  return entry == entries_.end() ? std::vector<Run>() : entry->second.runs;
}

std::int64_t StoredTables::rowsOf(FamilyId family) const {
  const MutexLock lock(mutex_);
  std::int64_t rows = 0;
  for (const auto& [table, entry] : entries_) {
    if (table.family == family) rows += entry.rows;
  }
  return rows;
}

std::vector<PartitionNumber> StoredTables::partitionsWith(FamilyId family, bool own) const {
  const MutexLock lock(mutex_);
  std::vector<PartitionNumber> numbers;
  for (const auto& [table, entry] : entries_) {
    if (table.family == family && (!own || entry.own_since)) numbers.push_back(table.partition);
  }
  return numbers;
}

bool StoredTables::wantsOwnTable(TableKey table, std::int64_t rows) const {
  // Each table that a transaction writes needs buffers for every column; this limits their number.
  if (rows < kRowGroupRows) return false;
  const MutexLock lock(mutex_);
  const auto entry = entries_.find(table);
  if (entry == entries_.end()) return rows >= kOwnTableRows;
  return entry->second.own_since.has_value() || entry->second.rows + rows >= kOwnTableRows;
}

Result<void> StoredTables::ensureOwnTable(Connection& connection,
                                          TableKey table,
                                          GenerationNumber generation) {
  if (locate(table).own) return {};
  const Family& family = families_[table.family];
  TRY(connection.execute(createOwnTable(family, table.partition)));
  return changeAll(connection, "INSERT INTO stored.main.store_tables VALUES (?, ?, ?, '')",
                   {std::string(family.name.text()), std::int64_t{table.partition}, generation});
}

Result<void> StoredTables::saveStatistics(Connection& connection,
                                          const std::vector<Addition>& additions) {
  std::vector<StatisticsRow> rows;
  bool summarise = false;
  {
    const MutexLock lock(mutex_);
    std::size_t live = 0;
    for (const auto& [table, entry] : entries_) live += 1 + entry.runs.size();
    const std::size_t grown = statistics_rows_ + additions.size();
    summarise = grown > kEntriesPerSummary * live + kFewEntries;
    if (summarise) {
      for (const auto& [table, entry] : entries_) appendRows(table, entry, rows);
    }
    saved_rows_ = summarise ? rows.size() + additions.size() : grown;
  }
  if (summarise) {
    TRY(statistics_.removeAll(connection));
  }
  for (const Addition& addition : additions) {
    rows.push_back(
        {addition.table, !addition.own, addition.tally.rows, addition.tally.max_ordered_key,
         addition.tally.timed_rows > 0 ? std::optional(addition.tally.run()) : std::nullopt});
  }
  return statistics_.append(connection, rows);
}

Result<void> StoredTables::saveState(Connection& connection, const StoredState& state) {
  constexpr SqlView kPosition = "UPDATE stored.main.store_state SET value = ? WHERE name = ?";
  constexpr SqlView kNext =
      "UPDATE stored.main.store_state SET value = greatest(value, ?) WHERE name = ?";
  Result<void> saved =
      changeAll(connection, kPosition, {state.generation, std::string("generation")});
  if (saved) {
    saved = changeAll(connection, kPosition, {state.applied_steps, std::string("applied_steps")});
  }
  if (saved) saved = changeAll(connection, kNext, {state.next_row, std::string("next_row")});
  if (saved) {
    saved = changeAll(connection, kNext,
                      {std::int64_t{state.next_partition}, std::string("next_partition")});
  }
  return saved;
}

Result<void> StoredTables::saveNames(Connection& connection,
                                     const std::vector<Partitions::Named>& names) {
  if (names.empty()) return {};
  std::vector<std::string> texts;
  std::vector<PartitionNumber> numbers;
  for (const Partitions::Named& named : names) {
    texts.push_back(named.name);
    numbers.push_back(named.number);
  }
  return changeAll(connection,
                   "INSERT INTO stored.main.store_partitions SELECT unnest([" + listOf(numbers) +
                       "]), unnest(?::VARCHAR[]), false",
                   {texts});
}

Result<void> StoredTables::saveTrimmed(Connection& connection,
                                       FamilyId family,
                                       const std::vector<PartitionNumber>& partitions,
                                       Timestamp moment) {
  TRY(statistics_.remove(connection, family, partitions));
  std::vector<StatisticsRow> rows;
  {
    const MutexLock lock(mutex_);
    for (const PartitionNumber number : partitions) {
      const auto entry = entries_.find({family, number});
      if (entry == entries_.end()) continue;
      Entry left = entry->second;
      trim(left, moment);
      appendRows(entry->first, left, rows);
    }
  }
  return statistics_.append(connection, rows);
}

Result<void> StoredTables::saveRetired(Connection& connection,
                                       const std::vector<PartitionNumber>& numbers) {
  if (numbers.empty()) return {};
  return connection.execute(
      "UPDATE stored.main.store_partitions SET retired = true WHERE number IN (" + listOf(numbers) +
      ")");
}

Result<void> StoredTables::dropPartitions(Connection& connection,
                                          const std::vector<PartitionNumber>& numbers) {
  for (FamilyId id = 0; id < families_.size(); ++id) {
    std::vector<PartitionNumber> shared;
    for (const PartitionNumber number : numbers) {
      const Location location = locate({id, number});
      if (location.shared) shared.push_back(number);
      if (!location.own) continue;
      TRY(connection.execute("DROP TABLE " + ownTable(families_[id], number)));
    }
    if (shared.empty()) continue;
    TRY(connection.execute("DELETE FROM " + sharedTable(families_[id]) + " WHERE " +
                           SqlText(kPartitionColumn) + " IN (" + listOf(shared) + ")"));
  }
  const SqlText list = listOf(numbers);
  Result<void> gone = statistics_.remove(connection, numbers);
  if (gone) {
    gone = connection.execute("DELETE FROM stored.main.store_tables WHERE partition IN (" + list +
                              ")");
  }
  if (gone) {
    gone = connection.execute("DELETE FROM stored.main.store_partitions WHERE number IN (" + list +
                              ")");
  }
  return gone;
}

void StoredTables::added(const std::vector<Addition>& additions, GenerationNumber generation) {
  const MutexLock lock(mutex_);
  for (const Addition& addition : additions) {
    Entry& entry = entries_[addition.table];
    if (addition.own && !entry.own_since) entry.own_since = generation;
    add(entry,
        {addition.table, !addition.own, addition.tally.rows, addition.tally.max_ordered_key,
         addition.tally.timed_rows > 0 ? std::optional(addition.tally.run()) : std::nullopt});
  }
  statistics_rows_ = saved_rows_;
}

void StoredTables::dropped(const std::vector<PartitionNumber>& numbers) {
  const std::set<PartitionNumber> gone(numbers.begin(), numbers.end());
  const MutexLock lock(mutex_);
  std::erase_if(entries_,
                [&gone](const auto& entry) { return gone.count(entry.first.partition) > 0; });
}

void StoredTables::trimmed(FamilyId family,
                           const std::vector<PartitionNumber>& partitions,
                           Timestamp moment) {
  const MutexLock lock(mutex_);
  for (const PartitionNumber number : partitions) {
    const auto entry = entries_.find({family, number});
    if (entry != entries_.end()) trim(entry->second, moment);
  }
}

}  // namespace spindle::columnar
