#pragma once

#include <string>
#include <string_view>

#include "base/core/time.h"

namespace spindle::pricing {

/// The price of one token, by kind of usage.
struct TokenPrices {
  double prompt = 0;
  double completion = 0;
  double cache_read = 0;
  double cache_creation = 0;

  bool operator==(const TokenPrices&) const = default;
};

enum class PriceLevel {
  kProject,  ///< set by the users of one project
  kDefault,  ///< for every project: built in, or imported by the operator
};

inline constexpr std::string_view kDefaultProvider = "default";
inline constexpr std::string_view kDefaultUnit = "USD";
/// `created_by` of the prices at the default level.
inline constexpr std::string_view kSystemUser = "system";

/// The price of one model, valid from a date.
struct Price {
  std::string id;
  std::string llm_id;  ///< model name, spelled as in the usage of calls
  TokenPrices tokens;
  std::string prompt_unit{kDefaultUnit};
  std::string completion_unit{kDefaultUnit};
  Timestamp effective_date;
  std::string provider_id{kDefaultProvider};
  PriceLevel level = PriceLevel::kProject;
  std::string created_by;
  Timestamp created_at;
};

/// Returns `project` or `default`.
std::string_view textOf(PriceLevel level);

}  // namespace spindle::pricing
