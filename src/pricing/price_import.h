#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "pricing/price.h"
#include "pricing/price_choice.h"

namespace spindle::pricing {

/// One price that an import brings.
struct PriceChange {
  Price price;
  std::optional<TokenPrices> before;  ///< not set: the model had none
};

struct ImportPlan {
  std::vector<PriceChange> changes;
  std::size_t unchanged = 0;
};

/// What an import would change: prices that are in effect on their date already are left out, so
/// that importing the same file again and again does not pile up rows. `now` becomes their
/// created_at.
ImportPlan planImport(const ProjectPrices& defaults, std::vector<Price> wanted, Timestamp now);

}  // namespace spindle::pricing
