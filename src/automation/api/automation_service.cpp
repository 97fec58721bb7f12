#include "automation/api/automation_service.h"

#include <utility>

#include "automation/api/event_example.h"
#include "automation/payloads/payload_preset.h"
#include "automation/payloads/payload_variable.h"
#include "automation/payloads/violations.h"
#include "automation/rules/event_spec_json.h"
#include "base/core/ascii.h"
#include "base/crypto/id.h"

namespace spindle::automation {
namespace {

std::vector<Violation> normalizeAction(ActionSpec& action) {
  action.type = lowerCase(action.type);
  const bool sends = action.type == textOf(ActionType::kWebhook);
  if (!sends && action.type != textOf(ActionType::kNoop)) {
    return {violationAt({"body", "action", "type"}, "enum", "Input should be 'webhook' or 'noop'")};
  }
  std::vector<Violation> violations;
  const auto demand = [&](std::string_view member, bool is_there, bool is_allowed) {
    if (is_there && !is_allowed) violations.push_back(forbiddenAt({"body", "action", member}));
  };
  demand("webhook_id", action.webhook_id.has_value(), sends);
  demand("payload", action.payload.has_value(), sends);
  demand("preset", action.preset.has_value(), sends && !action.payload);
  if (sends && !action.webhook_id) {
    violations.push_back(missingAt({"body", "action", "webhook_id"}));
  }
  if (action.preset && findPayloadPreset(*action.preset) == nullptr) {
    violations.push_back(violationAt({"body", "action", "preset"}, "unknown_reference",
                                     "There is no preset of this name"));
  }
  return violations;
}

Action actionOf(const ActionSpec& spec) {
  Action action;
  action.type =
      spec.type == textOf(ActionType::kWebhook) ? ActionType::kWebhook : ActionType::kNoop;
  action.webhook_id = spec.webhook_id;
  action.preset = spec.preset;
  if (spec.preset) {
    action.payload = findPayloadPreset(*spec.preset)->payload;
  } else if (spec.payload) {
    action.payload = templateText(*spec.payload);
  }
  return action;
}

void append(std::vector<Violation>& all, std::vector<Violation> more) {
  for (Violation& violation : more) all.push_back(std::move(violation));
}

std::string_view templateOf(const Action& action) {
  return action.payload ? std::string_view(*action.payload) : defaultPayload();
}

}  // namespace

Result<Webhook> AutomationService::chosenWebhook(std::string_view user_id,
                                                 const std::string& webhook_id) {
  Result<Webhook> webhook = webhooks_.findAnywhere(webhook_id);
  const bool missing = !webhook && webhook.error().code() == ErrorCode::kNotFound;
  if (!webhook && !missing) return webhook;
  if (webhook) {
    const Result<identity::TeamAccess> team =
        access_.requireInTeam(user_id, webhook->team, identity::Action::kListWebhooks);
    if (team) return webhook;
    if (team.error().code() == ErrorCode::kUnavailable) return team.error();
  }
  return Error::invalid({violationAt({"body", "action", "webhook_id"}, "unknown_reference",
                                     "There is no such webhook")});
}

Result<std::vector<TemplateWarning>> AutomationService::warningsOf(const Action& action,
                                                                   const Webhook& webhook) {
  return checkTemplate(templateOf(action), webhook.names(),
                       {LocStep("body"), LocStep("action"), LocStep("payload")});
}

Result<CheckedAutomation> AutomationService::checked(std::string_view user_id,
                                                     NewAutomation wanted,
                                                     ScopeAccess::MissingProject missing) {
  std::vector<Violation> violations = normalizeScope(wanted.scope);
  append(violations, normalizeEvent(wanted.event));
  append(violations, normalizeAction(wanted.action));
  const std::optional<ScopeType> scope_type = scopeTypeOf(wanted.scope.type);
  const std::optional<EventType> event_type = eventTypeOf(wanted.event.type);
  if (violations.empty()) {
    if (std::optional<Violation> problem =
            scopeProblem(*scope_type, wanted.scope.registry.has_value(), *event_type)) {
      violations.push_back(*std::move(problem));
    }
  }
  if (!violations.empty()) return Error::invalid(std::move(violations));

  Scope scope = TRY(scopes_.open(user_id, wanted.scope, missing));
  CheckedAutomation result;
  AutomationDraft& draft = result.draft;
  draft.name = std::move(wanted.name);
  draft.description = std::move(wanted.description);
  draft.enabled = wanted.enabled;
  draft.scope = std::move(scope);
  draft.event_type = *event_type;
  draft.event = eventText(wanted.event);
  draft.action = actionOf(wanted.action);
  if (draft.action.webhook_id) {
    Webhook webhook = TRY(chosenWebhook(user_id, *draft.action.webhook_id));
    std::vector<TemplateWarning> warnings = TRY(warningsOf(draft.action, webhook));
    result.webhook = std::move(webhook);
    result.warnings = std::move(warnings);
  }
  return result;
}

Result<SavedAutomation> AutomationService::create(std::string_view user_id, NewAutomation wanted) {
  CheckedAutomation made =
      TRY(checked(user_id, std::move(wanted), ScopeAccess::MissingProject::kCreate));
  Automation saved = TRY(automations_.insert(made.draft, user_id));
  return SavedAutomation{std::move(saved), std::move(made.warnings)};
}

Result<CheckedAutomation> AutomationService::check(std::string_view user_id, NewAutomation wanted) {
  return checked(user_id, std::move(wanted), ScopeAccess::MissingProject::kLeave);
}

Result<SavedAutomation> AutomationService::change(std::string_view user_id,
                                                  std::string_view id,
                                                  AutomationChange change,
                                                  identity::IfVersion if_version) {
  std::vector<Violation> violations;
  if (change.scope) append(violations, normalizeScope(*change.scope));
  if (change.event) append(violations, normalizeEvent(*change.event));
  if (change.action) append(violations, normalizeAction(*change.action));
  if (!violations.empty()) return Error::invalid(std::move(violations));

  const Automation before = TRY(automations_.find(id));
  AutomationDraft draft = before.draft;
  TRY(scopes_.requireManage(user_id, draft.scope));
  if (change.scope) {
    Scope scope = TRY(scopes_.open(user_id, *change.scope));
    draft.scope = std::move(scope);
  }
  if (change.event) {
    draft.event_type = *eventTypeOf(change.event->type);
    draft.event = eventText(*change.event);
  }
  if (std::optional<Violation> problem =
          scopeProblem(draft.scope.type, !draft.scope.registry_id.empty(), draft.event_type)) {
    return Error::invalid({*std::move(problem)});
  }
  if (change.name) draft.name = *std::move(change.name);
  if (change.description) draft.description = *std::move(change.description);
  if (change.enabled) draft.enabled = *change.enabled;
  if (change.action) draft.action = actionOf(*change.action);
  std::vector<TemplateWarning> warnings;
  if (draft.action.webhook_id) {
    const Webhook webhook = TRY(change.action ? chosenWebhook(user_id, *draft.action.webhook_id)
                                              : webhooks_.findAnywhere(*draft.action.webhook_id));
    Result<std::vector<TemplateWarning>> found = warningsOf(draft.action, webhook);
    // An unchanged template that became invalid does not block other changes.
    if (!found && change.action) return found.error();
    if (found) warnings = *std::move(found);
  }
  Result<Automation> saved =
      automations_.update(id, draft, if_version ? if_version : before.version);
  if (!saved && !if_version && saved.error().code() == ErrorCode::kPreconditionFailed) {
    return Error::conflict("The automation was changed at the same time.")
        .because("changed_meanwhile");
  }
  if (!saved) return saved.error();
  return SavedAutomation{*std::move(saved), std::move(warnings)};
}

Result<Automation> AutomationService::find(std::string_view user_id, std::string_view id) {
  Automation automation = TRY(automations_.find(id));
  TRY(scopes_.requireView(user_id, automation.draft.scope));
  return automation;
}

Result<void> AutomationService::remove(std::string_view user_id,
                                       std::string_view id,
                                       identity::IfVersion if_version) {
  const Automation automation = TRY(automations_.find(id));
  TRY(scopes_.requireManage(user_id, automation.draft.scope));
  return automations_.remove(id, if_version);
}

Result<identity::Page<Automation>> AutomationService::list(std::string_view user_id,
                                                           const AutomationFilter& filter,
                                                           const identity::PageRequest& page) {
  return automations_.list(filter, scopes_.seenBy(user_id), page);
}

Result<std::string> AutomationService::renderedBody(std::string_view username,
                                                    const AutomationDraft& draft,
                                                    const Webhook& webhook,
                                                    std::optional<PayloadFacts> facts) {
  const bool is_example = !facts;
  PayloadFacts values = std::move(facts).value_or(PayloadFacts());
  const Timestamp now = clock_.now();
  const auto fill = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) values.variables.emplace(name, value);
  };
  fill("event_type", textOf(draft.event_type));
  fill("event_author", username);
  fill("event_id", newPrefixedId("evt_", now));
  fill("event_time", eventTimeText(now));
  fill("automation_name", draft.name);
  fill("entity_name", draft.scope.team);
  fill("project_name", draft.scope.project);
  fill("registry_name", draft.scope.registry);
  fill("artifact_collection_name", draft.scope.collection);
  if (is_example) addExampleValues(draft.event_type, eventSpecOf(draft.event), values);
  const CredentialNames names = webhook.names();
  Credentials credentials;
  if (names.access_token) credentials.access_token.emplace();
  credentials.secret_name = names.secret;
  return renderPayload(templateOf(draft.action), values, credentials.masked());
}

Result<RenderedPayload> AutomationService::render(std::string_view user_id,
                                                  std::string_view username,
                                                  std::string_view id,
                                                  std::optional<PayloadFacts> facts) {
  const Automation automation = TRY(find(user_id, id));
  const AutomationDraft& draft = automation.draft;
  if (!draft.action.webhook_id) {
    return Error::invalidArgument("This automation calls no webhook.");
  }
  const Webhook webhook = TRY(webhooks_.findAnywhere(*draft.action.webhook_id));
  std::string body = TRY(renderedBody(username, draft, webhook, std::move(facts)));
  const Result<std::vector<TemplateWarning>> warnings = warningsOf(draft.action, webhook);
  return RenderedPayload{std::move(body), warnings ? *warnings : std::vector<TemplateWarning>()};
}

Result<AutomationPreview> AutomationService::preview(std::string_view username,
                                                     CheckedAutomation checked,
                                                     std::optional<PayloadFacts> facts) {
  AutomationPreview preview;
  preview.warnings = std::move(checked.warnings);
  if (checked.webhook) {
    std::string body =
        TRY(renderedBody(username, checked.draft, *checked.webhook, std::move(facts)));
    preview.body = std::move(body);
  }
  return preview;
}

}  // namespace spindle::automation
