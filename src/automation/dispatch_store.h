#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "automation/delivery_schedule.h"
#include "automation/event_matcher.h"
#include "base/result.h"
#include "base/schedule_clock.h"
#include "storage/session.h"

namespace spindle::automation {

/// The enabled automations, as they were at some generation.
struct Watchers {
  std::int64_t generation = -1;
  std::shared_ptr<const EventMatcher> matcher;
};

/// What became of some events.
struct Dispatched {
  Watchers watchers;
  std::vector<std::string> webhooks;  ///< that have something due now, each once
  bool more = false;                  ///< there may be more events
};

/// Turns the next events into deliveries, inside a transaction of the caller's, and keeps how far
/// it has come. `known` saves reading the automations when none has changed.
Result<Dispatched> dispatch(storage::Session& session,
                            const Watchers& known,
                            const DeliveryPolicy& policy,
                            const Clocks& clocks);

/// Moves the times of pending deliveries, leases, rate limits and silences, after the wall clock
/// was set back while no server ran.
Result<void> shiftDeliverySchedule(storage::Session& session, std::chrono::microseconds by);

}  // namespace spindle::automation
