#include "tracing/clickhouse/clickhouse_call_store.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "clickhouse/schema/table_options.h"
#include "live/change_log.h"
#include "tracing/calls/call_merge.h"
#include "tracing/clickhouse/call_table.h"
#include "tracing/clickhouse/clickhouse_call_view.h"
#include "tracing/store/call_row.h"

namespace spindle::tracing {
namespace {

using clickhouse::Cursor;
using query::Sql;

/// Ids in one statement that looks for known calls.
constexpr std::size_t kIdsAtOnce = 1'000;

CallStart* startOf(CallPart& part) {
  if (auto* complete = std::get_if<CallComplete>(&part)) return &complete->start;
  return std::get_if<CallStart>(&part);
}

/// Puts the resources of spans into their dumps: ClickHouse compresses repeated texts well, and a
/// call then depends on no other row.
void includeResources(std::vector<CallPart>& parts) {
  for (CallPart& part : parts) {
    CallStart* const start = startOf(part);
    if (start == nullptr || !start->otel_resource) continue;
    if (start->otel_dump)
      start->otel_dump = withResource(*start->otel_dump, start->otel_resource->json);
    start->otel_resource.reset();
  }
}

/// A call and the version of its newest row.
struct KnownCall {
  Call call;
  std::uint64_t version = 0;
};
using KnownCalls = std::unordered_map<std::string, KnownCall>;

/// Calls `visit` with parts of the ids that fit into one statement.
template <class Visit>
Result<void> inPieces(const std::vector<std::string>& ids, Visit visit) {
  for (std::size_t at = 0; at < ids.size(); at += kIdsAtOnce) {
    const auto first = ids.begin() + static_cast<std::ptrdiff_t>(at);
    const auto count = static_cast<std::ptrdiff_t>(std::min(kIdsAtOnce, ids.size() - at));
    TRY(visit(std::vector<std::string>(first, first + count)));
  }
  return {};
}

/// Returns the newest state of calls, deleted ones too.
Result<KnownCalls> readKnownCalls(clickhouse::Client& client,
                                  const std::string& project,
                                  const std::vector<std::string>& ids) {
  const CallProjection projection = allCallColumns();
  KnownCalls known;
  TRY(inPieces(ids, [&](const std::vector<std::string>& piece) {
    Sql sql("SELECT " + selectList(projection, query::clickHouseDialect()) + ", c.version FROM ");
    sql.add(newestCallRows(project, haveIds(piece))).add(" AS c");
    const std::size_t version = selectedColumns(projection);
    return forEachRow(client.query(sql.text, sql.params), [&](const Cursor& row) {
      Call call = readCall(row, projection);
      std::string id = call.id;
      known.insert_or_assign(
          std::move(id),
          KnownCall{std::move(call), static_cast<std::uint64_t>(row.integer(version))});
    });
  }));
  return known;
}

/// One write: the rows that its parts give.
class CallWrite {
 public:
  CallWrite(std::string_view project,
            const std::vector<CallPart>& parts,
            const CallChanges& changes)
      : project_(project), parts_(parts), changes_(changes) {
    std::unordered_map<std::string_view, std::size_t> counts;
    for (const CallPart& part : parts_) ++counts[idOf(part)];
    std::set<std::string> whole;
    std::set<std::string> merged;
    for (const CallPart& part : parts_) {
      const std::string& id = idOf(part);
      const bool is_whole = std::holds_alternative<CallComplete>(part) && counts[id] == 1;
      (is_whole ? whole : merged).insert(id);
    }
    whole_.assign(whole.begin(), whole.end());
    merged_.assign(merged.begin(), merged.end());
  }

  /// Returns the calls of which this write has all there is, unless they are known already.
  const std::vector<std::string>& wholeIds() const { return whole_; }
  /// Returns the calls whose state must be read under their locks.
  const std::vector<std::string>& mergedIds() const { return merged_; }
  /// Adds known calls to the merged ones.
  void merge(const std::unordered_set<std::string>& known) {
    for (const std::string& id : whole_) {
      if (known.contains(id)) merged_.push_back(id);
    }
    std::sort(merged_.begin(), merged_.end());
  }

  /// Makes the rows. May be repeated. @return the error of a part.
  Result<void> apply(KnownCalls known, Timestamp now) {
    rows_.clear();
    row_count_ = 0;
    newest_ = {};
    evaluations_ = 0;
    for (const CallPart& part : parts_) {
      KnownCall& state = known[idOf(part)];
      state.call.id = idOf(part);
      TRY(mergePart(state.call, part));
      note(state.call);
    }
    for (auto& [id, state] : known) {
      const std::uint64_t version = versionOf(state.call.presence, now, state.version);
      putCall(rows_, project_, std::move(state.call), version);
      ++row_count_;
    }
    return {};
  }

  std::string takeRows() { return std::move(rows_); }
  std::size_t rowCount() const { return row_count_; }

  /// Publishes the change, after it was written.
  void publish() const {
    if (changes_.log == nullptr || parts_.empty()) return;
    const auto count = static_cast<std::int64_t>(parts_.size());
    changes_.log->publish(live::Topic::kCalls, project_, count, newest_);
    if (evaluations_ > 0)
      changes_.log->publish(live::Topic::kEvaluations, project_, evaluations_, newest_);
  }

 private:
  void note(const Call& call) {
    if (call.started_at) newest_ = std::max(newest_, *call.started_at);
    if (changes_.is_evaluation && changes_.is_evaluation(call.op_name)) ++evaluations_;
  }

  const std::string project_;
  const std::vector<CallPart>& parts_;
  const CallChanges& changes_;
  std::vector<std::string> whole_;
  std::vector<std::string> merged_;
  std::string rows_;
  std::size_t row_count_ = 0;
  Timestamp newest_ = {};         ///< greatest start of the calls
  std::int64_t evaluations_ = 0;  ///< calls of evaluation runs
};

}  // namespace

ClickHouseCallStore::ClickHouseCallStore(clickhouse::Client& client,
                                         CallLocks& locks,
                                         ClickHouseCallJoins joins,
                                         const Clock& clock,
                                         MetricRegistry& metrics,
                                         const clickhouse::GroupOptions& options,
                                         CallChanges changes)
    : client_(client),
      locks_(locks),
      joins_(std::move(joins)),
      clock_(clock),
      changes_(std::move(changes)),
      known_ids_(client),
      inserts_(client, callTarget(), options, metrics) {}

Result<void> ClickHouseCallStore::write(std::string_view project_id, std::vector<CallPart> parts) {
  if (parts.empty()) return {};
  includeResources(parts);
  const std::string project(project_id);
  CallWrite write(project_id, parts, changes_);
  const std::unordered_set<std::string> known = TRY(known_ids_.find(project, write.wholeIds()));
  write.merge(known);
  const auto store = [&](KnownCalls state) -> Result<void> {
    TRY(write.apply(std::move(state), clock_.now()));
    return inserts_.insert(write.takeRows(), write.rowCount());
  };
  Result<void> written;
  if (write.mergedIds().empty()) {
    written = store({});
  } else {
    written = locks_.run(project_id, write.mergedIds(), [&]() -> Result<void> {
      KnownCalls state = TRY(readKnownCalls(client_, project, write.mergedIds()));
      return store(std::move(state));
    });
  }
  if (written) write.publish();
  return written;
}

Result<std::unique_ptr<CallView>> ClickHouseCallStore::view(const ProjectScope& project) {
  return viewOfCalls(client_, project, joins_);
}

Result<std::int64_t> ClickHouseCallStore::removeExpired(Timestamp now) {
  const Sql expired = expiredCallRows(now);
  Sql count("SELECT toInt64(count()) FROM ");
  count.add(expired).add(clickhouse::finalSettings());
  std::int64_t removed = 0;
  TRY(forEachRow(client_.query(count.text, count.params),
                 [&removed](const Cursor& row) { removed = row.integer(0); }));
  if (removed == 0) return removed;
  const Sql deletion = insertDeletions(expired);
  TRY(client_.execute(deletion.text, deletion.params));
  return removed;
}

}  // namespace spindle::tracing
