#include <map>

#include "automation/api/automation_api.h"
#include "automation/api/paths.h"
#include "automation/api/payload_input.h"
#include "automation/api/shown_as.h"
#include "automation/api/webhook_body.h"
#include "automation/payloads/header_json.h"
#include "automation/payloads/payload_renderer.h"
#include "automation/rules/delivery.h"
#include "automation/webhooks/webhook_probe.h"
#include "automation/webhooks/webhook_repository.h"
#include "http/router/rate_limiter.h"
#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "schema/compound.h"

namespace spindle::automation {
namespace {

using http::Context, http::Reply;
using identity::TeamAccess;
using schema::Extra, schema::nullable, schema::string;

constexpr std::string_view kEmptyPayload = "{}";

struct ProbePayload {
  std::optional<PayloadInput> payload;
};
struct DraftProbeBody : WebhookSettings, ProbePayload {};

struct ProbeView {
  bool success = false;
  std::optional<OutboundRequest> request;
  std::optional<EndpointResponse> response;
  std::optional<DeliveryError> error;
  std::int64_t duration_ms = 0;
};

schema::MapOf<std::string> mapOf(const HeaderList& headers) {
  const std::map<std::string, std::string> by_name = byName(headers);
  return {by_name.begin(), by_name.end()};
}

std::int64_t wideNumber(const int& number) { return number; }

schema::Codec<ProbeView> probeCodec() {
  const auto headers = shownAs(schema::map(string()), mapOf);
  const auto request =
      schema::Record<OutboundRequest>("ProbeRequest")
          .required("url", &OutboundRequest::url, string())
          .required("headers", &OutboundRequest::headers, headers, "Credentials show as `***`.")
          .required("body", &OutboundRequest::body, string(), "Credentials show as `***`.")
          .codec();
  const auto response =
      schema::Record<EndpointResponse>("ProbeResponse")
          .required("status", &EndpointResponse::status, shownAs(schema::integer(), wideNumber))
          .required("headers", &EndpointResponse::headers, headers, "The first 8 KiB.")
          .required("body", &EndpointResponse::body, string(), "The first 16 KiB.")
          .required("truncated", &EndpointResponse::truncated, schema::boolean(),
                    "The returned body is incomplete.")
          .codec();
  const auto error = schema::Record<DeliveryError>("ProbeError")
                         .required("code", &DeliveryError::code, string())
                         .required("message", &DeliveryError::message, string())
                         .codec();
  return schema::Record<ProbeView>("ProbeReport")
      .required("success", &ProbeView::success, schema::boolean(),
                "The endpoint responded with a status from 200 to 299.")
      .required("request", &ProbeView::request, nullable(request), "Null if no request was made.")
      .required("response", &ProbeView::response, nullable(response),
                "Null if no response arrived.")
      .required("error", &ProbeView::error, nullable(error), "Why there is no response.")
      .required("duration_ms", &ProbeView::duration_ms, schema::integer())
      .codec();
}

ProbeView viewOf(const ProbeReport& report) {
  ProbeView view;
  view.success = report.attempt.succeeded();
  view.duration_ms = report.attempt.duration.count();
  if (!report.request.url.empty()) view.request = report.request;
  view.response = report.attempt.response;
  if (!view.response) {
    view.error = DeliveryError{report.attempt.error_code, report.attempt.error_message};
  }
  return view;
}

std::string templateOf(const ProbePayload& body) {
  return body.payload ? templateText(*body.payload) : std::string(kEmptyPayload);
}

Result<TeamAccess> admit(const AutomationServices& services,
                         const Context& context,
                         const std::string& team) {
  TeamAccess access = TRY(services.access.requireInTeam(context.caller().user_id, team,
                                                        identity::Action::kManageWebhooks));
  const http::RateLimiter::Decision decision = services.probe_limiter.take(access.team_id);
  if (!decision.allowed) return decision.refusal("A team may make 10 test deliveries a minute.");
  return access;
}

Result<ProbeView> probe(const AutomationServices& services,
                        const std::string& team_id,
                        const WebhookSettings& webhook,
                        const std::string& payload) {
  const auto checked =
      checkTemplate(payload, webhook.names(), {LocStep("body"), LocStep("payload")});
  if (!checked) return checked.error();
  const ProbeReport report = TRY(services.probe.run(team_id, webhook, payload));
  return viewOf(report);
}

Result<ProbeView> probeStored(const AutomationServices& services,
                              const Context& context,
                              const WebhookPath& path,
                              const ProbePayload& body) {
  const TeamAccess access = TRY(admit(services, context, path.team));
  const Webhook webhook = TRY(services.webhooks.find({access.team_id, path.id}));
  return probe(services, access.team_id, webhook, templateOf(body));
}

Result<ProbeView> probeDraft(const AutomationServices& services,
                             const Context& context,
                             const WebhookPath& path,
                             const DraftProbeBody& body) {
  TRY(checkEndpoint(services.client, body.url_endpoint));
  const TeamAccess access = TRY(admit(services, context, path.team));
  TRY(services.webhooks.checkReferences(access.team_id, body));
  return probe(services, access.team_id, body, templateOf(body));
}

}  // namespace

void addProbeRoutes(AutomationRoutes routes) {
  routes.setTag(kWebhooksTag);
  // Neither a test delivery nor its response is stored.
  http::RoutePolicy unrecorded = routes.policy();
  unrecorded.idempotent_posts = false;
  unrecorded.uses_outbound_threads = true;
  constexpr std::string_view kPayloadDoc =
      "The template to send, as text or as a JSON object; `{}` if omitted.";
  const AutomationRoutes unrecorded_routes = routes.with(unrecorded);
  unrecorded_routes.post(
      "/api/v1/teams/{team}/webhooks/{id}/test",
      {"testWebhook", "Send a test delivery",
       "Sends one request with the credentials of the webhook, returns the "
       "endpoint's response and stores nothing. For team admins, ten times a minute."},
      {.params = webhookPath(),
       .body = schema::Record<ProbePayload>("WebhookTest", Extra::kForbid)
                   .optional("payload", &ProbePayload::payload, payloadInputCodec(), kPayloadDoc)
                   .codec(),
       .reply = probeCodec()},
      probeStored);
  schema::Record<DraftProbeBody> draft("NewWebhookTest", Extra::kForbid);
  describeWebhook(draft).optional("payload", &ProbePayload::payload, payloadInputCodec(),
                                  kPayloadDoc);
  unrecorded_routes.post(
      "/api/v1/teams/{team}/webhooks/test",
      {"testNewWebhook", "Send a test delivery to a webhook that does not exist yet",
       "As `testWebhook`, but stores neither the webhook nor the delivery."},
      {.params = inTeam<WebhookPath>(), .body = draft.codec(), .reply = probeCodec()}, probeDraft);
}

}  // namespace spindle::automation
