#include "automation/api/automation_api.h"
#include "automation/api/delivery_view.h"
#include "automation/api/paths.h"
#include "automation/api/shown_as.h"
#include "automation/payloads/violations.h"
#include "automation/rules/event_spec.h"
#include "http/router/paging.h"
#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "identity/api/user_view.h"
#include "schema/described.h"

namespace spindle::automation {
namespace {

using http::Context;
using schema::ifPresent, schema::string;

struct EventsQuery : http::PageQuery, EventQuery {
  std::optional<std::string> type_name;
};

using PageOfEvents = http::PageReply<EventView>;

struct EventFilterView {
  std::string name;
  bool required = false;
};
struct EventTypesView {
  std::vector<EventTypeRow> items;
};

Result<PageOfEvents> listEvents(const AutomationServices& services,
                                const Context& context,
                                EventsQuery query) {
  if (query.type_name && !(query.type = events::eventTypeOf(*query.type_name))) {
    return Error::invalid(
        {violationAt({"query", "type"}, "enum", "Input should be a type of event")});
  }
  const identity::PageRequest request = TRY(numberedPageOf(query));
  const identity::Page<events::Event> page =
      TRY(services.events.list(context.caller().user_id, query, request));
  return identity::pageReply<EventView>(
      page, [](const events::Event& event) { return EventView(event); });
}

std::vector<std::string> scopesOf(const EventType& type) {
  std::vector<std::string> scopes;
  for (const ScopeType scope : kScopeTypes) {
    if (canOccurIn(type, scope)) scopes.emplace_back(textOf(scope));
  }
  return scopes;
}

std::vector<EventFilterView> filtersOf(const FilterRules& rules) {
  std::vector<EventFilterView> filters;
  for (const auto& filter : kFilters) {
    const Presence presence = rules.*filter.presence;
    if (presence == Presence::kForbidden) continue;
    filters.push_back({std::string(filter.name), presence == Presence::kRequired});
  }
  return filters;
}

Result<EventTypesView> listEventTypes() {
  const std::span<const EventTypeRow> rows = eventTypes();
  return EventTypesView{{rows.begin(), rows.end()}};
}

schema::Codec<EventTypesView> eventTypesCodec() {
  const auto filter = schema::Record<EventFilterView>("EventTypeFilter")
                          .required("name", &EventFilterView::name, string(), "Member of `event`.")
                          .required("required", &EventFilterView::required, schema::boolean())
                          .codec();
  const auto type =
      schema::Record<EventTypeRow>("EventType")
          .required("type", &EventTypeRow::type, shownAs(string(), nameOf<EventType>))
          .required("scopes", &EventTypeRow::type, shownAs(schema::list(string()), scopesOf),
                    "Scope types of the automations that can use it.")
          .required("filters", &EventTypeRow::filters, shownAs(schema::list(filter), filtersOf))
          .codec();
  return schema::Record<EventTypesView>("EventTypeList")
      .required("items", &EventTypesView::items, schema::list(type))
      .codec();
}

/// Codec of the types that listEvents() accepts, in upper or lower case.
schema::Codec<std::string> typeCodec() {
  std::vector<std::string> names;
  names.reserve(events::kEventTypeNames.size());
  for (const std::string_view name : events::kEventTypeNames) names.emplace_back(name);
  return schema::describedAs(string(), schema::literal(std::move(names)));
}

}  // namespace

void addEventRoutes(AutomationRoutes routes) {
  routes.setTag("events");
  using Q = EventsQuery;
  const auto text = ifPresent(string());
  routes.get(
      "/api/v1/events",
      {"listEvents", "List events",
       "Returns the events of the scopes whose automations the caller may see, "
       "newest first. Events are stored for 30 days."},
      {.params =
           http::pageParameters<Q>()
               .query("type", &Q::type_name, ifPresent(typeCodec()), "Only events of this type.")
               .query("team", &Q::team, text, "Only events of this team.")
               .query("project", &Q::project, text, "Only events of projects with this name.")
               .query("registry", &Q::registry, text, "Only events of this registry.")
               .query("collection", &Q::collection, text,
                      "Only events of collections with this name.")
               .query("run", &Q::run_id, text, "Only events of runs with this id.")
               .query("since", &Q::since, ifPresent(schema::dateTime()),
                      "Only events at this time or later."),
       .reply = http::pageCodec("EventPage", eventViewCodec())},
      listEvents);
  routes.get("/api/v1/event-types",
             {"listEventTypes", "List the event types that automations can use",
              "With the scopes and the filters of each type."},
             {.reply = eventTypesCodec()}, listEventTypes);
  routes.get("/api/v1/events/{id}", {"getEvent", "Show an event with the ids of its deliveries"},
             {.params = idPath("Id of the event."), .reply = eventViewCodec()},
             [](const AutomationServices& services, const Context& context,
                const IdPath& about) -> Result<EventView> {
               const EventRecord record =
                   TRY(services.events.find(context.caller().user_id, about.id));
               return EventView(record);
             });
}

}  // namespace spindle::automation
