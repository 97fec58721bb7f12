#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "columnar/store/store.h"
#include "inference/limits/nano_dollars.h"
#include "inference/limits/usage_limit.h"
#include "inference/usage/usage_report.h"
#include "inference/usage/usage_sink.h"

namespace spindle::inference {

/// The partition of usage in the columnar store; one partition for all projects. Nearly every query
/// covers several projects (of a user, a key, a team or the organization), a batch of requests is
/// written to one table regardless of its projects, and the cost stays known when a project is
/// deleted.
inline constexpr std::string_view kUsagePartition = "inference-usage";

/// Returns the table definition with which `app` opens the columnar store.
columnar::Family usageFamily();

/// Stores the usage of requests to the gateway and computes reports. Thread-safe; blocks on disk.
class UsageStore final : public UsageSink {
 public:
  UsageStore(columnar::Store& store, columnar::FamilyId family) : store_(store), family_(family) {}

  Result<void> write(const std::vector<UsageRecord>& records) override;

  /// Returns the first `limit` groups, sorted by their keys.
  /// @return kTimeout, kUnavailable; an error of `prices`.
  Result<UsageReport> report(const UsageReportQuery& report_query,
                             const PricesOfProject& prices) const;

  /// Returns the cost of the requests of a key or a project since a time, at the prices of the time
  /// of each request. Budgets use it. @return kTimeout, kUnavailable.
  Result<NanoDollars> spentSince(LimitScope scope,
                                 const std::string& subject_id,
                                 Timestamp since) const;

  /// Deletes older usage. @return the number of deleted requests.
  Result<std::int64_t> removeBefore(Timestamp moment);

 private:
  columnar::Store& store_;
  const columnar::FamilyId family_;
};

}  // namespace spindle::inference
