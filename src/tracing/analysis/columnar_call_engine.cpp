#include "tracing/analysis/columnar_call_engine.h"

#include "columnar/store/snapshot.h"
#include "tracing/analysis/call_sample.h"

namespace spindle::tracing {
namespace {

using query::Sql;

/// The counts of one entry of `usage`, as doubles, so that absurd reports cannot overflow.
constexpr SqlView kReported =
    R"(json_transform(u.value, '{"prompt_tokens":"DOUBLE","input_tokens":"DOUBLE",)"
    R"("completion_tokens":"DOUBLE","output_tokens":"DOUBLE","total_tokens":"DOUBLE",)"
    R"("cache_read_input_tokens":"DOUBLE","cache_creation_input_tokens":"DOUBLE"}'))";

/// The same by metric, over rows `r` of reports.
constexpr SqlView kTokens =
    "COALESCE(r.said.prompt_tokens, 0) + COALESCE(r.said.input_tokens, 0) AS input, "
    "COALESCE(r.said.completion_tokens, 0) + COALESCE(r.said.output_tokens, 0) AS output, "
    "COALESCE(r.said.total_tokens, 0) AS total, "
    "COALESCE(r.said.cache_read_input_tokens, 0) AS cache_read, "
    "COALESCE(r.said.cache_creation_input_tokens, 0) AS cache_creation";

class CursorRow final : public EngineRow {
 public:
  explicit CursorRow(const columnar::Cursor& cursor) : cursor_(cursor) {}
  bool isNull(std::size_t column) const override { return cursor_.isNull(column); }
  std::int64_t integer(std::size_t column) const override { return cursor_.integer(column); }
  double real(std::size_t column) const override { return cursor_.real(column); }
  std::string_view text(std::size_t column) const override { return cursor_.text(column); }

 private:
  const columnar::Cursor& cursor_;
};

}  // namespace

ColumnarCallEngine::ColumnarCallEngine(columnar::Snapshot& snapshot,
                                       columnar::FamilyId family,
                                       std::string_view project_id)
    : snapshot_(snapshot),
      family_(family),
      project_(project_id),
      calls_(snapshot.from(family, project_id)) {}

Result<void> ColumnarCallEngine::read(const Sql& sql, const Visit& visit) {
  return forEachRow(snapshot_.query(sql.text, sql.params),
                    [&visit](const columnar::Cursor& row) { return visit(CursorRow(row)); });
}

Result<CallSample> ColumnarCallEngine::newestCalls(const Sql& condition, SampleBudget budget) {
  return sampleNewest(snapshot_, {family_, project_, calls_.text}, condition, budget);
}

Result<bool> ColumnarCallEngine::hasMoreThan(std::int64_t calls) {
  return snapshot_.newestWindow(family_, project_, static_cast<std::size_t>(calls) + 1).has_value();
}

SqlText ColumnarCallEngine::isOneIn(SqlView time, std::int64_t step) const {
  return "hash(" + SqlText(time) + ") & " + SqlText::number(step - 1) + " = 0";
}

SqlView ColumnarCallEngine::modelsInSummary() const {
  return "unnest(list_transform([json_keys(c.summary, '$.usage')], lambda k: CASE WHEN len(k) > 0 "
         "THEN k ELSE [NULL] END)[1])";
}

Sql ColumnarCallEngine::usageInSummaries(const Sql& calls,
                                         const std::vector<SqlName>& columns) const {
  SqlText of_calls;
  SqlText of_rows;
  for (const SqlName column : columns) {
    of_calls += "c." + SqlText(column) + ", ";
    of_rows += "r." + SqlText(column) + ", ";
  }
  Sql sql("SELECT " + of_rows + "r.model, ");
  sql.add(kTokens).add(" FROM (SELECT " + of_calls + "u.key AS model, ").add(kReported);
  sql.add(" AS said FROM (SELECT * FROM ").add(calls);
  return sql.add(" AS s WHERE json_type(s.summary, '$.usage') = 'OBJECT') AS c, ")
      .add("json_each(c.summary, '$.usage') AS u) AS r");
}

}  // namespace spindle::tracing
