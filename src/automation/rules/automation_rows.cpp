#include "automation/rules/automation_rows.h"

#include <optional>
#include <stdexcept>
#include <utility>

#include "automation/rules/event_spec_json.h"

namespace spindle::automation {

using storage::Row;

SqlView scopeColumns() {
  return "a.scope_type, a.team_id, t.name AS team, a.project_id, p.name AS project, "
         "a.registry_id, g.name AS registry, a.collection_id, c.name AS collection ";
}

SqlView scopeJoins() {
  return "LEFT JOIN published_teams t ON t.id = a.team_id "
         "LEFT JOIN published_projects p ON p.id = a.project_id "
         "LEFT JOIN published_registries g ON g.id = a.registry_id AND g.deleted_at IS NULL "
         "LEFT JOIN published_collections c ON c.id = a.collection_id AND c.deleted_at IS NULL ";
}

Scope scopeAt(const Row& row) {
  Scope scope;
  scope.type = scopeTypeOf(row.text("scope_type")).value_or(ScopeType::kOrganization);
  scope.team_id = row.optionalText("team_id").value_or("");
  scope.team = row.optionalText("team").value_or("");
  scope.project_id = row.optionalText("project_id").value_or("");
  scope.project = row.optionalText("project").value_or("");
  scope.registry_id = row.optionalText("registry_id").value_or("");
  scope.registry = row.optionalText("registry").value_or("");
  scope.collection_id = row.optionalText("collection_id").value_or("");
  scope.collection = row.optionalText("collection").value_or("");
  return scope;
}

ColumnValues scopeValues(const Scope& scope) {
  return {{"scope_type", textOf(scope.type)},
          {"team_id", orNull(scope.team_id)},
          {"project_id", orNull(scope.project_id)},
          {"registry_id", orNull(scope.registry_id)},
          {"collection_id", orNull(scope.collection_id)}};
}

storage::Value orNull(const std::string& text) {
  return text.empty() ? storage::Value() : storage::Value(text);
}

namespace {

const WritableColumns<Automation>& automationColumns() {
  static const WritableColumns<Automation> columns{
      {"id", &Automation::id},
      {"version", &Automation::version},
      {"created_at", &Automation::created_at},
      {"updated_at", &Automation::updated_at},
      {"last_executed_at", &Automation::last_executed_at}};
  return columns;
}

EventType storedWatchedType(std::string_view text) {
  const std::optional<EventType> type = eventTypeOf(text);
  if (!type) throw std::runtime_error("an automation of an unknown event type is stored");
  return *type;
}

const WritableColumns<AutomationDraft>& draftColumns() {
  static const WritableColumns<AutomationDraft> columns{
      {"name", &AutomationDraft::name},
      {"description", &AutomationDraft::description},
      {"enabled", &AutomationDraft::enabled},
      {"event_type", &AutomationDraft::event_type, storedWatchedType, textOf},
      {"event", &AutomationDraft::event}};
  return columns;
}

ActionType storedActionType(std::string_view text) {
  return text == textOf(ActionType::kWebhook) ? ActionType::kWebhook : ActionType::kNoop;
}

const WritableColumns<Action>& actionColumns() {
  static const WritableColumns<Action> columns{
      {"action_type", &Action::type, storedActionType, textOf},
      {"webhook_id", &Action::webhook_id},
      {"preset", &Action::preset},
      {"payload", &Action::payload}};
  return columns;
}

}  // namespace

ColumnValues draftValues(const AutomationDraft& draft) {
  return scopeValues(draft.scope)
      .add(draftColumns().of(draft))
      .add(actionColumns().of(draft.action));
}

ColumnValues automationValues(const Automation& automation) {
  return automationColumns().of(automation).add(draftValues(automation.draft));
}

const SqlText& selectAutomations() {
  static const SqlText select = "SELECT " + automationColumns().list("a") + ", " +
                                draftColumns().list("a") + ", " + actionColumns().list("a") +
                                ", u.username AS created_by, a.active_after, " +
                                SqlText(scopeColumns()) + "FROM automations a " + scopeJoins() +
                                "LEFT JOIN published_users u ON u.id = a.created_by ";
  return select;
}

Automation automationAt(const Row& row) {
  Automation automation = automationColumns().read(row);
  automation.draft = draftColumns().read(row);
  automation.draft.scope = scopeAt(row);
  automation.draft.action = actionColumns().read(row);
  automation.created_by = row.optionalText("created_by").value_or("");
  return automation;
}

Result<std::vector<EnabledAutomation>> enabledAutomations(storage::Session& session) {
  const auto enabled_at = [](const Row& row) {
    Automation automation = automationAt(row);
    EnabledAutomation enabled;
    enabled.id = std::move(automation.id);
    enabled.name = std::move(automation.draft.name);
    enabled.scope = std::move(automation.draft.scope);
    enabled.event_type = automation.draft.event_type;
    enabled.event = eventSpecOf(automation.draft.event);
    enabled.action = std::move(automation.draft.action);
    enabled.active_after = row.integer("active_after");
    return enabled;
  };
  return collectRows(session.query(selectAutomations() + "WHERE a.enabled = 1 ORDER BY a.id"),
                     enabled_at);
}

}  // namespace spindle::automation
