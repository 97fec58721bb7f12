#include "tracing/analysis/call_sample.h"

#include <algorithm>
#include <chrono>
#include <map>

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

}  // namespace

Result<CallSample> newestCalls(columnar::Snapshot& snapshot,
                               SqlView from,
                               const Sql& condition,
                               std::int64_t budget) {
  const TimeCount all = TRY(countCalls(snapshot, from, condition));
  CallSample sample{all.rows};
  if (all.rows <= budget) return sample;
  std::int64_t newer = 0;  // calls after `last`
  Timestamp first = all.first;
  Timestamp last = all.last;
  for (int division = 0; division < kDivisions; ++division) {
    const std::int64_t width = std::max<std::int64_t>(1, (last - first).count() / kSlots + 1);
    const std::map<std::int64_t, std::int64_t> slots =
        TRY(countSlots(snapshot, from, condition, first, last, width));
    // Take slots, newest first, until the budget is used.
    auto slot = slots.rbegin();
    while (slot != slots.rend() && newer + slot->second < budget) newer += (slot++)->second;
    if (slot == slots.rend()) break;
    const Timestamp begin = first + std::chrono::microseconds(slot->first * width);
    sample = {newer + slot->second, begin};
    if (sample.rows <= 2 * budget || width == 1) break;
    last = std::min(last, begin + std::chrono::microseconds(width - 1));
    first = begin;
  }
  return sample;
}

}  // namespace spindle::tracing
