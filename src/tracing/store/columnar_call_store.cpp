#include "tracing/store/columnar_call_store.h"

#include <algorithm>
#include <set>
#include <utility>

#include "columnar/changes/change.h"
#include "live/change_log.h"
#include "query/compiler.h"
#include "query/table_union.h"
#include "tracing/analysis/call_facet_reader.h"
#include "tracing/analysis/call_stats_reader.h"
#include "tracing/analysis/columnar_call_engine.h"
#include "tracing/analysis/query_cost.h"
#include "tracing/calls/call_merge.h"
#include "tracing/store/call_fields.h"
#include "tracing/store/call_outline_reader.h"
#include "tracing/store/call_readers.h"
#include "tracing/store/call_row.h"
#include "tracing/store/call_search_reader.h"
#include "tracing/store/otel_resource_store.h"
#include "tracing/store/ref_expansion.h"
#include "tracing/store/thread_reader.h"

namespace spindle::tracing {
namespace {

using columnar::Cursor;
using query::selectFrom, query::Sql;

/// Pages that end within this many rows are selected before their payloads are read.
constexpr std::int64_t kMaxSelectedRows = 100'000;

/// Merges parts into the stored calls.
class PartsChange final : public columnar::Change {
 public:
  PartsChange(columnar::FamilyId family,
              columnar::FamilyId resources,
              std::string_view project,
              std::vector<CallPart> parts,
              const CallChanges& changes)
      : family_(family),
        project_(project),
        parts_(std::move(parts)),
        changes_(changes),
        resources_(resources, project) {
    for (const CallPart& part : parts_) {
      if (const CallStart* start = startOf(part)) resources_.add(start->otel_resource);
    }
  }

  std::vector<columnar::RowKey> wants() const override {
    std::vector<columnar::RowKey> keys;
    keys.reserve(parts_.size());
    for (const CallPart& part : parts_) keys.push_back({family_, project_, idOf(part)});
    resources_.addKeys(keys);
    return keys;
  }

  Result<void> plan(columnar::Plan& plan) override {
    newest_ = {};
    evaluations_ = 0;
    for (CallPart& part : parts_) {
      const std::string id = idOf(part);
      const columnar::Row* known = plan.find(family_, project_, id);
      Call call;
      if (known != nullptr) call = callOf(*known);
      call.id = id;
      TRY(mergePart(call, std::move(part)));
      note(call);
      plan.put(family_, project_, rowOf(std::move(call)));
    }
    resources_.plan(plan);
    return {};
  }

  /// Publishes the change, after it was written.
  void publish() const {
    if (changes_.log == nullptr || parts_.empty()) return;
    const auto count = static_cast<std::int64_t>(parts_.size());
    changes_.log->publish(live::Topic::kCalls, project_, count, newest_);
    if (evaluations_ > 0) {
      changes_.log->publish(live::Topic::kEvaluations, project_, evaluations_, newest_);
    }
  }

  std::size_t bytes() const {
    std::size_t sum = resources_.bytes();
    for (const CallPart& part : parts_) sum += storedBytes(part);
    return sum;
  }

 private:
  void note(const Call& call) {
    if (call.started_at) newest_ = std::max(newest_, *call.started_at);
    if (changes_.is_evaluation && changes_.is_evaluation(call.op_name)) ++evaluations_;
  }

  static const CallStart* startOf(const CallPart& part) {
    if (const auto* complete = std::get_if<CallComplete>(&part)) return &complete->start;
    return std::get_if<CallStart>(&part);
  }

  const columnar::FamilyId family_;
  const std::string project_;
  std::vector<CallPart> parts_;
  const CallChanges& changes_;
  OtelResourceWrites resources_;
  Timestamp newest_ = {};         ///< greatest start of the calls
  std::int64_t evaluations_ = 0;  ///< calls of evaluation runs
};

class EmptyReader final : public CallReader {
 public:
  Result<std::vector<Call>> next() override { return std::vector<Call>(); }
  std::optional<query::Position> end() const override { return std::nullopt; }
};

class EmptyThreads final : public ThreadReader {
 public:
  Result<std::vector<Thread>> next() override { return std::vector<Thread>(); }
};

/// Returns the time order of the sort keys, if they sort only by time.
std::optional<TimeOrder> timeOrderOf(const std::optional<std::vector<query::SortKey>>& keys) {
  if (!keys || keys->empty()) return TimeOrder::kOldestFirst;
  const query::SortKey& first = keys->front();
  const bool by_time = first.field == "started_at" &&
                       (keys->size() == 1 || (keys->size() == 2 && (*keys)[1].field == "id"));
  if (!by_time) return std::nullopt;
  return first.descending ? TimeOrder::kNewestFirst : TimeOrder::kOldestFirst;
}

class SnapshotView final : public CallView {
 public:
  SnapshotView(columnar::Snapshot snapshot,
               columnar::FamilyId family,
               columnar::FamilyId resources,
               ProjectScope project,
               const CallJoins& joins)
      : snapshot_(std::move(snapshot)),
        family_(family),
        resources_(resources),
        project_(std::move(project)),
        joins_(joins),
        sources_(snapshot_.sources(family_, project_.id)),
        from_(snapshot_.from(family_, project_.id)),
        engine_(snapshot_, family_, project_.id) {}

  Result<std::optional<Call>> find(std::string_view id,
                                   const std::vector<CallColumn>& columns) override {
    CallStatement statement = newStatement();
    statement.sources = snapshot_.sourcesOf(family_, project_.id, id);
    statement.condition = visible();
    statement.condition.add(" AND c.id = ").param(std::string(id));
    statement.projection = columns;
    std::vector<Call> calls = TRY(readFew(snapshot_, std::move(statement), std::nullopt)->next());
    if (calls.empty()) return std::optional<Call>();
    return std::optional<Call>(std::move(calls.front()));
  }

  Result<std::unique_ptr<CallReader>> read(const CallQuery& selection,
                                           const CallPage& page,
                                           const CallProjection& projection) override {
    if (page.limit && *page.limit == 0)
      return std::unique_ptr<CallReader>(std::make_unique<EmptyReader>());
    std::vector<query::SortKey> keys =
        page.sort_by ? *page.sort_by : std::vector<query::SortKey>{{"started_at", false}};
    std::unique_ptr<CallFields> fields = TRY(fieldsFor(selection, keys));
    CallStatement statement = newStatement();
    Sql condition = TRY(conditionOf(selection, *fields));
    const std::optional<TimeOrder> by_time = timeOrderOf(page.sort_by);
    keys = query::withTieBreak(std::move(keys), "id", "started_at");
    statement.sources = sources_;
    statement.from = from_;
    statement.condition = std::move(condition);
    statement.projection = projection;
    statement.limit = page.limit;
    statement.offset = page.offset;
    statement.after = page.after;
    const bool selective = isSelective(selection.filter);
    if (by_time && !selective)
      return readByTime(snapshot_, family_, project_.id, std::move(statement), *by_time);
    if (page.positions || page.after) {
      std::vector<query::SortColumn> columns =
          TRY(by_time ? Result<std::vector<query::SortColumn>>(timeColumns(*by_time))
                      : query::compileSortColumns(keys, *fields));
      return readPositioned(snapshot_, std::move(statement), std::move(columns));
    }
    if (by_time) return readFew(snapshot_, std::move(statement), by_time);
    Sql order = TRY(query::compileSort(keys, *fields));
    statement.order = std::move(order);
    if (page.limit && *page.limit + page.offset <= kMaxSelectedRows)
      return readLimited(snapshot_, std::move(statement));
    return readSorted(snapshot_, std::move(statement));
  }

  Result<CallCount> count(const CallQuery& selection,
                          std::optional<std::int64_t> limit,
                          bool with_storage) override {
    std::unique_ptr<CallFields> fields = TRY(fieldsFor(selection, {}));
    Sql condition = TRY(conditionOf(selection, *fields));
    const std::int64_t matches = TRY(matching(selection, condition, limit));
    CallCount result;
    result.count = limit ? std::min(matches, *limit) : matches;
    result.has_more = limit && matches > *limit;
    if (!with_storage) return result;
    Sql storage("SELECT COALESCE(sum(c.start_bytes + c.output_bytes + c.summary_bytes), 0) FROM ");
    storage.add(from_ + " AS c WHERE ").add(visible());
    storage.add(" AND c.trace_id IN (SELECT c.trace_id FROM " + from_ + " AS c WHERE ")
        .add(condition)
        .add(" AND c.parent_id IS NULL)");
    const std::int64_t bytes = TRY(sum(storage));
    result.total_storage_bytes = bytes;
    return result;
  }

  Result<std::vector<TraceMember>> tracesOf(const std::vector<std::string>& call_ids) override {
    CallFilter filter;
    filter.call_ids = call_ids;
    Sql sql("SELECT c.id, c.parent_id FROM " + from_ + " AS c WHERE ");
    sql.add(visible())
        .add(" AND c.trace_id IN (SELECT c.trace_id FROM " + from_ + " AS c WHERE ")
        .add(visible())
        .add(" AND ")
        .add(compileFilter(filter))
        .add(")");
    return collectRows(snapshot_.query(sql.text, sql.params), [](const Cursor& row) {
      TraceMember member{std::string(row.text(0)), std::nullopt};
      if (!row.isNull(1)) member.parent_id = std::string(row.text(1));
      return member;
    });
  }

  Result<std::unordered_map<std::string, std::int64_t>> traceBytes(
      const std::vector<std::string>& trace_ids) override {
    CallFilter filter;
    filter.trace_ids = trace_ids;
    Sql sql(
        "SELECT c.trace_id, CAST(sum(c.start_bytes + c.output_bytes + c.summary_bytes) AS "
        "BIGINT) FROM " +
        from_ + " AS c WHERE ");
    sql.add(visible()).add(" AND ").add(compileFilter(filter)).add(" GROUP BY c.trace_id");
    std::unordered_map<std::string, std::int64_t> bytes;
    TRY(forEachRow(snapshot_.query(sql.text, sql.params),
                   [&bytes](const Cursor& row) { bytes.emplace(row.text(0), row.integer(1)); }));
    return bytes;
  }

  Result<std::int64_t> totalBytes() override {
    Sql sql("SELECT COALESCE(sum(c.start_bytes + c.output_bytes + c.summary_bytes), 0) FROM " +
            from_ + " AS c WHERE ");
    return sum(sql.add(visible()));
  }

  Result<CallStats> stats(const CallStatsQuery& query) override {
    std::unique_ptr<CallFields> fields = TRY(fieldsFor(query.selection, {}));
    CallQuery selection = query.selection;
    selection.filter.trace_roots_only.reset();
    Sql selected = TRY(conditionOf(selection, *fields));
    return readStats(engine_, {std::move(selected), latencySql()}, *fields, query);
  }

  Result<std::vector<Facet>> facets(const FacetQuery& query) override {
    std::unique_ptr<CallFields> fields = TRY(fieldsFor(query.selection, {}));
    const FacetRows rows = TRY(facetRows(query.selection, *fields));
    return readFacets(engine_, rows, *fields, query);
  }

  Result<CallAttributes> attributes(const AttributeQuery& query) override {
    std::unique_ptr<CallFields> fields = TRY(fieldsFor(query.selection, {}));
    const FacetRows rows = TRY(facetRows(query.selection, *fields));
    return readAttributes(engine_, rows, query);
  }

  Result<std::vector<OutlinedCall>> outline(std::string_view trace_id,
                                            std::int64_t limit) override {
    return readCallOutline(snapshot_, sources_, trace_id, limit);
  }

  Result<std::vector<FoundCall>> search(const CallSearch& search) override {
    CallStatement statement = newStatement();
    statement.sources = sources_;
    statement.from = from_;
    return searchCalls(snapshot_, family_, std::move(statement), search);
  }

  Result<std::unique_ptr<ThreadReader>> threads(const ThreadQuery& query) override {
    return readThreads(snapshot_, from_, query);
  }

 private:
  static Sql visible() { return Sql("c.presence = 1"); }

  CallStatement newStatement() const {
    CallStatement statement;
    statement.resources = resources_;
    statement.project = project_.id;
    return statement;
  }

  /// Returns the number of calls that match the condition of a selection. With a limit, the result
  /// may be incomplete beyond the limit.
  Result<std::int64_t> matching(const CallQuery& selection,
                                const Sql& condition,
                                std::optional<std::int64_t> limit) {
    // Filters without parameters are few, and use only columns of the call itself.
    if (!selection.query && condition.params.empty())
      return snapshot_.count(family_, project_.id, condition.text);
    if (!limit) return sum(selectFrom(sources_, "count(*)", condition));
    // Each table counts at most `limit` + 1 rows.
    Sql sql;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      sql.add(i == 0 ? SqlView() : SqlView(" UNION ALL "))
          .add("SELECT count(*) FROM (")
          .add(selectFrom({sources_[i]}, "1", condition))
          .add(" LIMIT " + SqlText::number(*limit) + " + 1)");
    }
    return sum(sql);
  }

  /// Returns the sum of the first column of all rows.
  Result<std::int64_t> sum(const Sql& sql) {
    std::int64_t sum = 0;
    TRY(forEachRow(snapshot_.query(sql.text, sql.params),
                   [&sum](const Cursor& row) { sum += row.integer(0); }));
    return sum;
  }

  Result<Sql> conditionOf(const CallQuery& selection, const CallFields& fields) const {
    Sql condition = visible();
    condition.add(" AND ").add(compileFilter(selection.filter));
    if (!selection.query) return condition;
    Sql asked = TRY(query::compileCondition(*selection.query, fields));
    return condition.add(" AND (").add(asked).add(")");
  }

  /// Returns the rows of a selection, with its conditions divided by their cost.
  Result<FacetRows> facetRows(const CallQuery& selection, const CallFields& fields) const {
    FacetRows rows{visible(), {}};
    rows.fast.add(" AND ").add(compileFilter(selection.filter));
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
      feedback_ = joins_.feedback_fields(snapshot_, project_.id);
    if (uses("annotation_queue_items.") && !queues_ && joins_.queue_fields) {
      std::unique_ptr<query::Fields> queues = TRY(joins_.queue_fields(project_.id));
      queues_ = std::move(queues);
    }
    auto fields = std::make_unique<CallFields>(project_.name, feedback_.get(), queues_.get());
    if (selection.expand_columns.empty()) return fields;
    // Reject unknown fields before any lookup.
    for (const std::string& field : used) {
      TRY(fields->resolve(field));
    }
    std::vector<ExpandedRefs> expanded = TRY(expandRefs(
        textsIn(snapshot_, from_), project_.id, selection.expand_columns, used, joins_.ref_values));
    for (ExpandedRefs& refs : expanded) fields->expand(std::move(refs));
    return fields;
  }

  columnar::Snapshot snapshot_;
  const columnar::FamilyId family_;
  const columnar::FamilyId resources_;
  const ProjectScope project_;
  const CallJoins& joins_;
  const std::vector<columnar::Source> sources_;
  const SqlText from_;
  ColumnarCallEngine engine_;
  std::unique_ptr<query::Fields> feedback_;
  std::unique_ptr<query::Fields> queues_;
};

}  // namespace

Result<void> ColumnarCallStore::write(std::string_view project_id, std::vector<CallPart> parts) {
  PartsChange change(family_, resources_, project_id, std::move(parts), changes_);
  Result<void> written = store_.write(change, change.bytes());
  if (written) change.publish();
  return written;
}

Result<std::unique_ptr<CallView>> ColumnarCallStore::view(const ProjectScope& project) {
  // A project without writes is a missing partition, which has no rows.
  columnar::Snapshot snapshot = TRY(store_.snapshot());
  return std::unique_ptr<CallView>(
      std::make_unique<SnapshotView>(std::move(snapshot), family_, resources_, project, joins_));
}

Result<std::int64_t> ColumnarCallStore::removeExpired(Timestamp now) {
  return store_.removeBefore(family_, {}, "expire_at", now);
}

}  // namespace spindle::tracing
