#pragma once

#include <optional>
#include <vector>

#include "agents/store/span.h"
#include "pricing/cost_arithmetic.h"
#include "pricing/project_prices.h"

namespace spindle::agents {

/// Returns the cost of a span at the current price of the response model, otherwise of the request
/// model. Nothing if no price is known.
std::optional<pricing::Cost> costOf(const AgentSpan& span, const pricing::ProjectPrices& prices);

/// Returns the cost of each span.
std::vector<std::optional<pricing::Cost>> costsOf(const std::vector<AgentSpan>& spans,
                                                  const pricing::ProjectPrices& prices);

}  // namespace spindle::agents
