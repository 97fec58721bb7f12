#pragma once

#include <string_view>

#include "json/document.h"
#include "json/writer.h"
#include "pricing/cost_arithmetic.h"
#include "pricing/price.h"

namespace spindle::pricing {

/// One entry of `summary.usage`. What is missing, null or not a whole number counts as 0; texts and
/// booleans count as the schema reads them.
Usage usageOf(const json::Node& entry);

/// Writes an entry of `summary.svc.costs`. `project` is the name of the call's project, which a
/// price of the project level is shown with.
void writeCost(const Usage& usage, const Price& price, std::string_view project, json::Writer& out);

}  // namespace spindle::pricing
