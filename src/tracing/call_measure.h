#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "tracing/call_store.h"

namespace spindle::pricing {
class ProjectPrices;
}

namespace spindle::tracing {

/// What the calls that began in a time come to: `cost` (the sum), `error_rate` (the share of calls
/// that failed) or `latency_ms` (the mean). Nothing where no call says so. Needs prices for `cost`.
/// @return kInvalidArgument for another measure; what the view returns
Result<std::optional<double>> measureCalls(CallView& view,
                                           std::string_view measure,
                                           Timestamp from,
                                           Timestamp to,
                                           const pricing::ProjectPrices* prices);

}  // namespace spindle::tracing
