#pragma once

#include <string>
#include <string_view>

#include "http/router/parameters.h"
#include "schema/scalar.h"

namespace spindle::automation {

/// The OpenAPI tag of the routes of webhooks and secrets.
inline constexpr std::string_view kWebhooksTag = "webhooks";

/// Path parameter of an automation, a delivery or an event.
struct IdPath {
  std::string id;
};
inline http::Parameters<IdPath> idPath(std::string_view doc) {
  http::Parameters<IdPath> parameters;
  parameters.path("id", &IdPath::id, schema::string(), doc);
  return parameters;
}

/// Adds the path parameter `team` to parameters with a member of this name.
template <class P>
http::Parameters<P> inTeam(http::Parameters<P> parameters = {}) {
  parameters.path("team", &P::team, schema::string(), "Name of the team.");
  return parameters;
}

/// Path parameters of a webhook. A path of all webhooks has only the team.
struct WebhookPath {
  std::string team;
  std::string id;
};
inline http::Parameters<WebhookPath> webhookPath() {
  return inTeam<WebhookPath>().path("id", &WebhookPath::id, schema::string(), "Id of the webhook.");
}

}  // namespace spindle::automation
