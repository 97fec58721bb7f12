#include "app/nodes/shared_rate.h"

#include <cmath>
#include <optional>

#include "cluster/shared_rates.h"

namespace spindle::app {

http::RateLimiter::Shared sharedRateOf(cluster::SharedRates* rates, const std::string& kind) {
  if (rates == nullptr) return nullptr;
  return [rates, kind](std::string_view key, std::int64_t limit,
                       std::int64_t amount) -> std::optional<http::RateLimiter::Decision> {
    const Result<cluster::SharedRates::Outcome> outcome =
        rates->take(kind + "/" + std::string(key), cluster::Rate::perMinute(limit),
                    static_cast<double>(amount));
    if (!outcome) return std::nullopt;
    http::RateLimiter::Decision decision;
    decision.limit = limit;
    decision.allowed = outcome->allowed;
    decision.remaining = static_cast<std::int64_t>(outcome->remaining);
    const double until_full =
        (static_cast<double>(limit) - outcome->remaining) * 60 / static_cast<double>(limit);
    decision.reset_seconds =
        static_cast<std::int64_t>(std::ceil(decision.allowed ? until_full : outcome->wait_seconds));
    return decision;
  };
}

}  // namespace spindle::app
