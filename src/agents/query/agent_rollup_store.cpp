#include "agents/query/agent_rollup_store.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "agents/query/span_fields.h"
#include "agents/query/span_view.h"

namespace spindle::agents {
namespace {

using columnar::Cursor;
using query::Sql;

struct SortField {
  std::string_view name;
  SqlName column;
};
constexpr auto kSortFields = std::to_array<SortField>({{"last_seen", "last_seen"},
                                                       {"first_seen", "first_seen"},
                                                       {"invocation_count", "invocations"},
                                                       {"span_count", "spans"},
                                                       {"total_input_tokens", "input_tokens"},
                                                       {"error_count", "errors"}});

Result<SqlText> orderOf(const AgentQuery& agent_query) {
  if (agent_query.versions) return SqlText("last_seen DESC, version");
  std::vector<query::SortKey> keys = agent_query.page.sort_by;
  if (keys.empty()) keys.push_back({"last_seen", true});
  SqlText order;
  for (const query::SortKey& key : keys) {
    const auto* const field =
        std::find_if(kSortFields.begin(), kSortFields.end(),
                     [&key](const SortField& one) { return one.name == key.field; });
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
      "CAST(count_if(c.operation_name = 'invoke_agent') AS BIGINT) AS invocations, "
      "count(*) AS spans, TRY_CAST(sum(c.input_tokens) AS BIGINT) AS input_tokens, "
      "TRY_CAST(sum(c.output_tokens) AS BIGINT) AS output_tokens, CAST(sum(");
  sql.add(durationSql());
  sql.add(
      ") AS BIGINT) AS took, CAST(count_if(c.status_code = 'ERROR') AS BIGINT) AS errors, "
      "min(c.started_at) AS first_seen, max(c.started_at) AS last_seen FROM ");
  sql.add(rows.from).add(" AS c WHERE c.agent_name <> ''");
  if (agent_query.agent_name) sql.add(" AND c.agent_name = ").param(*agent_query.agent_name);
  return sql.add(" GROUP BY name, version");
}

Result<void> addCosts(SpanRows& rows,
                      const SpanQueryPorts& ports,
                      const AgentQuery& agent_query,
                      std::vector<AgentRollup>& agents) {
  SpanViewOptions view_options;
  view_options.identity = true;
  view_options.costs = true;
  view_options.prices = &ports.prices;
  const Sql view = TRY(spanView(rows, view_options));
  Sql sql("SELECT c.agent_name AS name, ");
  sql.add(agent_query.versions ? SqlView("c.agent_version") : SqlView("''"));
  sql.add(" AS version, sum(c.total_cost_usd) FROM ").add(view).add(" AS c");
  sql.add(" WHERE c.agent_name <> ''");
  if (agent_query.agent_name) sql.add(" AND c.agent_name = ").param(*agent_query.agent_name);
  sql.add(" GROUP BY name, version");
  Cursor cursor = TRY(rows.snapshot.query(sql.text, sql.params));
  std::map<std::string, double> costs;
  while (TRY(cursor.next())) {
    if (!cursor.isNull(2)) costs[keyOf(cursor.text(0), cursor.text(1))] = cursor.real(2);
  }
  for (AgentRollup& agent : agents) {
    const auto found = costs.find(keyOf(agent.agent_name, agent.agent_version));
    if (found != costs.end()) agent.total_cost_usd = found->second;
  }
  return {};
}

}  // namespace

Result<AgentRollups> readAgents(const SpanQueryPorts& ports,
                                std::string_view project_id,
                                const AgentQuery& agent_query) {
  const SqlText order = TRY(orderOf(agent_query));
  SpanRows rows = TRY(ports.spans.rows(project_id));
  const Sql rollup = rollupOf(rows, agent_query);
  AgentRollups found;
  {
    const Sql counting = Sql("SELECT count(*) FROM (").add(rollup).add(")");
    Cursor count = TRY(rows.snapshot.query(counting.text, counting.params));
    TRY(count.next());
    found.total = count.integer(0);
  }
  Sql page = rollup;
  page.add(" ORDER BY " + order + " LIMIT ").param(agent_query.page.limit);
  page.add(" OFFSET ").param(agent_query.page.offset);
  {
    Cursor cursor = TRY(rows.snapshot.query(page.text, page.params));
    while (TRY(cursor.next())) {
      AgentRollup& agent = found.agents.emplace_back();
      agent.agent_name = cursor.text(0);
      agent.agent_version = cursor.text(1);
      agent.invocation_count = cursor.integer(2);
      agent.span_count = cursor.integer(3);
      agent.total_input_tokens = cursor.isNull(4) ? 0 : cursor.integer(4);
      agent.total_output_tokens = cursor.isNull(5) ? 0 : cursor.integer(5);
      agent.total_duration_ms = cursor.integer(6);
      agent.error_count = cursor.integer(7);
      agent.first_seen = cursor.time(8);
      agent.last_seen = cursor.time(9);
    }
  }
  if (!agent_query.costs || found.agents.empty()) return found;
  TRY(addCosts(rows, ports, agent_query, found.agents));
  return found;
}

Result<std::vector<CustomAttribute>> readCustomAttributes(const ColumnarSpanStore& spans,
                                                          std::string_view project_id,
                                                          const SpanFilter& filter,
                                                          std::int64_t limit,
                                                          std::int64_t offset) {
  const Sql condition = TRY(conditionOf(filter));
  SpanRows rows = TRY(spans.rows(project_id));
  const Sql view = TRY(spanView(rows, viewOptionsFor(filter)));
  Sql sql("SELECT source, key, count(*) AS n FROM (");
  for (std::size_t i = 0; i < kCustomTypes.size(); ++i) {
    const SqlText column(columnOf(kCustomTypes[i]));
    sql.add(i > 0 ? SqlView(" UNION ALL ") : SqlView(""))
        .add("SELECT " + SqlText::number(i) + " AS source, ");
    sql.add("unnest(json_keys(c." + column + ")) AS key FROM ").add(view).add(" AS c WHERE ");
    sql.add(condition).add(" AND c." + column + " IS NOT NULL");
  }
  sql.add(") GROUP BY source, key ORDER BY n DESC, key, CASE source");
  for (std::size_t i = 0; i < kCustomTypes.size(); ++i) {
    sql.add(" WHEN " + SqlText::number(i) + " THEN '" + columnOf(kCustomTypes[i]) + "'");
  }
  sql.add(" END LIMIT ").param(limit + 1).add(" OFFSET ").param(offset);
  Cursor cursor = TRY(rows.snapshot.query(sql.text, sql.params));
  std::vector<CustomAttribute> found;
  while (TRY(cursor.next())) {
    found.push_back({kCustomTypes[static_cast<std::size_t>(cursor.integer(0))],
                     std::string(cursor.text(1)), cursor.integer(2)});
  }
  return found;
}

}  // namespace spindle::agents
