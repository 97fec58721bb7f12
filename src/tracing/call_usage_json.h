#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pricing/cost_arithmetic.h"
#include "pricing/price_choice.h"
#include "tracing/call.h"

namespace spindle::tracing {

using ModelUsage = std::pair<std::string, pricing::Usage>;

/// What a call reports to have used, by model, as its summary says.
std::vector<ModelUsage> usageOf(const Call& call);

/// The object `costs` of a call; empty when no model of it has a price.
std::optional<std::string> costsOf(const Call& call,
                                   const pricing::ProjectPrices& prices,
                                   std::string_view project);

}  // namespace spindle::tracing
