#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tracing/stats/call_stats.h"

namespace spindle::tracing {

/// Returns the buckets as a JSON list. A row of a model has the member `model`, a row of a group
/// the members `group` (null unless it is a value) and `group_kind` (value, missing or other).
std::string bucketsJson(const std::vector<BucketRow>& rows,
                        const Buckets& buckets,
                        const std::vector<Figure>& figures,
                        Series series,
                        const std::vector<CallGroup>& groups = {});

/// Returns `value`, `missing` or `other`.
std::string_view textOf(CallGroup::Kind kind);

}  // namespace spindle::tracing
