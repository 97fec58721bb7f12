#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "inference/usage/usage.h"
#include "pricing/project_prices.h"

namespace spindle::inference {

/// The keys that usage can be grouped by.
enum class UsageKey { kDay, kModel, kProject, kUser, kApiKey };

/// Returns `day`, `model`, `project`, `user` or `key`.
std::string_view textOf(UsageKey key);
std::optional<UsageKey> usageKeyOf(std::string_view text);

/// The usage that a user may see: all, or that of some teams and projects, and always its own.
struct UsageScope {
  bool everything = false;
  std::vector<std::string> team_ids = {};
  std::vector<std::string> project_ids = {};
  std::string user_id = {};
};

/// The query of a usage report.
struct UsageReportQuery {
  Timestamp from = {};
  Timestamp to = {};  ///< exclusive
  std::vector<UsageKey> group_by = {};
  std::optional<std::string> model = {};
  std::optional<std::string> project_id = {};
  std::optional<std::string> user_id = {};
  std::optional<std::string> key_id = {};
  UsageScope scope = {};
  std::size_t limit = 1000;
};

/// The requests of one group. Rows are sorted by their keys.
struct UsageRow {
  /// One value per key of the query: a day as `2026-11-15`, the name of a model, or an id.
  std::vector<std::string> keys;
  std::int64_t requests = 0;
  std::int64_t errors = 0;     ///< requests with a status of 400 or higher, except cancelled ones
  std::int64_t cancelled = 0;  ///< the client disconnected
  TokenUsage tokens = {};
  double cost = 0;            ///< at current prices
  std::int64_t unpriced = 0;  ///< requests for models without a price
  // In milliseconds, of successful requests; absent if there are none.
  std::optional<double> latency_mean = {};
  std::optional<double> latency_p50 = {};
  std::optional<double> latency_p95 = {};
  std::optional<double> latency_p99 = {};
  std::optional<double> first_token_p50 = {};
  std::optional<double> first_token_p95 = {};
};

struct UsageReport {
  std::vector<UsageRow> rows;
  bool has_more = false;  ///< there are more groups than the limit
};

/// Returns the prices of a project.
using PricesOfProject = std::function<Result<std::shared_ptr<const pricing::ProjectPrices>>(
    std::string_view project_id)>;

}  // namespace spindle::inference
