#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/core/result.h"
#include "base/core/time.h"
#include "pricing/price.h"
#include "query/expression.h"

namespace spindle::pricing {

/// Null, string, number, timestamp or boolean.
using PriceValue = std::variant<std::monostate, std::string, double, Timestamp, bool>;

/// A price field that queries can use. `project` is the pricing_level_id of the prices.
struct PriceField {
  std::string_view name;
  PriceValue (*of)(const Price& price, std::string_view project);
};

/// Returns a field of the response, or pricing_level, pricing_level_id, created_by or created_at;
/// null for other names.
const PriceField* findPriceField(std::string_view name);
Error unknownPriceField(const std::string& name);

/// Returns true if the query holds for a price. Compares strings, numbers and timestamps directly,
/// without the conversions that values inside JSON need. Unknown (null) does not match. Evaluates
/// every operand without short-circuit, so that an invalid query fails regardless of the data.
/// @return kInvalidArgument for an unknown field and values that cannot be compared,
/// kPermissionDenied for an argument of a type that the operator does not accept.
Result<bool> matches(const Price& price, const query::Query& query, std::string_view project);

}  // namespace spindle::pricing
