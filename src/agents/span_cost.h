#pragma once

#include <optional>
#include <vector>

#include "agents/span.h"
#include "pricing/cost_arithmetic.h"
#include "pricing/price_choice.h"

namespace spindle::agents {

/// What a span cost at the best price of the model that answered, otherwise of the one that was
/// asked. Empty when there is no price.
std::optional<pricing::Cost> costOf(const AgentSpan& span, const pricing::ProjectPrices& prices);

/// The same for each of them.
std::vector<std::optional<pricing::Cost>> costsOf(const std::vector<AgentSpan>& spans,
                                                  const pricing::ProjectPrices& prices);

}  // namespace spindle::agents
