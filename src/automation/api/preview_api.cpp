#include <utility>

#include "automation/api/automation_api.h"
#include "automation/api/automation_body.h"
#include "automation/api/event_service.h"
#include "automation/api/paths.h"
#include "automation/payloads/payload_variable.h"
#include "automation/payloads/violations.h"
#include "automation/rules/event_facts.h"
#include "automation/rules/event_matcher.h"
#include "http/router/route_group.h"
#include "json/document.h"
#include "json/stored.h"
#include "schema/described.h"

namespace spindle::automation {
namespace {

using http::Context;
using schema::Extra, schema::nullable, schema::string;

struct RenderBody {
  std::optional<EventSample> event;
  std::optional<std::string> event_id;
};

schema::Codec<RenderBody> renderBodyCodec() {
  const auto codec = schema::Record<RenderBody>("RenderRequest", Extra::kForbid)
                         .optional("event", &RenderBody::event, nullable(eventSampleCodec()),
                                   "The values for the template.")
                         .optional("event_id", &RenderBody::event_id, nullable(string()),
                                   "Id of a stored event, instead of `event`.")
                         .codec();
  return schema::described(codec, R"({"anyOf":[{"properties":{"event":{"type":"null"}}},)"
                                  R"({"properties":{"event_id":{"type":"null"}}}]})");
}

schema::Codec<RenderedPayload> renderedCodec() {
  return schema::Record<RenderedPayload>("RenderedPayload")
      .required("body", &RenderedPayload::body, string(), "Credentials show as `***`.")
      .required("warnings", &RenderedPayload::warnings, warningsCodec())
      .codec();
}

schema::Codec<AutomationPreview> previewCodec() {
  using P = AutomationPreview;
  return schema::Record<P>("AutomationPreview")
      .required("body", &P::body, nullable(string()),
                "Credentials show as `***`; null: the action sends nothing.")
      .required("warnings", &P::warnings, warningsCodec())
      .required("matches", &P::matches, nullable(schema::boolean()),
                "Whether the automation matches the stored event. Null without `event_id`, and for "
                "events of metric conditions, which belong to the automation that raised them.")
      .codec();
}

/// Converts a sample to payload facts.
/// @return kInvalidSchema for a value of the wrong type, located below `body`, `member`.
Result<PayloadFacts> factsIn(const EventSample& sample, std::string_view member) {
  PayloadFacts facts;
  std::vector<Violation> violations;
  for (const auto& [name, value] : sample.variables) {
    const auto parsed = json::Document::parse(value.json, json::kStoredDepth);
    const json::Node node = std::get<json::Document>(parsed).root();
    const bool wants_number = findPayloadVariable(name)->kind == VariableKind::kNumber;
    if (node.isNull()) continue;
    if (wants_number ? node.isNumber() : node.isString()) {
      facts.variables.emplace(name, wants_number ? std::string(node.raw()) : node.text());
      continue;
    }
    Violation violation = violationAt(
        {"body", member, "variables", name}, wants_number ? "float_type" : "string_type",
        wants_number ? "Input should be a valid number" : "Input should be a valid string");
    violation.input = value.json;
    violations.push_back(std::move(violation));
  }
  if (!violations.empty()) return Error::invalid(std::move(violations));
  if (sample.artifact_metadata) facts.metadata = sample.artifact_metadata->json;
  return facts;
}

/// Returns the facts of a sample, if there is one.
/// @return kInvalidSchema if there is an event id too, and as factsIn().
Result<std::optional<PayloadFacts>> describedFacts(const std::optional<EventSample>& sample,
                                                   std::string_view member,
                                                   const std::optional<std::string>& event_id) {
  if (sample && event_id) return Error::invalid({forbiddenAt({"body", "event_id"})});
  if (!sample) return std::optional<PayloadFacts>();
  PayloadFacts facts = TRY(factsIn(*sample, member));
  return std::optional(std::move(facts));
}

Result<RenderedPayload> renderAutomation(const AutomationServices& services,
                                         const Context& context,
                                         const IdPath& path,
                                         const RenderBody& body) {
  const http::Principal& caller = context.caller();
  std::optional<PayloadFacts> facts = TRY(describedFacts(body.event, "event", body.event_id));
  if (body.event_id) {
    const EventRecord record = TRY(services.events.find(caller.user_id, *body.event_id));
    facts = factsOf(record.event).payload;
  }
  return services.automations.render(caller.user_id, caller.username, path.id, std::move(facts));
}

Result<AutomationPreview> previewAutomation(const AutomationServices& services,
                                            const Context& context,
                                            PreviewBody body) {
  const http::Principal& caller = context.caller();
  std::optional<PayloadFacts> facts = TRY(describedFacts(body.sample, "sample", body.event_id));
  const std::optional<std::string> event_id = std::move(body.event_id);
  CheckedAutomation checked = TRY(services.automations.check(caller.user_id, std::move(body)));
  std::optional<bool> matches;
  if (event_id) {
    const EventRecord record = TRY(services.events.find(caller.user_id, *event_id));
    EventFacts found = factsOf(record.event);
    if (found.automation_id.empty()) matches = matchesEvent(checked.draft, record.event, found);
    facts = std::move(found.payload);
  }
  AutomationPreview preview =
      TRY(services.automations.preview(caller.username, std::move(checked), std::move(facts)));
  preview.matches = matches;
  return preview;
}

}  // namespace

void addPreviewRoutes(AutomationRoutes routes) {
  routes.setTag("automations");
  routes.post("/api/v1/automations/{id}/render",
              {"renderAutomation", "Render the payload of an automation",
               "Renders the payload for a described, a stored or, without both, an example event. "
               "Sends nothing."},
              {.params = idPath("Id of the automation."),
               .body = renderBodyCodec(),
               .reply = renderedCodec()},
              renderAutomation);
  routes.post("/api/v1/automations/preview",
              {"previewAutomation", "Render the payload of an automation before it is created",
               "Checks the automation like its creation and renders its payload for a described, a "
               "stored or, without both, an example event. Stores and sends nothing. For admins of "
               "the scope."},
              {.body = previewBodyCodec(), .reply = previewCodec()}, previewAutomation);
}

}  // namespace spindle::automation
