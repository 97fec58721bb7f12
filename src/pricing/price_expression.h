#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "base/time.h"
#include "pricing/price.h"
#include "query/expression.h"

namespace spindle::pricing {

/// Null, a text, a number, a time or a truth.
using PriceValue = std::variant<std::monostate, std::string, double, Timestamp, bool>;

/// What can be asked of a price. `project` is what prices show as pricing_level_id.
struct PriceField {
  std::string_view name;
  PriceValue (*of)(const Price& price, std::string_view project);
};

/// Those of the answer, and pricing_level, pricing_level_id, created_by, created_at; null for other
/// names.
const PriceField* findPriceField(std::string_view name);
Error unknownPriceField(const std::string& name);

/// Whether a query holds for a price: plain comparisons of texts, numbers and times, without the
/// conversions that values inside JSON need. Unknown (a null) does not match. Every part of the
/// query is looked at, also where others decide, so that a mistake in it does not depend on the
/// data.
/// @return kInvalidArgument for an unknown field and values that cannot be compared,
/// kPermissionDenied for an argument of a type that the operator does not take.
Result<bool> matches(const Price& price, const query::Query& query, std::string_view project);

}  // namespace spindle::pricing
