#pragma once

#include <functional>
#include <string_view>

#include "base/core/result.h"
#include "http/router/forward.h"
#include "http/router/route.h"

namespace spindle::identity {

class Access;
class ApiKeyRepository;
class PreferenceRepository;
class TeamRepository;
class UserRepository;

/// Dependencies of the routes. All must outlive the router.
struct IdentityServices {
  UserRepository& users;
  TeamRepository& teams;
  ApiKeyRepository& keys;
  Access& access;
  PreferenceRepository& preferences;
  /// Called with the team id before a team is deleted with all its projects; see ProjectServices.
  /// May be empty.
  std::function<Result<void>(std::string_view team_id)> prepare_team_removal = {};
};

using IdentityRoutes = http::RouteGroup<IdentityServices>;

/// Adds /api/v1/me with its preferences, /users, /teams, their members and service accounts, and
/// /api-keys.
void addIdentityRoutes(IdentityRoutes routes);

// The parts of addIdentityRoutes(), one source file each:
void addUserRoutes(const IdentityRoutes& routes);
void addTeamRoutes(const IdentityRoutes& routes);
void addMemberRoutes(const IdentityRoutes& routes);
void addApiKeyRoutes(const IdentityRoutes& routes);
void addPreferenceRoutes(const IdentityRoutes& routes);

}  // namespace spindle::identity
