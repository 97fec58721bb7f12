#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "automation/delivery_lanes.h"
#include "automation/delivery_schedule.h"
#include "automation/dispatch_store.h"
#include "automation/webhook.h"
#include "base/result.h"
#include "base/schedule_clock.h"
#include "events/event.h"

namespace spindle::storage {
class Database;
}

namespace spindle::automation {

/// A delivery in the hands of a worker, with all it takes to send it.
struct ClaimedDelivery {
  std::int64_t number = 0;
  std::string id;
  std::string automation_id;
  std::string automation_name;
  events::Event event;
  std::int64_t attempt = 0;        ///< of all, from 1
  std::int64_t round_attempt = 0;  ///< since it began or was last replayed, from 1
  std::shared_ptr<const Webhook> webhook;
  std::shared_ptr<const std::string> payload;  ///< the template
};

/// What came of an attempt.
struct AttemptReport {
  std::int64_t delivery = 0;  ///< its number
  std::int64_t attempt = 0;
  std::string webhook_id;
  Timestamp started_at;
  Attempt outcome;                     ///< credentials masked
  std::optional<SentRequest> request;  ///< unset when none was made
  Verdict verdict;
};

/// What one transaction came to.
struct Turn {
  Watchers watchers;
  std::vector<ClaimedDelivery> claimed;
  struct LaneState {
    std::string webhook_id;
    std::optional<Timestamp> due;  ///< of what is left
    bool full = false;             ///< the endpoint bears no more
  };
  std::vector<LaneState> lanes;  ///< of the endpoints that were asked for
  bool more_events = false;
};

/// Deliveries as the engine moves them. Everything that one round has to change is one
/// transaction: new deliveries for new events, the outcomes of attempts, and the claims of what is
/// due. A claim is a lease of a minute; whoever claims a delivery later, because the lease ran out,
/// is the only one whose outcome counts. Thread-safe; calls block on the database and may return
/// kUnavailable.
class DeliveryStore {
 public:
  static constexpr std::chrono::seconds kLease{60};

  /// What is due follows the schedule clock, what is shown the wall clock.
  /// `worker` names this process among all that share the database, now and after a restart.
  DeliveryStore(storage::Database& database,
                const Clocks& clocks,
                DeliveryPolicy policy,
                std::string worker)
      : database_(database),
        clocks_(clocks),
        policy_(std::move(policy)),
        worker_(std::move(worker)) {}

  /// Called inside the transaction, maybe several times: what each endpoint may be given, when
  /// these have something new.
  using Plan =
      std::function<std::vector<LaneQuota>(Timestamp now, const std::vector<std::string>& fresh)>;
  Result<Turn> turn(const Watchers& known,
                    const std::vector<AttemptReport>& reports,
                    const Plan& plan);

  /// Returns what this worker held when it ended. @return how many.
  Result<std::int64_t> releaseOwn();
  /// The endpoints that have something to do, and when first.
  Result<std::vector<Turn::LaneState>> waiting();

  const DeliveryPolicy& policy() const { return policy_; }

 private:
  storage::Database& database_;
  const Clocks clocks_;
  const DeliveryPolicy policy_;
  const std::string worker_;
};

}  // namespace spindle::automation
