#include "tracing/analysis/call_dimension.h"

#include <string>
#include <utility>

#include "query/json_value.h"

namespace spindle::tracing {
namespace {

using query::Field, query::FieldKind, query::Sql;

std::string_view fieldNamed(std::string_view dimension) {
  if (dimension == "status") return "summary.svc.status";
  if (dimension == "user") return "svc_user_id";
  return dimension;
}

}  // namespace

Result<CallDimension> dimensionOf(std::string_view name, const query::Fields& fields) {
  CallDimension dimension;
  if (name == "model") {
    dimension.of_models = true;
    return dimension;
  }
  if (name == "trace_roots_only") {
    dimension.value = Sql("CASE WHEN c.parent_id IS NULL THEN 'true' ELSE 'false' END");
    return dimension;
  }
  Field field = TRY(fields.resolve(fieldNamed(name)));
  const bool whole_json = field.kind == FieldKind::kJson && field.path.empty();
  if (field.rows || field.kind == FieldKind::kTexts || whole_json) {
    return Error(ErrorCode::kUnprocessable,
                 "Calls cannot be grouped by " + std::string(name) +
                     ". Use a column with one value, or a path below inputs, output, attributes or "
                     "summary.");
  }
  dimension.in_json = field.kind == FieldKind::kJson;
  if (dimension.in_json) {
    dimension.value =
        query::JsonValue(std::move(field.sql), field.path, fields.dialect()).looseText();
  } else if (field.kind == FieldKind::kText) {
    dimension.value = std::move(field.sql);
  } else {
    dimension.value = fields.dialect().labelOf(field.kind, field.sql);
  }
  return dimension;
}

Sql selectByDimension(const CallEngine& engine,
                      const Sql& columns,
                      const Sql& condition,
                      const CallDimension& dimension) {
  const auto select = [&](const Sql& value, SqlView also) {
    Sql sql("SELECT ");
    sql.add(columns);
    if (!columns.text.empty()) sql.add(", ");
    sql.add(value)
        .add(" AS g FROM ")
        .add(engine.calls())
        .add(" AS c WHERE ")
        .add(condition)
        .add(also);
    return sql;
  };
  if (!dimension.of_models) return select(dimension.value, {});
  const Sql models(engine.modelsInSummary());
  return select(Sql("c.usage_model"), " AND c.usage_models <= 1")
      .add(" UNION ALL ")
      .add(select(models, " AND c.usage_models > 1"))
      .add(" UNION ALL ")
      .add(select(models, " AND c.usage_models IS NULL"));
}

}  // namespace spindle::tracing
