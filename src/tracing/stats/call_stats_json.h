#pragma once

#include <string>
#include <vector>

#include "tracing/stats/call_stats.h"

namespace spindle::tracing {

/// Returns the buckets as a JSON list. `by_model` means that each row belongs to one model.
std::string bucketsJson(const std::vector<BucketRow>& rows,
                        const Buckets& buckets,
                        const std::vector<Figure>& figures,
                        bool by_model);

}  // namespace spindle::tracing
