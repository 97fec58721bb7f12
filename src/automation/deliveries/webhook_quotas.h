#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/time.h"

namespace spindle::automation {

/// The number of requests that may be sent to a webhook now.
struct WebhookQuota {
  std::string webhook_id;
  int quota = 0;           ///< maximum number of new requests
  int in_flight = 0;       ///< running requests
  bool throttled = false;  ///< the endpoint is overloaded
};

/// Shares the total request concurrency evenly between the webhooks that have due deliveries. The
/// maximum concurrency of one webhook is applied when deliveries are claimed. For one thread.
class WebhookQuotas {
 public:
  explicit WebhookQuotas(int total) : total_(total) {}

  /// Sets the time at which the next delivery to the webhook is due; nothing: none is due.
  void due(const std::string& webhook_id, std::optional<Timestamp> when);
  /// As due(), unless an earlier time is known.
  void dueAtLatest(const std::string& webhook_id, Timestamp when);
  void started(const std::string& webhook_id);
  void ended(const std::string& webhook_id);
  /// Halves the concurrency of the webhook until that time.
  void throttle(const std::string& webhook_id, Timestamp until);
  /// Marks the webhook as saturated: due deliveries wait until one of its requests ends.
  void full(const std::string& webhook_id);

  /// Returns a share for each webhook with due deliveries, including `fresh` ones. The webhook that
  /// was served least recently comes first.
  std::vector<WebhookQuota> plan(Timestamp now, const std::vector<std::string>& fresh) const;
  /// Returns the time of the next due delivery that can be sent.
  std::optional<Timestamp> nextDue() const;
  /// Returns true if a due delivery waits for the end of a request to this webhook.
  bool isAwaited(const std::string& webhook_id, Timestamp now) const;
  int inFlight() const { return in_flight_; }

 private:
  struct Entry {
    std::optional<Timestamp> due;
    int in_flight = 0;
    bool full = false;
    std::optional<Timestamp> throttled_until;
    std::uint64_t served = 0;  ///< sequence number of the last request
  };

  const int total_;
  int in_flight_ = 0;
  std::uint64_t count_ = 0;
  std::map<std::string, Entry, std::less<>> webhooks_;
};

}  // namespace spindle::automation
