#include "columnar/stored_tables.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "columnar/table_sql.h"

namespace spindle::columnar {
namespace {

constexpr std::int64_t kFormat = 1;
constexpr std::size_t kMostRuns = 256;
constexpr std::size_t kFewerRuns = 128;

[[noreturn]] void fail(const Error& error) {
  throw std::runtime_error("cannot use the file of the trace store: " + error.message());
}

void runOrThrow(Connection& connection, const std::string& sql) {
  if (const Result<void> done = connection.execute(sql); !done) fail(done.error());
}

/// Gives every row of an answer to `visit(answer, row)`.
template <class Visit>
void forEachRow(Connection& connection, std::string_view sql, Visit visit) {
  Result<Answer> answer = connection.query(sql);
  if (!answer) fail(answer.error());
  while (true) {
    const Result<bool> more = answer->nextChunk();
    if (!more) fail(more.error());
    if (!*more) return;
    for (std::size_t row = 0; row < answer->rows(); ++row) visit(*answer, row);
  }
}

Result<void> changeAll(Connection& connection,
                       std::string_view sql,
                       const std::vector<Value>& params) {
  Result<std::int64_t> changed = connection.change(sql, params);
  if (!changed) return std::move(changed).error();
  return {};
}

}  // namespace

StoredState StoredTables::open(Connection& connection, Partitions& partitions) {
  runOrThrow(connection,
             "CREATE TABLE IF NOT EXISTS stored.main.store_state (name VARCHAR, value BIGINT)");
  runOrThrow(connection,
             "CREATE TABLE IF NOT EXISTS stored.main.store_partitions "
             "(number BIGINT, name VARCHAR, retired BOOLEAN)");
  runOrThrow(connection,
             "CREATE TABLE IF NOT EXISTS stored.main.store_tables "
             "(family VARCHAR, partition BIGINT, created BIGINT, max_key VARCHAR)");
  runOrThrow(connection,
             "CREATE TABLE IF NOT EXISTS stored.main.store_runs "
             "(family VARCHAR, partition BIGINT, first TIMESTAMP, last TIMESTAMP, rows BIGINT)");
  StoredState state;
  std::int64_t format = 0;
  forEachRow(connection, "SELECT name, value FROM stored.main.store_state",
             [&](const Answer& answer, std::size_t row) {
               const std::string_view name = answer.text(0, row);
               if (name == "format") format = answer.integer(1, row);
               if (name == "generation") state.generation = answer.integer(1, row);
               if (name == "next_row") state.next_row = answer.integer(1, row);
             });
  if (format > kFormat) {
    throw std::runtime_error(
        "the trace store was written by a newer version of Spindle: use that one");
  }
  if (format == 0) {
    runOrThrow(connection, "INSERT INTO stored.main.store_state VALUES ('format', " +
                               std::to_string(kFormat) + "), ('generation', 0), ('next_row', 1)");
  }
  forEachRow(connection, "SELECT number, name, retired FROM stored.main.store_partitions",
             [&](const Answer& answer, std::size_t row) {
               const auto number = static_cast<PartitionNumber>(answer.integer(0, row));
               partitions.define(number, answer.text(1, row));
               if (answer.boolean(2, row)) partitions.retire({number, 0, 0});
             });
  partitions.takeNew();
  readEntries(connection);
  addColumns(connection);
  return state;
}

void StoredTables::readEntries(Connection& connection) {
  std::map<std::string, FamilyId, std::less<>> ids;
  for (FamilyId id = 0; id < families_.size(); ++id) ids.emplace(families_[id].name, id);
  const auto tableAt = [&ids](const Answer& answer, std::size_t row) -> std::optional<TableKey> {
    const auto id = ids.find(answer.text(0, row));
    if (id == ids.end()) return std::nullopt;
    return TableKey{id->second, static_cast<PartitionNumber>(answer.integer(1, row))};
  };
  const MutexLock lock(mutex_);
  std::map<TableKey, Entry>& entries = entries_;
  forEachRow(connection, "SELECT family, partition, created, max_key FROM stored.main.store_tables",
             [&](const Answer& answer, std::size_t row) {
               const std::optional<TableKey> table = tableAt(answer, row);
               if (!table) return;
               Entry& entry = entries[*table];
               entry.created = answer.integer(2, row);
               entry.max_key = answer.text(3, row);
             });
  forEachRow(connection, "SELECT family, partition, first, last, rows FROM stored.main.store_runs",
             [&](const Answer& answer, std::size_t row) {
               const std::optional<TableKey> table = tableAt(answer, row);
               if (!table) return;
               entries[*table].runs.push_back(
                   {answer.time(2, row), answer.time(3, row), answer.integer(4, row)});
             });
}

void StoredTables::addColumns(Connection& connection) {
  std::map<std::string, std::vector<std::string>> have;
  forEachRow(connection,
             "SELECT table_name, column_name FROM duckdb_columns() "
             "WHERE database_name = 'stored' AND schema_name = 'main'",
             [&](const Answer& answer, std::size_t row) {
               have[std::string(answer.text(0, row))].emplace_back(answer.text(1, row));
             });
  const MutexLock lock(mutex_);
  for (const auto& [table, entry] : entries_) {
    const Family& family = families_[table.family];
    const std::vector<std::string>& columns =
        have[std::string(family.name) + "_p" + std::to_string(table.partition)];
    for (const Column& column : family.columns) {
      if (std::find(columns.begin(), columns.end(), column.name) != columns.end()) continue;
      runOrThrow(connection, "ALTER TABLE " + storedTable(family, table.partition) +
                                 " ADD COLUMN " + quotedName(column.name) + " " +
                                 std::string(typeOf(column.type)));
    }
  }
}

bool StoredTables::mayHold(TableKey table, std::string_view key) const {
  const MutexLock lock(mutex_);
  const auto entry = entries_.find(table);
  return entry != entries_.end() && key <= entry->second.max_key;
}

bool StoredTables::isKnown(TableKey table) const {
  const MutexLock lock(mutex_);
  return entries_.count(table) > 0;
}

bool StoredTables::existedAt(TableKey table, GenerationNumber generation) const {
  const MutexLock lock(mutex_);
  const auto entry = entries_.find(table);
  return entry != entries_.end() && entry->second.created <= generation;
}

std::vector<Run> StoredTables::runs(TableKey table) const {
  const MutexLock lock(mutex_);
  const auto entry = entries_.find(table);
  return entry == entries_.end() ? std::vector<Run>() : entry->second.runs;
}

std::vector<PartitionNumber> StoredTables::partitionsWith(FamilyId family) const {
  const MutexLock lock(mutex_);
  std::vector<PartitionNumber> numbers;
  for (const auto& [table, entry] : entries_) {
    if (table.family == family) numbers.push_back(table.partition);
  }
  return numbers;
}

Result<void> StoredTables::ensureTable(Connection& connection,
                                       TableKey table,
                                       GenerationNumber generation) {
  {
    const MutexLock lock(mutex_);
    if (entries_.count(table) > 0) return {};
  }
  const Family& family = families_[table.family];
  if (Result<void> made = connection.execute(createStoredTable(family, table.partition)); !made) {
    return made;
  }
  return changeAll(connection, "INSERT INTO stored.main.store_tables VALUES (?, ?, ?, '')",
                   {std::string(family.name), std::int64_t{table.partition}, generation});
}

Result<void> StoredTables::saveStatistics(Connection& connection, const Addition& addition) {
  const std::string family(families_[addition.table.family].name);
  const std::int64_t partition = addition.table.partition;
  Result<void> saved =
      changeAll(connection,
                "UPDATE stored.main.store_tables SET max_key = greatest(max_key, ?) "
                "WHERE family = ? AND partition = ?",
                {addition.tally.max_key, family, partition});
  if (!saved || addition.tally.timed_rows == 0) return saved;
  std::vector<Run> write = {addition.tally.run()};
  {
    const MutexLock lock(mutex_);
    const auto entry = entries_.find(addition.table);
    if (entry != entries_.end() && entry->second.runs.size() >= kMostRuns) {
      write.insert(write.end(), entry->second.runs.begin(), entry->second.runs.end());
    }
  }
  if (write.size() > 1) {
    shorten(write, kFewerRuns);
    saved = changeAll(connection,
                      "DELETE FROM stored.main.store_runs WHERE family = ? AND partition = ?",
                      {family, partition});
    if (!saved) return saved;
  }
  for (const Run& run : write) {
    saved = changeAll(connection, "INSERT INTO stored.main.store_runs VALUES (?, ?, ?, ?, ?)",
                      {family, partition, run.first, run.last, run.rows});
    if (!saved) return saved;
  }
  return {};
}

Result<void> StoredTables::saveState(Connection& connection, const StoredState& state) {
  Result<void> saved = changeAll(
      connection, "UPDATE stored.main.store_state SET value = ? WHERE name = 'generation'",
      {state.generation});
  if (!saved) return saved;
  return changeAll(connection,
                   "UPDATE stored.main.store_state SET value = greatest(value, ?) "
                   "WHERE name = 'next_row'",
                   {state.next_row});
}

Result<void> StoredTables::saveNames(Connection& connection,
                                     const std::vector<Partitions::Named>& names) {
  for (const Partitions::Named& named : names) {
    Result<void> saved =
        changeAll(connection, "INSERT INTO stored.main.store_partitions VALUES (?, ?, false)",
                  {std::int64_t{named.number}, named.name});
    if (!saved) return saved;
  }
  return {};
}

Result<void> StoredTables::saveTrimmed(Connection& connection, TableKey table, Timestamp moment) {
  return changeAll(
      connection,
      "DELETE FROM stored.main.store_runs WHERE family = ? AND partition = ? AND last < ?",
      {std::string(families_[table.family].name), std::int64_t{table.partition}, moment});
}

Result<void> StoredTables::saveRetired(Connection& connection, PartitionNumber number) {
  return changeAll(connection,
                   "UPDATE stored.main.store_partitions SET retired = true WHERE number = ?",
                   {std::int64_t{number}});
}

Result<void> StoredTables::dropPartition(Connection& connection, PartitionNumber number) {
  for (const Family& family : families_) {
    Result<void> gone = connection.execute("DROP TABLE IF EXISTS " + storedTable(family, number));
    if (!gone) return gone;
  }
  for (const std::string_view table : {"store_tables", "store_runs"}) {
    Result<void> gone = changeAll(
        connection, "DELETE FROM stored.main." + std::string(table) + " WHERE partition = ?",
        {std::int64_t{number}});
    if (!gone) return gone;
  }
  return changeAll(connection, "DELETE FROM stored.main.store_partitions WHERE number = ?",
                   {std::int64_t{number}});
}

void StoredTables::added(const Addition& addition, GenerationNumber generation) {
  const MutexLock lock(mutex_);
  Entry& entry = entries_.try_emplace(addition.table, Entry{generation, {}, {}}).first->second;
  entry.max_key = std::max(entry.max_key, addition.tally.max_key);
  if (addition.tally.timed_rows == 0) return;
  const bool full = entry.runs.size() >= kMostRuns;
  entry.runs.push_back(addition.tally.run());
  if (full) shorten(entry.runs, kFewerRuns);
}

void StoredTables::dropped(PartitionNumber number) {
  const MutexLock lock(mutex_);
  std::erase_if(entries_, [number](const auto& entry) { return entry.first.partition == number; });
}

void StoredTables::trimmed(TableKey table, Timestamp moment) {
  const MutexLock lock(mutex_);
  const auto entry = entries_.find(table);
  if (entry == entries_.end()) return;
  std::erase_if(entry->second.runs, [moment](const Run& run) { return run.last < moment; });
  for (Run& run : entry->second.runs) run.first = std::max(run.first, moment);
}

}  // namespace spindle::columnar
