#pragma once

#include <string>
#include <vector>

#include "clickhouse/client/client.h"
#include "tracing/analysis/call_engine.h"

namespace spindle::tracing {

/// The calls of a project in ClickHouse.
class ClickHouseCallEngine final : public CallEngine {
 public:
  /// The client must outlive this object.
  ClickHouseCallEngine(clickhouse::Client& client, std::string_view project_id);

  const query::Dialect& dialect() const override { return query::clickHouseDialect(); }
  const query::Sql& calls() const override { return calls_; }
  Result<void> read(const query::Sql& sql, const Visit& visit) override;
  /// Returns exactly as many calls as the budget permits, and those of the same moment as the
  /// oldest. Reads the times of all calls.
  Result<CallSample> newestCalls(const query::Sql& condition, SampleBudget budget) override;
  Result<bool> hasMoreThan(std::int64_t calls) override;
  SqlText isOneIn(SqlView time, std::int64_t step) const override;
  SqlView modelsInSummary() const override;
  query::Sql usageInSummaries(const query::Sql& calls,
                              const std::vector<SqlName>& columns) const override;

 private:
  clickhouse::Client& client_;
  const std::string project_;
  const query::Sql calls_;
  std::optional<std::int64_t> stored_rows_;  ///< after the first hasMoreThan()
};

}  // namespace spindle::tracing
