#include "automation/webhooks/webhook_probe.h"

#include <utility>

#include "automation/payloads/payload_renderer.h"
#include "base/crypto/id.h"

namespace spindle::automation {
namespace {

ProbeReport failure(const Error& error) {
  ProbeReport report;
  report.attempt.error_code = error.reason();
  report.attempt.error_message = error.message();
  return report;
}

}  // namespace

Result<ProbeReport> WebhookProbe::run(std::string_view team_id,
                                      const WebhookSettings& webhook,
                                      std::string_view payload) {
  const Result<Credentials> credentials =
      secrets_.resolve(team_id, webhook.access_token_ref, webhook.secret_ref);
  if (!credentials && credentials.error().code() == ErrorCode::kUnavailable) {
    return credentials.error();
  }
  if (!credentials) return failure(credentials.error());
  Result<std::string> body = renderPayload(payload, {}, *credentials);
  if (!body) return failure(body.error());
  Result<std::string> shown = renderPayload(payload, {}, credentials->masked());
  if (!shown) return failure(shown.error());

  OutboundFacts facts;
  facts.sent_at = clock_.now();
  facts.delivery_id = newPrefixedId("dlv_", facts.sent_at);
  OutboundRequest request;
  request.url = webhook.url_endpoint;
  request.headers = outboundHeaders(facts, *body, *credentials, version_);
  request.body = *std::move(body);
  ProbeReport report;
  report.attempt = client_.send(request);
  maskResponse(report.attempt, *credentials);
  report.request = std::move(request);
  report.request.body = *std::move(shown);
  report.request.headers = redacted(std::move(report.request.headers));
  return report;
}

}  // namespace spindle::automation
