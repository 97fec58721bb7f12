#include "automation/api/automation_api.h"

#include "automation/api/automation_body.h"
#include "automation/api/paths.h"
#include "automation/api/shown_as.h"
#include "automation/payloads/payload_preset.h"
#include "automation/payloads/violations.h"
#include "http/router/resource.h"
#include "identity/access/access.h"
#include "identity/api/user_view.h"
#include "registry/repositories/registry_access.h"
#include "schema/described.h"

namespace spindle::automation {
namespace {

using http::Context;
using schema::Extra, schema::ifPresent, schema::string;

/// The types are names here; readTypes() converts them.
struct AutomationsQuery : http::PageQuery, AutomationFilter {
  std::optional<std::string> scope_type_name;
  std::optional<std::string> event_type_name;
  std::optional<std::string> action_type_name;
};
struct ProjectQuery : http::PageQuery {
  std::string team;
  std::string project;
};

struct RegistryQuery : http::PageQuery {
  std::string registry;
};

struct PresetsView {
  std::vector<PayloadPreset> items;
};

std::string ownedText(const std::string_view& text) { return std::string(text); }

schema::Codec<PresetsView> presetsCodec() {
  const auto text = shownAs(string(), ownedText);
  return schema::Record<PresetsView>("PayloadPresets")
      .required(
          "items", &PresetsView::items,
          schema::list(schema::Record<PayloadPreset>("PayloadPreset")
                           .required("name", &PayloadPreset::name, text)
                           .required("description", &PayloadPreset::description, text)
                           .required("payload", &PayloadPreset::payload, text, "The template.")
                           .codec()))
      .codec();
}

/// Sets the types of the filter. @return kInvalidSchema for an unknown name.
Result<void> readTypes(AutomationsQuery& query) {
  std::vector<Violation> violations;
  if (query.scope_type_name && !(query.scope_type = scopeTypeOf(*query.scope_type_name))) {
    violations.push_back(
        violationAt({"query", "scope_type"}, "enum", "Input should be a type of scope"));
  }
  if (query.event_type_name && !(query.event_type = eventTypeOf(*query.event_type_name))) {
    violations.push_back(
        violationAt({"query", "event_type"}, "enum", "Input should be a type of event"));
  }
  if (query.action_type_name) {
    const bool sends = *query.action_type_name == textOf(ActionType::kWebhook);
    query.action_type = sends ? ActionType::kWebhook : ActionType::kNoop;
    if (!sends && *query.action_type_name != textOf(ActionType::kNoop)) {
      violations.push_back(
          violationAt({"query", "action_type"}, "enum", "Input should be 'webhook' or 'noop'"));
    }
  }
  if (!violations.empty()) return Error::invalid(std::move(violations));
  return {};
}

using PageOfViews = http::PageReply<AutomationView>;

Result<PageOfViews> listBy(const AutomationServices& services,
                           const Context& context,
                           const AutomationFilter& filter,
                           const http::PageQuery& query) {
  const identity::PageRequest request = TRY(identity::pageRequestOf(query));
  const identity::Page<Automation> page =
      TRY(services.automations.list(context.caller().user_id, filter, request));
  return identity::pageReply<AutomationView>(
      page, [](const Automation& automation) { return AutomationView(automation); });
}

Result<PageOfViews> listAutomations(const AutomationServices& services,
                                    const Context& context,
                                    AutomationsQuery query) {
  TRY(readTypes(query));
  return listBy(services, context, query, query);
}

Result<PageOfViews> listOfProject(const AutomationServices& services,
                                  const Context& context,
                                  const ProjectQuery& query) {
  const std::string& caller = context.caller().user_id;
  const identity::ProjectAccess project =
      TRY(services.access.readProject(caller, query.team, query.project));
  if (!allows(identity::Action::kViewAutomations, project.roles)) {
    return Error::denied("You are not allowed to do this.");
  }
  AutomationFilter filter;
  filter.team = query.team;
  filter.project = query.project;
  return listBy(services, context, filter, query);
}

Result<PageOfViews> listOfRegistry(const AutomationServices& services,
                                   const Context& context,
                                   const RegistryQuery& query) {
  const registry::VisibleRegistry entry = TRY(services.registries.require(
      context.caller().user_id, query.registry, identity::Action::kViewAutomations));
  AutomationFilter filter;
  filter.registry = entry.registry.name;
  return listBy(services, context, filter, query);
}

Result<AutomationView> createAutomation(const AutomationServices& services,
                                        const Context& context,
                                        NewAutomation wanted) {
  SavedAutomation saved =
      TRY(services.automations.create(context.caller().user_id, std::move(wanted)));
  return AutomationView(std::move(saved));
}

Result<AutomationView> changeAutomation(const AutomationServices& services,
                                        const Context& context,
                                        const IdPath& path,
                                        AutomationChange change) {
  const std::optional<std::int64_t> version = TRY(http::expectedVersion(context.request.headers));
  SavedAutomation saved = TRY(
      services.automations.change(context.caller().user_id, path.id, std::move(change), version));
  return AutomationView(std::move(saved));
}

Result<AutomationView> showAutomation(const AutomationServices& services,
                                      const Context& context,
                                      const IdPath& path) {
  const Automation automation = TRY(services.automations.find(context.caller().user_id, path.id));
  return AutomationView(automation);
}

Result<void> removeAutomation(const AutomationServices& services,
                              const Context& context,
                              const IdPath& path) {
  const std::optional<std::int64_t> version = TRY(http::expectedVersion(context.request.headers));
  return services.automations.remove(context.caller().user_id, path.id, version);
}

http::Parameters<IdPath> automationPath() { return idPath("Id of the automation."); }

// Codecs of the values that readTypes() accepts, in upper or lower case.

schema::Codec<std::string> scopeTypeCodec() {
  return schema::describedAs(
      string(), schema::literal({"organization", "team", "project", "registry", "collection"}));
}

schema::Codec<std::string> actionTypeCodec() {
  return schema::describedAs(string(), schema::literal({"webhook", "noop"}));
}

schema::Codec<std::string> eventTypeCodec() {
  std::vector<std::string> names;
  for (const EventTypeRow& row : eventTypes()) names.emplace_back(textOf(row.type));
  return schema::describedAs(string(), schema::literal(std::move(names)));
}

http::Parameters<AutomationsQuery> automationsQuery() {
  using Q = AutomationsQuery;
  const auto text = ifPresent(string());
  return http::pageParameters<Q>()
      .query("name", &Q::name, text, "Only the automation with this name.")
      .query("scope_type", &Q::scope_type_name, ifPresent(scopeTypeCodec()),
             "Only automations of this scope type.")
      .query("team", &Q::team, text, "Only automations of this team and its projects.")
      .query("project", &Q::project, text, "Only automations of projects with this name.")
      .query("registry", &Q::registry, text,
             "Only automations of this registry and its collections.")
      .query("event_type", &Q::event_type_name, ifPresent(eventTypeCodec()),
             "Only automations with this event type.")
      .query("action_type", &Q::action_type_name, ifPresent(actionTypeCodec()),
             "Only automations with this action type.")
      .query("enabled", &Q::enabled, ifPresent(schema::boolean()),
             "Only enabled (`true`) or disabled (`false`) automations.")
      .query("created_by", &Q::created_by, text, "Only automations that this user created.");
}

void addReading(AutomationRoutes routes) {
  routes.get(
      "/api/v1/automations",
      {"listAutomations", "List automations",
       "Returns the automations that the caller may see, newest first."},
      {.params = automationsQuery(), .reply = http::pageCodec("AutomationPage", automationCodec())},
      listAutomations);
  routes.get(
      "/api/v1/projects/{team}/{project}/automations",
      {"listProjectAutomations", "List the automations of a project",
       "Includes the automations of its collections. Newest first."},
      {.params = inTeam(http::pageParameters<ProjectQuery>())
                     .path("project", &ProjectQuery::project, string(), "Name of the project."),
       .reply = http::pageCodec("AutomationPage", automationCodec())},
      listOfProject);
  routes.get("/api/v1/registries/{registry}/automations",
             {"listRegistryAutomations", "List the automations of a registry",
              "Includes the automations of its collections. Newest first."},
             {.params = http::pageParameters<RegistryQuery>().path(
                  "registry", &RegistryQuery::registry, string(), "Name of the registry."),
              .reply = http::pageCodec("AutomationPage", automationCodec())},
             listOfRegistry);
  routes.get("/api/v1/payload-presets", {"listPayloadPresets", "List the named payload templates"},
             {.reply = presetsCodec()}, []() {
               const std::span<const PayloadPreset> presets = payloadPresets();
               return Result<PresetsView>(PresetsView{{presets.begin(), presets.end()}});
             });
}

void addResource(AutomationRoutes routes) {
  const http::Resource automations(routes, {"/api/v1/automations", "/api/v1/automations/{id}"},
                                   automationPath(), automationCodec(), &AutomationView::version);
  automations.create(
      {"createAutomation", "Create an automation",
       "For admins of the scope. The caller must be a member or admin of the webhook's team."},
      newAutomationCodec(), createAutomation);
  automations.show({"getAutomation", "Show an automation"}, showAutomation);
  automations.change({"changeAutomation", "Change, enable or disable an automation",
                      "A move to another scope requires the permission in both scopes."},
                     automationChangeCodec(), changeAutomation);
  automations.remove({"deleteAutomation", "Delete an automation"}, removeAutomation);
}

}  // namespace

void addAutomationRoutes(AutomationRoutes routes) {
  routes.setTag("automations");
  addSecretRoutes(routes);
  addWebhookRoutes(routes);
  addProbeRoutes(routes);
  addReading(routes);
  addResource(routes);
  addPreviewRoutes(routes);
  addDeliveryRoutes(routes);
  addDeliveryStatisticsRoutes(routes);
  addEventRoutes(routes);
}

}  // namespace spindle::automation
