#include "tracing/clickhouse/clickhouse_call_view.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "clickhouse/schema/table_options.h"
#include "query/compiler.h"
#include "query/dialect.h"
#include "tracing/analysis/call_facet_reader.h"
#include "tracing/analysis/call_stats_reader.h"
#include "tracing/analysis/query_cost.h"
#include "tracing/clickhouse/call_detail_reader.h"
#include "tracing/clickhouse/call_page_reader.h"
#include "tracing/clickhouse/call_table.h"
#include "tracing/clickhouse/clickhouse_call_engine.h"
#include "tracing/store/call_fields.h"
#include "tracing/store/call_readers.h"
#include "tracing/store/ref_expansion.h"

namespace spindle::tracing {
namespace {

using clickhouse::Cursor;
using query::Sql;

class NoCalls final : public CallReader {
 public:
  Result<std::vector<Call>> next() override { return std::vector<Call>(); }
  std::optional<query::Position> end() const override { return std::nullopt; }
};

/// Returns the time order of the sort keys, if they sort only by time.
std::optional<TimeOrder> timeOrderIn(const std::optional<std::vector<query::SortKey>>& keys) {
  if (!keys || keys->empty()) return TimeOrder::kOldestFirst;
  const query::SortKey& first = keys->front();
  const bool by_time = first.field == "started_at" &&
                       (keys->size() == 1 || (keys->size() == 2 && (*keys)[1].field == "id"));
  if (!by_time) return std::nullopt;
  return first.descending ? TimeOrder::kNewestFirst : TimeOrder::kOldestFirst;
}

/// Returns true for a position that no call has in an order by time.
bool hasNull(const query::Position& position) {
  return std::any_of(position.begin(), position.end(), [](const query::SortValue& value) {
    return std::holds_alternative<std::monostate>(value);
  });
}

class ClickHouseCallView final : public CallView {
 public:
  ClickHouseCallView(clickhouse::Client& client,
                     ProjectScope project,
                     const ClickHouseCallJoins& joins)
      : client_(client),
        project_(std::move(project)),
        joins_(joins),
        engine_(client, project_.id) {}

  Result<std::optional<Call>> find(std::string_view id,
                                   const std::vector<CallColumn>& columns) override {
    std::vector<std::optional<Call>> calls =
        TRY(fetchCalls(client_, project_.id, {std::string(id)}, columns));
    return std::move(calls.front());
  }

  Result<std::unique_ptr<CallReader>> read(const CallQuery& selection,
                                           const CallPage& page,
                                           const CallProjection& projection) override {
    if (page.limit && *page.limit == 0)
      return std::unique_ptr<CallReader>(std::make_unique<NoCalls>());
    std::vector<query::SortKey> keys =
        page.sort_by ? *page.sort_by : std::vector<query::SortKey>{{"started_at", false}};
    const std::unique_ptr<CallFields> fields = TRY(fieldsFor(selection, keys));
    CallPageStatement statement;
    statement.project = project_.id;
    statement.stored = mayMatch(project_.id, selection.filter);
    Sql condition = TRY(conditionOf(selection, *fields));
    statement.condition = std::move(condition);
    statement.projection = projection;
    statement.limit = page.limit;
    statement.offset = page.offset;
    statement.after = page.after;
    const std::optional<TimeOrder> by_time = timeOrderIn(page.sort_by);
    keys = query::withTieBreak(std::move(keys), "id", "started_at");
    if (by_time) {
      if (page.after && hasNull(*page.after)) return query::unknownPosition();
      statement.columns = timeColumns(*by_time);
      statement.by_time = by_time;
    } else if (page.positions || page.after) {
      std::vector<query::SortColumn> columns = TRY(query::compileSortColumns(keys, *fields));
      statement.columns = std::move(columns);
    } else {
      Sql order = TRY(query::compileSort(keys, *fields));
      statement.order = std::move(order);
    }
    return readCallPage(client_, std::move(statement));
  }

  Result<CallCount> count(const CallQuery& selection,
                          std::optional<std::int64_t> limit,
                          bool with_storage) override {
    const std::unique_ptr<CallFields> fields = TRY(fieldsFor(selection, {}));
    const Sql condition = TRY(conditionOf(selection, *fields));
    // Of a table whose columns nobody needs, ClickHouse reads the first one: the ids.
    Sql sql("SELECT toInt64(count()) FROM (SELECT c.presence FROM ");
    sql.add(callRows(project_.id, mayMatch(project_.id, selection.filter)))
        .add(" AS c WHERE ")
        .add(condition);
    if (limit) sql.add(" LIMIT " + SqlText::number(*limit + 1));
    const std::int64_t matches = TRY(number(sql.add(")")));
    CallCount result;
    result.count = limit ? std::min(matches, *limit) : matches;
    result.has_more = limit && matches > *limit;
    if (!with_storage) return result;
    Sql storage(kSumOfBytes);
    storage.add(" FROM ").add(callRows(project_.id));
    storage.add(" AS c WHERE c.trace_id IN (SELECT c.trace_id FROM ")
        .add(callRows(project_.id))
        .add(" AS c WHERE ")
        .add(condition)
        .add(" AND c.parent_id IS NULL)");
    const std::int64_t bytes = TRY(number(storage));
    result.total_storage_bytes = bytes;
    return result;
  }

  Result<std::vector<TraceMember>> tracesOf(const std::vector<std::string>& call_ids) override {
    if (call_ids.empty()) return std::vector<TraceMember>();
    Sql of_calls("SELECT DISTINCT c.trace_id FROM ");
    of_calls.add(callRows(project_.id, haveIds(call_ids))).add(" AS c");
    of_calls.add(clickhouse::finalSettings());
    CallFilter filter;
    filter.trace_ids = TRY(collectRows(client_.query(of_calls.text, of_calls.params),
                                       [](const Cursor& row) { return std::string(row.text(0)); }));
    if (filter.trace_ids->empty()) return std::vector<TraceMember>();
    Sql sql("SELECT c.id, c.parent_id FROM ");
    sql.add(callRows(project_.id, mayMatch(project_.id, filter))).add(" AS c WHERE ");
    sql.add(compileFilter(filter, dialect())).add(clickhouse::finalSettings());
    return collectRows(client_.query(sql.text, sql.params), [](const Cursor& row) {
      TraceMember member{std::string(row.text(0)), std::nullopt};
      if (!row.isNull(1)) member.parent_id = std::string(row.text(1));
      return member;
    });
  }

  Result<std::unordered_map<std::string, std::int64_t>> traceBytes(
      const std::vector<std::string>& trace_ids) override {
    CallFilter filter;
    filter.trace_ids = trace_ids;
    Sql sql("SELECT c.trace_id, sum(c.start_bytes + c.output_bytes + c.summary_bytes) FROM ");
    sql.add(callRows(project_.id, mayMatch(project_.id, filter))).add(" AS c WHERE ");
    sql.add(compileFilter(filter, dialect()))
        .add(" GROUP BY c.trace_id")
        .add(clickhouse::finalSettings());
    std::unordered_map<std::string, std::int64_t> bytes;
    TRY(forEachRow(client_.query(sql.text, sql.params),
                   [&bytes](const Cursor& row) { bytes.emplace(row.text(0), row.integer(1)); }));
    return bytes;
  }

  Result<std::int64_t> totalBytes() override {
    Sql sql(kSumOfBytes);
    return number(sql.add(" FROM ").add(callRows(project_.id)).add(" AS c"));
  }

  Result<CallStats> stats(const CallStatsQuery& query) override {
    const std::unique_ptr<CallFields> fields = TRY(fieldsFor(query.selection, {}));
    CallQuery selection = query.selection;
    selection.filter.trace_roots_only.reset();
    Sql selected = TRY(conditionOf(selection, *fields));
    return readStats(engine_, {std::move(selected), latencySql(dialect())}, *fields, query);
  }

  Result<std::vector<Facet>> facets(const FacetQuery& query) override {
    const std::unique_ptr<CallFields> fields = TRY(fieldsFor(query.selection, {}));
    const FacetRows rows = TRY(facetRows(query.selection, *fields));
    return readFacets(engine_, rows, *fields, query);
  }

  Result<CallAttributes> attributes(const AttributeQuery& query) override {
    const std::unique_ptr<CallFields> fields = TRY(fieldsFor(query.selection, {}));
    const FacetRows rows = TRY(facetRows(query.selection, *fields));
    return readAttributes(engine_, rows, query);
  }

  Result<std::vector<OutlinedCall>> outline(std::string_view trace_id,
                                            std::int64_t limit) override {
    return outlineTrace(client_, project_.id, trace_id, limit);
  }

  Result<std::vector<FoundCall>> search(const CallSearch& search) override {
    return searchText(client_, project_.id, search);
  }

  Result<std::unique_ptr<ThreadReader>> threads(const ThreadQuery& query) override {
    return groupThreads(client_, project_.id, query);
  }

 private:
  static constexpr SqlView kSumOfBytes =
      "SELECT toInt64(sum(c.start_bytes + c.output_bytes + c.summary_bytes))";

  static const query::Dialect& dialect() { return query::clickHouseDialect(); }

  /// Returns the number in the only row of the result.
  Result<std::int64_t> number(Sql sql) {
    sql.add(clickhouse::finalSettings());
    std::int64_t result = 0;
    TRY(forEachRow(client_.query(sql.text, sql.params),
                   [&result](const Cursor& row) { result = row.integer(0); }));
    return result;
  }

  static Result<Sql> conditionOf(const CallQuery& selection, const CallFields& fields) {
    Sql condition = compileFilter(selection.filter, dialect());
    if (!selection.query) return condition;
    const Sql asked = TRY(query::compileCondition(*selection.query, fields));
    return condition.add(" AND (").add(asked).add(")");
  }

  /// Returns the conditions of a selection, divided by their cost.
  static Result<FacetRows> facetRows(const CallQuery& selection, const CallFields& fields) {
    FacetRows rows{compileFilter(selection.filter, dialect()), {}};
    if (!selection.query) return rows;
    const SplitQuery parts = splitByCost(*selection.query);
    if (parts.fast) {
      const Sql fast = TRY(query::compileCondition(*parts.fast, fields));
      rows.fast.add(" AND (").add(fast).add(")");
    }
    if (parts.slow) {
      Sql slow = TRY(query::compileCondition(*parts.slow, fields));
      rows.slow = std::move(slow);
    }
    return rows;
  }

  /// Returns different texts that calls contain at a path inside a column.
  Result<std::vector<std::string>> textsAt(SqlName column,
                                           const std::vector<std::string>& path,
                                           std::size_t limit) {
    const Sql json("c." + SqlText(column));
    Sql sql("SELECT DISTINCT ");
    sql.add(dialect().jsonLooseText(json, path)).add(" FROM ").add(callRows(project_.id));
    sql.add(" AS c WHERE ").add(dialect().contains(json, Sql("'-internal:///'")));
    sql.add(" LIMIT " + SqlText::number(limit)).add(clickhouse::finalSettings());
    return collectRows(client_.query(sql.text, sql.params),
                       [](const Cursor& row) { return std::string(row.text(0)); });
  }

  /// Returns the fields that a selection and its sort keys use, with references looked up.
  Result<std::unique_ptr<CallFields>> fieldsFor(const CallQuery& selection,
                                                const std::vector<query::SortKey>& keys) {
    std::set<std::string> used;
    for (const query::SortKey& key : keys) used.insert(key.field);
    if (selection.query) {
      query::visit(selection.query->expression, [&used](const query::Expression& node) {
        if (node.op == query::Operator::kField) used.insert(node.field);
      });
    }
    const auto uses = [&used](std::string_view prefix) {
      return std::any_of(used.begin(), used.end(), [prefix](const std::string& field) {
        return std::string_view(field).starts_with(prefix);
      });
    };
    if (uses("feedback.") && !feedback_ && joins_.feedback_fields)
      feedback_ = joins_.feedback_fields(project_.id);
    if (uses("annotation_queue_items.") && !queues_ && joins_.queue_fields) {
      std::unique_ptr<query::Fields> queues = TRY(joins_.queue_fields(project_.id));
      queues_ = std::move(queues);
    }
    auto fields =
        std::make_unique<CallFields>(project_.name, feedback_.get(), queues_.get(), dialect());
    if (selection.expand_columns.empty()) return fields;
    // Reject unknown fields before any lookup.
    for (const std::string& field : used) {
      TRY(fields->resolve(field));
    }
    const TextsAt texts_at = [this](SqlName column, const std::vector<std::string>& path,
                                    std::size_t limit) { return textsAt(column, path, limit); };
    std::vector<ExpandedRefs> expanded =
        TRY(expandRefs(texts_at, project_.id, selection.expand_columns, used, joins_.ref_values));
    for (ExpandedRefs& refs : expanded) fields->expand(std::move(refs));
    return fields;
  }

  clickhouse::Client& client_;
  const ProjectScope project_;
  const ClickHouseCallJoins& joins_;
  ClickHouseCallEngine engine_;
  std::unique_ptr<query::Fields> feedback_;
  std::unique_ptr<query::Fields> queues_;
};

}  // namespace

std::unique_ptr<CallView> viewOfCalls(clickhouse::Client& client,
                                      ProjectScope project,
                                      const ClickHouseCallJoins& joins) {
  return std::make_unique<ClickHouseCallView>(client, std::move(project), joins);
}

}  // namespace spindle::tracing
