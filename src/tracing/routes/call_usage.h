#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pricing/cost_arithmetic.h"
#include "pricing/project_prices.h"
#include "tracing/calls/call.h"

namespace spindle::tracing {

using ModelUsage = std::pair<std::string, pricing::Usage>;

/// Returns the usage that the summary of a call reports, by model.
std::vector<ModelUsage> usageOf(const Call& call);
/// Returns the usage in the member `usage` of a summary, by model.
std::vector<ModelUsage> usageIn(const Payload& usage);

/// Returns the object `costs` of a call; empty if none of its models has a price.
std::optional<std::string> costsOf(const Call& call,
                                   const pricing::ProjectPrices& prices,
                                   std::string_view project);

}  // namespace spindle::tracing
