#pragma once

#include <optional>
#include <string>

#include "automation/webhooks/webhook.h"
#include "automation/webhooks/webhook_client.h"
#include "base/core/result.h"
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

/// Adds the members of a webhook to the record of a request body.
template <class T>
schema::Record<T>& describeWebhook(schema::Record<T>& record) {
  using schema::nullable;
  using schema::string;
  return record.required("name", &WebhookSettings::name, webhookNameCodec(), "Unique in the team.")
      .required("url_endpoint", &WebhookSettings::url_endpoint, endpointUrlCodec(),
                "Endpoint URL: an https URL.")
      .optional("access_token_ref", &WebhookSettings::access_token_ref, nullable(string()),
                "Name of the secret that is sent as a Bearer token.")
      .optional("secret_ref", &WebhookSettings::secret_ref, nullable(string()),
                "Name of the signing secret, which payloads may use.")
      .optional("max_concurrency", &WebhookSettings::max_concurrency, concurrencyCodec(),
                "Maximum number of concurrent requests.");
}

/// @return kInvalidSchema (`url_not_allowed`) if webhooks may not call this URL.
Result<void> checkEndpoint(const WebhookClient& client, const std::string& url);

}  // namespace spindle::automation
