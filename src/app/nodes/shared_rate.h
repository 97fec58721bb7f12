#pragma once

#include <string>

#include "http/router/rate_limiter.h"

namespace spindle::cluster {
class SharedRates;
}

namespace spindle::app {

/// Lets an HTTP rate limiter use buckets that all nodes share. `kind` distinguishes the limiters of
/// a deployment. Null if `rates` is null.
http::RateLimiter::Shared sharedRateOf(cluster::SharedRates* rates, const std::string& kind);

}  // namespace spindle::app
