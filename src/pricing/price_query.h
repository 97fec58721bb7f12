#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "pricing/price.h"
#include "query/expression.h"

namespace spindle::pricing {

/// What to pick from the prices of a project.
struct PriceSelection {
  std::optional<query::Query> query;
  std::vector<query::SortKey> sort;  ///< empty: in the order they were added
  std::optional<std::int64_t> limit;
  std::optional<std::int64_t> offset;
};

/// The prices that match, one page of them. A project has few prices, so they are looked at one by
/// one. `project` is what prices show as pricing_level_id.
/// @return the errors of matches(), kInvalidArgument for a negative limit or offset.
Result<std::vector<Price>> selectPrices(std::vector<Price> prices,
                                        const PriceSelection& selection,
                                        std::string_view project);

/// The ids that a query to purge names: `$eq` of `id` and a literal, `$in` of `id` and literals,
/// `$or` of such `$eq`. @return kInvalidArgument for every other query.
Result<std::vector<std::string>> idsToPurge(const query::Query& query);

}  // namespace spindle::pricing
