#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "automation/rules/delivery.h"
#include "automation/rules/visible_page.h"
#include "automation/webhooks/webhook.h"
#include "base/core/result.h"
#include "base/core/time.h"
#include "storage/database/forward.h"

namespace spindle::automation {

/// A failed attempt.
struct FailedAttempt {
  Timestamp at;
  std::string delivery_id;
  std::optional<std::int64_t> response_status;
  std::optional<DeliveryError> error;  ///< set if there was no response
};

/// The health of a webhook in a period.
struct WebhookStatistics {
  std::string webhook_id;
  std::string name;
  WebhookStatus status = WebhookStatus::kActive;
  std::optional<std::string> disabled_reason;
  /// The number of deliveries by state, in the order of DeliveryStatus.
  std::array<std::int64_t, kDeliveryStatusNames.size()> counts = {};
  std::int64_t attempts = 0;
  /// Percentiles of the durations of attempts that got a response.
  std::optional<std::int64_t> latency_p50_ms;
  std::optional<std::int64_t> latency_p95_ms;
  std::optional<Timestamp> last_success_at;
  std::optional<FailedAttempt> last_failure;

  std::int64_t count(DeliveryStatus state) const { return counts[static_cast<std::size_t>(state)]; }
  /// Returns the part of the finished deliveries that succeeded; nothing if none is finished.
  /// Cancelled and skipped deliveries do not count.
  std::optional<double> successRate() const;
};

/// Computes statistics from the log of deliveries. Thread-safe; calls block on the database and may
/// return kUnavailable.
class DeliveryStatistics {
 public:
  static constexpr int kMaxWebhooks = 1000;

  explicit DeliveryStatistics(storage::Database& database) : database_(database) {}

  /// Returns the statistics of the webhooks of a team, sorted by name, at most kMaxWebhooks. Counts
  /// deliveries that were created at `since` or later, in scopes that the caller sees. The time
  /// grows with the number of deliveries since then.
  Result<std::vector<WebhookStatistics>> ofTeam(std::string_view team_id,
                                                Timestamp since,
                                                const SeesScope& sees);

 private:
  storage::Database& database_;
};

}  // namespace spindle::automation
