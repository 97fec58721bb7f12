#pragma once

#include <string>
#include <vector>

#include "columnar/journal/family.h"
#include "tracing/analysis/call_engine.h"

namespace spindle::columnar {
class Snapshot;
}

namespace spindle::tracing {

/// The calls in a snapshot of the columnar store.
class ColumnarCallEngine final : public CallEngine {
 public:
  /// `family` is the index of the calls in the store. The snapshot must outlive this object.
  ColumnarCallEngine(columnar::Snapshot& snapshot,
                     columnar::FamilyId family,
                     std::string_view project_id);

  const query::Dialect& dialect() const override { return query::duckDbDialect(); }
  const query::Sql& calls() const override { return calls_; }
  Result<void> read(const query::Sql& sql, const Visit& visit) override;
  Result<CallSample> newestCalls(const query::Sql& condition, SampleBudget budget) override;
  Result<bool> hasMoreThan(std::int64_t calls) override;
  SqlText isOneIn(SqlView time, std::int64_t step) const override;
  SqlView modelsInSummary() const override;
  query::Sql usageInSummaries(const query::Sql& calls,
                              const std::vector<SqlName>& columns) const override;

 private:
  columnar::Snapshot& snapshot_;
  const columnar::FamilyId family_;
  const std::string project_;
  const query::Sql calls_;
};

}  // namespace spindle::tracing
