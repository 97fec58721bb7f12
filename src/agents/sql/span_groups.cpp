#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "agents/sql/span_view.h"
#include "agents/sql/sql_span_store.h"
#include "agents/store/message_content.h"
#include "agents/store/span_column.h"
#include "agents/store/span_json.h"
#include "agents/store/text_characters.h"
#include "json/document.h"
#include "json/stored.h"
#include "json/writer.h"

namespace spindle::agents {
namespace {

using query::Field, query::Sql;

constexpr std::size_t kGroupPreviewCharacters = 280;
constexpr std::int64_t kValueCharacters = 256;

/// Returns the counts of a group in the order of kGroupCounts. A sum that does not fit into 64 bits
/// is NULL.
Sql countsOf(const SpanDialect& dialect) {
  const auto sum = [&dialect](SqlView column) { return dialect.wholeSum(Sql(column), {}); };
  const query::Dialect& values = dialect.values();
  Sql micros("COALESCE(sum(");
  micros.add(values.microsecondsOf(Sql("c.ended_at"))).add(" - ");
  micros.add(values.microsecondsOf(Sql("c.started_at"))).add("), 0)");
  return Sql("count(*), count(*) FILTER (WHERE c.operation_name = 'invoke_agent'), "
             "count(DISTINCT NULLIF(c.conversation_id, '')), ")
      .add(sum("c.input_tokens"))
      .add(", ")
      .add(sum("c.cache_creation_input_tokens"))
      .add(", ")
      .add(sum("c.cache_read_input_tokens"))
      .add(", ")
      .add(sum("c.output_tokens"))
      .add(", ")
      .add(sum("c.reasoning_tokens"))
      .add(", ")
      .add(query::castSql(values.quotient(micros, Sql("1000")), "BIGINT"))
      .add(", count(*) FILTER (WHERE c.status_code = 'ERROR')");
}

constexpr SqlView kCostSums =
    "sum(c.total_cost_usd), sum(c.input_cost_usd), sum(c.output_cost_usd)";
constexpr SqlView kNoCosts = "CAST(NULL AS DOUBLE), CAST(NULL AS DOUBLE), CAST(NULL AS DOUBLE)";
/// Returns the names in a group in the order of kGroupNames.
Sql namesOf(const SpanDialect& dialect) {
  constexpr auto kColumns = std::to_array<SqlName>(
      {"agent_name", "agent_version", "provider_name", "request_model", "conversation_name"});
  Sql sql;
  for (const SqlName column : kColumns)
    sql.add(sql.text.empty() ? SqlView("") : SqlView(", ")).add(dialect.distinctTexts(column));
  return sql;
}

bool isFixed(std::string_view name) {
  const auto among = [name](const auto& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return among(kGroupCounts) || among(kGroupCosts) || among(kGroupNames) || name == "first_seen" ||
         name == "last_seen" || name == "first_message" || name == "last_message" ||
         name == "metrics" || name == "distributions" || name == "group_keys";
}

/// The SQL fragments of a group query.
struct Plan {
  std::vector<Field> keys;
  std::vector<Aggregate> measures;
  Sql grouping;  ///< expressions of GROUP BY
  Sql having;    ///< condition of HAVING
  Sql order;     ///< expressions of ORDER BY
};

SqlText columnNumber(std::size_t place) { return SqlText::number(place + 1); }

/// The column offsets of a group's members in the result of the statement.
struct ColumnOffsets {
  explicit ColumnOffsets(std::size_t keys) : counts(keys) {}

  std::size_t counts;
  std::size_t costs = counts + kGroupCounts.size();
  std::size_t names = costs + kGroupCosts.size();
  std::size_t first_seen = names + kGroupNames.size();
  std::size_t last_seen = first_seen + 1;
  std::size_t metrics = last_seen + 1;
};

Result<std::size_t> sortColumnOf(const std::string& name, const SpanQuery& span_query) {
  const ColumnOffsets offsets(span_query.group_by.size());
  for (std::size_t i = 0; i < span_query.group_by.size(); ++i) {
    if (aliasOf(span_query.group_by[i]) == name) return i;
  }
  for (std::size_t i = 0; i < span_query.measures.size(); ++i) {
    if (span_query.measures[i].alias == name) return offsets.metrics + i;
  }
  for (std::size_t i = 0; i < kGroupCounts.size(); ++i) {
    if (kGroupCounts[i] == name) return offsets.counts + i;
  }
  for (std::size_t i = 0; i < kGroupCosts.size(); ++i) {
    if (kGroupCosts[i] == name) return offsets.costs + i;
  }
  if (name == "first_seen") return offsets.first_seen;
  if (name == "last_seen") return offsets.last_seen;
  return Error::invalidArgument("Groups cannot be sorted by " + name);
}

Result<void> checkNames(const SpanQuery& span_query) {
  std::set<std::string> names;
  for (const GroupBy& group : span_query.group_by) {
    if (group.alias && !isIdentifier(*group.alias))
      return Error::invalidArgument("Not an identifier: " + *group.alias);
    if (!names.insert(aliasOf(group)).second)
      return Error::invalidArgument("Duplicate alias: " + aliasOf(group));
  }
  std::set<std::string> measures;
  for (const Measure& measure : span_query.measures) {
    if (isFixed(measure.alias) || names.contains(measure.alias))
      return Error::invalidArgument("Alias is taken: " + measure.alias);
    if (!measures.insert(measure.alias).second)
      return Error::invalidArgument("Duplicate alias: " + measure.alias);
  }
  std::set<std::string> distributions;
  for (const Distribution& distribution : span_query.distributions) {
    if (!customTypeOf(distribution.value.source))
      return Error::invalidArgument("Only custom attributes have distributions");
    if (!distributions.insert(distribution.alias).second)
      return Error::invalidArgument("Duplicate alias: " + distribution.alias);
  }
  if (!span_query.distributions.empty() && span_query.group_by.size() != 1)
    return Error::invalidArgument("Distributions need exactly one group_by");
  return {};
}

Result<Plan> planOf(const SpanQuery& span_query, const SpanDialect& dialect) {
  TRY(checkNames(span_query));
  Plan plan;
  for (std::size_t i = 0; i < span_query.group_by.size(); ++i) {
    Field field = TRY(groupField(span_query.group_by[i], dialect));
    plan.grouping.add(i > 0 ? SqlView(", ") : SqlView("")).add(columnNumber(i));
    plan.keys.push_back(std::move(field));
  }
  for (const Measure& measure : span_query.measures) {
    Aggregate aggregate = TRY(aggregateOf(measure, dialect));
    plan.measures.push_back(std::move(aggregate));
  }
  plan.having.add("TRUE");
  for (const GroupFilter& filter : span_query.group_filters) {
    if (!filter.group_by.empty() && filter.group_by != span_query.group_by)
      return Error::invalidArgument("A group filter must have the query's group_by");
    const Sql bounds = TRY(boundsOf(filter, dialect));
    plan.having.add(bounds);
  }
  std::vector<query::SortKey> keys = span_query.page.sort_by;
  if (keys.empty())
    keys.push_back(
        {span_query.measures.empty() ? "last_seen" : span_query.measures[0].alias, true});
  for (const query::SortKey& key : keys) {
    const std::size_t place = TRY(sortColumnOf(key.field, span_query));
    plan.order.add(plan.order.text.empty() ? SqlView("") : SqlView(", ")).add(columnNumber(place));
    plan.order.add(key.descending ? SqlView(" DESC NULLS LAST") : SqlView(" ASC NULLS LAST"));
  }
  for (std::size_t i = 0; i < plan.keys.size(); ++i)
    plan.order.add(", ").add(columnNumber(i)).add(" ASC NULLS LAST");
  return plan;
}

Sql selectGroups(const Plan& plan,
                 const Sql& view,
                 const Sql& condition,
                 bool costs,
                 const SpanDialect& dialect) {
  Sql sql("SELECT ");
  for (const Field& key : plan.keys) sql.add(key.sql).add(", ");
  sql.add(countsOf(dialect)).add(", ").add(costs ? kCostSums : kNoCosts).add(", ");
  sql.add(namesOf(dialect));
  sql.add(", min(c.started_at), max(c.started_at)");
  for (const Aggregate& measure : plan.measures) sql.add(", ").add(measure.sql);
  sql.add(" FROM ").add(view).add(" AS c WHERE ").add(condition);
  return sql.add(" GROUP BY ").add(plan.grouping).add(" HAVING ").add(plan.having);
}

SpanGroup groupAt(const ResultRow& row, const Plan& plan) {
  const ColumnOffsets offsets(plan.keys.size());
  SpanGroup group;
  for (std::size_t i = 0; i < plan.keys.size(); ++i)
    group.keys.push_back(cellAt(row, i, plan.keys[i].kind));
  for (std::size_t i = 0; i < kGroupCounts.size(); ++i)
    group.counts.push_back(row.isNull(offsets.counts + i) ? 0 : row.integer(offsets.counts + i));
  for (std::size_t i = 0; i < kGroupCosts.size(); ++i) {
    group.costs.push_back(
        row.isNull(offsets.costs + i) ? std::nullopt : std::optional(row.real(offsets.costs + i)));
  }
  for (std::size_t i = 0; i < kGroupNames.size(); ++i) {
    group.names.push_back(row.isNull(offsets.names + i) ? std::vector<std::string>()
                                                        : row.texts(offsets.names + i));
  }
  if (!row.isNull(offsets.first_seen)) group.first_seen = row.time(offsets.first_seen);
  if (!row.isNull(offsets.last_seen)) group.last_seen = row.time(offsets.last_seen);
  for (std::size_t i = 0; i < plan.measures.size(); ++i)
    group.metrics.push_back(cellAt(row, offsets.metrics + i, plan.measures[i]));
  return group;
}

/// Returns a group key of any type as text.
std::optional<std::string> textOfKey(const Cell& cell) {
  struct Text {
    std::optional<std::string> operator()(std::monostate) const { return std::nullopt; }
    std::optional<std::string> operator()(std::int64_t v) const { return std::to_string(v); }
    std::optional<std::string> operator()(double v) const { return json::shortestNumber(v); }
    std::optional<std::string> operator()(bool v) const { return v ? "true" : "false"; }
    std::optional<std::string> operator()(const std::string& v) const { return v; }
    std::optional<std::string> operator()(Timestamp v) const { return formatTimestamp(v); }
  };
  return std::visit(Text{}, cell);
}

/// Finds the group of a row of the statements below.
class GroupIndex {
 public:
  GroupIndex(std::vector<SpanGroup>& groups, const Field& key) : groups_(groups), key_(key) {}

  SpanGroup* find(const ResultRow& row, std::size_t column) {
    const Cell cell = cellAt(row, column, key_.kind);
    const auto found = std::find_if(groups_.begin(), groups_.end(),
                                    [&cell](const SpanGroup& g) { return g.keys.front() == cell; });
    return found == groups_.end() ? nullptr : &*found;
  }

 private:
  std::vector<SpanGroup>& groups_;
  const Field& key_;
};

/// Returns a sub-query with the values `v` of an attribute by group `g`.
Sql valuesOf(const Field& key, const Field& value, const Sql& view, const Sql& condition) {
  return Sql("(SELECT ")
      .add(key.sql)
      .add(" AS g, ")
      .add(value.sql)
      .add(" AS v FROM ")
      .add(view)
      .add(" AS c WHERE ")
      .add(condition)
      .add(")");
}

Result<void> addBins(SpanRows& rows,
                     const Sql& values,
                     const Distribution& one,
                     std::size_t place,
                     GroupIndex& index) {
  Sql sql("SELECT x.g, x.lo, x.hi, CASE WHEN x.hi = x.lo THEN 0 ELSE least(" +
          SqlText::number(one.bins - 1) + ", CAST(floor((v.v - x.lo) / (x.hi - x.lo) * " +
          SqlText::number(one.bins) + ") AS BIGINT)) END AS bin, count(*) FROM ");
  sql.add(values).add(
      " AS v JOIN (SELECT g, CAST(min(v) AS DOUBLE) AS lo, CAST(max(v) AS DOUBLE) "
      "AS hi FROM ");
  sql.add(values).add(" WHERE v IS NOT NULL GROUP BY g) AS x ON ");
  sql.add(rows.dialect().areSame(Sql("x.g"), Sql("v.g")));
  sql.add(" WHERE v.v IS NOT NULL GROUP BY 1, 2, 3, 4 ORDER BY 4");
  return forEachRow(rows, sql, [&](const ResultRow& row) {
    SpanGroup* group = index.find(row, 0);
    if (group == nullptr) return;
    std::vector<DistributionBin>& bins = group->distributions[place].bins;
    const double low = row.real(1);
    const double high = row.real(2);
    if (bins.empty()) {
      const std::int64_t count = high == low ? 1 : one.bins;
      const double width = (high - low) / static_cast<double>(count);
      for (std::int64_t i = 0; i < count; ++i) {
        const bool last = i + 1 == count;
        bins.push_back({i, low + width * static_cast<double>(i),
                        last ? high : low + width * static_cast<double>(i + 1), 0});
      }
    }
    bins.at(static_cast<std::size_t>(row.integer(3))).count = row.integer(4);
  });
}

Result<void> addTopValues(SpanRows& rows,
                          const Sql& values,
                          query::FieldKind kind,
                          const Distribution& one,
                          std::size_t place,
                          GroupIndex& index) {
  const query::Dialect& dialect = rows.dialect().values();
  Sql sql("SELECT g, ");
  sql.add(dialect.beginning(dialect.textOf(kind, Sql("v")), kValueCharacters));
  sql.add(
      ", n FROM (SELECT g, v, count(*) AS n, row_number() OVER (PARTITION BY g "
      "ORDER BY count(*) DESC, v) AS place FROM ");
  sql.add(values).add(" WHERE v IS NOT NULL GROUP BY g, v) WHERE place <= ");
  sql.param(one.top_n).add(" ORDER BY n DESC, v");
  return forEachRow(rows, sql, [&](const ResultRow& row) {
    SpanGroup* group = index.find(row, 0);
    if (group == nullptr) return;
    DistributionItem& item = group->distributions[place];
    item.values.push_back({std::string(row.text(1)), row.integer(2)});
    item.other -= row.integer(2);
  });
}

Result<void> addDistributions(SpanRows& rows,
                              const SpanQuery& span_query,
                              const Field& key,
                              const Sql& view,
                              const Sql& condition,
                              std::vector<SpanGroup>& groups) {
  GroupIndex index(groups, key);
  for (SpanGroup& group : groups) group.distributions.resize(span_query.distributions.size());
  for (std::size_t i = 0; i < span_query.distributions.size(); ++i) {
    const Distribution& one = span_query.distributions[i];
    const Field value = fieldOf(*customTypeOf(one.value.source), one.value.key, rows.dialect());
    const Sql values = valuesOf(key, value, view, condition);
    const bool numeric = one.value.source == columnOf(CustomType::kInt).text() ||
                         one.value.source == columnOf(CustomType::kFloat).text();
    const Sql counting = Sql("SELECT g, count(*), count(v) FROM ").add(values).add(" GROUP BY g");
    TRY(forEachRow(rows, counting, [&](const ResultRow& row) {
      SpanGroup* group = index.find(row, 0);
      if (group == nullptr) return;
      DistributionItem& item = group->distributions[i];
      item.total = row.integer(1);
      item.present = row.integer(2);
      item.other = numeric ? 0 : item.present;
    }));
    TRY(numeric ? addBins(rows, values, one, i, index)
                : addTopValues(rows, values, value.kind, one, i, index));
  }
  return {};
}

/// Returns the length of the JSON object or array at the start of the text; 0 if there is none.
std::size_t jsonLength(std::string_view text) {
  if (text.empty() || (text.front() != '{' && text.front() != '[')) return 0;
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text) {
      if (c == '\\') ++i;
      if (c == '"') in_text = false;
      continue;
    }
    if (c == '"') in_text = true;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (depth > 0) continue;
    auto parsed = json::Document::parse(std::string(text.substr(0, i + 1)), json::kStoredDepth);
    return std::holds_alternative<json::Document>(parsed) ? i + 1 : 0;
  }
  return 0;
}

/// Returns the text without JSON at its start, and with `[JSON]` in place of later JSON.
std::string withoutJson(std::string_view text) {
  const auto skip_space = [&text] {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    text.remove_prefix(begin == std::string_view::npos ? text.size() : begin);
  };
  skip_space();
  while (const std::size_t length = jsonLength(text)) {
    text.remove_prefix(length);
    skip_space();
  }
  std::string rest;
  while (!text.empty()) {
    const std::size_t length = jsonLength(text);
    if (length > 0) {
      rest += "[JSON]";
      text.remove_prefix(length);
    } else {
      rest += text.front();
      text.remove_prefix(1);
    }
  }
  return rest;
}

std::string shortened(std::string text) {
  const std::size_t kept = firstCharacters(text, kGroupPreviewCharacters).size();
  if (kept == text.size()) return text;
  text.resize(kept);
  return text + "…";
}

std::optional<MessagePreview> firstOf(const std::string& messages) {
  for (const SpanMessage& message : parseMessages(messages)) {
    if (message.role != "user" && !message.role.empty()) continue;
    std::string text = withoutJson(textOf(message));
    if (!text.empty()) return MessagePreview{"user", shortened(std::move(text))};
  }
  return std::nullopt;
}

std::optional<MessagePreview> lastOf(const std::string& messages) {
  MessagePreview last;
  for (const SpanMessage& message : parseMessages(messages)) {
    std::string text = textOf(message);
    if (text.empty()) continue;
    if (!last.text.empty()) last.text += "\n\n";
    last.text += text;
    last.role = message.role;
  }
  if (last.text.empty()) return std::nullopt;
  last.text = shortened(std::move(last.text));
  return last;
}

Result<void> addPreviews(SpanRows& rows,
                         const Sql& view,
                         const Sql& condition,
                         const Field& key,
                         std::vector<SpanGroup>& groups) {
  std::vector<std::string> ids;
  for (const SpanGroup& group : groups) {
    if (std::optional<std::string> id = textOfKey(group.keys.front()); id && !id->empty())
      ids.push_back(*std::move(id));
  }
  if (ids.empty()) return {};
  Sql sql("SELECT c.conversation_id, ");
  const SpanDialect& dialect = rows.dialect();
  sql.add(dialect.earliestText("input_messages", "c.started_at")).add(", ");
  sql.add(dialect.latestText("output_messages", "c.ended_at"))
      .add(" FROM ")
      .add(view)
      .add(" AS c WHERE ")
      .add(condition);
  sql.add(" AND ").add(dialect.isOneOf(Sql("c.conversation_id"), std::move(ids)));
  sql.add(" GROUP BY c.conversation_id");
  GroupIndex index(groups, key);
  return forEachRow(rows, sql, [&index](const ResultRow& row) {
    SpanGroup* group = index.find(row, 0);
    if (group == nullptr) return;
    group->first_message = firstOf(std::string(row.text(1)));
    group->last_message = lastOf(std::string(row.text(2)));
  });
}

bool needsCosts(const SpanQuery& span_query) {
  const auto any = [](const auto& list, auto test) {
    return std::any_of(list.begin(), list.end(), test);
  };
  return span_query.costs ||
         any(span_query.measures, [](const Measure& one) { return agents::needsCosts(one); }) ||
         any(span_query.group_filters,
             [](const GroupFilter& one) { return agents::needsCosts(one.measure); });
}

bool isByConversation(const SpanQuery& span_query) {
  return span_query.group_by.size() == 1 && span_query.group_by[0].source == "column" &&
         span_query.group_by[0].key == "conversation_id";
}

}  // namespace

Result<SpanGroups> SqlSpanStore::groupSpans(std::string_view project_id,
                                            const SpanQuery& span_query,
                                            const pricing::ProjectPrices& prices) const {
  const std::unique_ptr<SpanRows> source = TRY(this->rows(project_id));
  SpanRows& rows = *source;
  const Plan plan = TRY(planOf(span_query, rows.dialect()));
  Sql condition = TRY(conditionOf(span_query.filter, rows.dialect()));
  SpanViewOptions view_options = viewOptionsFor(span_query.filter);
  view_options.identity = true;
  view_options.costs = needsCosts(span_query);
  view_options.prices = &prices;
  const Sql view = TRY(spanView(rows, view_options));
  condition.add(signalCondition(span_query.signals, rows));

  const Sql groups = selectGroups(plan, view, condition, span_query.costs, rows.dialect());
  const std::int64_t total = TRY(countRows(rows, groups));
  SpanGroups found{{}, total};
  Sql page = groups;
  page.add(" ORDER BY ").add(plan.order).add(" LIMIT ").param(span_query.page.limit);
  page.add(" OFFSET ").param(span_query.page.offset);
  TRY(forEachRow(rows, page, [&found, &plan](const ResultRow& row) {
    found.groups.push_back(groupAt(row, plan));
  }));
  if (!span_query.distributions.empty()) {
    TRY(addDistributions(rows, span_query, plan.keys.front(), view, condition, found.groups));
  }
  if (isByConversation(span_query)) {
    TRY(addPreviews(rows, view, condition, plan.keys.front(), found.groups));
  }
  return found;
}

}  // namespace spindle::agents
