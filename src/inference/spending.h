#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace spindle::inference {

enum class LimitScope { kKey, kProject };
/// When a budget begins anew: at midnight UTC, on the first of the month, never.
enum class BudgetPeriod { kDay, kMonth, kTotal };

/// What one key or one project may use. Whatever is not set is not limited.
struct UsageLimit {
  std::string id;
  LimitScope scope = LimitScope::kProject;
  std::string subject_id;  ///< of the key (its public part) or of the project
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
