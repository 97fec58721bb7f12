#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "automation/delivery.h"
#include "base/result.h"
#include "base/schedule_clock.h"
#include "identity/page.h"

namespace spindle::storage {
class Database;
}

namespace spindle::automation {

/// The log of deliveries, and what people do to them. Thread-safe; calls block on the database and
/// may also return kUnavailable. Whoever makes something due tells the engine.
class DeliveryRepository {
 public:
  DeliveryRepository(storage::Database& database, const Clocks& clocks)
      : database_(database), clocks_(clocks) {}

  /// @return kNotFound.
  Result<Delivery> find(std::string_view id);
  /// In their order.
  Result<std::vector<DeliveryAttempt>> attempts(const Delivery& delivery);

  /// Decides whether the caller may see what lies in a scope.
  using SeesScope = std::function<Result<bool>(const Scope& scope)>;
  /// Newest first. What the caller may not see is left out.
  /// @return kInvalidArgument when the page cannot be one of this list.
  Result<identity::Page<Delivery>> list(const DeliveryFilter& filter,
                                        const SeesScope& sees,
                                        const identity::PageRequest& page);
  /// The ids of the deliveries of an event, in their order.
  Result<std::vector<std::string>> idsOfEvent(std::string_view event_id);

  /// Sends it again as it was, under the same id; the schedule begins anew.
  /// @return kNotFound; kConflict: `in_flight`, `webhook_disabled`, `nothing_to_send`.
  Result<Delivery> replay(std::string_view id);
  /// Sends the event again, by the automation as it is now, under a new id.
  /// @return as replay(); kConflict (`automation_deleted`).
  Result<Delivery> replayAsNow(std::string_view id);
  /// @return kNotFound; kConflict (`finished`).
  Result<Delivery> cancel(std::string_view id);
  /// Replays what failed, was skipped, or came while the endpoint was disabled, in a time, oldest
  /// first.
  /// @return how many; kConflict (`webhook_disabled`).
  Result<std::int64_t> recover(std::string_view webhook_id,
                               Timestamp since,
                               std::optional<Timestamp> until);

  /// Forgets deliveries after thirty days and their bodies after seven, a moderate number at a
  /// time. @return true when there may be more to forget.
  Result<bool> forgetOld();
  /// How far events have been turned into deliveries.
  Result<std::int64_t> dispatched();

 private:
  Result<std::vector<Delivery>> batch(const DeliveryFilter& filter, std::int64_t before, int count);

  storage::Database& database_;
  const Clocks clocks_;
};

}  // namespace spindle::automation
