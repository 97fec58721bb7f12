#include "automation/api/automation_body.h"

#include "automation/api/shown_as.h"
#include "automation/payloads/payload_variable.h"
#include "automation/rules/event_spec_json.h"
#include "schema/compound.h"
#include "schema/described.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "schema/validated_json.h"

namespace spindle::automation {
namespace {

using schema::Codec, schema::described, schema::Extra, schema::ifPresent, schema::nullable,
    schema::Record, schema::string;

// The rules of normalizeAction() as JSON Schema. That function also accepts the types in other
// cases.
constexpr std::string_view kActionRules =
    R"({"oneOf":[{"properties":{"type":{"const":"noop"},"webhook_id":{"type":"null"},)"
    R"("preset":{"type":"null"},"payload":{"type":"null"}}},)"
    R"({"properties":{"type":{"const":"webhook"},"webhook_id":{"type":"string"},)"
    R"("preset":{"type":"null"}},"required":["webhook_id"]},)"
    R"({"properties":{"type":{"const":"webhook"},"webhook_id":{"type":"string"},)"
    R"("preset":{"type":"string"},"payload":{"type":"null"}},"required":["webhook_id",)"
    R"("preset"]}]})";

Codec<std::string> nameCodec() {
  return string({.min_length = 1, .max_length = kMaxAutomationName});
}
Codec<std::string> descriptionCodec() { return string({.max_length = kMaxAutomationDescription}); }

Codec<ScopeSpec> scopeCodec() {
  Record<ScopeSpec> record("AutomationScope", Extra::kForbid);
  record.required("type", &ScopeSpec::type, string(),
                  "`organization`, `team`, `project`, `registry` or `collection`.");
  const auto add_name = [&record](std::string_view name, auto member, std::string_view doc) {
    record.optional(name, member, nullable(string()), doc).omitNull();
  };
  add_name("team", &ScopeSpec::team,
           "Name of the team, for a team, a project, or a collection in a project.");
  add_name("project", &ScopeSpec::project,
           "Name of the project, for a project or a collection in a project.");
  add_name("registry", &ScopeSpec::registry,
           "Name of the registry, for a registry or a collection in a registry.");
  add_name("collection", &ScopeSpec::collection, "Name of the collection, for a collection.");
  return record.codec();
}

Codec<ActionSpec> actionCodec() {
  return Record<ActionSpec>("NewAutomationAction", Extra::kForbid)
      .required("type", &ActionSpec::type, string(), "`webhook` or `noop`.")
      .optional("webhook_id", &ActionSpec::webhook_id, nullable(string()),
                "Id of the webhook to call.")
      .optional("preset", &ActionSpec::preset, nullable(string()),
                "Name of a payload preset, instead of `payload`.")
      .optional("payload", &ActionSpec::payload, payloadInputCodec(),
                "The template, as text or as a JSON object; the default template if omitted.")
      .codec();
}

Codec<Action> actionViewCodec() {
  return Record<Action>("AutomationAction")
      .required("type", &Action::type, shownAs(string(), nameOf<ActionType>),
                "`webhook` or `noop`.")
      .required("webhook_id", &Action::webhook_id, nullable(string()), "Id of the webhook to call.")
      .required("preset", &Action::preset, nullable(string()),
                "The preset that the payload was copied from.")
      .required("payload", &Action::payload, nullable(string()),
                "The template; null for the default template.")
      .codec();
}

/// Adds the members of a new automation, without its name.
template <class Body>
Record<Body>& addNewMembers(Record<Body>& record) {
  return record.optional("description", &Body::description, nullable(descriptionCodec()))
      .optional("enabled", &Body::enabled, schema::boolean(), "Only enabled automations run.")
      .required("scope", &Body::scope, described(scopeCodec(), scopeRules()),
                "The scope that the automation watches.")
      .required("event", &Body::event, described(eventSpecCodec(), eventRules()),
                "The event that the automation matches.")
      .required("action", &Body::action, described(actionCodec(), kActionRules),
                "The action that the automation runs.");
}

}  // namespace

AutomationView::AutomationView(const Automation& automation) {
  const AutomationDraft& draft = automation.draft;
  const auto present = [](const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
  };
  version = automation.version;
  id = automation.id;
  name = draft.name;
  description = draft.description;
  enabled = draft.enabled;
  scope.type = textOf(draft.scope.type);
  scope.team = present(draft.scope.team);
  scope.project = present(draft.scope.project);
  scope.registry = present(draft.scope.registry);
  scope.collection = present(draft.scope.collection);
  event.json = draft.event;
  action = draft.action;
  created_by = present(automation.created_by);
  created_at = automation.created_at;
  updated_at = automation.updated_at;
  last_executed_at = automation.last_executed_at;
}

AutomationView::AutomationView(SavedAutomation saved) : AutomationView(saved.automation) {
  warnings = std::move(saved.warnings);
}

Codec<NewAutomation> newAutomationCodec() {
  using Body = NewAutomation;
  Record<Body> record("NewAutomation", Extra::kForbid);
  record.required("name", &Body::name, nameCodec(), "Unique in the team that owns the scope.");
  return addNewMembers(record).codec();
}

Codec<EventSample> eventSampleCodec() {
  std::vector<std::string> names;
  for (const PayloadVariable& variable : payloadVariables()) names.emplace_back(variable.name);
  return Record<EventSample>("EventSample", Extra::kForbid)
      .optional("variables", &EventSample::variables,
                schema::keyed(schema::literal(std::move(names)), schema::map(schema::anyJson())),
                "Values of payload variables by name: text or numbers.")
      .optional("artifact_metadata", &EventSample::artifact_metadata,
                nullable(schema::jsonObject()), "Metadata of the artifact version.")
      .codec();
}

Codec<PreviewBody> previewBodyCodec() {
  using Body = PreviewBody;
  Record<Body> record("AutomationPreviewRequest", Extra::kForbid);
  record.optional("name", &Body::name, string({.max_length = kMaxAutomationName}),
                  "The value of `automation_name`.");
  addNewMembers(record)
      .optional("sample", &Body::sample, nullable(eventSampleCodec()),
                "The values for the template.")
      .optional("event_id", &Body::event_id, nullable(string()),
                "Id of a stored event, instead of `sample`.");
  return described(record.codec(), R"({"anyOf":[{"properties":{"sample":{"type":"null"}}},)"
                                   R"({"properties":{"event_id":{"type":"null"}}}]})");
}

Codec<AutomationChange> automationChangeCodec() {
  using Body = AutomationChange;
  return Record<Body>("AutomationChange", Extra::kForbid)
      .optional("name", &Body::name, ifPresent(nameCodec()), "Unique in the team.")
      .optional("description", &Body::description, ifPresent(nullable(descriptionCodec())))
      .optional("enabled", &Body::enabled, ifPresent(schema::boolean()),
                "Only enabled automations run.")
      .optional("scope", &Body::scope, ifPresent(described(scopeCodec(), scopeRules())),
                "Replaced as a whole.")
      .optional("event", &Body::event, ifPresent(described(eventSpecCodec(), eventRules())),
                "Replaced as a whole.")
      .optional("action", &Body::action, ifPresent(described(actionCodec(), kActionRules)),
                "Replaced as a whole.")
      .codec();
}

Codec<std::vector<TemplateWarning>> warningsCodec() {
  return schema::list(
      Record<TemplateWarning>("TemplateWarning")
          .required("code", &TemplateWarning::code, string(),
                    "`unknown_variable` or `secret_in_body`.")
          .required("name", &TemplateWarning::name, string(), "The name in the template.")
          .required("message", &TemplateWarning::message, string())
          .codec());
}

Codec<AutomationView> automationCodec() {
  using View = AutomationView;
  return Record<View>("Automation")
      .required("id", &View::id, string(), "Assigned by the server.")
      .required("name", &View::name, string(), "Unique in the team that owns the scope.")
      .required("description", &View::description, nullable(string()))
      .required("enabled", &View::enabled, schema::boolean(), "Only enabled automations run.")
      .required("scope", &View::scope, scopeCodec(), "The scope that the automation watches.")
      .required("event", &View::event, schema::validatedJson(eventSpecCodec()),
                "The event that the automation matches.")
      .required("action", &View::action, actionViewCodec(), "The action that the automation runs.")
      .required("created_by", &View::created_by, nullable(string()), "Username.")
      .required("created_at", &View::created_at, schema::dateTime())
      .required("updated_at", &View::updated_at, nullable(schema::dateTime()))
      .required("last_executed_at", &View::last_executed_at, nullable(schema::dateTime()))
      .optional("warnings", &View::warnings, ifPresent(warningsCodec()),
                "Only in responses to creating or changing the automation.")
      .codec();
}

}  // namespace spindle::automation
