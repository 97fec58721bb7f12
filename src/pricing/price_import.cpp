#include "pricing/price_import.h"

#include <utility>

#include "base/crypto/id.h"

namespace spindle::pricing {

ImportPlan planImport(const ProjectPrices& defaults, std::vector<Price> wanted, Timestamp now) {
  ImportPlan plan;
  for (Price& price : wanted) {
    const Price* known = defaults.choose(price.llm_id, price.effective_date);
    const bool in_effect = known != nullptr && known->effective_date <= price.effective_date;
    if (in_effect && known->tokens == price.tokens) {
      ++plan.unchanged;
      continue;
    }
    price.id = newUuid(now);
    price.created_at = now;
    PriceChange& change = plan.changes.emplace_back();
    if (in_effect) change.before = known->tokens;
    change.price = std::move(price);
  }
  return plan;
}

}  // namespace spindle::pricing
