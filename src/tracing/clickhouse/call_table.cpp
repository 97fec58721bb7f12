#include "tracing/clickhouse/call_table.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>
#include <variant>

#include "base/core/check.h"
#include "base/crypto/crypto.h"
#include "clickhouse/client/row_binary.h"
#include "clickhouse/rows/row_value.h"
#include "columnar/journal/family.h"
#include "tracing/calls/call_column.h"
#include "tracing/store/call_row.h"

namespace spindle::tracing {
namespace {

using columnar::ColumnType;
using query::Sql;

/// Greater than the version of every other row.
constexpr std::uint64_t kDeletedVersion = std::numeric_limits<std::int64_t>::max();
/// Added to the version of rows with a start.
constexpr std::uint64_t kVisibleVersion = std::uint64_t{1} << 61;

// Times of ids that are not used: partitions are weeks, and their number must be limited.
constexpr std::int64_t kFirstIdTime = 1'577'836'800'000;  // 2020
constexpr std::int64_t kLastIdTime = 2'524'608'000'000;   // 2050

/// 2100-01-01: the time of expiry of calls without one, so that the index of the times finds those
/// with one.
constexpr Timestamp kNoExpiry = std::chrono::sys_days(std::chrono::year(2100) / 1 / 1);

constexpr SqlView kColumns =
    " (project_id LowCardinality(String), id String, "
    "id_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)), "
    "version UInt64 CODEC(Delta, ZSTD(1)), is_deleted UInt8, set_fields UInt64, "
    "presence Int64, trace_id String, parent_id String, thread_id String, turn_id String, "
    "op_name LowCardinality(String), display_name String, "
    "started_at DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)), "
    "ended_at DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)), exception String CODEC(ZSTD(1)), "
    "attributes String CODEC(ZSTD(1)), inputs String CODEC(ZSTD(1)), "
    "output String CODEC(ZSTD(1)), summary String CODEC(ZSTD(1)), "
    "otel_dump String CODEC(ZSTD(1)), user_id LowCardinality(String), run_id String, "
    "run_step Int64, run_step_end Int64, "
    "expire_at DateTime64(6, 'UTC') DEFAULT '2100-01-01 00:00:00' CODEC(ZSTD(1)), "
    "input_refs Array(String), output_refs Array(String), start_bytes Int64, output_bytes Int64, "
    "summary_bytes Int64, descendant_errors Int64, otel_resource String, usage_models Int64, "
    "usage_model LowCardinality(String), usage_input Float64, usage_output Float64, "
    "usage_total Float64, usage_cache_read Float64, usage_cache_creation Float64, "
    "INDEX i_started started_at TYPE minmax GRANULARITY 1, "
    "INDEX i_expire expire_at TYPE minmax GRANULARITY 1, "
    "INDEX i_trace trace_id TYPE bloom_filter(0.01) GRANULARITY 1, "
    "INDEX i_parent parent_id TYPE bloom_filter(0.01) GRANULARITY 1, "
    "INDEX i_thread thread_id TYPE bloom_filter(0.01) GRANULARITY 1) ";

const columnar::Family& family() {
  static const columnar::Family calls = callFamily();
  return calls;
}

/// Returns the value of 4 bits, or a negative number.
int hexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Returns true for columns that every row has a value of.
bool isAlwaysSet(std::size_t column) {
  switch (static_cast<CallColumn>(column)) {
    case CallColumn::kId:
    case CallColumn::kPresence:
    case CallColumn::kStartBytes:
    case CallColumn::kOutputBytes:
    case CallColumn::kSummaryBytes:
    case CallColumn::kDescendantErrors:
      return true;
    default:
      return family().columns[column].type == ColumnType::kTexts;
  }
}

Presence presenceOf(const columnar::Row& row) {
  return static_cast<Presence>(
      std::get<std::int64_t>(row[static_cast<std::size_t>(CallColumn::kPresence)]));
}

SqlText makeColumnsOfRows() {
  SqlText list;
  for (std::size_t i = 0; i < family().columns.size(); ++i) {
    const SqlText name(family().columns[i].name);
    if (i > 0) list += ", ";
    if (isAlwaysSet(i)) {
      list += "r." + name + " AS " + name;
    } else {
      list +=
          "if(bitTest(r.set_fields, " + SqlText::number(i) + "), r." + name + ", NULL) AS " + name;
    }
  }
  return list;
}

const SqlText& columnsOfRows() {
  static const SqlText columns = makeColumnsOfRows();
  return columns;
}

}  // namespace

clickhouse::AreaSchema callTables(const clickhouse::TableOptions& options) {
  const SqlText calls =
      "CREATE TABLE IF NOT EXISTS calls" + clickhouse::onCluster(options) + kColumns +
      clickhouse::tableEngine(options, "ReplacingMergeTree", "version, is_deleted") +
      " PARTITION BY toYYYYMMDD(toDate32(id_at) - "
      "toIntervalDay(toDayOfWeek(id_at, 1))) ORDER BY (project_id, id_at, id) "
      "SETTINGS index_granularity_bytes = 33554432, " +
      clickhouse::tableSettings(options);
  return {"tracing", {{1, "calls", {calls}}}, {"calls"}};
}

const clickhouse::InsertTarget& callTarget() {
  static const clickhouse::InsertTarget target = [] {
    clickhouse::InsertTarget made{
        "calls", {"project_id", "id", "id_at", "version", "is_deleted", "set_fields"}};
    for (std::size_t i = 1; i < family().columns.size(); ++i)
      made.columns.push_back(family().columns[i].name);
    return made;
  }();
  return target;
}

std::int64_t idTime(std::string_view id) {
  constexpr std::size_t kLength = 36;
  constexpr std::size_t kVersionAt = 14;
  if (id.size() != kLength || id[kVersionAt] != '7') return 0;
  std::int64_t time = 0;
  for (std::size_t i = 0; i < kLength; ++i) {
    const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    const int digit = hexDigit(id[i]);
    if (is_dash ? id[i] != '-' : digit < 0) return 0;
    if (!is_dash && i < 13) time = time * 16 + digit;
  }
  return time >= kFirstIdTime && time < kLastIdTime ? time : 0;
}

void CallKeys::add(std::string_view project, std::string_view id) {
  const std::string_view comma = count++ == 0 ? "" : ",";
  projects.append(comma).append(toHex(project));
  times.append(comma).append(std::to_string(idTime(id)));
  ids.append(comma).append(toHex(id));
}

std::uint64_t versionOf(Presence presence, Timestamp now, std::uint64_t known_version) {
  if (presence == Presence::kDeleted) return kDeletedVersion;
  const auto micros = static_cast<std::uint64_t>(std::max<std::int64_t>(0, microsOf(now)));
  const std::uint64_t version = presence == Presence::kVisible ? kVisibleVersion + micros : micros;
  return std::min(std::max(version, known_version + 1), kDeletedVersion - 1);
}

void putCall(std::string& out, std::string_view project, Call call, std::uint64_t version) {
  putCallRow(out, project, rowOf(std::move(call)), version);
}

void putCallRow(std::string& out,
                std::string_view project,
                const columnar::Row& row,
                std::uint64_t version) {
  const bool deleted = presenceOf(row) == Presence::kDeleted;
  const auto& id = std::get<std::string>(row[static_cast<std::size_t>(CallColumn::kId)]);
  std::uint64_t set_fields = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!std::holds_alternative<std::monostate>(row[i])) set_fields |= std::uint64_t{1} << i;
  }
  clickhouse::putText(out, project);
  clickhouse::putText(out, id);
  clickhouse::putInteger(out, idTime(id));
  clickhouse::putInteger(out, version);
  clickhouse::putInteger(out, static_cast<std::uint8_t>(deleted));
  clickhouse::putInteger(out, set_fields);
  constexpr auto kExpiry = static_cast<std::size_t>(CallColumn::kExpireAt);
  for (std::size_t i = 1; i < row.size(); ++i) {
    const bool no_expiry = i == kExpiry && std::holds_alternative<std::monostate>(row[i]);
    const columnar::Value& value = no_expiry ? columnar::Value(kNoExpiry) : row[i];
    clickhouse::putValue(out, family().columns[i].type, value);
  }
}

clickhouse::RowTable callRowTable() {
  clickhouse::RowTable table;
  table.target = callTarget();
  table.family = callFamily();
  table.columns = columnsOfRows();
  table.setAbsent([](std::size_t column) { return !isAlwaysSet(column); });
  for (std::size_t i = 0; i < table.absent.size(); ++i) {
    if (table.family.columns[i].type == ColumnType::kTexts)
      table.absent[i] = clickhouse::Absent::kEmptyIsNull;
  }
  table.key = {{"r.id_at", ColumnType::kTime}, {"r.id", ColumnType::kText}};
  table.version = "version";
  table.put = [](const clickhouse::RowTable& /*table*/, std::string& out, std::string_view project,
                 const columnar::Row& row, Timestamp now) {
    putCallRow(out, project, row, versionOf(presenceOf(row), now, 0));
    return Result<void>();
  };
  return table;
}

query::Sql callRows(std::string_view project, const query::Sql& condition) {
  Sql sql("(SELECT " + columnsOfRows() + " FROM calls AS r FINAL WHERE r.project_id = ");
  sql.param(std::string(project)).add(" AND r.presence = 1");
  if (!condition.text.empty()) sql.add(" AND ").add(condition);
  return sql.add(")");
}

query::Sql newestCallRows(std::string_view project, const query::Sql& condition) {
  Sql sql("(SELECT " + columnsOfRows() +
          ", r.version AS version FROM (SELECT * FROM calls AS r WHERE r.project_id = ");
  return sql.param(std::string(project))
      .add(" AND ")
      .add(condition)
      .add(" ORDER BY r.version DESC LIMIT 1 BY r.id) AS r)");
}

query::Sql expiredCallRows(Timestamp now) {
  // FINAL would read the times of all calls.
  Sql sql(
      "(SELECT r.project_id AS project_id, r.id AS id, r.id_at AS id_at FROM calls AS r FINAL "
      "WHERE "
      "(r.project_id, r.id_at, r.id) IN (SELECT k.project_id, k.id_at, k.id FROM calls AS k WHERE "
      "k.expire_at < ");
  return sql.param(now).add(") AND r.expire_at < ").param(now).add(")");
}

query::Sql insertDeletions(const query::Sql& rows) {
  const auto deleted = static_cast<std::int64_t>(Presence::kDeleted);
  Sql sql(
      "INSERT INTO calls (project_id, id, id_at, version, is_deleted, set_fields, presence) SELECT "
      "e.project_id, e.id, e.id_at, " +
      SqlText::number(kDeletedVersion) + ", 1, 3, " + SqlText::number(deleted) + " FROM ");
  return sql.add(rows)
      .add(" AS e")
      .add(clickhouse::finalSettings())
      .add(", max_partitions_per_insert_block = 0");
}

query::Sql haveIds(const std::vector<std::string>& ids) {
  SPINDLE_ASSERT(!ids.empty(), "a condition on ids has at least one");
  if (ids.size() == 1) {
    Sql sql("r.id_at = fromUnixTimestamp64Milli(");
    return sql.param(idTime(ids.front())).add(", 'UTC') AND r.id = ").param(ids.front());
  }
  CallKeys keys;
  for (const std::string& id : ids) keys.add({}, id);
  Sql sql(
      "(r.id_at, r.id) IN (SELECT fromUnixTimestamp64Milli(toInt64(k.1), 'UTC'), unhex(k.2) FROM "
      "(SELECT arrayJoin(arrayZip(splitByChar(',', ");
  sql.param(std::move(keys.times)).add("), splitByChar(',', ").param(std::move(keys.ids));
  return sql.add("))) AS k))");
}

query::Sql haveKeys(CallKeys keys) {
  SPINDLE_ASSERT(keys.count > 0, "a condition on calls names at least one");
  Sql sql(
      "(r.project_id, r.id_at, r.id) IN (SELECT unhex(k.1), fromUnixTimestamp64Milli(toInt64(k.2), "
      "'UTC'), unhex(k.3) FROM (SELECT arrayJoin(arrayZip(splitByChar(',', ");
  sql.param(std::move(keys.projects)).add("), splitByChar(',', ").param(std::move(keys.times));
  return sql.add("), splitByChar(',', ").param(std::move(keys.ids)).add("))) AS k))");
}

query::Sql mayHave(std::string_view project,
                   SqlName column,
                   const std::vector<std::string>& values) {
  Sql sql("(r.id_at, r.id) IN (SELECT k.id_at, k.id FROM calls AS k WHERE k.project_id = ");
  sql.param(std::string(project)).add(" AND k.").add(column).add(" IN (");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) sql.add(", ");
    sql.param(values[i]);
  }
  return sql.add("))");
}

query::Sql mayMatch(std::string_view project, const CallFilter& filter) {
  Sql all;
  const auto require = [&all](const Sql& condition) {
    all.add(all.text.empty() ? SqlView() : SqlView(" AND ")).add(condition);
  };
  const auto require_any = [&](SqlName column,
                               const std::optional<std::vector<std::string>>& values) {
    if (values && !values->empty()) require(mayHave(project, column, *values));
  };
  if (filter.call_ids && !filter.call_ids->empty()) require(haveIds(*filter.call_ids));
  require_any("trace_id", filter.trace_ids);
  require_any("parent_id", filter.parent_ids);
  require_any("thread_id", filter.thread_ids);
  return all;
}

}  // namespace spindle::tracing
