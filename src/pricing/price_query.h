#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "pricing/price.h"
#include "query/expression.h"

namespace spindle::pricing {

/// Filter, sort order and page of a query over the prices of a project.
struct PriceQuery {
  std::optional<query::Query> query;
  std::vector<query::SortKey> sort;  ///< empty: insertion order
  std::optional<std::int64_t> limit;
  std::optional<std::int64_t> offset;
};

/// Returns one page of the matching prices. Evaluates the filter price by price, because a project
/// has few prices. `project` is the pricing_level_id of the prices.
/// @return the errors of matches(), kInvalidArgument for a negative limit or offset.
Result<std::vector<Price>> queryPrices(std::vector<Price> prices,
                                       const PriceQuery& request,
                                       std::string_view project);

/// Returns the ids that a purge query names. Accepts `$eq` of `id` and a literal, `$in` of `id` and
/// literals, and `$or` of such `$eq`. @return kInvalidArgument for every other query.
Result<std::vector<std::string>> idsToPurge(const query::Query& query);

}  // namespace spindle::pricing
