#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "agents/sql/span_row.h"
#include "agents/sql/span_view.h"
#include "agents/sql/sql_span_store.h"
#include "agents/store/span_column.h"
#include "agents/store/span_cost.h"
#include "base/core/paging.h"
#include "tracing/calls/otel_resource.h"

namespace spindle::agents {
namespace {

using query::Sql;

/// Limit of the resources in one response. A resource counts once for every span that has it.
constexpr std::size_t kMaxResourceBytes = 128UL << 20;

/// The agent and conversation of a trace, for spans that do not name them.
struct TraceIdentity {
  std::string agent_name;
  std::string agent_version;
  std::string agent_id;
  std::string conversation_id;
};

constexpr auto kCostColumns =
    std::to_array<SqlName>({"input_cost_usd", "output_cost_usd", "cache_read_cost_usd",
                            "cache_creation_cost_usd", "total_cost_usd"});

std::optional<SqlName> costColumn(std::string_view name) {
  const auto* const found = std::find_if(kCostColumns.begin(), kCostColumns.end(),
                                         [name](SqlName cost) { return cost.text() == name; });
  return found == kCostColumns.end() ? std::nullopt : std::optional(*found);
}

/// Returns the SQL of a sort field.
Result<Sql> sortedBy(const std::string& name,
                     const SpanQuery& span_query,
                     const SpanDialect& dialect) {
  const SpanColumn* column = findQueryColumn(name);
  if (column == nullptr) column = findSpanColumn(name);
  if (column != nullptr && column->is(kSorted)) return fieldOf(*column).sql;
  if (const std::optional<SqlName> cost = costColumn(name); cost && span_query.costs)
    return Sql("c." + SqlText(*cost));
  if (std::optional<query::Field> derived = derivedField(name, dialect)) return derived->sql;
  for (const ValueRef& custom : span_query.custom_columns) {
    const std::optional<CustomType> type = customTypeOf(custom.source);
    if (type && name == custom.source + "." + custom.key)
      return fieldOf(*type, custom.key, dialect).sql;
  }
  return Error::invalidArgument("Spans cannot be sorted by " + name);
}

Result<Sql> orderOf(const SpanQuery& span_query, const SpanDialect& dialect) {
  std::vector<query::SortKey> keys = span_query.page.sort_by;
  if (keys.empty()) keys.push_back({"started_at", true});
  Sql order;
  for (const query::SortKey& key : keys) {
    const Sql value = TRY(sortedBy(key.field, span_query, dialect));
    order.add(order.text.empty() ? SqlView("") : SqlView(", ")).add(value);
    order.add(key.descending ? SqlView(" DESC NULLS LAST") : SqlView(" ASC NULLS LAST"));
  }
  return order.add(keys.front().descending ? SqlView(", c.span_id DESC")
                                           : SqlView(", c.span_id ASC"));
}

bool needsIdentity(const SpanQuery& span_query) {
  if (span_query.filter.query && usesIdentity(*span_query.filter.query)) return true;
  return std::any_of(span_query.page.sort_by.begin(), span_query.page.sort_by.end(),
                     [](const query::SortKey& key) {
                       const SpanColumn* column = findQueryColumn(key.field);
                       return column != nullptr && isIdentity(column->name);
                     });
}

bool sortsByCost(const SpanQuery& span_query) {
  return std::any_of(span_query.page.sort_by.begin(), span_query.page.sort_by.end(),
                     [](const query::SortKey& key) { return costColumn(key.field).has_value(); });
}

/// Returns the start of the time window that contains the newest spans, if the query has no filter
/// and no sort order. The store then need not scan older spans.
Result<std::optional<Timestamp>> newestStart(SpanRows& rows, const SpanQuery& span_query) {
  const SpanFilter& filter = span_query.filter;
  if (filter.query || filter.started_after || filter.started_before ||
      !span_query.page.sort_by.empty())
    return std::optional<Timestamp>();
  return rows.newestStart(static_cast<std::size_t>(boundedRows(span_query.page.limit) +
                                                   boundedRows(span_query.page.offset)));
}

Result<std::vector<PageRow>> selectPage(SpanRows& rows, const Sql& sql) {
  return collectRows(rows, sql, [&rows](const ResultRow& row) { return rows.readPageRow(row); });
}

Result<std::int64_t> countOf(SpanRows& rows, const Sql& view, const Sql& condition) {
  const Sql sql = Sql("SELECT count(*) FROM ").add(view).add(" AS c WHERE ").add(condition);
  std::int64_t count = 0;
  TRY(forEachRow(rows, sql, [&count](const ResultRow& row) { count = row.integer(0); }));
  return count;
}

/// Adds separately stored resources to the dumps of their spans.
Result<void> addResources(SpanRows& rows, std::vector<ListedSpan>& listed) {
  std::set<std::string> digests;
  for (const ListedSpan& one : listed) {
    if (!one.span.resource_digest.empty()) digests.insert(one.span.resource_digest);
  }
  if (digests.empty()) return {};
  const std::unordered_map<std::string, std::string> resources =
      TRY(rows.resources({digests.begin(), digests.end()}));
  std::size_t bytes = 0;
  for (ListedSpan& one : listed) {
    if (one.span.resource_digest.empty()) continue;
    const auto found = resources.find(one.span.resource_digest);
    bytes += found == resources.end() ? 0 : found->second.size();
    if (bytes > kMaxResourceBytes)
      return Error::invalidArgument(
          "The details of these spans are too large for one response. Set a smaller limit.");
    one.span.raw_span_dump = tracing::withResource(
        one.span.raw_span_dump,
        found == resources.end() ? tracing::kMissingResource : std::string_view(found->second));
  }
  return {};
}

/// Finds the place of a row in its page.
class PagePlaces {
 public:
  explicit PagePlaces(const std::vector<PageRow>& page) {
    for (std::size_t i = 0; i < page.size(); ++i) places_.emplace(keyOf(page[i]), i);
  }
  std::optional<std::size_t> find(const PageRow& row) const {
    const auto found = places_.find(keyOf(row));
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  static std::string keyOf(const PageRow& row) {
    return std::to_string(row.number) + ":" + row.trace_id + ":" + row.span_id;
  }

  std::unordered_map<std::string, std::size_t> places_;
};

/// Reads the rows of the page in their order.
Result<std::vector<ListedSpan>> fetch(SpanRows& rows,
                                      const std::vector<PageRow>& page,
                                      const SpanQuery& span_query) {
  std::vector<ListedSpan> listed(page.size());
  if (page.empty()) return listed;
  std::vector<const SpanColumn*> columns =
      spanColumnsFor(span_query.details ? kListed | kDetail : kListed);
  if (span_query.details) columns.push_back(findSpanColumn("resource_digest"));
  Sql list(columnList(columns));
  const bool custom = !span_query.custom_columns.empty();
  for (const CustomType type : kCustomTypes) {
    if (custom) list.add(", c.").add(columnOf(type));
  }
  const std::size_t count = columns.size() + (custom ? kCustomTypes.size() : 0);
  const PagePlaces places(page);
  TRY(rows.readPage(page, list, count, [&](const ResultRow& row, const PageRow& identity) {
    const std::optional<std::size_t> place = places.find(identity);
    if (!place) return;
    ListedSpan& one = listed[*place];
    one.span = readSpan(row, columns);
    for (std::size_t i = 0; custom && i < kCustomTypes.size(); ++i)
      one.custom[i] = row.text(columns.size() + i);
  }));
  return listed;
}

Result<std::map<std::string, TraceIdentity>> traceIdentities(SpanRows& rows,
                                                             const std::vector<ListedSpan>& spans,
                                                             const SpanFilter& filter) {
  std::set<std::string> traces;
  for (const ListedSpan& one : spans) {
    if (one.span.agent_name.empty() || one.span.conversation_id.empty())
      traces.insert(one.span.trace_id);
  }
  std::map<std::string, TraceIdentity> trace_identities;
  if (traces.empty()) return trace_identities;
  Sql sql("SELECT c.trace_id, c.agent_name, c.agent_version, c.agent_id, c.conversation_id FROM ");
  sql.add(rows.from());
  sql.add(" AS c WHERE (c.agent_name <> '' OR c.conversation_id <> '') AND ");
  sql.add(rows.oneOfTraces({traces.begin(), traces.end()}));
  sql.add(identityWindow(filter.started_after, filter.started_before));
  sql.add(" ORDER BY c.started_at");
  TRY(forEachRow(rows, sql, [&trace_identities](const ResultRow& row) {
    TraceIdentity& trace_identity = trace_identities[std::string(row.text(0))];
    if (trace_identity.agent_name.empty() && !row.text(1).empty()) {
      trace_identity.agent_name = row.text(1);
      trace_identity.agent_version = row.text(2);
      trace_identity.agent_id = row.text(3);
    }
    if (trace_identity.conversation_id.empty()) trace_identity.conversation_id = row.text(4);
  }));
  return trace_identities;
}

void inherit(AgentSpan& span, const std::map<std::string, TraceIdentity>& trace_identities) {
  const auto found = trace_identities.find(span.trace_id);
  if (found == trace_identities.end()) return;
  const TraceIdentity& trace_identity = found->second;
  if (span.agent_name.empty() && !trace_identity.agent_name.empty()) {
    span.agent_name = trace_identity.agent_name;
    span.agent_version = trace_identity.agent_version;
    span.agent_id = trace_identity.agent_id;
  }
  if (span.conversation_id.empty()) span.conversation_id = trace_identity.conversation_id;
}

}  // namespace

Result<SpanList> SqlSpanStore::listSpans(std::string_view project_id,
                                         const SpanQuery& span_query,
                                         const pricing::ProjectPrices& prices) const {
  const std::unique_ptr<SpanRows> source = TRY(this->rows(project_id));
  SpanRows& rows = *source;
  const Sql order = TRY(orderOf(span_query, rows.dialect()));
  const Sql condition = TRY(conditionOf(span_query.filter, rows.dialect()));
  SpanViewOptions view_options = viewOptionsFor(span_query.filter);
  view_options.identity = needsIdentity(span_query);
  view_options.costs = span_query.costs && sortsByCost(span_query);
  view_options.prices = &prices;
  const Sql view = TRY(spanView(rows, view_options));

  SpanList list;
  const std::int64_t total = TRY(countOf(rows, view, condition));
  list.total = total;
  if (span_query.page.limit == 0) return list;
  const auto select = [&](std::optional<Timestamp> start) {
    Sql sql("SELECT ");
    sql.add(rows.pageColumns()).add(" FROM ").add(view).add(" AS c WHERE ").add(condition);
    if (start) sql.add(" AND c.started_at >= ").param(*start);
    sql.add(" ORDER BY ").add(order).add(" LIMIT ").param(span_query.page.limit);
    sql.add(" OFFSET ").param(span_query.page.offset);
    return selectPage(rows, sql);
  };
  const std::optional<Timestamp> start = TRY(newestStart(rows, span_query));
  std::vector<PageRow> page_rows = TRY(select(start));
  // The window is an estimate: spans that were sent twice can be counted twice.
  const std::int64_t expected = std::min(span_query.page.limit, total - span_query.page.offset);
  if (start && static_cast<std::int64_t>(page_rows.size()) < expected) {
    std::vector<PageRow> all = TRY(select(std::nullopt));
    page_rows = std::move(all);
  }
  std::vector<ListedSpan> spans = TRY(fetch(rows, page_rows, span_query));
  TRY(addResources(rows, spans));
  const auto trace_identities = TRY(traceIdentities(rows, spans, span_query.filter));
  for (ListedSpan& one : spans) {
    inherit(one.span, trace_identities);
    if (span_query.costs) one.cost = costOf(one.span, prices);
  }
  list.spans = std::move(spans);
  return list;
}

}  // namespace spindle::agents
