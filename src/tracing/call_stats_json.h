#pragma once

#include <string>
#include <vector>

#include "tracing/call_stats.h"

namespace spindle::tracing {

/// The list of buckets as it is shown. `by_model` when each row is of one model.
std::string bucketsJson(const std::vector<BucketRow>& rows,
                        const Buckets& buckets,
                        const std::vector<Figure>& figures,
                        bool by_model);

}  // namespace spindle::tracing
