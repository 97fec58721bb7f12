#include "runs/clickhouse/history_table.h"

#include <optional>
#include <string>
#include <utility>

#include "base/crypto/crypto.h"
#include "clickhouse/client/row_binary.h"
#include "clickhouse/rows/row_value.h"
#include "runs/store/history_row.h"

namespace spindle::runs {
namespace {

using columnar::ColumnType, columnar::Row;

constexpr SqlView kColumns =
    " (project_id LowCardinality(String), run Int64 CODEC(Delta, ZSTD(1)), stream UInt8, "
    "kind UInt8, series String CODEC(ZSTD(1)), block String CODEC(ZSTD(1)), "
    "stored_at DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)), "
    "first_step Int64 CODEC(Delta, ZSTD(1)), last_step Int64 CODEC(Delta, ZSTD(1)), "
    "steps String CODEC(ZSTD(1)), keys Array(String) CODEC(ZSTD(1)), "
    "content String CODEC(ZSTD(1)), "
    "INDEX i_block block TYPE bloom_filter(0.01) GRANULARITY 1) ";

/// The columns of historyFamily() over rows `r`. Numbers are bytes here, and Base64 there.
constexpr SqlView kFamilyColumns =
    "if(r.kind = 0, concat(r.block, '/lines'), concat(r.block, '/:', r.series)) AS id, "
    "r.stored_at AS place, r.run AS run, r.stream AS stream, r.series AS series, "
    "r.first_step AS first_step, r.last_step AS last_step, base64Encode(r.steps) AS steps, "
    "r.keys AS keys, if(r.kind = 0, r.content, base64Encode(r.content)) AS content";

const columnar::Value& valueOf(const Row& row, HistoryColumn column) {
  return row[static_cast<std::size_t>(column)];
}

std::string textOf(const Row& row, HistoryColumn column) {
  const auto* text = std::get_if<std::string>(&valueOf(row, column));
  return text == nullptr ? std::string() : *text;
}

std::int64_t numberOf(const Row& row, HistoryColumn column) {
  return std::get<std::int64_t>(valueOf(row, column));
}

bool isLines(const Row& row) {
  const std::string id = textOf(row, HistoryColumn::kId);
  return id == blockOf(id).append(kLinesKey);
}

/// Computes the key of a series from its name, and the place.
void derive(const columnar::Family& family, Row& row) {
  const std::string series = textOf(row, HistoryColumn::kSeries);
  auto& id = std::get<std::string>(row[family.key]);
  if (!isLines(row)) id = blockOf(id) + "/:" + series;
  auto& place = std::get<Timestamp>(row[family.order]);
  place = rowPlaceOf(place, numberOf(row, HistoryColumn::kRun),
                     numberOf(row, HistoryColumn::kStream), series);
}

Result<void> put(const clickhouse::RowTable& /*table*/,
                 std::string& out,
                 std::string_view project,
                 const Row& row,
                 Timestamp /*now*/) {
  const bool is_lines = isLines(row);
  std::string content = textOf(row, HistoryColumn::kContent);
  std::optional<std::string> steps = decodeBase64(textOf(row, HistoryColumn::kSteps));
  std::optional<std::string> numbers = is_lines ? std::move(content) : decodeBase64(content);
  if (!steps || !numbers) {
    return Error(ErrorCode::kInternal,
                 "The block of history " + textOf(row, HistoryColumn::kId) + " is damaged.");
  }
  const std::string id = textOf(row, HistoryColumn::kId);
  clickhouse::putText(out, project);
  clickhouse::putInteger(out, numberOf(row, HistoryColumn::kRun));
  clickhouse::putInteger(out, static_cast<std::uint8_t>(numberOf(row, HistoryColumn::kStream)));
  clickhouse::putInteger(out, is_lines ? kHistoryLines : kHistoryNumbers);
  clickhouse::putText(out, textOf(row, HistoryColumn::kSeries));
  clickhouse::putText(out, blockOf(id));
  clickhouse::putTime(out, hourOf(std::get<Timestamp>(valueOf(row, HistoryColumn::kPlace))));
  clickhouse::putInteger(out, numberOf(row, HistoryColumn::kFirstStep));
  clickhouse::putInteger(out, numberOf(row, HistoryColumn::kLastStep));
  clickhouse::putText(out, *steps);
  clickhouse::putValue(out, ColumnType::kTexts, valueOf(row, HistoryColumn::kKeys));
  clickhouse::putText(out, *numbers);
  return {};
}

}  // namespace

const clickhouse::InsertTarget& historyTarget() {
  static const clickhouse::InsertTarget made{
      "run_history",
      {"project_id", "run", "stream", "kind", "series", "block", "stored_at", "first_step",
       "last_step", "steps", "keys", "content"}};
  return made;
}

clickhouse::AreaSchema historyTables(const clickhouse::TableOptions& options) {
  const SqlText history =
      "CREATE TABLE IF NOT EXISTS run_history" + clickhouse::onCluster(options) + kColumns +
      clickhouse::tableEngine(options, "ReplacingMergeTree", "stored_at") +
      " PARTITION BY toYYYYMM(stored_at) ORDER BY (project_id, run, stream, kind, series, block) "
      "SETTINGS " +
      clickhouse::tableSettings(options);
  return {"runs", {{1, "history", {history}}}, {"run_history"}};
}

clickhouse::RowTable historyRowTable() {
  clickhouse::RowTable table;
  table.target = historyTarget();
  table.family = historyFamily();
  table.columns = SqlText(kFamilyColumns);
  table.setAbsent([](std::size_t /*column*/) { return false; });
  for (const HistoryColumn column :
       {HistoryColumn::kSeries, HistoryColumn::kSteps, HistoryColumn::kKeys})
    table.absent[static_cast<std::size_t>(column)] = clickhouse::Absent::kEmptyIsNull;
  table.key = {{"r.run", ColumnType::kInteger},
               {"r.stream", ColumnType::kInteger},
               {"r.kind", ColumnType::kInteger},
               {"r.series", ColumnType::kText},
               {"r.block", ColumnType::kText}};
  table.version = "stored_at";
  table.put = put;
  table.derive = derive;
  return table;
}

}  // namespace spindle::runs
