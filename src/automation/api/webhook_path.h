#pragma once

#include <string>
#include <string_view>

#include "http/router/parameters.h"
#include "schema/scalar.h"

namespace spindle::automation {

/// The OpenAPI tag of the routes of webhooks and secrets.
inline constexpr std::string_view kWebhooksTag = "webhooks";

/// Path parameters of a webhook. A path of all webhooks has only the team.
struct WebhookPath {
  std::string team;
  std::string id;
};
inline http::Parameters<WebhookPath> webhookTeamPath() {
  http::Parameters<WebhookPath> parameters;
  parameters.path("team", &WebhookPath::team, schema::string(), "Name of the team.");
  return parameters;
}
inline http::Parameters<WebhookPath> webhookPath() {
  return webhookTeamPath().path("id", &WebhookPath::id, schema::string(), "Id of the webhook.");
}

}  // namespace spindle::automation
