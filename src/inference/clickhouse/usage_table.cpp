#include "inference/clickhouse/usage_table.h"

#include <cstdint>

#include "clickhouse/client/row_binary.h"
#include "inference/usage/columnar_usage_store.h"

namespace spindle::inference {
namespace {

constexpr SqlView kRequestColumns =
    " (id String, started_at DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)), request_id String, "
    "team_id LowCardinality(String), project_id LowCardinality(String), "
    "user_id LowCardinality(String), key_id LowCardinality(String), "
    "model LowCardinality(String), upstream LowCardinality(String), "
    "operation LowCardinality(String), status Int64 CODEC(ZSTD(1)), streamed UInt8, "
    "counted UInt8, prompt Int64 CODEC(ZSTD(1)), completion Int64 CODEC(ZSTD(1)), "
    "cached Int64 CODEC(ZSTD(1)), reasoning Int64 CODEC(ZSTD(1)), cost Float64 CODEC(ZSTD(1)), "
    "latency_us Int64 CODEC(ZSTD(1)), first_token_us Nullable(Int64) CODEC(ZSTD(1)), "
    "attempts Int64 CODEC(ZSTD(1)), "
    "stored_at DateTime('UTC') DEFAULT now('UTC') CODEC(Delta, ZSTD(1)), "
    "version UInt32 DEFAULT 4294967295 - toUnixTimestamp(stored_at) CODEC(Delta, ZSTD(1)), "
    "INDEX i_stored stored_at TYPE minmax GRANULARITY 1) ";

constexpr SqlView kHourColumns =
    " (stored_hour DateTime('UTC') CODEC(Delta, ZSTD(1)), "
    "hour DateTime('UTC') CODEC(Delta, ZSTD(1)), project_id LowCardinality(String), "
    "key_id LowCardinality(String), requests UInt64 CODEC(ZSTD(1)), cost Float64 CODEC(ZSTD(1))) ";

constexpr SqlView kProgressColumns =
    " (name LowCardinality(String), stored_before DateTime('UTC')) ";

}  // namespace

clickhouse::AreaSchema usageTables(const clickhouse::TableOptions& options) {
  const SqlText requests =
      "CREATE TABLE IF NOT EXISTS inference_usage" + clickhouse::onCluster(options) +
      kRequestColumns + clickhouse::tableEngine(options, "ReplacingMergeTree", "version") +
      " PARTITION BY toYYYYMM(started_at) ORDER BY (started_at, id) SETTINGS " +
      clickhouse::tableSettings(options);
  const SqlText hours = "CREATE TABLE IF NOT EXISTS inference_usage_hours" +
                        clickhouse::onCluster(options) + kHourColumns +
                        clickhouse::tableEngine(options, "ReplacingMergeTree", "requests") +
                        " ORDER BY (project_id, key_id, hour, stored_hour) SETTINGS " +
                        clickhouse::tableSettings(options);
  const SqlText progress = "CREATE TABLE IF NOT EXISTS inference_usage_rollup" +
                           clickhouse::onCluster(options) + kProgressColumns +
                           clickhouse::tableEngine(options, "ReplacingMergeTree", "stored_before") +
                           " ORDER BY name SETTINGS " + clickhouse::tableSettings(options);
  return {"inference",
          {{1, "usage", {requests, hours, progress}}},
          {},
          {"inference_usage", "inference_usage_hours", "inference_usage_rollup"}};
}

const clickhouse::InsertTarget& usageTarget() {
  static const clickhouse::InsertTarget target{
      "inference_usage",
      {"id",         "started_at",     "request_id", "team_id",   "project_id", "user_id",
       "key_id",     "model",          "upstream",   "operation", "status",     "streamed",
       "counted",    "prompt",         "completion", "cached",    "reasoning",  "cost",
       "latency_us", "first_token_us", "attempts"}};
  return target;
}

clickhouse::RowTable usageRowTable() {
  clickhouse::RowTable table;
  table.target = usageTarget();
  table.family = usageFamily();
  for (const columnar::Column& column : table.family.columns) {
    if (!table.columns.empty()) table.columns += ", ";
    table.columns.add("r.").add(column.name).add(" AS ").add(column.name);
  }
  table.setAbsent([&table](std::size_t column) {
    return table.family.columns[column].name.text() == "first_token_us";
  });
  table.key = {{"r.started_at", columnar::ColumnType::kTime},
               {"r.id", columnar::ColumnType::kText}};
  table.version = "version";
  table.partition = kUsagePartition;
  table.put = [](const clickhouse::RowTable& of, std::string& out, std::string_view /*project*/,
                 const columnar::Row& row, Timestamp /*now*/) {
    of.putColumns(out, row, 0);
    return Result<void>();
  };
  return table;
}

void putUsage(std::string& out, const UsageRecord& record) {
  clickhouse::putText(out, record.id);
  clickhouse::putTime(out, record.started_at);
  for (const std::string* text :
       {&record.request_id, &record.team_id, &record.project_id, &record.user_id, &record.key_id,
        &record.model, &record.upstream, &record.operation})
    clickhouse::putText(out, *text);
  clickhouse::putInteger(out, std::int64_t{record.status});
  clickhouse::putInteger(out, static_cast<std::uint8_t>(record.streamed));
  clickhouse::putInteger(out, static_cast<std::uint8_t>(record.counted));
  clickhouse::putInteger(out, record.tokens.prompt);
  clickhouse::putInteger(out, record.tokens.completion);
  clickhouse::putInteger(out, record.tokens.cached);
  clickhouse::putInteger(out, record.tokens.reasoning);
  clickhouse::putReal(out, record.cost);
  clickhouse::putInteger(out, std::int64_t{record.latency.count()});
  clickhouse::putNullMark(out, !record.first_token);
  if (record.first_token) clickhouse::putInteger(out, std::int64_t{record.first_token->count()});
  clickhouse::putInteger(out, record.attempts);
}

}  // namespace spindle::inference
