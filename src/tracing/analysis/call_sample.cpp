#include "tracing/analysis/call_sample.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "columnar/store/snapshot.h"

namespace spindle::tracing {
namespace {

using columnar::Cursor;
using query::Sql;

/// A time range is divided into so many slots, whose calls are counted.
constexpr std::int64_t kSlots = 512;
/// Calls can be distributed unevenly: a slot with too many calls is divided again.
constexpr int kDivisions = 3;

struct TimeCount {
  std::int64_t rows = 0;
  Timestamp first = {};
  Timestamp last = {};
};

Result<TimeCount> countCalls(columnar::Snapshot& snapshot, SqlView from, const Sql& condition) {
  Sql sql("SELECT count(*), min(c.started_at), max(c.started_at) FROM " + SqlText(from) +
          " AS c WHERE ");
  sql.add(condition);
  TimeCount count;
  TRY(forEachRow(snapshot.query(sql.text, sql.params), [&count](const Cursor& row) {
    count.rows = row.integer(0);
    if (count.rows > 0) count = {count.rows, row.time(1), row.time(2)};
  }));
  return count;
}

/// Returns the numbers of calls by slot; slot 0 starts at `first`.
Result<std::map<std::int64_t, std::int64_t>> countSlots(columnar::Snapshot& snapshot,
                                                        SqlView from,
                                                        const Sql& condition,
                                                        Timestamp first,
                                                        Timestamp last,
                                                        std::int64_t width) {
  Sql sql("SELECT (epoch_us(c.started_at) - " + SqlText::number(microsOf(first)) + ") // " +
          SqlText::number(width) + " AS slot, count(*) FROM " + SqlText(from) + " AS c WHERE ");
  sql.add(condition).add(" AND c.started_at >= ").param(first);
  sql.add(" AND c.started_at <= ").param(last).add(" GROUP BY slot");
  std::map<std::int64_t, std::int64_t> slots;
  TRY(forEachRow(snapshot.query(sql.text, sql.params),
                 [&slots](const Cursor& row) { slots[row.integer(0)] = row.integer(1); }));
  return slots;
}

/// The newest calls of a project, as a time range that ends with the newest, and what it contains.
struct NewestRange {
  std::optional<Timestamp> since = {};  ///< nothing: all calls
  TimeCount found = {};
};

/// Widens a time range until the budget is used. Reads each call once at most: older calls that
/// cannot be part of the sample are not read.
Result<NewestRange> widen(columnar::Snapshot& snapshot,
                          const CallRows& calls,
                          const Sql& condition,
                          SampleBudget budget) {
  NewestRange range;
  std::int64_t examined = 0;
  for (std::int64_t rows = budget.rows, before = 0;; before = std::exchange(rows, 2 * rows)) {
    const std::optional<Timestamp> edge =
        snapshot.newestWindow(calls.family, calls.partition, static_cast<std::size_t>(rows));
    Sql added = condition;
    if (edge) added.add(" AND c.started_at >= ").param(*edge);
    if (range.since) added.add(" AND c.started_at < ").param(*range.since);
    const TimeCount part = TRY(countCalls(snapshot, calls.from, added));
    if (part.rows > 0) {
      const bool first_part = range.found.rows == 0;
      range.found = {range.found.rows + part.rows, part.first,
                     first_part ? part.last : range.found.last};
      examined += rows - before;
    }
    range.since = edge;
    if (!edge || range.found.rows >= budget.rows || examined >= budget.examined) return range;
  }
}

}  // namespace

Result<CallSample> sampleNewest(columnar::Snapshot& snapshot,
                                const CallRows& calls,
                                const Sql& condition,
                                SampleBudget budget) {
  const NewestRange range = TRY(widen(snapshot, calls, condition, budget));
  CallSample sample{range.found.rows, range.since};
  if (sample.rows <= budget.rows) return sample;
  std::int64_t newer = 0;  // calls after `last`
  Timestamp first = range.found.first;
  Timestamp last = range.found.last;
  for (int division = 0; division < kDivisions; ++division) {
    const std::int64_t width = std::max<std::int64_t>(1, (last - first).count() / kSlots + 1);
    const std::map<std::int64_t, std::int64_t> slots =
        TRY(countSlots(snapshot, calls.from, condition, first, last, width));
    // Take slots, newest first, until the budget is used.
    auto slot = slots.rbegin();
    while (slot != slots.rend() && newer + slot->second < budget.rows) newer += (slot++)->second;
    if (slot == slots.rend()) break;
    const Timestamp begin = first + std::chrono::microseconds(slot->first * width);
    sample = {newer + slot->second, begin};
    if (sample.rows <= 2 * budget.rows || width == 1) break;
    last = std::min(last, begin + std::chrono::microseconds(width - 1));
    first = begin;
  }
  return sample;
}

}  // namespace spindle::tracing
