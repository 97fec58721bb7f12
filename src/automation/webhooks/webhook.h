#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "automation/payloads/credentials.h"
#include "automation/webhooks/versioned_row.h"

namespace spindle::automation {

inline constexpr std::string_view kWebhookNamePattern = R"(^[-\w]+([ ]+[-\w]+)*$)";
inline constexpr std::size_t kMaxWebhookName = 64;
inline constexpr std::size_t kMaxEndpointUrl = 2048;
inline constexpr std::int64_t kDefaultConcurrency = 4;
inline constexpr std::int64_t kMaxConcurrency = 16;

enum class WebhookStatus { kActive, kDisabled };
std::string_view textOf(WebhookStatus status);

/// The properties of a webhook that users set.
struct WebhookSettings {
  std::string name;
  std::string url_endpoint;
  std::optional<std::string> access_token_ref;  ///< name of a secret of the team
  std::optional<std::string> secret_ref;        ///< name of a secret of the team
  std::int64_t max_concurrency = kDefaultConcurrency;

  CredentialNames names() const { return {access_token_ref.has_value(), secret_ref.value_or("")}; }
};

struct Webhook : WebhookSettings, VersionedRow {
  std::string team_id = {};
  std::string team = {};  ///< its name
  WebhookStatus status = WebhookStatus::kActive;
  std::optional<std::string> disabled_reason = {};  ///< `manual`, `failing`, `gone`
};

/// A change of a webhook. Unset members stay as they are.
struct WebhookChange {
  std::optional<std::string> name = {};
  std::optional<std::string> url_endpoint = {};
  std::optional<std::optional<std::string>> access_token_ref = {};
  std::optional<std::optional<std::string>> secret_ref = {};
  std::optional<std::int64_t> max_concurrency = {};
  std::optional<WebhookStatus> status = {};
};

}  // namespace spindle::automation
