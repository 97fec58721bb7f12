#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "agents/span_cost.h"
#include "agents/span_fields_store.h"
#include "agents/span_query_store.h"
#include "agents/span_row_store.h"
#include "base/paging.h"
#include "tracing/otel_resource_store.h"

namespace spindle::agents {
namespace {

using columnar::Cursor;
using query::Sql;

/// Limit of the resources in one response. A resource counts once for every span that has it.
constexpr std::size_t kMaxResourceBytes = 128UL << 20;

struct Choice {
  std::int64_t row = 0;
  Timestamp started_at;
};

/// The agent and conversation of a trace, for spans that do not name them.
struct Donor {
  std::string agent_name;
  std::string agent_version;
  std::string agent_id;
  std::string conversation_id;
};

constexpr auto kCosts =
    std::to_array<SqlName>({"input_cost_usd", "output_cost_usd", "cache_read_cost_usd",
                            "cache_creation_cost_usd", "total_cost_usd"});

std::optional<SqlName> costColumn(std::string_view name) {
  const auto* const found = std::find_if(kCosts.begin(), kCosts.end(),
                                         [name](SqlName cost) { return cost.text() == name; });
  return found == kCosts.end() ? std::nullopt : std::optional(*found);
}

/// Returns the SQL of a sort field.
Result<Sql> sortedBy(const std::string& name, const SpanQuestion& question) {
  const SpanColumn* column = findQueried(name);
  if (column == nullptr) column = findSpanColumn(name);
  if (column != nullptr && column->is(kSorted)) return fieldOf(*column).sql;
  if (const std::optional<SqlName> cost = costColumn(name); cost && question.costs)
    return Sql("c." + SqlText(*cost));
  if (std::optional<query::Field> derived = derivedField(name)) return derived->sql;
  for (const ValueRef& custom : question.custom_columns) {
    const std::optional<CustomType> type = customTypeOf(custom.source);
    if (type && name == custom.source + "." + custom.key) return fieldOf(*type, custom.key).sql;
  }
  return Error::invalidArgument("Spans cannot be sorted by " + name);
}

Result<Sql> orderOf(const SpanQuestion& question) {
  std::vector<query::SortKey> keys = question.page.sort_by;
  if (keys.empty()) keys.push_back({"started_at", true});
  Sql order;
  for (const query::SortKey& key : keys) {
    const Result<Sql> value = sortedBy(key.field, question);
    if (!value) return value;
    order.add(order.text.empty() ? SqlView("") : SqlView(", ")).add(*value);
    order.add(key.descending ? SqlView(" DESC NULLS LAST") : SqlView(" ASC NULLS LAST"));
  }
  return order.add(keys.front().descending ? SqlView(", c.span_id DESC")
                                           : SqlView(", c.span_id ASC"));
}

bool needsIdentity(const SpanQuestion& question) {
  if (question.selection.query && usesIdentity(*question.selection.query)) return true;
  return std::any_of(question.page.sort_by.begin(), question.page.sort_by.end(),
                     [](const query::SortKey& key) {
                       const SpanColumn* column = findQueried(key.field);
                       return column != nullptr && isIdentity(column->name);
                     });
}

bool sortsByCost(const SpanQuestion& question) {
  return std::any_of(question.page.sort_by.begin(), question.page.sort_by.end(),
                     [](const query::SortKey& key) { return costColumn(key.field).has_value(); });
}

/// Returns the start of the time window that contains the newest spans, if the query has no filter
/// and no sort order. The store then need not scan older spans.
std::optional<Timestamp> newestStart(const SpanRows& rows, const SpanQuestion& question) {
  const SpanSelection& selection = question.selection;
  if (selection.query || selection.started_after || selection.started_before ||
      !question.page.sort_by.empty())
    return std::nullopt;
  return rows.snapshot.newestWindow(rows.family, rows.project_id,
                                    static_cast<std::size_t>(boundedRows(question.page.limit) +
                                                             boundedRows(question.page.offset)));
}

Result<std::vector<Choice>> choose(SpanRows& rows, const Sql& sql) {
  Result<Cursor> cursor = rows.snapshot.query(sql.text, sql.params);
  if (!cursor) return std::move(cursor).error();
  std::vector<Choice> choices;
  while (true) {
    const Result<bool> more = cursor->next();
    if (!more) return more.error();
    if (!*more) return choices;
    choices.push_back({cursor->integer(0), cursor->time(1)});
  }
}

Result<std::int64_t> countOf(SpanRows& rows, const Sql& view, const Sql& condition) {
  const Sql sql = Sql("SELECT count(*) FROM ").add(view).add(" AS c WHERE ").add(condition);
  Result<Cursor> cursor = rows.snapshot.query(sql.text, sql.params);
  if (!cursor) return std::move(cursor).error();
  const Result<bool> more = cursor->next();
  if (!more) return more.error();
  return cursor->integer(0);
}

/// Adds separately stored resources to the dumps of their spans.
Result<void> addResources(SpanRows& rows, std::vector<ListedSpan>& listed) {
  std::set<std::string> digests;
  for (const ListedSpan& one : listed) {
    if (!one.span.resource_digest.empty()) digests.insert(one.span.resource_digest);
  }
  if (digests.empty()) return {};
  const Result<std::unordered_map<std::string, std::string>> resources = tracing::readOtelResources(
      rows.snapshot, rows.resources, rows.project_id, {digests.begin(), digests.end()});
  if (!resources) return resources.error();
  std::size_t bytes = 0;
  for (ListedSpan& one : listed) {
    if (one.span.resource_digest.empty()) continue;
    const auto found = resources->find(one.span.resource_digest);
    bytes += found == resources->end() ? 0 : found->second.size();
    if (bytes > kMaxResourceBytes)
      return Error::invalidArgument(
          "The details of these spans are too large for one response. Set a smaller limit.");
    one.span.raw_span_dump = tracing::withResource(
        one.span.raw_span_dump,
        found == resources->end() ? tracing::kMissingResource : std::string_view(found->second));
  }
  return {};
}

/// Reads the rows of the page in their order.
Result<std::vector<ListedSpan>> fetch(SpanRows& rows,
                                      const std::vector<Choice>& choices,
                                      const SpanQuestion& question) {
  std::vector<ListedSpan> listed(choices.size());
  if (choices.empty()) return listed;
  std::vector<const SpanColumn*> columns =
      spanColumnsFor(question.details ? kListed | kDetail : kListed);
  if (question.details) columns.push_back(findSpanColumn("resource_digest"));
  SqlText numbers;
  std::unordered_map<std::int64_t, std::size_t> places;
  Timestamp oldest = choices.front().started_at;
  Timestamp newest = oldest;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) numbers += ",";
    numbers += SqlText::number(choices[i].row);
    places.emplace(choices[i].row, i);
    oldest = std::min(oldest, choices[i].started_at);
    newest = std::max(newest, choices[i].started_at);
  }
  SqlText list = columnList(columns) + ", c.row_number_in_store";
  const bool custom = !question.custom_columns.empty();
  for (const CustomType type : kCustomTypes) {
    if (custom) list.add(", c.").add(columnOf(type));
  }
  Sql sql;
  for (const columnar::Source& source : rows.sources) {
    sql.add(sql.text.empty() ? SqlView("SELECT ") : SqlView(" UNION ALL SELECT "))
        .add(list)
        .add(" FROM ");
    sql.add(source.table).add(" AS c WHERE ").add(source.condition);
    sql.add(" AND c.row_number_in_store IN (" + numbers + ") AND c.started_at BETWEEN ");
    sql.param(oldest).add(" AND ").param(newest);
  }
  Result<Cursor> cursor = rows.snapshot.query(sql.text, sql.params);
  if (!cursor) return std::move(cursor).error();
  while (true) {
    const Result<bool> more = cursor->next();
    if (!more) return more.error();
    if (!*more) return listed;
    const auto place = places.find(cursor->integer(columns.size()));
    if (place == places.end()) continue;
    ListedSpan& one = listed[place->second];
    one.span = readSpan(*cursor, columns);
    for (std::size_t i = 0; custom && i < kCustomTypes.size(); ++i)
      one.custom[i] = cursor->text(columns.size() + 1 + i);
  }
}

Result<std::map<std::string, Donor>> donorsOf(SpanRows& rows,
                                              const std::vector<ListedSpan>& spans,
                                              const SpanSelection& selection) {
  std::set<std::string> traces;
  for (const ListedSpan& one : spans) {
    if (one.span.agent_name.empty() || one.span.conversation_id.empty())
      traces.insert(one.span.trace_id);
  }
  std::map<std::string, Donor> donors;
  if (traces.empty()) return donors;
  Sql sql("SELECT c.trace_id, c.agent_name, c.agent_version, c.agent_id, c.conversation_id FROM " +
          rows.from + " AS c WHERE (c.agent_name <> '' OR c.conversation_id <> '') AND ");
  sql.add(oneOfTraces({traces.begin(), traces.end()}));
  const auto widened = [](std::optional<Timestamp> time, std::chrono::hours by) {
    return time ? std::optional(*time + by) : std::nullopt;
  };
  sql.add(windowCondition(widened(selection.started_after, std::chrono::hours(-1)),
                          widened(selection.started_before, std::chrono::hours(1))));
  sql.add(" ORDER BY c.started_at");
  Result<Cursor> cursor = rows.snapshot.query(sql.text, sql.params);
  if (!cursor) return std::move(cursor).error();
  while (true) {
    const Result<bool> more = cursor->next();
    if (!more) return more.error();
    if (!*more) return donors;
    Donor& donor = donors[std::string(cursor->text(0))];
    if (donor.agent_name.empty() && !cursor->text(1).empty()) {
      donor.agent_name = cursor->text(1);
      donor.agent_version = cursor->text(2);
      donor.agent_id = cursor->text(3);
    }
    if (donor.conversation_id.empty()) donor.conversation_id = cursor->text(4);
  }
}

void inherit(AgentSpan& span, const std::map<std::string, Donor>& donors) {
  const auto found = donors.find(span.trace_id);
  if (found == donors.end()) return;
  const Donor& donor = found->second;
  if (span.agent_name.empty() && !donor.agent_name.empty()) {
    span.agent_name = donor.agent_name;
    span.agent_version = donor.agent_version;
    span.agent_id = donor.agent_id;
  }
  if (span.conversation_id.empty()) span.conversation_id = donor.conversation_id;
}

}  // namespace

Result<SpanList> listSpans(const SpanQueryPorts& ports,
                           std::string_view project_id,
                           const SpanQuestion& question) {
  const Result<Sql> order = orderOf(question);
  if (!order) return order.error();
  const Result<Sql> condition = conditionOf(question.selection);
  if (!condition) return condition.error();
  Result<SpanRows> rows = ports.spans.rows(project_id);
  if (!rows) return std::move(rows).error();
  SpanViewWish wish;
  wish.identity = needsIdentity(question);
  wish.costs = question.costs && sortsByCost(question);
  wish.prices = &ports.prices;
  wish.after = question.selection.started_after;
  wish.before = question.selection.started_before;
  const Result<Sql> view = spanView(*rows, wish);
  if (!view) return view.error();

  SpanList list;
  const Result<std::int64_t> total = countOf(*rows, *view, *condition);
  if (!total) return total.error();
  list.total = *total;
  if (question.page.limit == 0) return list;
  Sql sql("SELECT c.row_number_in_store, c.started_at FROM ");
  sql.add(*view).add(" AS c WHERE ").add(*condition);
  if (const std::optional<Timestamp> start = newestStart(*rows, question))
    sql.add(" AND c.started_at >= ").param(*start);
  sql.add(" ORDER BY ").add(*order).add(" LIMIT ").param(question.page.limit);
  sql.add(" OFFSET ").param(question.page.offset);
  const Result<std::vector<Choice>> choices = choose(*rows, sql);
  if (!choices) return choices.error();
  Result<std::vector<ListedSpan>> spans = fetch(*rows, *choices, question);
  if (!spans) return std::move(spans).error();
  if (Result<void> whole = addResources(*rows, *spans); !whole) return std::move(whole).error();
  const auto donors = donorsOf(*rows, *spans, question.selection);
  if (!donors) return donors.error();
  for (ListedSpan& one : *spans) {
    inherit(one.span, *donors);
    if (question.costs) one.cost = costOf(one.span, ports.prices);
  }
  list.spans = *std::move(spans);
  return list;
}

}  // namespace spindle::agents
