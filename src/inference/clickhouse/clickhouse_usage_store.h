#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/core/metrics.h"
#include "clickhouse/client/client.h"
#include "clickhouse/inserts/grouped_inserts.h"
#include "inference/usage/usage_store.h"

namespace spindle::inference {

/// Stores usage in ClickHouse, for any number of nodes. A request is stored when ClickHouse has
/// acknowledged its row; a request that is written again counts once.
///
/// Reports read the requests. The spent cost is the sum of the totals by hour, which rollUp()
/// computes, and of the requests that ClickHouse stored later.
class ClickHouseUsageStore final : public UsageStore {
 public:
  /// The totals by hour include no request that ClickHouse stored within this time, so that no
  /// INSERT that is under way is missed. Longer than all attempts of an INSERT together.
  static constexpr std::chrono::minutes kRollupDelay{15};

  /// The tables of usageTables() must exist. All parameters must outlive this object.
  ClickHouseUsageStore(clickhouse::Client& client,
                       MetricRegistry& metrics,
                       const clickhouse::GroupOptions& options = {});

  Result<void> write(const std::vector<UsageRecord>& records) override;
  Result<UsageReport> report(const UsageReportQuery& report_query,
                             const PricesOfProject& prices) const override;
  Result<NanoDollars> spentSince(LimitScope scope,
                                 const std::string& subject_id,
                                 Timestamp since) const override;
  /// Keeps the totals by hour.
  Result<std::int64_t> removeBefore(Timestamp moment) override;

  /// Computes the totals of the requests that ClickHouse stored in the hours that are over. May run
  /// at the same time on several nodes, and again after it was interrupted.
  /// @return the number of hours; the errors of the client.
  Result<std::int64_t> rollUp(std::chrono::seconds delay = kRollupDelay);

 private:
  /// Returns the end of the hours whose totals are complete; 1970 if there are none.
  Result<Timestamp> rolledUpTo() const;
  Result<void> rollUpBetween(Timestamp from, Timestamp to);

  clickhouse::Client& client_;
  clickhouse::GroupedInserts inserts_;
};

}  // namespace spindle::inference
