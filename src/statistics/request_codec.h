#pragma once

#include <optional>
#include <string_view>

#include "base/core/time.h"
#include "schema/report.h"
#include "schema/type.h"
#include "statistics/aggregation.h"

namespace spindle::statistics {

schema::Codec<Aggregation> aggregationCodec();

/// Checks that a time range does not end before it starts and is not longer than kMaxRange.
/// `request` is the name of the request in the error.
std::optional<schema::RuleError> checkTimeRange(std::string_view request,
                                                Timestamp start,
                                                Timestamp end);

}  // namespace spindle::statistics
