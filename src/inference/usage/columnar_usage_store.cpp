#include "inference/usage/columnar_usage_store.h"

#include <array>
#include <chrono>
#include <utility>
#include <variant>

#include "columnar/changes/change.h"
#include "inference/usage/usage_statements.h"
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
  const UsageRows rows{Sql(snapshot.from(family_, kUsagePartition) + " AS c"),
                       query::duckDbDialect()};
  UsageReportReader reader(report_query, prices);
  const Sql groups = groupsStatement(rows, report_query);
  TRY(forEachRow(snapshot.query(groups.text, groups.params),
                 [&reader](const Cursor& row) -> Result<bool> { return reader.addGroup(row); }));
  const Sql costs = costsStatement(rows, report_query);
  TRY(forEachRow(snapshot.query(costs.text, costs.params),
                 [&reader](const Cursor& row) { return reader.addCost(row); }));
  return reader.finish();
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
