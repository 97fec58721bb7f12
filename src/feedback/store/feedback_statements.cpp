#include "feedback/store/feedback_statements.h"

#include <utility>

#include "feedback/store/feedback_row.h"
#include "feedback/store/feedback_sql_fields.h"
#include "query/compiler.h"
#include "query/json_value.h"

namespace spindle::feedback {
namespace {

using query::Sql;

/// Returns `, <string expression>` for each path.
Result<Sql> textsAt(const std::vector<std::string>& paths, const query::Fields& fields) {
  Sql sql;
  for (const std::string& path : paths) {
    query::Field field = TRY(fields.resolve(path));
    sql.add(", ").add(query::JsonValue(std::move(field.sql), field.path, fields.dialect()).text());
  }
  return sql;
}

SqlText paging(const FeedbackQuery& request) {
  SqlText sql;
  if (request.limit) sql += " LIMIT " + SqlText::number(*request.limit);
  if (request.offset > 0) sql += " OFFSET " + SqlText::number(request.offset);
  return sql;
}

}  // namespace

Result<FeedbackPageStatements> pageStatements(const FeedbackRows& rows,
                                              std::string_view project,
                                              const FeedbackQuery& request) {
  const FeedbackSqlFields fields(project, rows.dialect);
  Result<Sql> condition = Sql("TRUE");
  if (request.query) condition = query::compileCondition(*request.query, fields);
  if (!condition) return std::move(condition).error();
  std::vector<query::SortKey> keys = request.sort;
  if (keys.empty()) keys.push_back({"created_at", false});
  const Sql order =
      TRY(query::compileSort(query::withTieBreak(std::move(keys), "id", "created_at"), fields));
  const Sql texts = TRY(textsAt(request.paths, fields));
  const Sql matching = Sql(" FROM ").add(rows.source).add(" AS f WHERE ").add(*condition);
  FeedbackPageStatements page;
  page.counting = Sql("SELECT count(*)").add(matching);
  page.rows = Sql("SELECT " + columnList()).add(texts).add(matching);
  page.rows.add(" ORDER BY ").add(order).add(paging(request));
  return page;
}

Sql isAbout(std::string_view target_kind, const std::vector<std::string>& target_ids) {
  Sql sql("f.target_kind = ");
  sql.param(std::string(target_kind)).add(" AND f.target_id IN (");
  for (std::size_t i = 0; i < target_ids.size(); ++i) {
    sql.add(i > 0 ? SqlView(", ") : SqlView("")).param(target_ids[i]);
  }
  return sql.add(")");
}

Sql targetsStatement(const FeedbackRows& rows,
                     std::string_view target_kind,
                     const std::vector<std::string>& target_ids) {
  Sql sql("SELECT " + columnList() + " FROM ");
  sql.add(rows.source).add(" AS f WHERE ").add(isAbout(target_kind, target_ids));
  return sql.add(" ORDER BY f.created_at, f.id");
}

Sql conditionOf(const PayloadFilter& filter) {
  Sql where = Sql("f.created_at >= ").param(filter.start);
  where.add(" AND f.created_at < ").param(filter.end);
  if (filter.feedback_type) where.add(" AND f.feedback_type = ").param(*filter.feedback_type);
  if (filter.trigger_ref) where.add(" AND f.trigger_ref = ").param(*filter.trigger_ref);
  return where;
}

Sql payloadsStatement(const FeedbackRows& rows, const PayloadFilter& filter, std::int64_t limit) {
  Sql sql("SELECT f.payload FROM ");
  sql.add(rows.source).add(" AS f WHERE ").add(conditionOf(filter));
  return sql.add(" ORDER BY f.created_at DESC LIMIT " + SqlText::number(limit));
}

}  // namespace spindle::feedback
