#include "app/migrate/clickhouse_trace_rows.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "app/traces/clickhouse_options.h"
#include "app/traces/clickhouse_tables.h"
#include "clickhouse/schema/migrator.h"
#include "clickhouse/schema/move_mark.h"
#include "clickhouse/schema/project_rows.h"

namespace spindle::app {
namespace {

/// Time limit of a statement: no client waits, and some statements read all rows of a project.
constexpr std::chrono::minutes kQueryTime{30};

clickhouse::ClientOptions optionsOf(const config::TraceSettings& traces) {
  clickhouse::ClientOptions options = clickHouseOptions(traces);
  options.query_time = std::max<std::chrono::milliseconds>(options.query_time, kQueryTime);
  options.change_time = std::max<std::chrono::milliseconds>(options.change_time, kQueryTime);
  return options;
}

/// One caller writes large batches: they need not wait for others.
clickhouse::GroupOptions groupOptions() {
  clickhouse::GroupOptions options;
  options.linger = std::chrono::milliseconds(0);
  options.retry_time = std::chrono::milliseconds(30'000);
  return options;
}

}  // namespace

ClickHouseTraceRows::ClickHouseTraceRows(const config::TraceSettings& traces,
                                         bool create,
                                         MetricRegistry& metrics,
                                         const Clock& clock)
    : table_options_(clickHouseTables(traces)),
      client_(optionsOf(traces)),
      areas_(clickHouseAreas(table_options_)),
      tables_(clickHouseRowTables()),
      now_(clock.now()) {
  requireClickHouse(traces, create ? clickhouse::migrate(client_, table_options_, areas_, now_)
                                   : clickhouse::checkMigrated(client_, table_options_, areas_));
  for (const clickhouse::RowTable& table : tables_) {
    inserts_.push_back(std::make_unique<clickhouse::GroupedInserts>(client_, table.target,
                                                                    groupOptions(), metrics));
  }
}

Result<std::vector<std::string>> ClickHouseTraceRows::projects() {
  std::vector<std::string> projects = TRY(clickhouse::projectsIn(client_, areas_));
  for (const clickhouse::RowTable& table : tables_) {
    if (table.partition.empty()) continue;
    const std::int64_t rows = TRY(clickhouse::RowReader(client_, table).count());
    if (rows > 0) projects.push_back(table.partition);
  }
  std::sort(projects.begin(), projects.end());
  return projects;
}

Result<std::int64_t> ClickHouseTraceRows::count() {
  std::int64_t rows = 0;
  for (const clickhouse::RowTable& table : tables_)
    rows += TRY(clickhouse::RowReader(client_, table).count());
  return rows;
}

Result<void> ClickHouseTraceRows::read(columnar::FamilyId family,
                                       std::string_view project,
                                       const std::string& after,
                                       RowForm /*form*/,
                                       const Take& take) {
  clickhouse::RowReader reader(client_, tables_[family]);
  return reader.read(project, after,
                     [&take](std::vector<columnar::Row> rows, std::optional<std::string> position) {
                       return take({std::move(rows), std::move(position)});
                     });
}

Result<void> ClickHouseTraceRows::write(columnar::FamilyId family,
                                        std::string_view project,
                                        std::vector<columnar::Row> rows) {
  const clickhouse::RowTable& table = tables_[family];
  std::string bytes;
  for (const columnar::Row& row : rows) TRY(table.put(table, bytes, project, row, now_));
  return inserts_[family]->insert(std::move(bytes), rows.size());
}

Result<void> ClickHouseTraceRows::clear() {
  return clickhouse::removeAll(client_, table_options_, areas_);
}

Result<bool> ClickHouseTraceRows::beginMove(const std::string& move, bool is_known) {
  const std::optional<std::string> unfinished = TRY(clickhouse::unfinishedMove(client_));
  if (unfinished && *unfinished != move) {
    return Error(ErrorCode::kConflict, "the ClickHouse database contains an unfinished move (" +
                                           *unfinished + "): choose another database");
  }
  if (unfinished) return true;
  if (!is_known) {
    const std::vector<std::string> stored = TRY(projects());
    if (!stored.empty()) {
      return Error(ErrorCode::kConflict,
                   "the ClickHouse database already contains data: choose an empty one");
    }
  }
  TRY(clickhouse::markMove(client_, table_options_, move));
  return true;
}

Result<void> ClickHouseTraceRows::endMove() {
  return clickhouse::unmarkMove(client_, table_options_);
}

}  // namespace spindle::app
