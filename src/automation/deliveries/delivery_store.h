#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "automation/deliveries/event_dispatch.h"
#include "automation/deliveries/webhook_quotas.h"
#include "automation/rules/delivery.h"
#include "automation/webhooks/delivery_schedule.h"
#include "automation/webhooks/webhook.h"
#include "base/core/result.h"
#include "base/core/schedule_clock.h"
#include "events/event.h"
#include "storage/database/forward.h"

namespace spindle::live {
class ChangeLog;
}

namespace spindle::automation {

/// A delivery that a worker has claimed, with everything that is needed to send it.
struct ClaimedDelivery : DeliveryHeader {
  events::Event event;
  std::int64_t attempt = 0;        ///< attempt number, starting at 1
  std::int64_t round_attempt = 0;  ///< as `attempt`, since creation or last replay
  std::shared_ptr<const Webhook> webhook;
  std::shared_ptr<const std::string> payload;  ///< the template
};

/// The outcome of an attempt.
struct AttemptReport {
  std::int64_t delivery = 0;  ///< Delivery::number
  std::int64_t attempt = 0;
  std::string webhook_id;
  std::string team_id = {};  ///< of the webhook
  Timestamp started_at;
  Attempt outcome;                     ///< credentials masked
  std::optional<SentRequest> request;  ///< unset if no request was made
  RetryDecision decision;
};

/// The result of one engine transaction.
struct DeliveryCycle {
  AutomationSnapshot automations;
  std::vector<ClaimedDelivery> claimed;
  struct WebhookBacklog {
    std::string webhook_id;
    std::optional<Timestamp> due;  ///< due time of the next unclaimed delivery
    bool full = false;             ///< the webhook has reached its maximum concurrency
  };
  std::vector<WebhookBacklog> backlogs;  ///< of the webhooks in the plan
  bool more_events = false;
  /// The number of new and changed deliveries by team of their webhook.
  std::map<std::string, std::int64_t> changed = {};
};

/// Transactions of the delivery engine. Each cycle is one transaction: it stores the outcomes of
/// attempts, creates deliveries for new events, and claims due deliveries. A claim is a lease of
/// one minute. After a lease has expired, another worker may claim the delivery; then only its
/// outcome counts. Thread-safe; calls block on the database and may return kUnavailable.
class DeliveryStore {
 public:
  static constexpr std::chrono::seconds kLease{60};

  /// Due times use the schedule clock, displayed times the wall clock. `worker` identifies this
  /// process among all that share the database, also after a restart. `changes` may be null.
  DeliveryStore(storage::Database& database,
                const Clocks& clocks,
                DeliveryPolicy policy,
                std::string worker,
                live::ChangeLog* changes = nullptr)
      : database_(database),
        clocks_(clocks),
        policy_(std::move(policy)),
        worker_(std::move(worker)),
        changes_(changes) {}

  /// Returns the quota of each webhook; `fresh` are webhooks with new deliveries. Called inside the
  /// transaction, which may run several times.
  using Plan = std::function<std::vector<WebhookQuota>(Timestamp now,
                                                       const std::vector<std::string>& fresh)>;
  Result<DeliveryCycle> cycle(const AutomationSnapshot& known,
                              const std::vector<AttemptReport>& reports,
                              const Plan& plan);

  /// Stores the outcomes of attempts, and nothing else.
  Result<void> storeOutcomes(const std::vector<AttemptReport>& reports);

  /// Ends the leases that this worker held when it stopped. @return the number of deliveries.
  Result<std::int64_t> releaseOwn();
  /// Ends the leases of all other workers, which no longer send. @return the number of deliveries.
  Result<std::int64_t> releaseOthers();
  /// Returns the webhooks with unfinished deliveries, each with its first due time.
  Result<std::vector<DeliveryCycle::WebhookBacklog>> waiting();

  const DeliveryPolicy& policy() const { return policy_; }

 private:
  void announce(const std::map<std::string, std::int64_t>& changed);

  storage::Database& database_;
  const Clocks clocks_;
  const DeliveryPolicy policy_;
  const std::string worker_;
  live::ChangeLog* const changes_;
};

}  // namespace spindle::automation
