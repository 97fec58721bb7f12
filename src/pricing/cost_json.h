#pragma once

#include <string_view>

#include "json/document.h"
#include "json/writer.h"
#include "pricing/cost_arithmetic.h"
#include "pricing/price.h"

namespace spindle::pricing {

/// Reads one entry of `summary.usage`. Missing, null and non-integer values count as 0; strings and
/// booleans are converted as the schema does.
Usage usageOf(const json::Node& entry);

/// Writes an entry of `summary.svc.costs`. `project` is the name of the call's project; prices of
/// the project level show it as pricing_level_id.
void writeCost(const Usage& usage, const Price& price, std::string_view project, json::Writer& out);

}  // namespace spindle::pricing
