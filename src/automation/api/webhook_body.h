#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "automation/webhooks/webhook.h"
#include "automation/webhooks/webhook_client.h"
#include "base/core/result.h"
#include "schema/compound.h"
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

/// Adds the members that have the same meaning in requests and responses. In responses, all members
/// are `required`.
template <class T>
schema::Record<T>& describeCalls(schema::Record<T>& record,
                                 bool required,
                                 const schema::Codec<std::int64_t>& concurrency) {
  const auto add = [&](std::string_view name, auto member, const auto& codec,
                       std::string_view doc) {
    required ? record.required(name, member, codec, doc)
             : record.optional(name, member, codec, doc);
  };
  const auto secret = schema::nullable(schema::string());
  add("access_token_ref", &WebhookSettings::access_token_ref, secret,
      "Name of the secret that is sent as a Bearer token.");
  add("secret_ref", &WebhookSettings::secret_ref, secret,
      "Name of the signing secret, which payloads may use.");
  add("max_concurrency", &WebhookSettings::max_concurrency, concurrency,
      "Maximum number of concurrent requests.");
  return record;
}

/// Adds the members of a webhook to the record of a request body.
template <class T>
schema::Record<T>& describeWebhook(schema::Record<T>& record) {
  record.required("name", &WebhookSettings::name, webhookNameCodec(), "Unique in the team.")
      .required("url_endpoint", &WebhookSettings::url_endpoint, endpointUrlCodec(),
                "Endpoint URL: an https URL.");
  return describeCalls(record, false, concurrencyCodec());
}

/// @return kInvalidSchema (`url_not_allowed`) if webhooks may not call this URL.
Result<void> checkEndpoint(const WebhookClient& client, const std::string& url);

}  // namespace spindle::automation
