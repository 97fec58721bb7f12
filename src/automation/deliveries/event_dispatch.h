#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "automation/rules/event_matcher.h"
#include "automation/webhooks/delivery_schedule.h"
#include "base/core/result.h"
#include "base/core/schedule_clock.h"
#include "storage/database/session.h"

namespace spindle::automation {

/// The enabled automations at one generation of delivery_state.
struct AutomationSnapshot {
  std::int64_t generation = -1;
  std::shared_ptr<const EventMatcher> matcher;
};

/// The result of dispatching a batch of events.
struct DispatchResult {
  AutomationSnapshot automations;
  std::vector<std::string> webhooks;  ///< with a delivery that is due now, without duplicates
  bool more = false;                  ///< more events may be pending
};

/// Converts the next events to deliveries inside the caller's transaction, and stores the reached
/// position. `known` avoids reading the automations if none has changed.
Result<DispatchResult> dispatchEvents(storage::Session& session,
                                      const AutomationSnapshot& known,
                                      const DeliveryPolicy& policy,
                                      const Clocks& clocks);

/// Shifts the times of pending deliveries, leases, rate limits and silence periods, after the wall
/// clock was set back while no server was running.
Result<void> shiftDeliverySchedule(storage::Session& session, std::chrono::microseconds by);

}  // namespace spindle::automation
