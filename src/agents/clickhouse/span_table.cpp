#include "agents/clickhouse/span_table.h"

#include <array>
#include <optional>
#include <utility>
#include <variant>

#include "agents/sql/span_dialect.h"
#include "agents/sql/span_row.h"
#include "agents/store/span_column.h"
#include "base/core/check.h"
#include "clickhouse/client/row_binary.h"
#include "clickhouse/rows/row_value.h"
#include "columnar/journal/family.h"
#include "tracing/store/otel_resource_store.h"

namespace spindle::agents {
namespace {

using columnar::ColumnType;
using query::Sql;

constexpr SqlView kColumns =
    " (project_id LowCardinality(String), version UInt64 CODEC(Delta, ZSTD(1)), "
    "turn_stored_at DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)), trace_hash UInt32, "
    "custom_attrs_string String CODEC(ZSTD(1)), custom_attrs_int String CODEC(ZSTD(1)), "
    "custom_attrs_float String CODEC(ZSTD(1)), custom_attrs_bool String CODEC(ZSTD(1)), "
    "trace_id String, span_id String, parent_span_id String, span_name String, "
    "span_kind LowCardinality(String), "
    "started_at DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)), "
    "ended_at Nullable(DateTime64(6, 'UTC')) CODEC(Delta, ZSTD(1)), "
    "status_code LowCardinality(String), status_message String CODEC(ZSTD(1)), "
    "error_type LowCardinality(String), operation_name LowCardinality(String), "
    "provider_name LowCardinality(String), agent_name LowCardinality(String), agent_id String, "
    "agent_description String CODEC(ZSTD(1)), agent_version LowCardinality(String), "
    "eval_run_id String, eval_predict_and_score_call_id String, "
    "eval_kind LowCardinality(String), eval_row_digest String, eval_example_id String, "
    "eval_evaluation_name LowCardinality(String), eval_trial_index Nullable(Int64), "
    "parent_call_id String, parent_call_trace_id String, request_model LowCardinality(String), "
    "response_model LowCardinality(String), response_id String, input_tokens Int64, "
    "output_tokens Int64, reasoning_tokens Int64, cache_creation_input_tokens Int64, "
    "cache_read_input_tokens Int64, reasoning_content String CODEC(ZSTD(1)), "
    "conversation_id String, conversation_name String, tool_name LowCardinality(String), "
    "tool_type LowCardinality(String), tool_call_id String, "
    "tool_description String CODEC(ZSTD(1)), tool_definitions String CODEC(ZSTD(1)), "
    "tool_call_arguments String CODEC(ZSTD(1)), tool_call_result String CODEC(ZSTD(1)), "
    "finish_reasons Array(String), request_temperature Float64, request_top_p Float64, "
    "request_frequency_penalty Float64, request_presence_penalty Float64, "
    "request_max_tokens Int64, request_seed Int64, request_choice_count Int64, "
    "request_stop_sequences Array(String), output_type LowCardinality(String), "
    "input_messages String CODEC(ZSTD(1)), output_messages String CODEC(ZSTD(1)), "
    "system_instructions Array(String) CODEC(ZSTD(1)), "
    "compaction_summary String CODEC(ZSTD(1)), compaction_items_before Int64, "
    "compaction_items_after Int64, content_refs Array(String), artifact_refs Array(String), "
    "object_refs Array(String), server_address LowCardinality(String), server_port Int64, "
    "svc_user_id LowCardinality(String), svc_run_id String, svc_run_step Int64, "
    "svc_run_step_end Int64, raw_span_dump String CODEC(ZSTD(1)), "
    "created_at DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)), "
    "expire_at Nullable(DateTime64(6, 'UTC')) CODEC(Delta, ZSTD(1)), "
    "turn_number Nullable(Int64), resource_digest LowCardinality(String)) ";

/// The end of the retention as DateTime, which cannot hold later times.
constexpr SqlView kExpiry =
    "toDateTime(least(ifNull(expire_at, toDateTime64('2100-01-01 00:00:00', 6, 'UTC')), "
    "toDateTime64('2100-01-01 00:00:00', 6, 'UTC')), 'UTC')";

/// Weeks; all times that no clock can have are one partition, so that their number is limited.
constexpr SqlView kPartition =
    " PARTITION BY if(toYear(started_at) BETWEEN 2020 AND 2049, "
    "toYYYYMMDD(toDate32(started_at) - toIntervalDay(toDayOfWeek(started_at, 1))), 0)";

const columnar::Family& family() {
  static const columnar::Family spans = spanFamily();
  return spans;
}

/// Index in the family of the first column that the table has. The key follows from other columns.
constexpr std::size_t kFirstColumn = 1;
constexpr std::size_t kTraceHash = 1;
/// The key of the family.
constexpr SqlView kSpanKey = "concat(r.trace_id, ':', r.span_id)";

/// Returns true for columns that distinguish missing values.
bool isNullable(std::size_t column) {
  static const std::vector<bool> nullable = [] {
    constexpr auto kNames = std::to_array<std::string_view>(
        {"ended_at", "eval_trial_index", "expire_at", "turn_number"});
    std::vector<bool> found(family().columns.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (const std::string_view name : kNames)
        found[i] = found[i] || family().columns[i].name.text() == name;
    }
    return found;
  }();
  return nullable[column];
}

/// Returns true for columns in which the embedded store keeps an empty value as null.
bool isNullIfEmpty(std::string_view name) {
  if (customTypeOf(name)) return true;
  const SpanColumn* column = findSpanColumn(name);
  return column != nullptr &&
         std::holds_alternative<std::vector<SpanMessage> AgentSpan::*>(column->member);
}

SqlText columnsOfRows() {
  SqlText list;
  for (std::size_t i = kFirstColumn; i < family().columns.size(); ++i) {
    const SqlText name(family().columns[i].name);
    list.add(list.empty() ? SqlView("r.") : SqlView(", r.")).add(name).add(" AS ").add(name);
  }
  return list;
}

SqlText derivedTable(const clickhouse::TableOptions& options,
                     SqlView create,
                     SqlView columns,
                     SqlName engine,
                     SqlView rest) {
  return SqlText(create) + clickhouse::onCluster(options) + columns +
         clickhouse::tableEngine(options, engine, {}) + rest + clickhouse::tableSettings(options);
}

}  // namespace

clickhouse::AreaSchema spanTables(const clickhouse::TableOptions& options) {
  const SqlText cluster = clickhouse::onCluster(options);
  const SqlText spans = "CREATE TABLE IF NOT EXISTS spans" + cluster + kColumns +
                        clickhouse::tableEngine(options, "ReplacingMergeTree", "version") +
                        kPartition +
                        " ORDER BY (project_id, toStartOfMinute(started_at), trace_hash, trace_id, "
                        "span_id) TTL " +
                        kExpiry + " SETTINGS index_granularity_bytes = 33554432, " +
                        clickhouse::tableSettings(options);
  // Only such functions may be columns of this engine: merges give the range of the whole trace.
  const SqlText traces = derivedTable(
      options, "CREATE TABLE IF NOT EXISTS span_traces",
      " (project_id LowCardinality(String), trace_id String, "
      "first_at SimpleAggregateFunction(min, DateTime64(6, 'UTC')), "
      "last_at SimpleAggregateFunction(max, DateTime64(6, 'UTC')), "
      "expires SimpleAggregateFunction(max, DateTime('UTC'))) ",
      "AggregatingMergeTree",
      " ORDER BY (project_id, trace_id) TTL expires SETTINGS index_granularity = 1024, ");
  const SqlText fill_traces =
      "CREATE MATERIALIZED VIEW IF NOT EXISTS spans_to_traces" + cluster +
      " TO span_traces AS SELECT project_id, trace_id, min(started_at) AS first_at, "
      "max(started_at) AS last_at, max(" +
      kExpiry + ") AS expires FROM spans GROUP BY project_id, trace_id";
  const SqlText turns = derivedTable(
      options, "CREATE TABLE IF NOT EXISTS span_turns",
      " (stored_at DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)), project_id LowCardinality(String), "
      "trace_id String, span_id String, status_code LowCardinality(String), "
      "operation_name LowCardinality(String), conversation_id String) ",
      "MergeTree",
      " PARTITION BY toYYYYMMDD(stored_at) ORDER BY (stored_at, project_id, trace_id, span_id) "
      "TTL toDateTime(stored_at) + INTERVAL 30 DAY SETTINGS ttl_only_drop_parts = 1, ");
  const SqlText fill_turns =
      "CREATE MATERIALIZED VIEW IF NOT EXISTS spans_to_turns" + cluster +
      " TO span_turns AS SELECT turn_stored_at AS stored_at, project_id, trace_id, span_id, "
      "status_code, operation_name, conversation_id FROM spans "
      "WHERE turn_stored_at > toDateTime64('1970-01-01 00:00:00', 6, 'UTC')";
  const SqlText resources =
      "CREATE TABLE IF NOT EXISTS span_resources" + cluster +
      " (project_id LowCardinality(String), digest String, seen_at DateTime64(6, 'UTC'), "
      "resource String CODEC(ZSTD(1))) " +
      clickhouse::tableEngine(options, "ReplacingMergeTree", "seen_at") +
      " ORDER BY (project_id, digest) SETTINGS index_granularity = 256, " +
      clickhouse::tableSettings(options);
  return {"agents",
          {{1, "spans", {spans, traces, turns, resources, fill_traces, fill_turns}}},
          {"spans", "span_traces", "span_turns", "span_resources"}};
}

const clickhouse::InsertTarget& spanTarget() {
  static const clickhouse::InsertTarget target = [] {
    clickhouse::InsertTarget made{"spans", {"project_id", "version", "turn_stored_at"}};
    for (std::size_t i = kFirstColumn; i < family().columns.size(); ++i)
      made.columns.push_back(family().columns[i].name);
    return made;
  }();
  return target;
}

const clickhouse::InsertTarget& resourceTarget() {
  static const clickhouse::InsertTarget target{"span_resources",
                                               {"project_id", "digest", "seen_at", "resource"}};
  return target;
}

void putSpan(std::string& out, std::string_view project, AgentSpan span, const SpanStamp& stamp) {
  putSpanRow(out, project, rowOf(std::move(span)), stamp);
}

void putSpanRow(std::string& out,
                std::string_view project,
                const columnar::Row& row,
                const SpanStamp& stamp) {
  clickhouse::putText(out, project);
  clickhouse::putInteger(out, stamp.version);
  clickhouse::putInteger(out, stamp.turn_stored_at);
  for (std::size_t i = kFirstColumn; i < row.size(); ++i) {
    if (i == kTraceHash) {
      clickhouse::putInteger(out, static_cast<std::uint32_t>(std::get<std::int64_t>(row[i])));
      continue;
    }
    const bool is_null = std::holds_alternative<std::monostate>(row[i]);
    if (isNullable(i)) clickhouse::putNullMark(out, is_null);
    if (!is_null || !isNullable(i)) clickhouse::putValue(out, family().columns[i].type, row[i]);
  }
}

void putResource(std::string& out,
                 std::string_view project,
                 const tracing::OtelResource& resource) {
  clickhouse::putText(out, project);
  clickhouse::putText(out, resource.digest);
  clickhouse::putTime(out, resource.seen_at);
  clickhouse::putText(out, resource.json);
}

clickhouse::RowTable spanRowTable() {
  clickhouse::RowTable table;
  table.target = spanTarget();
  table.family = spanFamily();
  table.columns = SqlText(kSpanKey) + " AS id, " + columnsOfRows();
  table.setAbsent(isNullable);
  for (std::size_t i = 0; i < table.absent.size(); ++i) {
    const columnar::Column& column = table.family.columns[i];
    if (column.type == ColumnType::kTexts || isNullIfEmpty(column.name))
      table.absent[i] = clickhouse::Absent::kEmptyIsNull;
    if (column.name.text() == "expire_at") table.expiry = i;
  }
  table.key = {{"toStartOfMinute(r.started_at)", ColumnType::kTime},
               {"r.trace_hash", ColumnType::kInteger},
               {"r.trace_id", ColumnType::kText},
               {"r.span_id", ColumnType::kText}};
  table.version = "version";
  table.scattered = kSpanKey;
  table.put = [](const clickhouse::RowTable& /*table*/, std::string& out, std::string_view project,
                 const columnar::Row& row, Timestamp now) {
    // The events of turns were published where the spans come from.
    putSpanRow(out, project, row, {static_cast<std::uint64_t>(microsOf(now)), 0});
    return Result<void>();
  };
  return table;
}

clickhouse::RowTable resourceRowTable() {
  clickhouse::RowTable table;
  table.target = resourceTarget();
  table.family = tracing::otelResourceFamily();
  table.columns =
      SqlText("r.digest AS digest, 0 AS digest_number, r.seen_at AS seen_at, r.resource AS json");
  table.setAbsent([](std::size_t /*column*/) { return false; });
  table.key = {{"r.digest", ColumnType::kText}};
  table.version = "seen_at";
  table.put = [](const clickhouse::RowTable& of, std::string& out, std::string_view project,
                 const columnar::Row& row, Timestamp /*now*/) {
    clickhouse::putText(out, project);
    clickhouse::putText(out, std::get<std::string>(row[of.family.key]));
    of.putColumns(out, row, of.family.order);
    return Result<void>();
  };
  table.derive = [](const columnar::Family& family, columnar::Row& row) {
    row[family.key_number->column] = family.key_number->of(std::get<std::string>(row[family.key]));
  };
  return table;
}

Sql spanRows(std::string_view project) {
  static const SqlText columns = columnsOfRows() + ", r.version AS version";
  Sql sql("(SELECT " + columns + " FROM spans AS r FINAL WHERE r.project_id = ");
  return sql.param(std::string(project)).add(")");
}

Sql withinTraces(std::string_view project, const std::vector<std::string>& trace_ids) {
  Sql range(" FROM span_traces AS t WHERE t.project_id = ");
  range.param(std::string(project)).add(" AND t.trace_id IN (");
  for (std::size_t i = 0; i < trace_ids.size(); ++i)
    range.add(i == 0 ? SqlView() : SqlView(", ")).param(trace_ids[i]);
  range.add("))");
  Sql sql(" AND c.started_at >= (SELECT min(t.first_at)");
  return sql.add(range).add(" AND c.started_at <= (SELECT max(t.last_at)").add(range);
}

SqlView spanReadSettings() {
  static const SqlText settings =
      SqlText(clickhouse::finalSettings()) + ", " + clickHouseNullSettings();
  return settings;
}

}  // namespace spindle::agents
