#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "agents/sql/span_fields.h"
#include "agents/sql/span_view.h"
#include "agents/sql/sql_span_store.h"
#include "agents/store/agent_rollup.h"
#include "agents/store/span_column.h"

namespace spindle::agents {
namespace {

using query::Sql;

struct SortField {
  std::string_view name;
  SqlName column;
};
constexpr auto kSortFields = std::to_array<SortField>({{"last_seen", "last_seen"},
                                                       {"first_seen", "first_seen"},
                                                       {"invocation_count", "invocations"},
                                                       {"span_count", "spans"},
                                                       {"total_input_tokens", "input_total"},
                                                       {"error_count", "errors"}});

Result<SqlText> orderOf(const AgentQuery& agent_query) {
  if (agent_query.versions) return SqlText("last_seen DESC, version");
  std::vector<query::SortKey> keys = agent_query.page.sort_by;
  if (keys.empty()) keys.push_back({"last_seen", true});
  SqlText order;
  for (const query::SortKey& key : keys) {
    const auto* const field = std::ranges::find(kSortFields, key.field, &SortField::name);
    if (field == kSortFields.end())
      return Error::invalidArgument("Agents cannot be sorted by " + key.field);
    order.add(field->column).add(key.descending ? SqlView(" DESC, ") : SqlView(" ASC, "));
  }
  return order + "name";
}

/// Returns the map key of a row.
std::string keyOf(std::string_view name, std::string_view version) {
  return std::string(name) + '\0' + std::string(version);
}

Sql rollupOf(const SpanRows& rows, const AgentQuery& agent_query) {
  Sql sql("SELECT c.agent_name AS name, ");
  sql.add(agent_query.versions ? SqlView("c.agent_version") : SqlView("''")).add(" AS version, ");
  sql.add(
      "count(*) FILTER (WHERE c.operation_name = 'invoke_agent') AS invocations, "
      "count(*) AS spans, ");
  const SpanDialect& dialect = rows.dialect();
  sql.add(dialect.wholeSum(Sql("c.input_tokens"), {})).add(" AS input_total, ");
  sql.add(dialect.wholeSum(Sql("c.output_tokens"), {})).add(" AS output_total, CAST(sum(");
  sql.add(durationSql(dialect));
  sql.add(
      ") AS BIGINT) AS took, count(*) FILTER (WHERE c.status_code = 'ERROR') AS errors, "
      "min(c.started_at) AS first_seen, max(c.started_at) AS last_seen FROM ");
  sql.add(rows.from()).add(" AS c WHERE c.agent_name <> ''");
  if (agent_query.agent_name) sql.add(" AND c.agent_name = ").param(*agent_query.agent_name);
  return sql.add(" GROUP BY name, version");
}

Result<void> addCosts(SpanRows& rows,
                      const pricing::ProjectPrices& prices,
                      const AgentQuery& agent_query,
                      std::vector<AgentRollup>& agents) {
  SpanViewOptions view_options;
  view_options.identity = true;
  view_options.costs = true;
  view_options.prices = &prices;
  const Sql view = TRY(spanView(rows, view_options));
  Sql sql("SELECT c.agent_name AS name, ");
  sql.add(agent_query.versions ? SqlView("c.agent_version") : SqlView("''"));
  sql.add(" AS version, sum(c.total_cost_usd) FROM ").add(view).add(" AS c");
  sql.add(" WHERE c.agent_name <> ''");
  if (agent_query.agent_name) sql.add(" AND c.agent_name = ").param(*agent_query.agent_name);
  sql.add(" GROUP BY name, version");
  std::map<std::string, double> costs;
  TRY(forEachRow(rows, sql, [&costs](const ResultRow& row) {
    if (!row.isNull(2)) costs[keyOf(row.text(0), row.text(1))] = row.real(2);
  }));
  for (AgentRollup& agent : agents) {
    const auto found = costs.find(keyOf(agent.agent_name, agent.agent_version));
    if (found != costs.end()) agent.total_cost_usd = found->second;
  }
  return {};
}

}  // namespace

Result<AgentRollups> SqlSpanStore::readAgents(std::string_view project_id,
                                              const AgentQuery& agent_query,
                                              const pricing::ProjectPrices& prices) const {
  const SqlText order = TRY(orderOf(agent_query));
  const std::unique_ptr<SpanRows> source = TRY(this->rows(project_id));
  SpanRows& rows = *source;
  const Sql rollup = rollupOf(rows, agent_query);
  const std::int64_t total = TRY(countRows(rows, rollup));
  AgentRollups found{{}, total};
  Sql page = rollup;
  page.add(" ORDER BY " + order + " LIMIT ").param(agent_query.page.limit);
  page.add(" OFFSET ").param(agent_query.page.offset);
  TRY(forEachRow(rows, page, [&found](const ResultRow& row) {
    AgentRollup& agent = found.agents.emplace_back();
    readColumns(row, agent.agent_name, agent.agent_version, agent.invocation_count,
                agent.span_count, agent.total_input_tokens, agent.total_output_tokens,
                agent.total_duration_ms, agent.error_count, agent.first_seen, agent.last_seen);
  }));
  if (!agent_query.costs || found.agents.empty()) return found;
  TRY(addCosts(rows, prices, agent_query, found.agents));
  return found;
}

Result<std::vector<CustomAttribute>> SqlSpanStore::readCustomAttributes(std::string_view project_id,
                                                                        const SpanFilter& filter,
                                                                        std::int64_t limit,
                                                                        std::int64_t offset) const {
  const std::unique_ptr<SpanRows> source = TRY(this->rows(project_id));
  SpanRows& rows = *source;
  const Sql condition = TRY(conditionOf(filter, rows.dialect()));
  const Sql view = TRY(spanView(rows, viewOptionsFor(filter)));
  Sql sql("SELECT source, key, count(*) AS n FROM (");
  for (std::size_t i = 0; i < kCustomTypes.size(); ++i) {
    const SqlText column(columnOf(kCustomTypes[i]));
    sql.add(i > 0 ? SqlView(" UNION ALL ") : SqlView(""))
        .add("SELECT " + SqlText::number(i) + " AS source, ");
    sql.add(rows.dialect().customKeys(kCustomTypes[i])).add(" AS key FROM ").add(view);
    sql.add(" AS c WHERE ").add(condition).add(" AND c." + column + " <> ''");
  }
  sql.add(") GROUP BY source, key ORDER BY n DESC, key, CASE source");
  for (std::size_t i = 0; i < kCustomTypes.size(); ++i) {
    sql.add(" WHEN " + SqlText::number(i) + " THEN '" + columnOf(kCustomTypes[i]) + "'");
  }
  sql.add(" END LIMIT ").param(limit + 1).add(" OFFSET ").param(offset);
  return collectRows(rows, sql, [](const ResultRow& row) {
    return CustomAttribute{kCustomTypes[static_cast<std::size_t>(row.integer(0))],
                           std::string(row.text(1)), row.integer(2)};
  });
}

}  // namespace spindle::agents
