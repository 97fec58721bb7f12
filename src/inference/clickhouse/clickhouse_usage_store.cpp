#include "inference/clickhouse/clickhouse_usage_store.h"

#include <algorithm>
#include <utility>

#include "base/crypto/id.h"
#include "clickhouse/client/row_binary.h"
#include "clickhouse/schema/table_options.h"
#include "inference/clickhouse/usage_table.h"
#include "inference/usage/usage_statements.h"

namespace spindle::inference {
namespace {

using clickhouse::Cursor;
using query::Sql;
using std::chrono::hours;

/// Hours of which one statement computes the totals.
constexpr hours kHoursAtOnce{24};

UsageRows requests() { return {Sql("inference_usage AS c FINAL"), query::clickHouseDialect()}; }

/// Returns the condition that ClickHouse stored a request in a time; `to` is exclusive.
Sql isStoredBetween(Timestamp from, Timestamp to) {
  Sql sql("stored_at >= ");
  return sql.param(from).add(" AND stored_at < ").param(to);
}

Timestamp secondsAt(const Cursor& row, std::size_t column) {
  return timestampOfMicros(row.integer(column) * 1'000'000);
}

}  // namespace

ClickHouseUsageStore::ClickHouseUsageStore(clickhouse::Client& client,
                                           MetricRegistry& metrics,
                                           const clickhouse::GroupOptions& options)
    : client_(client), inserts_(client, usageTarget(), options, metrics) {}

Result<void> ClickHouseUsageStore::write(const std::vector<UsageRecord>& records) {
  std::string rows;
  for (const UsageRecord& record : records) putUsage(rows, record);
  return inserts_.insert(std::move(rows), records.size());
}

Result<UsageReport> ClickHouseUsageStore::report(const UsageReportQuery& report_query,
                                                 const PricesOfProject& prices) const {
  UsageReportReader reader(report_query, prices);
  Sql sql = groupsStatement(requests(), report_query).add(clickhouse::finalSettings());
  Cursor groups = TRY(client_.query(sql.text, sql.params));
  while (TRY(groups.next())) {
    if (!reader.addGroup(groups)) break;
  }
  sql = costsStatement(requests(), report_query).add(clickhouse::finalSettings());
  Cursor costs = TRY(client_.query(sql.text, sql.params));
  while (TRY(costs.next())) {
    if (!TRY(reader.addCost(costs))) break;
  }
  return reader.finish();
}

Result<Timestamp> ClickHouseUsageStore::rolledUpTo() const {
  Timestamp end = {};
  TRY(forEachRow(client_.query("SELECT toInt64(max(stored_before)) FROM inference_usage_rollup"),
                 [&end](const Cursor& row) { end = secondsAt(row, 0); }));
  return end;
}

Result<NanoDollars> ClickHouseUsageStore::spentSince(LimitScope scope,
                                                     const std::string& subject_id,
                                                     Timestamp since) const {
  const Timestamp rolled_up = TRY(rolledUpTo());
  const Timestamp first_hour = std::chrono::ceil<hours>(since);
  const SqlView subject =
      scope == LimitScope::kKey ? SqlView("key_id = ") : SqlView("project_id = ");
  // Totals of hours that are over do not change, and each request is in them or was stored later.
  Sql sql("SELECT sum(cost) FROM (SELECT h.cost FROM inference_usage_hours AS h FINAL WHERE h.");
  sql.add(subject).param(subject_id).add(" AND h.hour >= ").param(first_hour);
  sql.add(" AND h.stored_hour < ").param(rolled_up);
  sql.add(" UNION ALL SELECT c.cost FROM inference_usage AS c FINAL WHERE c.").add(subject);
  sql.param(subject_id).add(" AND ((c.started_at >= ").param(since);
  sql.add(" AND c.started_at < ").param(first_hour).add(") OR (c.started_at >= ").param(first_hour);
  // The index of stored_at tells when the first of these requests began.
  sql.add(
         " AND c.started_at >= (SELECT if(count() = 0, now64(6, 'UTC') + toIntervalYear(1), "
         "min(started_at)) FROM inference_usage WHERE stored_at >= ")
      .param(rolled_up);
  sql.add(") AND c.stored_at >= ").param(rolled_up).add(")))").add(clickhouse::finalSettings());
  double spent = 0;
  TRY(forEachRow(client_.query(sql.text, sql.params),
                 [&spent](const Cursor& row) { spent = row.real(0); }));
  return costInNanoDollars(spent);
}

Result<std::int64_t> ClickHouseUsageStore::removeBefore(Timestamp moment) {
  // A mutation per day is enough.
  const Timestamp day = std::chrono::floor<std::chrono::days>(moment);
  Sql old("SELECT toInt64(count()) FROM inference_usage FINAL WHERE started_at < ");
  old.param(day).add(clickhouse::finalSettings());
  std::int64_t count = 0;
  TRY(forEachRow(client_.query(old.text, old.params),
                 [&count](const Cursor& row) { count = row.integer(0); }));
  if (count == 0) return 0;
  Sql remove("ALTER TABLE inference_usage DELETE WHERE started_at < ");
  remove.param(day).add(" SETTINGS mutations_sync = 2");
  TRY(client_.execute(remove.text, remove.params));
  return count;
}

Result<std::int64_t> ClickHouseUsageStore::rollUp(std::chrono::seconds delay) {
  Timestamp from = TRY(rolledUpTo());
  std::int64_t rolled_up = 0;
  while (true) {
    // The next hour with requests, and the end of the hours that are over, by ClickHouse's clock.
    Sql next(
        "SELECT toInt64(count()), toInt64(toStartOfHour(min(stored_at))), "
        "toInt64(toStartOfHour(now('UTC') - toIntervalSecond(");
    next.param(std::int64_t{delay.count()});
    next.add("))) FROM inference_usage WHERE stored_at >= ").param(from);
    bool any = false;
    Timestamp first = {};
    Timestamp end = {};
    TRY(forEachRow(client_.query(next.text, next.params), [&](const Cursor& row) {
      any = row.integer(0) > 0;
      first = secondsAt(row, 1);
      end = secondsAt(row, 2);
    }));
    if (!any || first >= end) return rolled_up;
    const Timestamp to = std::min<Timestamp>(end, first + kHoursAtOnce);
    TRY(rollUpBetween(first, to));
    rolled_up += std::chrono::duration_cast<hours>(to - first).count();
    from = to;
  }
}

Result<void> ClickHouseUsageStore::rollUpBetween(Timestamp from, Timestamp to) {
  // The index of stored_at tells when these requests began. FINAL finds the first row of each
  // request, which may have been stored earlier.
  Sql sql(
      "INSERT INTO inference_usage_hours (stored_hour, hour, project_id, key_id, requests, cost) "
      "SELECT toStartOfHour(c.stored_at) AS stored_hour, toStartOfHour(c.started_at) AS hour, "
      "c.project_id, c.key_id, count(), sum(c.cost) FROM inference_usage AS c FINAL WHERE "
      "c.started_at >= (SELECT min(started_at) FROM inference_usage WHERE ");
  sql.add(isStoredBetween(from, to));
  sql.add(") AND c.started_at <= (SELECT max(started_at) FROM inference_usage WHERE ");
  sql.add(isStoredBetween(from, to)).add(") AND c.").add(isStoredBetween(from, to));
  sql.add(" GROUP BY stored_hour, hour, c.project_id, c.key_id");
  sql.add(clickhouse::finalSettings());
  TRY(client_.execute(sql.text, sql.params));
  // Readers use the totals from now on.
  std::string row;
  clickhouse::putText(row, "hours");
  clickhouse::putInteger(row, static_cast<std::uint32_t>(microsOf(to) / 1'000'000));
  return client_.insert({"inference_usage_rollup", {"name", "stored_before"}}, row,
                        newUuid(SystemClock().now()));
}

}  // namespace spindle::inference
