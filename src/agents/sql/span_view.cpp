#include "agents/sql/span_view.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include "agents/store/span_column.h"
#include "pricing/price_table_sql.h"
#include "query/compiler.h"

namespace spindle::agents {
namespace {

using query::Field, query::FieldKind, query::Sql;

constexpr auto kIdentity =
    std::to_array<std::string_view>({"agent_name", "agent_version", "agent_id", "conversation_id"});
constexpr std::chrono::hours kIdentityMargin{1};

constexpr SqlView kModel =
    "(CASE WHEN c.response_model <> '' THEN c.response_model ELSE c.request_model END)";

struct DerivedValue {
  std::string_view key;
  SqlView sql;
  ValueType type;
  bool whole;
};
constexpr auto kDerived = std::to_array<DerivedValue>({
    {"is_error", "(c.status_code = 'ERROR')", ValueType::kBoolean, false},
    {"is_invocation", "(c.operation_name = 'invoke_agent')", ValueType::kBoolean, false},
    {"total_cost_usd", "c.total_cost_usd", ValueType::kNumber, false},
    {"input_cost_usd", "c.input_cost_usd", ValueType::kNumber, false},
    {"output_cost_usd", "c.output_cost_usd", ValueType::kNumber, false},
});

ValueType typeOf(FieldKind kind) {
  if (kind == FieldKind::kInteger || kind == FieldKind::kReal) return ValueType::kNumber;
  if (kind == FieldKind::kBoolean) return ValueType::kBoolean;
  return kind == FieldKind::kTime ? ValueType::kDateTime : ValueType::kString;
}

SpanValue valueOf(Field field) {
  SpanValue value;
  value.type = typeOf(field.kind);
  value.whole = field.kind == FieldKind::kInteger;
  value.sql = value.type == ValueType::kString ? Sql("NULLIF(").add(field.sql).add(", '')")
                                               : std::move(field.sql);
  return value;
}

/// Returns a sub-query with the agent and the conversation of each trace: those of the earliest
/// span that names one.
Sql traceIdentitySql(const SpanRows& rows, const SpanViewOptions& view_options) {
  Sql sql("(SELECT c.trace_id AS lender_trace, ");
  sql.add(rows.dialect().identityOfTrace()).add(" FROM ").add(rows.from());
  sql.add(" AS c WHERE (c.agent_name <> '' OR c.conversation_id <> '')");
  sql.add(identityWindow(view_options.after, view_options.before));
  return sql.add(" GROUP BY c.trace_id)");
}

Sql withIdentity(const Sql& from, const SpanRows& rows, const SpanViewOptions& view_options) {
  const SpanDialect& dialect = rows.dialect();
  Sql sql("(SELECT c.* REPLACE (CASE WHEN c.agent_name <> '' THEN c.agent_name ELSE COALESCE(");
  sql.add(dialect.agentName()).add(", '') END AS agent_name, ");
  sql.add("CASE WHEN c.agent_name <> '' THEN c.agent_version ELSE COALESCE(");
  sql.add(dialect.agentVersion()).add(", c.agent_version) END AS agent_version, ");
  sql.add("CASE WHEN c.agent_name <> '' THEN c.agent_id ELSE COALESCE(");
  sql.add(dialect.agentId()).add(", c.agent_id) END AS agent_id, ");
  sql.add("CASE WHEN c.conversation_id <> '' THEN c.conversation_id ");
  sql.add("ELSE COALESCE(d.conversation, '') END AS conversation_id) FROM ");
  sql.add(from).add(" AS c LEFT JOIN ").add(traceIdentitySql(rows, view_options));
  return sql.add(" AS d ON d.lender_trace = c.trace_id)");
}

Result<std::vector<std::string>> modelsIn(SpanRows& rows, const SpanViewOptions& view_options) {
  Sql sql("SELECT DISTINCT ");
  sql.add(kModel).add(" FROM ").add(rows.from()).add(" AS c WHERE TRUE");
  sql.add(windowCondition(view_options.after, view_options.before));
  return collectRows(rows, sql, [](const ResultRow& row) { return std::string(row.text(0)); });
}

Sql withCosts(const Sql& from,
              const std::vector<std::string>& models,
              const SpanDialect& dialect,
              const SpanViewOptions& view_options) {
  Sql sql(
      "(SELECT c.*, "
      "(c.input_tokens - c.cache_read_input_tokens - c.cache_creation_input_tokens) * p.prompt "
      "AS input_cost_usd, c.output_tokens * p.completion AS output_cost_usd, "
      "c.cache_read_input_tokens * p.cache_read AS cache_read_cost_usd, "
      "c.cache_creation_input_tokens * p.cache_creation AS cache_creation_cost_usd, "
      "input_cost_usd + output_cost_usd + cache_read_cost_usd + cache_creation_cost_usd "
      "AS total_cost_usd FROM ");
  sql.add(from)
      .add(" AS c LEFT JOIN ")
      .add(pricing::priceTableSql(models, *view_options.prices, dialect.values()));
  return sql.add(" AS p ON p.model = ").add(kModel).add(")");
}

SqlView signOf(std::string_view op) {
  if (op == "gt") return " > ";
  if (op == "lte") return " <= ";
  if (op == "lt") return " < ";
  if (op == "eq") return " = ";
  return " >= ";
}

}  // namespace

Result<Sql> spanView(SpanRows& rows, const SpanViewOptions& view_options) {
  Sql from = rows.from();
  if (view_options.identity) from = withIdentity(from, rows, view_options);
  if (!view_options.costs || view_options.prices == nullptr) return from;
  const std::vector<std::string> models = TRY(modelsIn(rows, view_options));
  return withCosts(from, models, rows.dialect(), view_options);
}

Sql identityWindow(std::optional<Timestamp> after, std::optional<Timestamp> before) {
  const auto widened = [](std::optional<Timestamp> time, std::chrono::hours by) {
    return time ? std::optional(*time + by) : std::nullopt;
  };
  return windowCondition(widened(after, -kIdentityMargin), widened(before, kIdentityMargin));
}

bool isIdentity(std::string_view column) {
  return std::find(kIdentity.begin(), kIdentity.end(), column) != kIdentity.end();
}

bool usesIdentity(const query::Query& query) {
  bool uses = false;
  query::visit(query.expression, [&uses](const query::Expression& node) {
    if (node.op != query::Operator::kField) return;
    const SpanColumn* column = findQueryColumn(node.field);
    uses = uses || (column != nullptr && isIdentity(column->name));
  });
  return uses;
}

SpanViewOptions viewOptionsFor(const SpanFilter& filter) {
  SpanViewOptions view_options;
  view_options.identity = filter.query && usesIdentity(*filter.query);
  view_options.after = filter.started_after;
  view_options.before = filter.started_before;
  return view_options;
}

Result<Sql> conditionOf(const SpanFilter& filter, const SpanDialect& dialect) {
  Sql sql("TRUE");
  sql.add(windowCondition(filter.started_after, filter.started_before));
  if (!filter.query) return sql;
  query::Query typed = *filter.query;
  TRY(addCustomTypes(typed));
  const SpanFields fields(dialect);
  Sql asked = TRY(query::compileCondition(typed, fields));
  return sql.add(" AND (").add(asked).add(")");
}

Sql signalCondition(const SignalFilters& signals, const SpanRows& rows) {
  Sql sql;
  if (signals.empty()) return sql;
  // Feedback on a turn counts for the conversation of the turn.
  Sql said(
      "(SELECT f.scorer_tags AS scorer_tags, f.scorer_ratings AS scorer_ratings, "
      "CASE WHEN f.target_kind = 'agent_conversation' "
      "THEN f.target_id WHEN f.span_conversation_id <> '' THEN f.span_conversation_id "
      "ELSE t.conversation_id END AS conversation FROM ");
  said.add(rows.feedback());
  said.add(
      " AS f LEFT JOIN (SELECT DISTINCT c.trace_id AS trace_id, "
      "c.conversation_id AS conversation_id FROM ");
  said.add(rows.from());
  said.add(
      " AS c WHERE c.conversation_id <> '') AS t ON f.target_kind = 'agent_turn' "
      "AND f.span_conversation_id = '' AND t.trace_id = f.target_id "
      "WHERE f.feedback_type IN ('svc.agent_user_feedback', 'svc.agent_monitor')) AS f");
  const auto in = [&](const Sql& test) {
    sql.add(" AND c.conversation_id IN (SELECT f.conversation FROM ").add(said);
    sql.add(" WHERE f.conversation <> '' AND ").add(test).add(")");
  };
  const SpanDialect& dialect = rows.dialect();
  if (!signals.tags.empty())
    in(dialect.values().listContainsAny(Sql("f.scorer_tags"), signals.tags));
  for (const RatingFilter& rating : signals.ratings) {
    Sql test = dialect.rating("f.scorer_ratings", rating.scorer_key);
    in(test.add(signOf(rating.op)).param(rating.value));
  }
  return sql;
}

Result<SpanValue> valueOf(const ValueRef& ref, const SpanDialect& dialect) {
  if (const std::optional<CustomType> type = customTypeOf(ref.source))
    return valueOf(fieldOf(*type, ref.key, dialect));
  if (ref.source == "derived") {
    if (std::optional<Field> derived = derivedField(ref.key, dialect))
      return valueOf(*std::move(derived));
    for (const DerivedValue& value : kDerived) {
      if (value.key == ref.key) return SpanValue{Sql(value.sql), value.type, value.whole};
    }
    return Error::invalidArgument("Unknown derived value: " + ref.key);
  }
  const SpanColumn* column = findQueryColumn(ref.key);
  if (column == nullptr) column = findSpanColumn(ref.key);
  if (column != nullptr && column->is(kMeasured)) return valueOf(fieldOf(*column));
  if (std::optional<Field> derived = derivedField(ref.key, dialect))
    return valueOf(*std::move(derived));
  return Error::invalidArgument("Unknown value: " + ref.key);
}

bool needsCosts(const ValueRef& ref) {
  return ref.source == "derived" && ref.key.ends_with("_cost_usd");
}

bool needsCosts(const Measure& measure) { return measure.value && needsCosts(*measure.value); }

Result<Field> groupField(const GroupBy& group, const SpanDialect& dialect) {
  if (const std::optional<CustomType> type = customTypeOf(group.source))
    return fieldOf(*type, group.key, dialect);
  const SpanColumn* column =
      group.source == "column" ? findSpanColumn(group.key) : findGroupColumn(group.key);
  if (column != nullptr && column->is(kGrouped)) return fieldOf(*column);
  return Error::invalidArgument("Spans cannot be grouped by " + group.key);
}

Result<Aggregate> aggregateOf(SpanAggregation aggregation,
                              const SpanValue* value,
                              const Sql& condition,
                              const SpanDialect& dialect) {
  Aggregate result;
  const auto filtered = [](const Sql& test) {
    return test.text.empty() ? Sql() : Sql(" FILTER (WHERE ").add(test).add(")");
  };
  const Sql filter = filtered(condition);
  const auto over = [&](SqlView function, SqlView argument_prefix = {}) {
    Sql sql(function);
    sql.add("(").add(argument_prefix).add(value->sql).add(")").add(filter);
    return sql;
  };
  if (value == nullptr) {
    if (aggregation != SpanAggregation::kCount)
      return Error::invalidArgument("Only count needs no value");
    result.sql = Sql("count(*)").add(filter);
    return result;
  }
  if (!fits(aggregation, value->type)) {
    return Error::invalidArgument("Values of type " + std::string(nameOf(value->type)) +
                                  " have no " + std::string(nameOf(aggregation)));
  }
  const auto countIf = [&](SqlView negation) {
    Sql test("(");
    test.add(negation).add(value->sql).add(")");
    if (!condition.text.empty()) test.add(" AND (").add(condition).add(")");
    return Sql("count(*)").add(filtered(test));
  };
  switch (aggregation) {
    case SpanAggregation::kSum:
      result.whole = value->whole;
      result.sql = value->whole ? dialect.wholeSum(value->sql, filter)
                                : query::castSql(over("sum"), "DOUBLE");
      return result;
    case SpanAggregation::kAvg:
      result.whole = false;
      result.sql = over("avg");
      return result;
    case SpanAggregation::kMin:
    case SpanAggregation::kMax:
      result.whole = value->whole;
      result.type = value->type;
      result.sql = aggregation == SpanAggregation::kMin ? over("min") : over("max");
      return result;
    case SpanAggregation::kCount:
      result.sql = over("count");
      return result;
    case SpanAggregation::kCountDistinct:
      result.sql = over("count", "DISTINCT ");
      return result;
    case SpanAggregation::kCountTrue:
      result.sql = countIf({});
      return result;
    case SpanAggregation::kCountFalse:
      result.sql = countIf("NOT ");
      return result;
  }
  return result;
}

Result<Aggregate> aggregateOf(const Measure& measure, const SpanDialect& dialect) {
  Sql condition;
  if (measure.filter) {
    Sql filter = TRY(conditionOf({measure.filter}, dialect));
    condition = std::move(filter);
  }
  if (!measure.value) return aggregateOf(measure.aggregation, nullptr, condition, dialect);
  const SpanValue value = TRY(valueOf(*measure.value, dialect));
  if (measure.value_type && *measure.value_type != value.type) {
    return Error::invalidArgument(measure.value->key + " is of type " +
                                  std::string(nameOf(value.type)));
  }
  return aggregateOf(measure.aggregation, &value, condition, dialect);
}

Result<Sql> boundsOf(const GroupFilter& filter, const SpanDialect& dialect) {
  const Aggregate aggregate = TRY(aggregateOf(filter.measure, dialect));
  Sql sql;
  const auto add = [&](const std::optional<Bound>& bound, SqlView sign) -> bool {
    if (!bound) return true;
    const bool is_time = std::holds_alternative<Timestamp>(*bound);
    if (is_time != (aggregate.type == ValueType::kDateTime)) return false;
    sql.add(" AND ").add(aggregate.sql).add(sign);
    if (is_time) {
      sql.param(std::get<Timestamp>(*bound));
    } else {
      sql.param(std::get<double>(*bound));
    }
    return true;
  };
  if (!add(filter.min, " >= ") || !add(filter.max, " <= "))
    return Error::invalidArgument("The bounds of " + filter.measure.alias + " are of another type");
  return sql;
}

Result<Sql> groupFilterCondition(const std::vector<GroupFilter>& filters,
                                 const Sql& view,
                                 const Sql& condition,
                                 const SpanDialect& dialect) {
  Sql sql;
  for (const GroupFilter& filter : filters) {
    std::vector<GroupBy> groups = filter.group_by;
    if (groups.empty()) groups.push_back({"column", "conversation_id"});
    std::vector<Sql> keys;
    Sql grouping;
    for (const GroupBy& group : groups) {
      Field field = TRY(groupField(group, dialect));
      grouping.add(keys.empty() ? SqlView("") : SqlView(", ")).add(field.sql);
      keys.push_back(std::move(field.sql));
    }
    const Sql packed = dialect.packed(keys);
    const Sql bounds = TRY(boundsOf(filter, dialect));
    sql.add(" AND ").add(packed).add(" IN (SELECT ").add(packed).add(" FROM ");
    sql.add(view).add(" AS c WHERE ").add(condition).add(" GROUP BY ").add(grouping);
    sql.add(" HAVING TRUE").add(bounds).add(")");
  }
  return sql;
}

Cell cellAt(const ResultRow& row, std::size_t column, FieldKind kind) {
  if (row.isNull(column)) return {};
  switch (kind) {
    case FieldKind::kInteger:
      return row.integer(column);
    case FieldKind::kReal:
      return row.real(column);
    case FieldKind::kBoolean:
      return row.boolean(column);
    case FieldKind::kTime:
      return row.time(column);
    case FieldKind::kText:
    case FieldKind::kTexts:
    case FieldKind::kJson:
      return std::string(row.text(column));
  }
  return {};
}

Cell cellAt(const ResultRow& row, std::size_t column, const Aggregate& aggregate) {
  if (aggregate.type == ValueType::kDateTime) return cellAt(row, column, FieldKind::kTime);
  return cellAt(row, column, aggregate.whole ? FieldKind::kInteger : FieldKind::kReal);
}

}  // namespace spindle::agents
