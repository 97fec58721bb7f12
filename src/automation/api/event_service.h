#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "automation/api/scope_repository.h"
#include "automation/deliveries/delivery_repository.h"
#include "automation/rules/scope_access.h"
#include "base/core/result.h"
#include "events/event.h"
#include "identity/store/page.h"

namespace spindle::events {
class Outbox;
}

namespace spindle::automation {

/// An event with the ids of its deliveries.
struct EventRecord {
  events::Event event;
  std::vector<std::string> delivery_ids;
};

/// Lists events, with permission checks: a caller sees the events of the scopes whose automations
/// it may see. Thread-safe; blocks on the database.
class EventService {
 public:
  EventService(events::Outbox& outbox,
               DeliveryRepository& deliveries,
               ScopeRepository& scope_repository,
               const ScopeAccess& scopes)
      : outbox_(outbox),
        deliveries_(deliveries),
        scope_repository_(scope_repository),
        scopes_(scopes) {}

  /// Lists events, newest first, without those that the caller may not see.
  /// @return kInvalidSchema for a project without its team, or a collection without its project or
  /// registry.
  Result<identity::Page<events::Event>> list(std::string_view user_id,
                                             const EventQuery& query,
                                             const identity::PageRequest& page);
  /// @return kNotFound.
  Result<EventRecord> find(std::string_view user_id, std::string_view id);

 private:
  Result<bool> sees(std::string_view user_id, const events::Subject& subject);

  events::Outbox& outbox_;
  DeliveryRepository& deliveries_;
  ScopeRepository& scope_repository_;
  ScopeAccess scopes_;
};

}  // namespace spindle::automation
