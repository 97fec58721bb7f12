#pragma once

#include <functional>
#include <string>

#include "http/router/forward.h"
#include "http/router/route.h"
#include "identity/api/session_api.h"

namespace spindle::identity {

class AttemptLimiter;
class OidcSignIn;

/// Dependencies of the routes. All must outlive the router.
struct OidcServices {
  SessionServices sessions;
  OidcSignIn* oidc = nullptr;  ///< null: no provider is configured
  AttemptLimiter& attempts;    ///< failed sign-ins per address
  /// Returns the URL at which the browser of a request reaches this server, without a slash at the
  /// end.
  std::function<std::string(const http::Request& request)> base_url;
};

using OidcRoutes = http::RouteGroup<OidcServices>;

/// Adds /api/v1/session/methods and /session/oidc.
void addOidcRoutes(OidcRoutes routes);

}  // namespace spindle::identity
