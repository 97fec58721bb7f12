#include "automation/rules/automation_repository.h"

#include <utility>
#include <vector>

#include "automation/rules/automation_rows.h"
#include "automation/rules/delivery_rows.h"
#include "automation/rules/sql_parts.h"
#include "base/crypto/id.h"
#include "events/event_position.h"
#include "identity/audit/audit_trail.h"
#include "storage/database/database.h"

namespace spindle::automation {
namespace {

using identity::IfVersion, identity::Page, identity::PageRequest;
using storage::Row, storage::Session;

Result<Automation> findIn(Session& session, std::string_view id) {
  const std::optional<Row> row =
      TRY(session.queryOne(selectAutomations() + "WHERE a.id = ?", {id}));
  if (!row.has_value()) return Error::notFound("Automation not found");
  return automationAt(*row);
}

Result<void> recordRuleChange(Session& session,
                              std::string_view action,
                              std::string_view id,
                              const AutomationDraft& draft,
                              Timestamp now) {
  return identity::recordChange(session,
                                {.action = action,
                                 .target_id = id,
                                 .target_name = draft.name,
                                 .team_id = draft.scope.team_id,
                                 .project_id = draft.scope.project_id},
                                now);
}

Result<void> checkName(Session& session, const AutomationDraft& draft, std::string_view own_id) {
  const std::optional<Row> row = TRY(session.queryOne(
      "SELECT id FROM automations WHERE coalesce(team_id, '') = ? AND name = ? AND id <> ?",
      {draft.scope.team_id, draft.name, own_id}));
  if (row.has_value()) {
    return Error::conflict("An automation with this name exists already.")
        .because("automation_name_taken");
  }
  return {};
}

Result<void> checkLimit(Session& session,
                        const Scope& scope,
                        std::string_view own_id,
                        std::int64_t limit) {
  const bool in_registry = !scope.registry_id.empty();
  if (!in_registry && scope.project_id.empty()) return {};
  const SqlName column = in_registry ? SqlName("registry_id") : SqlName("project_id");
  const std::optional<Row> row = TRY(session.queryOne(
      "SELECT count(*) AS number FROM automations WHERE " + SqlText(column) + " = ? AND id <> ?",
      {in_registry ? scope.registry_id : scope.project_id, own_id}));
  if (row->integer("number") < limit) return {};
  return Error::conflict("The project or registry has reached its maximum number of automations.")
      .because("automation_limit");
}

/// Returns true if the change affects which events match.
bool changesMatching(const AutomationDraft& before, const AutomationDraft& now) {
  return before.event != now.event || before.event_type != now.event_type ||
         before.scope.type != now.scope.type || before.scope.team_id != now.scope.team_id ||
         before.scope.project_id != now.scope.project_id ||
         before.scope.registry_id != now.scope.registry_id ||
         before.scope.collection_id != now.scope.collection_id;
}

/// Makes a changed or enabled automation ignore earlier events.
Result<void> skipEarlierEvents(Session& session,
                               std::string_view id,
                               const AutomationDraft& before,
                               const AutomationDraft& after) {
  const bool otherwise = changesMatching(before, after);
  if (otherwise) {
    TRY(session.execute("DELETE FROM run_silences WHERE automation_id = ?", {id}));
  }
  if (!otherwise && (before.enabled || !after.enabled)) return {};
  const std::int64_t position = TRY(events::latestPosition(session));
  TRY(session.execute("UPDATE automations SET active_after = ? WHERE id = ?", {position, id}));
  return {};
}

}  // namespace

std::string_view textOf(ActionType type) {
  return type == ActionType::kWebhook ? "webhook" : "noop";
}

Result<Automation> AutomationRepository::insert(const AutomationDraft& draft,
                                                std::string_view user_id) {
  Automation automation;
  automation.created_at = clock_.now();
  automation.id = newPrefixedId("auto_", automation.created_at);
  automation.draft = draft;
  return database_.write([&](Session& session) -> Result<Automation> {
    TRY(checkName(session, draft, ""));
    TRY(checkLimit(session, draft.scope, "", per_project_));
    const std::int64_t position = TRY(events::latestPosition(session));
    ColumnValues row = automationValues(automation);
    row.add({{"created_by", user_id}, {"active_after", position}});
    TRY(session.execute(row.insertInto("automations"), row.values()));
    TRY(recordRuleChange(session, "automation.create", automation.id, draft,
                         automation.created_at));
    TRY(recordAutomationChange(session));
    return findIn(session, automation.id);
  });
}

Result<Automation> AutomationRepository::find(std::string_view id) {
  return database_.read([&](Session& session) { return findIn(session, id); });
}

Result<Page<Automation>> AutomationRepository::list(const AutomationFilter& filter,
                                                    const SeesScope& sees,
                                                    const PageRequest& page) {
  const auto read = [&](const std::string& after, int count) {
    const Conditions conditions{{"a.id <", after},
                                {"a.name =", filter.name},
                                {"a.scope_type =", filter.scope_type},
                                {"t.name =", filter.team},
                                {"p.name =", filter.project},
                                {"g.name =", filter.registry},
                                {"a.event_type =", filter.event_type},
                                {"a.action_type =", filter.action_type},
                                {"a.enabled =", filter.enabled},
                                {"u.username =", filter.created_by}};
    return database_.read([&](Session& session) {
      return firstRows(session, selectAutomations(), conditions, "ORDER BY a.id DESC LIMIT ?",
                       count, automationAt);
    });
  };
  return visiblePage<Automation>(
      page.limit, std::string(page.below()), read,
      [](const Automation& automation) { return automation.id; },
      [&](const Automation& automation) { return sees(automation.draft.scope); });
}

Result<Automation> AutomationRepository::update(std::string_view id,
                                                const AutomationDraft& draft,
                                                IfVersion if_version) {
  const Timestamp now = clock_.now();
  return database_.write([&](Session& session) -> Result<Automation> {
    const Automation before = TRY(findIn(session, id));
    TRY(identity::checkVersion(if_version, before.version));
    TRY(checkName(session, draft, id));
    TRY(checkLimit(session, draft.scope, id, per_project_));
    ColumnValues row = draftValues(draft);
    row.add({{"updated_at", now}});
    TRY(session.execute(row.update("automations") + ", version = version + 1 WHERE id = ?",
                        row.values({id})));
    TRY(recordRuleChange(session, "automation.update", id, draft, now));
    TRY(skipEarlierEvents(session, id, before.draft, draft));
    if (before.draft.enabled && !draft.enabled) {
      TRY(cancelWaiting(session, DeliveryOwner::kAutomation, id,
                        {"automation_disabled", "The automation is disabled."}, now));
    }
    TRY(recordAutomationChange(session));
    return findIn(session, id);
  });
}

Result<void> AutomationRepository::remove(std::string_view id, IfVersion if_version) {
  const Timestamp now = clock_.now();
  return database_.write([&](Session& session) -> Result<void> {
    const Automation automation = TRY(findIn(session, id));
    TRY(identity::checkVersion(if_version, automation.version));
    TRY(session.execute("DELETE FROM automations WHERE id = ?", {id}));
    TRY(recordRuleChange(session, "automation.delete", id, automation.draft, now));
    TRY(cancelWaiting(session, DeliveryOwner::kAutomation, id,
                      {"automation_removed", "The automation was deleted."}, now));
    return recordAutomationChange(session);
  });
}

}  // namespace spindle::automation
