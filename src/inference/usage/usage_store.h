#pragma once

#include <cstdint>
#include <string>

#include "base/core/result.h"
#include "base/core/time.h"
#include "inference/limits/nano_dollars.h"
#include "inference/limits/usage_limit.h"
#include "inference/usage/usage_report.h"
#include "inference/usage/usage_sink.h"

namespace spindle::inference {

/// The interface of a store of usage: writes the usage of requests to the gateway, computes reports
/// and deletes old usage. A record that is written again replaces the one with the same id.
/// Implementations pass the tests in usage_store_contract_for_test.h. Thread-safe; blocks on disk.
class UsageStore : public UsageSink {
 public:
  /// Returns the first `limit` groups, sorted by their keys.
  /// @return kTimeout, kUnavailable; an error of `prices`.
  virtual Result<UsageReport> report(const UsageReportQuery& report_query,
                                     const PricesOfProject& prices) const = 0;

  /// Returns the cost of the requests of a key or a project since a time, at the prices of the time
  /// of each request. Budgets use it. @return kTimeout, kUnavailable.
  virtual Result<NanoDollars> spentSince(LimitScope scope,
                                         const std::string& subject_id,
                                         Timestamp since) const = 0;

  /// Deletes older usage, at least by whole days. @return the number of deleted requests.
  virtual Result<std::int64_t> removeBefore(Timestamp moment) = 0;
};

}  // namespace spindle::inference
