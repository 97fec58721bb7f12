#include "inference/usage/usage_statements.h"

#include "pricing/cost_arithmetic.h"

namespace spindle::inference {
namespace {

using query::Dialect, query::Sql;

Sql keySql(UsageKey key, const Dialect& dialect) {
  switch (key) {
    case UsageKey::kDay:
      return dialect.dateOf(Sql("c.started_at"));
    case UsageKey::kModel:
      return Sql("c.model");
    case UsageKey::kProject:
      return Sql("c.project_id");
    case UsageKey::kUser:
      return Sql("c.user_id");
    case UsageKey::kApiKey:
      break;
  }
  return Sql("c.key_id");
}

Sql conditionOf(const UsageReportQuery& report_query, const Dialect& dialect) {
  Sql sql("c.started_at >= ");
  sql.param(report_query.from).add(" AND c.started_at < ").param(report_query.to);
  const auto equal = [&sql](SqlView column, const std::optional<std::string>& value) {
    if (value) sql.add(" AND ").add(column).add(" = ").param(*value);
  };
  equal("c.model", report_query.model);
  equal("c.project_id", report_query.project_id);
  equal("c.user_id", report_query.user_id);
  equal("c.key_id", report_query.key_id);
  if (report_query.scope.everything) return sql;
  sql.add(" AND (c.user_id = ").param(report_query.scope.user_id);
  const auto among = [&](SqlView column, const std::vector<std::string>& ids) {
    if (ids.empty()) return;
    sql.add(" OR ").add(dialect.listContains(Sql().param(ids), Sql(column), false));
  };
  among("c.team_id", report_query.scope.team_ids);
  among("c.project_id", report_query.scope.project_ids);
  return sql.add(")");
}

/// Returns `<key> AS k0, <key> AS k1, ` for the keys of the query.
Sql keyList(const UsageReportQuery& report_query, const Dialect& dialect) {
  Sql list;
  for (std::size_t i = 0; i < report_query.group_by.size(); ++i)
    list.add(keySql(report_query.group_by[i], dialect)).add(" AS k" + SqlText::number(i) + ", ");
  return list;
}

/// Returns ` GROUP BY k0, k1, <more> ORDER BY k0, k1`.
SqlText grouping(const UsageReportQuery& report_query, SqlView more) {
  SqlText keys;
  for (std::size_t i = 0; i < report_query.group_by.size(); ++i) {
    keys.add(keys.empty() ? SqlView() : SqlView(", ")).add("k" + SqlText::number(i));
  }
  SqlText sql;
  if (!keys.empty() || !more.empty()) {
    sql.add(" GROUP BY ").add(keys).add(keys.empty() || more.empty() ? SqlView() : SqlView(", "));
    sql.add(more);
  }
  if (!keys.empty()) sql.add(" ORDER BY ").add(keys);
  return sql;
}

/// Upstreams may report any number of tokens: sums are limited.
Sql sumsOf(std::initializer_list<SqlView> columns, const Dialect& dialect) {
  Sql sql;
  for (const SqlView column : columns) sql.add(", ").add(dialect.limitedSum(Sql(column)));
  return sql;
}

/// Returns `, <percentile in milliseconds>` for each fraction.
Sql percentiles(SqlView value, const std::vector<double>& fractions, const Dialect& dialect) {
  Sql sql;
  for (std::size_t i = 0; i < fractions.size(); ++i)
    sql.add(", ").add(dialect.oneOfQuantiles(Sql(value), fractions, i)).add(" / 1000");
  return sql;
}

constexpr SqlView kLatency = "CASE WHEN c.status < 400 THEN c.latency_us END";
constexpr SqlView kFirstToken = "CASE WHEN c.status < 400 THEN c.first_token_us END";

}  // namespace

Sql groupsStatement(const UsageRows& rows, const UsageReportQuery& report_query) {
  const Dialect& dialect = rows.dialect;
  Sql sql("SELECT ");
  sql.add(keyList(report_query, dialect))
      .add(
          "count(*), count(*) FILTER (WHERE c.status >= 400 AND c.status <> 499), "
          "count(*) FILTER (WHERE c.status = 499)")
      .add(sumsOf({"c.prompt", "c.completion", "c.cached", "c.reasoning"}, dialect))
      .add(", avg(")
      .add(kLatency)
      .add(") / 1000")
      .add(percentiles(kLatency, {0.5, 0.95, 0.99}, dialect))
      .add(percentiles(kFirstToken, {0.5, 0.95}, dialect))
      .add(" FROM ")
      .add(rows.source)
      .add(" WHERE ")
      .add(conditionOf(report_query, dialect))
      .add(grouping(report_query, ""));
  return sql.add(" LIMIT " + SqlText::number(report_query.limit + 1));
}

Sql costsStatement(const UsageRows& rows, const UsageReportQuery& report_query) {
  Sql sql("SELECT ");
  sql.add(keyList(report_query, rows.dialect))
      .add("c.project_id, c.model, count(*)")
      .add(sumsOf({"c.prompt", "c.completion", "c.cached"}, rows.dialect))
      .add(" FROM ")
      .add(rows.source)
      .add(" WHERE ")
      .add(conditionOf(report_query, rows.dialect));
  return sql.add(grouping(report_query, "c.project_id, c.model"));
}

UsageRow* UsageReportReader::groupOf(const std::vector<std::string>& keys) {
  // Groups may have appeared between both statements.
  while (next_ < report_.rows.size() && report_.rows[next_].keys < keys) ++next_;
  const bool known = next_ < report_.rows.size() && report_.rows[next_].keys == keys;
  return known ? &report_.rows[next_] : nullptr;
}

// Cost is linear in tokens: sums per model and project suffice, and the calculation is the same as
// everywhere else.
Result<void> UsageReportReader::addCost(UsageRow& group,
                                        const std::string& project_id,
                                        std::string_view model,
                                        const pricing::Usage& usage) {
  auto known = known_prices_.find(project_id);
  if (known == known_prices_.end()) {
    std::shared_ptr<const pricing::ProjectPrices> prices = TRY(prices_(project_id));
    known = known_prices_.emplace(project_id, std::move(prices)).first;
  }
  const pricing::Price* const price = known->second->current(model);
  if (price == nullptr) {
    group.unpriced += usage.requests;
  } else {
    group.cost += pricing::costOf(usage, price->tokens).total();
  }
  return {};
}

}  // namespace spindle::inference
