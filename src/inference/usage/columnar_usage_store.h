#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "columnar/store/store.h"
#include "inference/usage/usage_store.h"

namespace spindle::inference {

/// The partition of usage in the columnar store; one partition for all projects. Nearly every query
/// covers several projects (of a user, a key, a team or the organization), a batch of requests is
/// written to one table regardless of its projects, and the cost stays known when a project is
/// deleted.
inline constexpr std::string_view kUsagePartition = "inference-usage";

/// Returns the table definition with which `app` opens the columnar store.
columnar::Family usageFamily();

/// Usage in the columnar store of the server.
class ColumnarUsageStore final : public UsageStore {
 public:
  ColumnarUsageStore(columnar::Store& store, columnar::FamilyId family)
      : store_(store), family_(family) {}

  Result<void> write(const std::vector<UsageRecord>& records) override;
  Result<UsageReport> report(const UsageReportQuery& report_query,
                             const PricesOfProject& prices) const override;
  Result<NanoDollars> spentSince(LimitScope scope,
                                 const std::string& subject_id,
                                 Timestamp since) const override;
  Result<std::int64_t> removeBefore(Timestamp moment) override;

 private:
  columnar::Store& store_;
  const columnar::FamilyId family_;
};

}  // namespace spindle::inference
