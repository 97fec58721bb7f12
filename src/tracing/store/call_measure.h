#pragma once

#include <optional>
#include <string_view>

#include "base/core/result.h"
#include "base/core/time.h"
#include "tracing/store/call_store.h"

namespace spindle::pricing {
class ProjectPrices;
}

namespace spindle::tracing {

/// Aggregates the calls that started in a time range: `cost` (sum), `error_rate` (share of failed
/// calls) or `latency_ms` (mean). Empty if no call has a value. `cost` needs prices.
/// @return kInvalidArgument for another measure, and the errors of the view.
Result<std::optional<double>> measureCalls(CallView& view,
                                           std::string_view measure,
                                           Timestamp from,
                                           Timestamp to,
                                           const pricing::ProjectPrices* prices);

}  // namespace spindle::tracing
