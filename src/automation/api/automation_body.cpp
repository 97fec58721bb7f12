#include "automation/api/automation_body.h"

#include "schema/compound.h"
#include "schema/described.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "schema/validated_json.h"

namespace spindle::automation {
namespace {

using schema::Codec, schema::described, schema::Extra, schema::ifPresent, schema::nullable,
    schema::Record, schema::string;

// The rules of normalizeScope(), normalizeEvent() and normalizeAction() as JSON Schema. These
// functions also accept the words in other cases.
constexpr std::string_view kScopeRules =
    R"({"oneOf":[{"properties":{"type":{"const":"organization"},"team":{"type":"null"},)"
    R"("project":{"type":"null"},"registry":{"type":"null"},"collection":{"type":"null"}}},)"
    R"({"properties":{"type":{"const":"team"},"project":{"type":"null"},)"
    R"("registry":{"type":"null"},"collection":{"type":"null"},)"
    R"("team":{"not":{"type":"null"}}},"required":["team"]},)"
    R"({"properties":{"type":{"const":"project"},"registry":{"type":"null"},)"
    R"("collection":{"type":"null"},"team":{"not":{"type":"null"}},)"
    R"("project":{"not":{"type":"null"}}},"required":["team","project"]},)"
    R"({"properties":{"type":{"const":"registry"},"team":{"type":"null"},)"
    R"("project":{"type":"null"},"collection":{"type":"null"},)"
    R"("registry":{"not":{"type":"null"}}},"required":["registry"]},)"
    R"({"properties":{"type":{"const":"collection"},"team":{"type":"null"},)"
    R"("project":{"type":"null"},"registry":{"not":{"type":"null"}},)"
    R"("collection":{"not":{"type":"null"}}},"required":["registry","collection"]},)"
    R"({"properties":{"type":{"const":"collection"},"registry":{"type":"null"},)"
    R"("team":{"not":{"type":"null"}},"project":{"not":{"type":"null"}},)"
    R"("collection":{"not":{"type":"null"}}},"required":["team","project","collection"]}]})";
constexpr std::string_view kEventRules =
    R"({"oneOf":[{"properties":{"type":{"enum":["LINK_ARTIFACT","UNLINK_ARTIFACT",)"
    R"("CREATE_ARTIFACT"]},"tag_regex":{"type":"null"},"run_filter":{"type":"null"},)"
    R"("metric":{"type":"null"},"states":{"type":"null"},"score":{"type":"null"}}},)"
    R"({"properties":{"type":{"const":"ADD_ARTIFACT_ALIAS"},"tag_regex":{"type":"null"},)"
    R"("run_filter":{"type":"null"},"metric":{"type":"null"},"states":{"type":"null"},)"
    R"("score":{"type":"null"},"alias_regex":{"not":{"type":"null"}}},)"
    R"("required":["alias_regex"]},{"properties":{"type":{"const":"ADD_ARTIFACT_TAG"},)"
    R"("alias_regex":{"type":"null"},"run_filter":{"type":"null"},"metric":{"type":"null"},)"
    R"("states":{"type":"null"},"score":{"type":"null"},)"
    R"("tag_regex":{"not":{"type":"null"}}},"required":["tag_regex"]},)"
    R"({"properties":{"type":{"enum":["REMOVE_ARTIFACT_TAG","ADD_COLLECTION_TAG",)"
    R"("REMOVE_COLLECTION_TAG"]},"alias_regex":{"type":"null"},)"
    R"("run_filter":{"type":"null"},"metric":{"type":"null"},"states":{"type":"null"},)"
    R"("score":{"type":"null"}}},{"properties":{"type":{"const":"RUN_METRIC_THRESHOLD"},)"
    R"("alias_regex":{"type":"null"},"tag_regex":{"type":"null"},"states":{"type":"null"},)"
    R"("score":{"type":"null"},"metric":{"type":"object",)"
    R"("properties":{"current_window":{"type":"null"},"prior_window":{"type":"null"},)"
    R"("change_type":{"type":"null"},"amount":{"type":"null"},"direction":{"type":"null"},)"
    R"("comparison":{"enum":["gt","gte","lt","lte","eq","ne"]},)"
    R"("threshold":{"not":{"type":"null"}},"aggregation":{"enum":["AVERAGE","MIN","MAX",)"
    R"(null]}},"required":["comparison","threshold"]}},"required":["metric"]},)"
    R"({"properties":{"type":{"const":"RUN_METRIC_CHANGE"},"alias_regex":{"type":"null"},)"
    R"("tag_regex":{"type":"null"},"states":{"type":"null"},"score":{"type":"null"},)"
    R"("metric":{"type":"object","properties":{"window":{"type":"null"},)"
    R"("comparison":{"type":"null"},"threshold":{"type":"null"},)"
    R"("change_type":{"enum":["ABSOLUTE","RELATIVE"]},"amount":{"not":{"type":"null"}},)"
    R"("direction":{"enum":["INCREASE","DECREASE","ANY"]},"aggregation":{"enum":["AVERAGE",)"
    R"("MIN","MAX",null]}},"required":["change_type","amount","direction"]}},)"
    R"("required":["metric"]},{"properties":{"type":{"const":"RUN_METRIC_ZSCORE"},)"
    R"("alias_regex":{"type":"null"},"tag_regex":{"type":"null"},"states":{"type":"null"},)"
    R"("score":{"type":"null"},"metric":{"type":"object",)"
    R"("properties":{"aggregation":{"type":"null"},"comparison":{"type":"null"},)"
    R"("current_window":{"type":"null"},"prior_window":{"type":"null"},)"
    R"("change_type":{"type":"null"},"amount":{"type":"null"},)"
    R"("direction":{"enum":["INCREASE","DECREASE","ANY",null]},)"
    R"("threshold":{"anyOf":[{"type":"null"},{"exclusiveMinimum":0}]}}}},)"
    R"("required":["metric"]},{"properties":{"type":{"const":"RUN_STATE"},)"
    R"("alias_regex":{"type":"null"},"tag_regex":{"type":"null"},"metric":{"type":"null"},)"
    R"("score":{"type":"null"},"states":{"not":{"type":"null"}}},"required":["states"]},)"
    R"({"properties":{"type":{"const":"EVALUATION_FINISHED"},"alias_regex":{"type":"null"},)"
    R"("tag_regex":{"type":"null"},"run_filter":{"type":"null"},"metric":{"type":"null"},)"
    R"("states":{"type":"null"}}},{"properties":{"type":{"enum":["TRAINING_JOB_FINISHED",)"
    R"("TRAINING_JOB_FAILED"]},"alias_regex":{"type":"null"},"tag_regex":{"type":"null"},)"
    R"("run_filter":{"type":"null"},"metric":{"type":"null"},"states":{"type":"null"},)"
    R"("score":{"type":"null"}}},{"properties":{"type":{"const":"TRACE_METRIC_THRESHOLD"},)"
    R"("alias_regex":{"type":"null"},"tag_regex":{"type":"null"},)"
    R"("run_filter":{"type":"null"},"states":{"type":"null"},"score":{"type":"null"},)"
    R"("metric":{"type":"object","properties":{"aggregation":{"type":"null"},)"
    R"("current_window":{"type":"null"},"prior_window":{"type":"null"},)"
    R"("change_type":{"type":"null"},"amount":{"type":"null"},"direction":{"type":"null"},)"
    R"("comparison":{"enum":["gt","gte","lt","lte","eq","ne"]},)"
    R"("threshold":{"not":{"type":"null"}},"name":{"enum":["cost","error_rate",)"
    R"("latency_ms"]}},"required":["comparison","threshold"]}},"required":["metric"]}]})";
constexpr std::string_view kActionRules =
    R"({"oneOf":[{"properties":{"type":{"const":"noop"},"webhook_id":{"type":"null"},)"
    R"("preset":{"type":"null"},"payload":{"type":"null"}}},)"
    R"({"properties":{"type":{"const":"webhook"},"webhook_id":{"type":"string"},)"
    R"("preset":{"type":"null"}},"required":["webhook_id"]},)"
    R"({"properties":{"type":{"const":"webhook"},"webhook_id":{"type":"string"},)"
    R"("preset":{"type":"string"},"payload":{"type":"null"}},"required":["webhook_id",)"
    R"("preset"]}]})";

Codec<std::string> comparisonCodec() {
  return schema::describedAs(string(), schema::literal({"gt", "gte", "lt", "lte", "eq", "ne"}));
}

Codec<std::string> nameCodec() {
  return string({.min_length = 1, .max_length = kMaxAutomationName});
}
Codec<std::string> descriptionCodec() { return string({.max_length = kMaxAutomationDescription}); }

Codec<ScopeSpec> scopeCodec() {
  return Record<ScopeSpec>("AutomationScope", Extra::kForbid)
      .required("type", &ScopeSpec::type, string(),
                "`organization`, `team`, `project`, `registry` or `collection`.")
      .optional("team", &ScopeSpec::team, nullable(string()),
                "Name of the team, for a team, a project, or a collection in a project.")
      .omitNull()
      .optional("project", &ScopeSpec::project, nullable(string()),
                "Name of the project, for a project or a collection in a project.")
      .omitNull()
      .optional("registry", &ScopeSpec::registry, nullable(string()),
                "Name of the registry, for a registry or a collection in a registry.")
      .omitNull()
      .optional("collection", &ScopeSpec::collection, nullable(string()),
                "Name of the collection, for a collection.")
      .omitNull()
      .codec();
}

Codec<MetricSpec> metricCodec() {
  const auto window = nullable(schema::integer({.gt = 0}));
  const auto word = nullable(string());
  return Record<MetricSpec>("MetricCondition", Extra::kForbid)
      .required("name", &MetricSpec::name, string({.min_length = 1, .max_length = 512}),
                "Key of the metric, for example `val.loss`.")
      .optional("aggregation", &MetricSpec::aggregation, word, "`AVERAGE`, `MIN` or `MAX`.")
      .optional("window", &MetricSpec::window, window,
                "Number of values; for trace metrics, minutes.")
      .optional("comparison", &MetricSpec::comparison, word,
                "`gt`, `gte`, `lt`, `lte`, `eq` or `ne`.")
      .optional("threshold", &MetricSpec::threshold, nullable(schema::number()), "")
      .optional("current_window", &MetricSpec::current_window, window,
                "Number of latest values, for a change.")
      .optional("prior_window", &MetricSpec::prior_window, window,
                "Number of values before the latest ones, for a change.")
      .optional("change_type", &MetricSpec::change_type, word, "`ABSOLUTE` or `RELATIVE`.")
      .optional("direction", &MetricSpec::direction, word, "`INCREASE`, `DECREASE` or `ANY`.")
      .optional("amount", &MetricSpec::amount, nullable(schema::number({.gt = 0})),
                "Minimum change; with `RELATIVE`, 0.25 means 25 %.")
      .codec();
}

Codec<EventSpec> eventCodec() {
  const auto filter =
      Record<RunFilter>("RunFilter", Extra::kForbid)
          .optional("username", &RunFilter::username, nullable(string()), "Owner of the run.")
          .optional("name_regex", &RunFilter::name_regex, nullable(string()),
                    "RE2; matches anywhere in the name of the run.")
          .codec();
  const auto score =
      Record<ScoreSpec>("ScoreCondition", Extra::kForbid)
          .required("name", &ScoreSpec::name, string({.min_length = 1, .max_length = 512}), "")
          .required("comparison", &ScoreSpec::comparison, comparisonCodec(),
                    "`gt`, `gte`, `lt`, `lte`, `eq` or `ne`.")
          .required("threshold", &ScoreSpec::threshold, schema::number(), "")
          .codec();
  const auto pattern = nullable(string());
  const auto state =
      schema::describedAs(string(), schema::literal({"RUNNING", "FINISHED", "FAILED", "CRASHED"}));
  return Record<EventSpec>("AutomationEvent", Extra::kForbid)
      .required("type", &EventSpec::type, string(),
                "Type of the event, for example `LINK_ARTIFACT`.")
      .optional("alias_regex", &EventSpec::alias_regex, pattern,
                "RE2; matches anywhere in an alias.")
      .optional("tag_regex", &EventSpec::tag_regex, pattern, "RE2; matches anywhere in a tag.")
      .optional("run_filter", &EventSpec::run_filter, nullable(filter), "Filter of run events.")
      .optional("metric", &EventSpec::metric, nullable(metricCodec()),
                "Condition of metric events.")
      .optional("states", &EventSpec::states,
                nullable(schema::list(state, {.min_items = 1, .max_items = 16})),
                "`RUNNING`, `FINISHED`, `FAILED`.")
      .optional("score", &EventSpec::score, nullable(score),
                "Condition of `EVALUATION_FINISHED` events.")
      .codec();
}

Codec<ActionInput> actionCodec() {
  const auto payload =
      schema::anyOf(schema::Alternative<std::string>{"str", string()},
                    schema::Alternative<json::Text>{"object", schema::jsonObject()});
  return Record<ActionInput>("NewAutomationAction", Extra::kForbid)
      .required("type", &ActionInput::type, string(), "`webhook` or `noop`.")
      .optional("webhook_id", &ActionInput::webhook_id, nullable(string()),
                "Id of the webhook to call.")
      .optional("preset", &ActionInput::preset, nullable(string()),
                "Name of a payload preset, instead of `payload`.")
      .optional("payload", &ActionInput::payload, nullable(payload),
                "The template, as text or as a JSON object; the default template if omitted.")
      .codec();
}

Codec<ActionView> actionViewCodec() {
  return Record<ActionView>("AutomationAction")
      .required("type", &ActionView::type, string(), "`webhook` or `noop`.")
      .required("webhook_id", &ActionView::webhook_id, nullable(string()),
                "Id of the webhook to call.")
      .required("preset", &ActionView::preset, nullable(string()),
                "The preset that the payload was copied from.")
      .required("payload", &ActionView::payload, nullable(string()),
                "The template; null for the default template.")
      .codec();
}

}  // namespace

ActionSpec ActionInput::spec() const {
  ActionSpec spec;
  spec.type = type;
  spec.webhook_id = webhook_id;
  spec.preset = preset;
  if (!payload) return spec;
  const auto* text = std::get_if<std::string>(&*payload);
  spec.payload = text != nullptr ? *text : json::compact(std::get<json::Text>(*payload).json);
  return spec;
}

AutomationView::AutomationView(const Automation& automation) {
  const AutomationDraft& draft = automation.draft;
  const auto present = [](const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
  };
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
  action = {std::string(textOf(draft.action.type)), draft.action.webhook_id, draft.action.preset,
            draft.action.payload};
  created_by = present(automation.created_by);
  created_at = automation.created_at;
  updated_at = automation.updated_at;
  last_executed_at = automation.last_executed_at;
}

Codec<NewAutomationBody> newAutomationCodec() {
  using Body = NewAutomationBody;
  return Record<Body>("NewAutomation", Extra::kForbid)
      .required("name", &Body::name, nameCodec(), "Unique in the team that owns the scope.")
      .optional("description", &Body::description, nullable(descriptionCodec()), "")
      .optional("enabled", &Body::enabled, schema::boolean(), "Only enabled automations run.")
      .required("scope", &Body::scope, described(scopeCodec(), std::string(kScopeRules)),
                "The scope that the automation watches.")
      .required("event", &Body::event, described(eventCodec(), std::string(kEventRules)),
                "The event that the automation matches.")
      .required("action", &Body::action, described(actionCodec(), std::string(kActionRules)),
                "The action that the automation runs.")
      .codec();
}

Codec<AutomationChangeBody> automationChangeCodec() {
  using Body = AutomationChangeBody;
  return Record<Body>("AutomationChange", Extra::kForbid)
      .optional("name", &Body::name, ifPresent(nameCodec()), "Unique in the team.")
      .optional("description", &Body::description, ifPresent(nullable(descriptionCodec())), "")
      .optional("enabled", &Body::enabled, ifPresent(schema::boolean()),
                "Only enabled automations run.")
      .optional("scope", &Body::scope, ifPresent(described(scopeCodec(), std::string(kScopeRules))),
                "Replaced as a whole.")
      .optional("event", &Body::event, ifPresent(described(eventCodec(), std::string(kEventRules))),
                "Replaced as a whole.")
      .optional("action", &Body::action,
                ifPresent(described(actionCodec(), std::string(kActionRules))),
                "Replaced as a whole.")
      .codec();
}

Codec<std::vector<TemplateWarning>> warningsCodec() {
  return schema::list(
      Record<TemplateWarning>("TemplateWarning")
          .required("code", &TemplateWarning::code, string(),
                    "`unknown_variable` or `secret_in_body`.")
          .required("name", &TemplateWarning::name, string(), "The name in the template.")
          .required("message", &TemplateWarning::message, string(), "")
          .codec());
}

Codec<AutomationView> automationCodec() {
  using View = AutomationView;
  return Record<View>("Automation")
      .required("id", &View::id, string(), "Assigned by the server.")
      .required("name", &View::name, string(), "Unique in the team that owns the scope.")
      .required("description", &View::description, nullable(string()), "")
      .required("enabled", &View::enabled, schema::boolean(), "Only enabled automations run.")
      .required("scope", &View::scope, scopeCodec(), "The scope that the automation watches.")
      .required("event", &View::event, schema::validatedJson(eventCodec()),
                "The event that the automation matches.")
      .required("action", &View::action, actionViewCodec(), "The action that the automation runs.")
      .required("created_by", &View::created_by, nullable(string()), "Username.")
      .required("created_at", &View::created_at, schema::dateTime(), "")
      .required("updated_at", &View::updated_at, nullable(schema::dateTime()), "")
      .required("last_executed_at", &View::last_executed_at, nullable(schema::dateTime()), "")
      .optional("warnings", &View::warnings, ifPresent(warningsCodec()),
                "Only in responses to creating or changing the automation.")
      .codec();
}

}  // namespace spindle::automation
