#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "inference/usage.h"
#include "pricing/price_choice.h"

namespace spindle::inference {

/// What usage can be told apart by.
enum class UsageKey { kDay, kModel, kProject, kUser, kApiKey };

/// `day`, `model`, `project`, `user`, `key`.
std::string_view textOf(UsageKey key);
std::optional<UsageKey> usageKeyOf(std::string_view text);

/// Whose usage one may see: all, or that of some teams and projects, and always one's own.
struct UsageScope {
  bool everything = false;
  std::vector<std::string> team_ids = {};
  std::vector<std::string> project_ids = {};
  std::string user_id = {};
};

struct UsageQuestion {
  Timestamp from = {};
  Timestamp to = {};  ///< not included
  std::vector<UsageKey> group_by = {};
  std::optional<std::string> model = {};
  std::optional<std::string> project_id = {};
  std::optional<std::string> user_id = {};
  std::optional<std::string> key_id = {};
  UsageScope scope = {};
  std::size_t limit = 1000;
};

/// The requests of one group; the first keys order the rows.
struct UsageRow {
  /// Of each key of the question: a day as `2026-11-15`, a name of a model, else an id.
  std::vector<std::string> keys;
  std::int64_t requests = 0;
  std::int64_t errors = 0;     ///< answered with a status from 400 on
  std::int64_t cancelled = 0;  ///< the client left
  TokenUsage tokens = {};
  double cost = 0;            ///< at today's prices
  std::int64_t unpriced = 0;  ///< requests for models that have no price
  // In milliseconds, of answers that succeeded; none without any.
  std::optional<double> latency_mean = {};
  std::optional<double> latency_p50 = {};
  std::optional<double> latency_p95 = {};
  std::optional<double> latency_p99 = {};
  std::optional<double> first_token_p50 = {};
  std::optional<double> first_token_p95 = {};
};

struct UsageReport {
  std::vector<UsageRow> rows;
  bool has_more = false;  ///< there are more groups than were asked for
};

/// The prices that count in a project.
using PricesOfProject = std::function<Result<std::shared_ptr<const pricing::ProjectPrices>>(
    std::string_view project_id)>;

}  // namespace spindle::inference
