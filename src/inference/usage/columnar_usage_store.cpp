#include "inference/usage/columnar_usage_store.h"

#include <array>
#include <chrono>
#include <map>
#include <utility>
#include <variant>

#include "columnar/changes/change.h"
#include "pricing/cost_arithmetic.h"
#include "query/sql.h"

namespace spindle::inference {
namespace {

using columnar::ColumnType, columnar::Cursor, columnar::Value;
using query::Sql;

constexpr std::size_t kRowBytes = 512;

template <auto kMember>
Value member(const UsageRecord& record) {
  return record.*kMember;
}
template <auto kMember>
Value tokens(const UsageRecord& record) {
  return record.tokens.*kMember;
}
Value status(const UsageRecord& record) { return std::int64_t{record.status}; }
Value latency(const UsageRecord& record) { return std::int64_t{record.latency.count()}; }
Value firstToken(const UsageRecord& record) {
  if (!record.first_token) return std::monostate();
  return std::int64_t{record.first_token->count()};
}

/// A column of the table, and its value for a record.
struct UsageColumn {
  SqlName name;
  ColumnType type = {};
  Value (*value)(const UsageRecord& record) = nullptr;
};

constexpr std::array<UsageColumn, 21> kColumns = {{
    {"id", ColumnType::kText, member<&UsageRecord::id>},
    {"started_at", ColumnType::kTime, member<&UsageRecord::started_at>},
    {"request_id", ColumnType::kText, member<&UsageRecord::request_id>},
    {"team_id", ColumnType::kText, member<&UsageRecord::team_id>},
    {"project_id", ColumnType::kText, member<&UsageRecord::project_id>},
    {"user_id", ColumnType::kText, member<&UsageRecord::user_id>},
    {"key_id", ColumnType::kText, member<&UsageRecord::key_id>},
    {"model", ColumnType::kText, member<&UsageRecord::model>},
    {"upstream", ColumnType::kText, member<&UsageRecord::upstream>},
    {"operation", ColumnType::kText, member<&UsageRecord::operation>},
    {"status", ColumnType::kInteger, status},
    {"streamed", ColumnType::kBoolean, member<&UsageRecord::streamed>},
    {"counted", ColumnType::kBoolean, member<&UsageRecord::counted>},
    {"prompt", ColumnType::kInteger, tokens<&TokenUsage::prompt>},
    {"completion", ColumnType::kInteger, tokens<&TokenUsage::completion>},
    {"cached", ColumnType::kInteger, tokens<&TokenUsage::cached>},
    {"reasoning", ColumnType::kInteger, tokens<&TokenUsage::reasoning>},
    {"cost", ColumnType::kReal, member<&UsageRecord::cost>},
    {"latency_us", ColumnType::kInteger, latency},
    {"first_token_us", ColumnType::kInteger, firstToken},
    {"attempts", ColumnType::kInteger, member<&UsageRecord::attempts>},
}};

class UsageChange final : public columnar::Change {
 public:
  UsageChange(columnar::FamilyId family, const std::vector<UsageRecord>& records)
      : family_(family), records_(records) {}

  Result<void> plan(columnar::Plan& plan) override {
    for (const UsageRecord& record : records_) plan.put(family_, kUsagePartition, rowOf(record));
    return {};
  }

 private:
  static columnar::Row rowOf(const UsageRecord& record) {
    columnar::Row row;
    row.reserve(kColumns.size());
    for (const UsageColumn& column : kColumns) row.push_back(column.value(record));
    return row;
  }

  const columnar::FamilyId family_;
  const std::vector<UsageRecord>& records_;
};

/// The SQL expressions of the keys over rows `c`, as text, in the order of UsageKey.
constexpr std::array<SqlView, 5> kKeyExpressions = {"strftime(c.started_at, '%Y-%m-%d')", "c.model",
                                                    "c.project_id", "c.user_id", "c.key_id"};
static_assert(kKeyExpressions.size() == static_cast<std::size_t>(UsageKey::kApiKey) + 1);

Sql conditionOf(const UsageReportQuery& report_query) {
  Sql sql("c.started_at >= ");
  sql.param(report_query.from).add(" AND c.started_at < ").param(report_query.to);
  const auto equal = [&sql](SqlView column, const std::optional<std::string>& value) {
    if (value) sql.add(" AND ").add(column).add(" = ").param(*value);
  };
  equal("c.model", report_query.model);
  equal("c.project_id", report_query.project_id);
  equal("c.user_id", report_query.user_id);
  equal("c.key_id", report_query.key_id);
  if (report_query.scope.everything) return sql;
  sql.add(" AND (c.user_id = ").param(report_query.scope.user_id);
  const auto among = [&sql](SqlView column, const std::vector<std::string>& ids) {
    if (!ids.empty()) sql.add(" OR list_contains(").param(ids).add(", ").add(column).add(")");
  };
  among("c.team_id", report_query.scope.team_ids);
  among("c.project_id", report_query.scope.project_ids);
  return sql.add(")");
}

/// Returns `<key> AS k0, <key> AS k1, ` for the keys of the query.
SqlText keyList(const UsageReportQuery& report_query) {
  SqlText list;
  for (std::size_t i = 0; i < report_query.group_by.size(); ++i) {
    const auto key = static_cast<std::size_t>(report_query.group_by[i]);
    list.add(kKeyExpressions.at(key)).add(" AS k" + SqlText::number(i) + ", ");
  }
  return list;
}

/// Returns ` GROUP BY k0, k1, <more> ORDER BY k0, k1`.
SqlText grouping(const UsageReportQuery& report_query, SqlView more) {
  SqlText keys;
  for (std::size_t i = 0; i < report_query.group_by.size(); ++i) {
    keys.add(keys.empty() ? SqlView() : SqlView(", ")).add("k" + SqlText::number(i));
  }
  SqlText sql;
  if (!keys.empty() || !more.empty()) {
    sql.add(" GROUP BY ").add(keys).add(keys.empty() || more.empty() ? SqlView() : SqlView(", "));
    sql.add(more);
  }
  if (!keys.empty()) sql.add(" ORDER BY ").add(keys);
  return sql;
}

std::vector<std::string> keysAt(const Cursor& row, std::size_t count) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < count; ++i) keys.emplace_back(row.text(i));
  return keys;
}

constexpr SqlView kSucceeded = " FILTER (WHERE c.status < 400)";

/// Returns a sum that is limited to the maximum integer, because upstreams may report any number.
SqlText sumOf(SqlView column) {
  return "CAST(least(coalesce(sum(" + SqlText(column) + "), 0), 9223372036854775807) AS BIGINT)";
}

/// Returns `, <one of the percentiles, in milliseconds>`. DuckDB computes the list only once.
SqlText percentile(SqlView column, SqlView list, int place) {
  return ", (quantile_cont(" + SqlText(column) + ", " + list + ")" + kSucceeded + ")[" +
         SqlText::number(place) + "] / 1000";
}

/// Returns the counts and percentiles of each group.
Result<UsageReport> groupsOf(columnar::Snapshot& snapshot,
                             SqlView from,
                             const UsageReportQuery& report_query) {
  Sql sql("SELECT ");
  sql.add(keyList(report_query))
      .add(
          "count(*), count(*) FILTER (WHERE c.status >= 400 AND c.status <> 499), "
          "count(*) FILTER (WHERE c.status = 499), ")
      .add(sumOf("c.prompt") + ", " + sumOf("c.completion") + ", " + sumOf("c.cached") + ", " +
           sumOf("c.reasoning"))
      .add(", avg(c.latency_us)")
      .add(kSucceeded)
      .add(" / 1000")
      .add(percentile("c.latency_us", "[0.5, 0.95, 0.99]", 1))
      .add(percentile("c.latency_us", "[0.5, 0.95, 0.99]", 2))
      .add(percentile("c.latency_us", "[0.5, 0.95, 0.99]", 3))
      .add(percentile("c.first_token_us", "[0.5, 0.95]", 1))
      .add(percentile("c.first_token_us", "[0.5, 0.95]", 2))
      .add(" FROM " + SqlText(from) + " AS c WHERE ")
      .add(conditionOf(report_query))
      .add(grouping(report_query, ""))
      .add(" LIMIT ")
      .param(static_cast<std::int64_t>(report_query.limit + 1));
  const std::size_t count = report_query.group_by.size();
  UsageReport report;
  const auto add = [&](const Cursor& cursor) -> Result<bool> {
    if (report.rows.size() == report_query.limit) {
      report.has_more = true;
      return false;
    }
    const auto number = [&cursor](std::size_t column) -> std::optional<double> {
      if (cursor.isNull(column)) return std::nullopt;
      return cursor.real(column);
    };
    UsageRow& row = report.rows.emplace_back();
    row.keys = keysAt(cursor, count);
    row.requests = cursor.integer(count);
    row.errors = cursor.integer(count + 1);
    row.cancelled = cursor.integer(count + 2);
    row.tokens.prompt = cursor.integer(count + 3);
    row.tokens.completion = cursor.integer(count + 4);
    row.tokens.cached = cursor.integer(count + 5);
    row.tokens.reasoning = cursor.integer(count + 6);
    row.latency_mean = number(count + 7);
    row.latency_p50 = number(count + 8);
    row.latency_p95 = number(count + 9);
    row.latency_p99 = number(count + 10);
    row.first_token_p50 = number(count + 11);
    row.first_token_p95 = number(count + 12);
    return true;
  };
  TRY(forEachRow(snapshot.query(sql.text, sql.params), add));
  return report;
}

/// A cache of current prices by project and model.
class PriceList {
 public:
  explicit PriceList(const PricesOfProject& prices) : prices_(prices) {}

  /// Returns null if the model has no price.
  Result<const pricing::Price*> find(const std::string& project_id, std::string_view model) {
    const auto known = projects_.find(project_id);
    if (known != projects_.end()) return known->second->current(model);
    std::shared_ptr<const pricing::ProjectPrices> prices = TRY(prices_(project_id));
    const auto& kept = projects_.emplace(project_id, std::move(prices)).first->second;
    return kept->current(model);
  }

 private:
  const PricesOfProject& prices_;
  std::map<std::string, std::shared_ptr<const pricing::ProjectPrices>> projects_;
};

/// Adds the cost to each group. Cost is linear in tokens: sums per model and project suffice, and
/// the calculation is the same as everywhere else.
Result<void> addCosts(columnar::Snapshot& snapshot,
                      SqlView from,
                      const UsageReportQuery& report_query,
                      const PricesOfProject& prices,
                      UsageReport& report) {
  Sql sql("SELECT ");
  sql.add(keyList(report_query))
      .add("c.project_id, c.model, count(*), ")
      .add(sumOf("c.prompt") + ", " + sumOf("c.completion") + ", " + sumOf("c.cached"))
      .add(" FROM " + SqlText(from) + " AS c WHERE ")
      .add(conditionOf(report_query))
      .add(grouping(report_query, "c.project_id, c.model"));
  const std::size_t count = report_query.group_by.size();
  PriceList list(prices);
  std::size_t at = 0;
  const auto add = [&](const Cursor& cursor) -> Result<bool> {
    // Both results are sorted by their keys.
    const std::vector<std::string> keys = keysAt(cursor, count);
    while (at < report.rows.size() && report.rows[at].keys != keys) ++at;
    if (at == report.rows.size()) return false;
    const pricing::Price* price =
        TRY(list.find(std::string(cursor.text(count)), cursor.text(count + 1)));
    const std::int64_t requests = cursor.integer(count + 2);
    if (price == nullptr) {
      report.rows[at].unpriced += requests;
      return true;
    }
    pricing::Usage usage;
    usage.requests = requests;
    usage.prompt_tokens = cursor.integer(count + 3);
    usage.completion_tokens = cursor.integer(count + 4);
    usage.cache_read_input_tokens = cursor.integer(count + 5);
    report.rows[at].cost += pricing::costOf(usage, price->tokens).total();
    return true;
  };
  return forEachRow(snapshot.query(sql.text, sql.params), add);
}

}  // namespace

columnar::Family usageFamily() {
  columnar::Family family{.name = "inference_usage", .columns = {}, .key = 0, .order = 1};
  for (const UsageColumn& column : kColumns) family.columns.push_back({column.name, column.type});
  return family;
}

Result<void> ColumnarUsageStore::write(const std::vector<UsageRecord>& records) {
  if (records.empty()) return {};
  UsageChange change(family_, records);
  return store_.write(change, records.size() * kRowBytes);
}

Result<UsageReport> ColumnarUsageStore::report(const UsageReportQuery& report_query,
                                               const PricesOfProject& prices) const {
  columnar::Snapshot snapshot = TRY(store_.snapshot());
  const SqlText from = snapshot.from(family_, kUsagePartition);
  UsageReport report = TRY(groupsOf(snapshot, from, report_query));
  TRY(addCosts(snapshot, from, report_query, prices, report));
  return report;
}

Result<NanoDollars> ColumnarUsageStore::spentSince(LimitScope scope,
                                                   const std::string& subject_id,
                                                   Timestamp since) const {
  columnar::Snapshot snapshot = TRY(store_.snapshot());
  Sql sql("SELECT sum(c.cost) FROM ");
  sql.add(snapshot.from(family_, kUsagePartition)).add(" AS c WHERE c.started_at >= ").param(since);
  sql.add(scope == LimitScope::kKey ? SqlView(" AND c.key_id = ")
                                    : SqlView(" AND c.project_id = "));
  sql.param(subject_id);
  Cursor cursor = TRY(snapshot.query(sql.text, sql.params));
  const bool found = TRY(cursor.next());
  if (!found || cursor.isNull(0)) return NanoDollars{0};
  return costInNanoDollars(cursor.real(0));
}

Result<std::int64_t> ColumnarUsageStore::removeBefore(Timestamp moment) {
  return store_.removeBefore(family_, kUsagePartition, "started_at", moment);
}

}  // namespace spindle::inference
