#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/core/time.h"

namespace spindle::inference {

enum class LimitScope { kKey, kProject };
/// The period of a budget: it starts at midnight UTC, on the first of the month, or only once.
enum class BudgetPeriod { kDay, kMonth, kTotal };

/// The limits of one API key or one project. Unset members are unlimited.
struct UsageLimit {
  std::string id;
  LimitScope scope = LimitScope::kProject;
  std::string subject_id;  ///< `key_id` of the key, or id of the project
  std::optional<std::int64_t> concurrency = {};
  std::optional<std::int64_t> requests_per_minute = {};
  std::optional<std::int64_t> tokens_per_minute = {};
  std::optional<double> budget_usd = {};
  BudgetPeriod period = BudgetPeriod::kMonth;
  std::int64_t version = 1;
  Timestamp created_at = {};
  Timestamp updated_at = {};
};

}  // namespace spindle::inference
