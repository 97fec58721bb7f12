#pragma once

#include <functional>
#include <string_view>

#include "base/core/result.h"
#include "http/router/route.h"

namespace spindle::http {
class Router;
}

namespace spindle::identity {

class Access;
class ApiKeyRepository;
class TeamRepository;
class UserRepository;

/// Dependencies of the routes. All must outlive the router.
struct IdentityServices {
  UserRepository& users;
  TeamRepository& teams;
  ApiKeyRepository& keys;
  Access& access;
  /// Called with the team id before a team is deleted with all its projects; see ProjectServices.
  /// May be empty.
  std::function<Result<void>(std::string_view team_id)> prepare_team_removal = {};
};

/// Adds /api/v1/me, /users, /teams, their members and service accounts, and /api-keys.
void addIdentityRoutes(http::Router& router,
                       const IdentityServices& services,
                       const http::RoutePolicy& policy);

// The parts of addIdentityRoutes(), one source file each:
void addUserRoutes(http::Router& router,
                   const IdentityServices& services,
                   const http::RoutePolicy& policy);
void addTeamRoutes(http::Router& router,
                   const IdentityServices& services,
                   const http::RoutePolicy& policy);
void addMemberRoutes(http::Router& router,
                     const IdentityServices& services,
                     const http::RoutePolicy& policy);
void addApiKeyRoutes(http::Router& router,
                     const IdentityServices& services,
                     const http::RoutePolicy& policy);

}  // namespace spindle::identity
