#pragma once

#include <functional>
#include <string>

#include "http/router/forward.h"
#include "http/router/route.h"
#include "identity/api/session_api.h"

namespace spindle::identity {

class InvitationRepository;
class PasswordHasher;

/// Dependencies of the routes. All must outlive the router.
struct InvitationServices {
  InvitationRepository& invitations;
  SessionServices sessions;
  PasswordHasher& passwords;
  const Clock& clock;
  /// Returns the URL at which the browser of a request reaches this server, without a slash at the
  /// end.
  std::function<std::string(const http::Request& request)> base_url;
};

using InvitationRoutes = http::RouteGroup<InvitationServices>;

/// Adds /api/v1/teams/{team}/invitations and /api/v1/invitations.
void addInvitationRoutes(InvitationRoutes routes);

}  // namespace spindle::identity
