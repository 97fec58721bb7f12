#pragma once

#include <optional>
#include <string>

#include "automation/webhook.h"
#include "automation/webhook_client.h"
#include "base/result.h"
#include "schema/described.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::automation {

inline schema::Codec<std::string> webhookNameCodec() {
  return schema::string(
      {.min_length = 1, .max_length = kMaxWebhookName, .pattern = kWebhookNamePattern});
}
inline schema::Codec<std::string> endpointUrlCodec() {
  return schema::described(schema::string({.min_length = 1, .max_length = kMaxEndpointUrl}),
                           R"({"format":"uri","pattern":"^https?://[!-~]+$"})");
}
inline schema::Codec<std::int64_t> concurrencyCodec() {
  return schema::integer({.ge = 1, .le = kMaxConcurrency});
}

/// Adds the members of a webhook to the record of a body that has them.
template <class T>
schema::Record<T>& describeWebhook(schema::Record<T>& record) {
  using schema::nullable;
  using schema::string;
  return record.required("name", &WebhookSettings::name, webhookNameCodec(), "Unique in the team.")
      .required("url_endpoint", &WebhookSettings::url_endpoint, endpointUrlCodec(),
                "Where requests go: an https URL.")
      .optional("access_token_ref", &WebhookSettings::access_token_ref, nullable(string()),
                "Name of the secret that is sent as a Bearer token.")
      .optional("secret_ref", &WebhookSettings::secret_ref, nullable(string()),
                "Name of the secret that signs, and that payloads may use.")
      .optional("max_concurrency", &WebhookSettings::max_concurrency, concurrencyCodec(),
                "Requests under way at the same time.");
}

/// The kInvalidSchema (`url_not_allowed`) for an endpoint that webhooks may not have.
Result<void> checkEndpoint(const WebhookClient& client, const std::string& url);

}  // namespace spindle::automation
