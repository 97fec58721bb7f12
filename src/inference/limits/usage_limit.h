#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/time.h"
#include "inference/catalogue/enum_texts.h"

namespace spindle::inference {

enum class LimitScope { kKey, kProject };
/// The period of a budget: it starts at midnight UTC, on the first of the month, or only once.
enum class BudgetPeriod { kDay, kMonth, kTotal };

inline constexpr EnumTexts<BudgetPeriod, 3> kBudgetPeriods = {{{BudgetPeriod::kDay, "day"},
                                                               {BudgetPeriod::kMonth, "month"},
                                                               {BudgetPeriod::kTotal, "total"}}};

std::string_view textOf(BudgetPeriod period);

/// The values of a limit. Unset members are unlimited.
struct LimitValues {
  std::optional<std::int64_t> concurrency = {};
  std::optional<std::int64_t> requests_per_minute = {};
  std::optional<std::int64_t> tokens_per_minute = {};
  std::optional<double> budget_usd = {};
  BudgetPeriod period = BudgetPeriod::kMonth;
};

/// The limit of one API key or one project.
struct UsageLimit : LimitValues {
  std::string id;
  LimitScope scope = LimitScope::kProject;
  std::string subject_id;  ///< `key_id` of the key, or id of the project
  std::int64_t version = 1;
  Timestamp created_at = {};
  Timestamp updated_at = {};
};

}  // namespace spindle::inference
