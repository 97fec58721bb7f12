#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "columnar/store.h"
#include "inference/money.h"
#include "inference/spending.h"
#include "inference/usage_report.h"
#include "inference/usage_sink.h"

namespace spindle::inference {

/// Where usage stands in the columnar store. One place for all projects: nearly every question is
/// about several (a person's, a key's, a team's, the deployment's), a batch of requests is written
/// to one table however many projects it is of, and what was spent stays known when a project goes.
inline constexpr std::string_view kUsagePartition = "inference-usage";

/// What `app` opens the columnar store with.
columnar::Family usageFamily();

/// Requests to the gateway, and what they come to. Thread-safe; blocks on disk.
class UsageStore final : public UsageSink {
 public:
  UsageStore(columnar::Store& store, columnar::FamilyId family) : store_(store), family_(family) {}

  Result<void> write(const std::vector<UsageRecord>& records) override;

  /// Groups in the order of their keys, the first `limit` of them.
  /// @return kTimeout, kUnavailable; an error of `prices`.
  Result<UsageReport> report(const UsageQuestion& question, const PricesOfProject& prices) const;

  /// What requests of a key or a project have cost since, at the prices they were made at: what
  /// budgets count. @return kTimeout, kUnavailable.
  Result<NanoDollars> spentSince(LimitScope scope,
                                 const std::string& subject_id,
                                 Timestamp since) const;

  /// Forgets what is older. @return how many requests.
  Result<std::int64_t> removeBefore(Timestamp moment);

 private:
  columnar::Store& store_;
  const columnar::FamilyId family_;
};

}  // namespace spindle::inference
