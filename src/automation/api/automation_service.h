#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "automation/api/payload_input.h"
#include "automation/payloads/payload_renderer.h"
#include "automation/rules/automation.h"
#include "automation/rules/automation_repository.h"
#include "automation/rules/event_spec.h"
#include "automation/rules/scope_access.h"
#include "automation/webhooks/webhook_repository.h"

namespace spindle::automation {

/// An action as in a request.
struct ActionSpec {
  std::string type;
  std::optional<std::string> webhook_id;
  std::optional<std::string> preset;
  std::optional<PayloadInput> payload;
};

struct NewAutomation {
  std::string name;
  std::optional<std::string> description;
  bool enabled = true;
  ScopeSpec scope;
  EventSpec event;
  ActionSpec action;
};

/// A change of an automation. Unset members stay as they are; scope, event and action are replaced
/// as a whole.
struct AutomationChange {
  std::optional<std::string> name;
  std::optional<std::optional<std::string>> description;
  std::optional<bool> enabled;
  std::optional<ScopeSpec> scope;
  std::optional<EventSpec> event;
  std::optional<ActionSpec> action;
};

struct SavedAutomation {
  Automation automation;
  std::vector<TemplateWarning> warnings;
};

struct RenderedPayload {
  std::string body;  ///< credentials masked
  std::vector<TemplateWarning> warnings;
};

/// A valid automation that is not stored.
struct CheckedAutomation {
  AutomationDraft draft;
  std::optional<Webhook> webhook;         ///< of a webhook action
  std::vector<TemplateWarning> warnings;  ///< about its template
};

/// The result of an automation that is not stored, for one event.
struct AutomationPreview {
  std::optional<std::string> body;  ///< credentials masked; unset: the action sends nothing
  std::vector<TemplateWarning> warnings;
  std::optional<bool> matches;  ///< whether it matches the event; unset: not known
};

/// Creates, changes, lists and renders automations with permission checks. Reports violations in
/// the request itself before any lookup. Thread-safe; blocks on the database.
class AutomationService {
 public:
  AutomationService(AutomationRepository& automations,
                    WebhookRepository& webhooks,
                    identity::Access& access,
                    const ScopeAccess& scopes,
                    const Clock& clock)
      : automations_(automations),
        webhooks_(webhooks),
        access_(access),
        scopes_(scopes),
        clock_(clock) {}

  /// Creates an automation.
  /// @return kInvalidSchema, kNotFound, kPermissionDenied, and as AutomationRepository::insert().
  Result<SavedAutomation> create(std::string_view user_id, NewAutomation wanted);
  /// Checks a new automation like create(), without creating it or a missing project.
  /// @return kInvalidSchema, kNotFound, kPermissionDenied.
  Result<CheckedAutomation> check(std::string_view user_id, NewAutomation wanted);
  /// Changes an automation. A move to another scope requires the permission to manage automations
  /// in both.
  /// @return as create(), kPreconditionFailed; kConflict (`changed_meanwhile`).
  Result<SavedAutomation> change(std::string_view user_id,
                                 std::string_view id,
                                 AutomationChange change,
                                 identity::IfVersion if_version);
  /// @return kNotFound.
  Result<Automation> find(std::string_view user_id, std::string_view id);
  /// @return kNotFound, kPermissionDenied, kPreconditionFailed.
  Result<void> remove(std::string_view user_id,
                      std::string_view id,
                      identity::IfVersion if_version);
  /// Lists the automations that the caller may see, newest first.
  Result<identity::Page<Automation>> list(std::string_view user_id,
                                          const AutomationFilter& filter,
                                          const identity::PageRequest& page);

  /// Returns the body that the automation would send for an event with these facts, or without
  /// facts for an example event. Fills missing facts from the automation where possible.
  /// @return kNotFound; kInvalidArgument if the automation has no webhook; as renderPayload().
  Result<RenderedPayload> render(std::string_view user_id,
                                 std::string_view username,
                                 std::string_view id,
                                 std::optional<PayloadFacts> facts);
  /// Returns the body that a checked automation would send, as render() does.
  /// @return as renderPayload().
  Result<AutomationPreview> preview(std::string_view username,
                                    CheckedAutomation checked,
                                    std::optional<PayloadFacts> facts);

 private:
  Result<CheckedAutomation> checked(std::string_view user_id,
                                    NewAutomation wanted,
                                    ScopeAccess::MissingProject missing);
  Result<std::string> renderedBody(std::string_view username,
                                   const AutomationDraft& draft,
                                   const Webhook& webhook,
                                   std::optional<PayloadFacts> facts);
  /// Returns the webhook that an action names, if the caller may use it.
  Result<Webhook> chosenWebhook(std::string_view user_id, const std::string& webhook_id);
  /// Returns the warnings about the template of a webhook action.
  Result<std::vector<TemplateWarning>> warningsOf(const Action& action, const Webhook& webhook);

  AutomationRepository& automations_;
  WebhookRepository& webhooks_;
  identity::Access& access_;
  ScopeAccess scopes_;
  const Clock& clock_;
};

}  // namespace spindle::automation
