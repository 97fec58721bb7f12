#include "feedback/clickhouse/feedback_table.h"

#include <optional>
#include <variant>
#include <vector>

#include "clickhouse/client/row_binary.h"
#include "feedback/feedback_columns.h"
#include "feedback/store/feedback_row.h"

namespace spindle::feedback {
namespace {

using query::Sql;

constexpr SqlView kColumns =
    " (project_id LowCardinality(String), id String, "
    "version UInt64 CODEC(Delta, ZSTD(1)), is_deleted UInt8, "
    "created_at DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)), "
    "target_kind LowCardinality(String), target_id String, svc_ref String CODEC(ZSTD(1)), "
    "svc_user_id LowCardinality(String), creator Nullable(String), "
    "feedback_type LowCardinality(String), payload String CODEC(ZSTD(1)), "
    "annotation_ref Nullable(String) CODEC(ZSTD(1)), runnable_ref Nullable(String) CODEC(ZSTD(1)), "
    "call_ref Nullable(String) CODEC(ZSTD(1)), trigger_ref Nullable(String) CODEC(ZSTD(1)), "
    "queue_id Nullable(String), scorer_tags Array(String), "
    "scorer_tag_reasons String CODEC(ZSTD(1)), scorer_tag_confidences String CODEC(ZSTD(1)), "
    "scorer_ratings String CODEC(ZSTD(1)), scorer_rating_reasons String CODEC(ZSTD(1)), "
    "scorer_rating_confidences String CODEC(ZSTD(1)), span_agent_name LowCardinality(String), "
    "span_agent_version LowCardinality(String), span_status_code LowCardinality(String), "
    "span_conversation_id String, span_trace_id String, scorer_trace_id String, "
    "INDEX i_target target_id TYPE bloom_filter(0.01) GRANULARITY 1) ";

void put(std::string& out, const std::string& text) { clickhouse::putText(out, text); }
void put(std::string& out, const std::optional<std::string>& text) {
  clickhouse::putNullMark(out, !text);
  if (text) clickhouse::putText(out, *text);
}
void put(std::string& out, const std::vector<std::string>& texts) {
  clickhouse::putTexts(out, texts);
}
void put(std::string& out, Timestamp time) { clickhouse::putTime(out, time); }

void putStart(std::string& out, std::string_view project, std::uint64_t version, bool is_deleted) {
  clickhouse::putText(out, project);
  clickhouse::putInteger(out, version);
  clickhouse::putInteger(out, static_cast<std::uint8_t>(is_deleted));
}

SqlText columnsOfRows() {
  SqlText columns;
  for (const FeedbackColumn& column : kFeedbackColumns) {
    if (!columns.empty()) columns += ", ";
    columns.add("r.").add(column.name).add(" AS ").add(column.name);
  }
  return columns;
}

void putRow(std::string& out,
            std::string_view project,
            const Feedback& feedback,
            std::uint64_t version,
            bool is_deleted) {
  putStart(out, project, version, is_deleted);
  for (const FeedbackColumn& column : kFeedbackColumns) {
    std::visit([&](auto member) { put(out, feedback.*member); }, column.member);
  }
}

}  // namespace

clickhouse::AreaSchema feedbackTables(const clickhouse::TableOptions& options) {
  const SqlText feedback =
      "CREATE TABLE IF NOT EXISTS feedback" + clickhouse::onCluster(options) + kColumns +
      clickhouse::tableEngine(options, "ReplacingMergeTree", "version, is_deleted") +
      " ORDER BY (project_id, id) SETTINGS " + clickhouse::tableSettings(options);
  return {"feedback", {{1, "feedback", {feedback}}}, {"feedback"}};
}

const clickhouse::InsertTarget& feedbackTarget() {
  static const clickhouse::InsertTarget target = [] {
    clickhouse::InsertTarget made{"feedback", {"project_id", "version", "is_deleted"}};
    for (const FeedbackColumn& column : kFeedbackColumns) made.columns.push_back(column.name);
    return made;
  }();
  return target;
}

void putFeedback(std::string& out,
                 std::string_view project,
                 const Feedback& feedback,
                 std::uint64_t version) {
  putRow(out, project, feedback, version, false);
}

void putDeletion(std::string& out,
                 std::string_view project,
                 std::string_view id,
                 std::uint64_t version) {
  Feedback deleted;
  deleted.id = id;
  putRow(out, project, deleted, version, true);
}

clickhouse::RowTable feedbackRowTable() {
  clickhouse::RowTable table;
  table.target = feedbackTarget();
  table.family = feedbackFamily();
  table.columns = columnsOfRows();
  table.setAbsent([](std::size_t column) {
    return std::holds_alternative<FeedbackColumn::OptionalText>(kFeedbackColumns[column].member);
  });
  table.key = {{"r.id", columnar::ColumnType::kText}};
  table.version = "version";
  table.exists = "r.is_deleted = 0";
  table.put = [](const clickhouse::RowTable& of, std::string& out, std::string_view project,
                 const columnar::Row& row, Timestamp now) {
    putStart(out, project, static_cast<std::uint64_t>(microsOf(now)), false);
    of.putColumns(out, row, 0);
    return Result<void>();
  };
  return table;
}

Sql clickHouseFeedbackRows(std::string_view project, const Sql& condition) {
  Sql sql("(SELECT " + columnsOfRows() + " FROM feedback AS r FINAL WHERE r.project_id = ");
  sql.param(std::string(project));
  if (!condition.text.empty()) sql.add(" AND ").add(condition);
  return sql.add(")");
}

}  // namespace spindle::feedback
