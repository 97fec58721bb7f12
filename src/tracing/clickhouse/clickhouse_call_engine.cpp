#include "tracing/clickhouse/clickhouse_call_engine.h"

#include "clickhouse/schema/table_options.h"
#include "tracing/clickhouse/call_table.h"

namespace spindle::tracing {
namespace {

using clickhouse::Cursor;
using query::Sql;

/// The tokens of an entry of `usage`, in rows `r` with its JSON `said`.
constexpr SqlView kTokens =
    "ifNull(JSONExtract(r.said, 'prompt_tokens', 'Nullable(Float64)'), 0) + "
    "ifNull(JSONExtract(r.said, 'input_tokens', 'Nullable(Float64)'), 0) AS input, "
    "ifNull(JSONExtract(r.said, 'completion_tokens', 'Nullable(Float64)'), 0) + "
    "ifNull(JSONExtract(r.said, 'output_tokens', 'Nullable(Float64)'), 0) AS output, "
    "ifNull(JSONExtract(r.said, 'total_tokens', 'Nullable(Float64)'), 0) AS total, "
    "ifNull(JSONExtract(r.said, 'cache_read_input_tokens', 'Nullable(Float64)'), 0) AS cache_read, "
    "ifNull(JSONExtract(r.said, 'cache_creation_input_tokens', 'Nullable(Float64)'), 0) AS "
    "cache_creation";

class CursorRow final : public EngineRow {
 public:
  explicit CursorRow(const Cursor& cursor) : cursor_(cursor) {}
  bool isNull(std::size_t column) const override { return cursor_.isNull(column); }
  std::int64_t integer(std::size_t column) const override { return cursor_.integer(column); }
  double real(std::size_t column) const override { return cursor_.real(column); }
  std::string_view text(std::size_t column) const override { return cursor_.text(column); }

 private:
  const Cursor& cursor_;
};

}  // namespace

ClickHouseCallEngine::ClickHouseCallEngine(clickhouse::Client& client, std::string_view project_id)
    : client_(client), project_(project_id), calls_(callRows(project_id)) {}

Result<void> ClickHouseCallEngine::read(const Sql& sql, const Visit& visit) {
  Sql statement = sql;
  statement.add(clickhouse::finalSettings()).add(", join_use_nulls = 1, cast_keep_nullable = 1");
  return forEachRow(client_.query(statement.text, statement.params),
                    [&visit](const Cursor& row) { return visit(CursorRow(row)); });
}

Result<CallSample> ClickHouseCallEngine::newestCalls(const Sql& condition, SampleBudget budget) {
  Sql sql(
      "SELECT toInt64(count()), min(t.started_at) FROM (SELECT c.started_at AS started_at FROM ");
  sql.add(calls_).add(" AS c WHERE ").add(condition);
  sql.add(" ORDER BY started_at DESC LIMIT " + SqlText::number(budget.rows + 1) +
          " WITH TIES) AS t");
  sql.add(clickhouse::finalSettings());
  CallSample sample;
  TRY(forEachRow(client_.query(sql.text, sql.params), [&](const Cursor& row) {
    sample.rows = row.integer(0);
    if (sample.rows > budget.rows) sample.since = row.time(1);
  }));
  return sample;
}

Result<bool> ClickHouseCallEngine::hasMoreThan(std::int64_t calls) {
  if (!stored_rows_) {
    Sql sql("SELECT toInt64(count()) FROM calls AS r WHERE r.project_id = ");
    sql.param(project_);
    std::int64_t rows = 0;
    TRY(forEachRow(client_.query(sql.text, sql.params),
                   [&rows](const Cursor& row) { rows = row.integer(0); }));
    stored_rows_ = rows;
  }
  return *stored_rows_ > calls;
}

SqlText ClickHouseCallEngine::isOneIn(SqlView time, std::int64_t step) const {
  return "bitAnd(cityHash64(" + SqlText(time) + "), " + SqlText::number(step - 1) + ") = 0";
}

SqlView ClickHouseCallEngine::modelsInSummary() const {
  return "arrayJoin(arrayMap(k -> if(empty(k), [NULL], arrayMap(m -> toNullable(m), k)), "
         "[JSONExtractKeys(ifNull(c.summary, ''), 'usage')])[1])";
}

Sql ClickHouseCallEngine::usageInSummaries(const Sql& calls,
                                           const std::vector<SqlName>& columns) const {
  SqlText of_calls;
  SqlText of_rows;
  for (const SqlName column : columns) {
    of_calls += "c." + SqlText(column) + " AS " + column + ", ";
    of_rows += "r." + SqlText(column) + ", ";
  }
  Sql sql("SELECT " + of_rows + "r.model, ");
  sql.add(kTokens).add(" FROM (SELECT " + of_calls + "u.1 AS model, u.2 AS said FROM ").add(calls);
  return sql.add(
      " AS c ARRAY JOIN JSONExtractKeysAndValuesRaw(ifNull(c.summary, ''), 'usage') AS "
      "u) AS r");
}

}  // namespace spindle::tracing
