#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "pricing/price.h"
#include "pricing/project_prices.h"

namespace spindle::pricing {

/// One price that an import adds.
struct PriceChange {
  Price price;
  std::optional<TokenPrices> before;  ///< previous prices; not set if the model had none
};

struct ImportPlan {
  std::vector<PriceChange> changes;
  std::size_t unchanged = 0;
};

/// Returns the changes that an import would make. Leaves out prices that are already in effect on
/// their date, so that repeated imports of one file add no rows. The changes get `now` as
/// created_at.
ImportPlan planImport(const ProjectPrices& defaults, std::vector<Price> wanted, Timestamp now);

}  // namespace spindle::pricing
