#include "automation/payloads/outbound_headers.h"

#include <chrono>
#include <optional>

#include "base/crypto/crypto.h"

namespace spindle::automation {
namespace {

std::string_view bytesOf(const Sha256& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

/// Returns the signature `v1,…` over the text (Standard Webhooks). Decodes a secret of the form
/// `whsec_…` first.
std::string standardSignature(const Secret& secret, std::string_view signed_text) {
  constexpr std::string_view kPrefix = "whsec_";
  std::string_view value = secret.reveal();
  std::optional<std::string> decoded;
  if (value.starts_with(kPrefix)) decoded = decodeBase64(value.substr(kPrefix.size()));
  const Secret key(decoded ? *std::move(decoded) : std::string(value));
  return "v1," + encodeBase64(bytesOf(hmacSha256(key.reveal(), signed_text)));
}

}  // namespace

HeaderList outboundHeaders(const OutboundFacts& facts,
                           std::string_view body,
                           const Credentials& credentials,
                           std::string_view version) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(facts.sent_at).time_since_epoch();
  const std::string timestamp = std::to_string(seconds.count());
  HeaderList headers;
  headers.emplace_back("Content-Type", "application/json");
  headers.emplace_back("User-Agent", "svc-webhooks/" + std::string(version));
  if (credentials.access_token) {
    headers.emplace_back("Authorization",
                         "Bearer " + std::string(credentials.access_token->reveal()));
  }
  headers.emplace_back("Webhook-Id", facts.delivery_id);
  headers.emplace_back("Webhook-Timestamp", timestamp);
  if (!credentials.secret_name.empty()) {
    headers.emplace_back("X-Svc-Signature", toHex(hmacSha256(credentials.secret.reveal(), body)));
    const std::string signed_text = facts.delivery_id + "." + timestamp + "." + std::string(body);
    std::string signatures = standardSignature(credentials.secret, signed_text);
    if (credentials.previous_secret) {
      signatures += " " + standardSignature(*credentials.previous_secret, signed_text);
    }
    headers.emplace_back("Webhook-Signature", std::move(signatures));
  }
  if (!facts.event_type.empty()) headers.emplace_back("X-Svc-Event", facts.event_type);
  if (!facts.automation_id.empty()) {
    headers.emplace_back("X-Svc-Automation-Id", facts.automation_id);
  }
  headers.emplace_back("X-Svc-Attempt", std::to_string(facts.attempt));
  return headers;
}

HeaderList redacted(HeaderList headers) {
  for (auto& [name, value] : headers) {
    if (name == "Authorization") value = "Bearer ***";
  }
  return headers;
}

}  // namespace spindle::automation
