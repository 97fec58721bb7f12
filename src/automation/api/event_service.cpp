#include "automation/api/event_service.h"

#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "automation/payloads/violations.h"
#include "events/outbox.h"

namespace spindle::automation {

using events::Event;
using identity::Page, identity::PageRequest;

Result<bool> EventService::sees(std::string_view user_id, const events::Subject& subject) {
  const std::optional<Scope> scope = TRY(scope_repository_.scopeOf(subject));
  if (!scope) return false;
  return scopes_.sees(user_id, *scope);
}

Result<Page<Event>> EventService::list(std::string_view user_id,
                                       const EventQuery& query,
                                       const PageRequest& page) {
  if (query.project && !query.team) return Error::invalid({missingAt({"query", "team"})});
  if (query.collection && !query.project && !query.registry) {
    return Error::invalid({missingAt({"query", "project"})});
  }
  const std::optional<events::EventFilter> filter = TRY(scope_repository_.resolve(query));
  if (!filter) return Page<Event>();
  const std::optional<std::int64_t> start = positionOf(page.after);
  if (!start) return Error::invalidArgument("The cursor is not one of this list.");
  // Cache the result: a list has many events in few scopes.
  std::map<std::string, bool> known;
  const auto is_visible = [&](const Event& event) -> Result<bool> {
    const events::Subject& subject = event.subject;
    const std::string key =
        subject.team_id + "\n" + subject.project_id + "\n" + subject.registry_id;
    if (const auto found = known.find(key); found != known.end()) return found->second;
    const bool seen = TRY(sees(user_id, subject));
    known.emplace(key, seen);
    return seen;
  };
  return visiblePage<Event>(
      page.limit, *start,
      [&](std::int64_t before, int count) { return outbox_.list(*filter, before, count); },
      [](const Event& event) { return event.position; }, is_visible);
}

Result<EventRecord> EventService::find(std::string_view user_id, std::string_view id) {
  Event event = TRY(outbox_.find(id));
  if (!TRY(sees(user_id, event.subject))) return Error::notFound("Event not found");
  std::vector<std::string> deliveries = TRY(deliveries_.idsOfEvent(id));
  return EventRecord{std::move(event), std::move(deliveries)};
}

}  // namespace spindle::automation
