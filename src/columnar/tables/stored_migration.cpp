#include "columnar/tables/stored_migration.h"

#include <map>
#include <string>
#include <utility>

#include "base/core/log.h"
#include "columnar/duckdb/connection.h"
#include "columnar/duckdb/table_sql.h"
#include "columnar/tables/statistics_table.h"

namespace spindle::columnar {
namespace {

constexpr Logger kLog("columnar");
/// Tables per transaction. DuckDB keeps some memory for each until the transaction ends.
constexpr std::size_t kTablesAtATime = 32;

struct OldTable {
  TableKey key;
  std::string max_key;
  std::int64_t rows = 0;
  std::vector<Run> runs;
};

class Migration {
 public:
  Migration(Connection& connection, const std::vector<Family>& families)
      : connection_(connection), families_(families), statistics_(families) {}

  Result<void> run(std::int64_t own_table_rows) {
    Result<void> done = readTables();
    if (!done) return done;
    std::vector<OldTable> batch;
    std::size_t moved = 0;
    for (auto& [key, table] : tables_) {
      if (table.rows >= own_table_rows) continue;
      batch.push_back(table);
      ++moved;
      if (batch.size() < kTablesAtATime) continue;
      if (done = move(batch); !done) return done;
      batch.clear();
    }
    if (done = move(batch); !done) return done;
    if (done = finish(own_table_rows); !done) return done;
    kLog.info("tables_merged", {{"tables", moved}, {"kept", tables_.size() - moved}});
    return connection_.execute("CHECKPOINT stored");
  }

 private:
  Result<void> readTables() {
    std::map<std::string, FamilyId, std::less<>> ids;
    for (FamilyId id = 0; id < families_.size(); ++id) ids.emplace(families_[id].name.text(), id);
    Result<void> read = forEachRow(
        connection_, "SELECT family, partition, max_key FROM stored.main.store_tables",
        [&](const QueryResult& result, std::size_t row) {
          const auto id = ids.find(result.text(0, row));
          if (id == ids.end()) return;
          const TableKey key{id->second, static_cast<PartitionNumber>(result.integer(1, row))};
          tables_[key] = {key, std::string(result.text(2, row)), 0, {}};
        });
    if (!read) return read;
    read = forEachRow(
        connection_,
        "SELECT family, partition, first, last, rows "
        "FROM stored.main.store_runs",
        [&](const QueryResult& result, std::size_t row) {
          const auto id = ids.find(result.text(0, row));
          if (id == ids.end()) return;
          const TableKey key{id->second, static_cast<PartitionNumber>(result.integer(1, row))};
          const auto table = tables_.find(key);
          if (table == tables_.end()) return;
          table->second.runs.push_back(
              {result.time(2, row), result.time(3, row), result.integer(4, row)});
        });
    if (!read) return read;
    for (auto& [key, table] : tables_) {
      read = forEachRow(connection_,
                        "SELECT count(*) FROM " + ownTable(families_[key.family], key.partition),
                        [&table = table](const QueryResult& result, std::size_t row) {
                          table.rows = result.integer(0, row);
                        });
      if (!read) return read;
    }
    return read;
  }

  Result<void> move(const std::vector<OldTable>& batch) {
    if (batch.empty()) return {};
    Transaction transaction(connection_);
    Result<void> done = transaction.begin();
    for (const OldTable& table : batch) {
      if (done) done = moveRows(table);
    }
    if (done) done = saveStatistics(batch, true);
    if (!done) return done;
    return transaction.commit();
  }

  Result<void> moveRows(const OldTable& table) {
    const Family& family = families_[table.key.family];
    const SqlText own = ownTable(family, table.key.partition);
    // Columns that the family has gained since are missing in the old table and read as null.
    SqlText columns;
    bool are_names = true;
    Result<void> done =
        forEachRow(connection_,
                   "SELECT column_name FROM duckdb_columns() WHERE database_name = 'stored' AND "
                   "table_name = '" +
                       SqlText(family.name) + "_p" + SqlText::number(table.key.partition) + "'",
                   [&](const QueryResult& result, std::size_t row) {
                     const std::optional<SqlText> name = SqlText::identifier(result.text(0, row));
                     are_names = are_names && name.has_value();
                     if (name) columns += *name + ", ";
                   });
    if (!done) return done;
    if (!are_names) return Error::internal("a table of the file has a column of an unknown name");
    const SqlText order = quotedName(family.columns[family.order].name);
    done = connection_.execute("INSERT INTO " + sharedTable(family) + " (" + columns +
                               SqlText(kPartitionColumn) + ") SELECT " + columns +
                               SqlText::number(table.key.partition) + " FROM " + own +
                               " ORDER BY " + order);
    if (!done) return done;
    done = connection_.execute("DROP TABLE " + own);
    if (!done) return done;
    for (const SqlName of : {SqlName("store_tables"), SqlName("store_runs")}) {
      TRY(connection_.change(
          "DELETE FROM stored.main." + SqlText(of) + " WHERE family = ? AND partition = ?",
          {std::string(family.name.text()), std::int64_t{table.key.partition}}));
    }
    return {};
  }

  Result<void> saveStatistics(const std::vector<OldTable>& tables, bool shared) {
    std::vector<StatisticsRow> rows;
    for (const OldTable& table : tables) {
      rows.push_back({table.key, shared, table.rows, table.max_key, std::nullopt});
      for (const Run& run : table.runs) rows.push_back({table.key, shared, 0, {}, run});
    }
    return statistics_.append(connection_, rows);
  }

  Result<void> finish(std::int64_t own_table_rows) {
    std::vector<OldTable> kept;
    for (const auto& [key, table] : tables_) {
      if (table.rows >= own_table_rows) kept.push_back(table);
    }
    Transaction transaction(connection_);
    Result<void> done = transaction.begin();
    if (done) done = saveStatistics(kept, false);
    if (done) done = connection_.execute("DROP TABLE stored.main.store_runs");
    if (done) {
      done = connection_.execute(
          "INSERT INTO stored.main.store_state VALUES ('next_partition', 1), ('applied_steps', 0)");
    }
    if (done) {
      done =
          connection_.execute("UPDATE stored.main.store_state SET value = 2 WHERE name = 'format'");
    }
    if (!done) return done;
    return transaction.commit();
  }

  Connection& connection_;
  const std::vector<Family>& families_;
  const StatisticsTable statistics_;
  std::map<TableKey, OldTable> tables_;
};

}  // namespace

Result<void> migrateToSharedTables(Connection& connection,
                                   const std::vector<Family>& families,
                                   std::int64_t own_table_rows) {
  return Migration(connection, families).run(own_table_rows);
}

}  // namespace spindle::columnar
