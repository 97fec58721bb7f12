#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "automation/rules/delivery.h"
#include "automation/rules/visible_page.h"
#include "base/core/result.h"
#include "base/core/schedule_clock.h"
#include "identity/store/page.h"
#include "storage/database/forward.h"

namespace spindle::live {
class ChangeLog;
}

namespace spindle::automation {

/// The log of deliveries, with replay, cancel and recover. Thread-safe; calls block on the database
/// and may also return kUnavailable. A caller that makes a delivery due must notify the engine.
class DeliveryRepository {
 public:
  /// `changes` may be null.
  DeliveryRepository(storage::Database& database,
                     const Clocks& clocks,
                     live::ChangeLog* changes = nullptr)
      : database_(database), clocks_(clocks), changes_(changes) {}

  /// @return kNotFound.
  Result<Delivery> find(std::string_view id);
  /// Returns the attempts in order.
  Result<std::vector<DeliveryAttempt>> attempts(const Delivery& delivery);

  /// Lists deliveries, newest first, without those that the caller may not see.
  /// @return kInvalidArgument if the cursor is not one of this list.
  Result<identity::Page<Delivery>> list(const DeliveryFilter& filter,
                                        const SeesScope& sees,
                                        const identity::PageRequest& page);
  /// Returns the ids of the deliveries of an event, in order.
  Result<std::vector<std::string>> idsOfEvent(std::string_view event_id);

  /// Sends a finished delivery again with its stored template, under the same id. The retry
  /// schedule starts again.
  /// @return kNotFound; kConflict: `in_flight`, `webhook_disabled`, `nothing_to_send`.
  Result<Delivery> replay(std::string_view id);
  /// Sends the event again with the current automation and webhook, under a new id.
  /// @return as replay(); kConflict (`automation_deleted`).
  Result<Delivery> replayCurrent(std::string_view id);
  /// Cancels further attempts. @return kNotFound; kConflict (`finished`).
  Result<Delivery> cancel(std::string_view id);
  /// Replays all deliveries of a period that failed, were skipped, or were cancelled because the
  /// webhook was disabled, oldest first.
  /// @return the number of deliveries; kConflict (`webhook_disabled`).
  Result<std::int64_t> recover(std::string_view webhook_id,
                               Timestamp since,
                               std::optional<Timestamp> until);

  /// Deletes one batch of deliveries older than 30 days and of bodies older than 7 days.
  /// @return true if there may be more to delete.
  Result<bool> deleteExpired();
  /// Returns the position up to which events have been converted to deliveries.
  Result<std::int64_t> dispatched();

 private:
  storage::Database& database_;
  const Clocks clocks_;
  live::ChangeLog* const changes_;
};

}  // namespace spindle::automation
