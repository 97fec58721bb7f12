#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "identity/roles.h"

namespace spindle::storage {
class Database;
}

namespace spindle::identity {

/// Everything about a user, a team and a project that access decisions rest on.
struct Standing {
  bool organization_admin = false;
  bool organization_service = false;      ///< a service account of the whole organization
  std::optional<std::string> team_id;     ///< empty: no such team
  std::optional<TeamRole> membership;     ///< empty: not in it, or not yet
  std::optional<std::string> project_id;  ///< empty: no such project
  Visibility visibility = Visibility::kTeam;
  bool added = false;  ///< the project names the user
  std::optional<TeamRole> override_role;
};

/// Reads what access decisions rest on, all at once. Thread-safe; blocks on the database.
class StandingRepository {
 public:
  explicit StandingRepository(storage::Database& database) : database_(database) {}

  /// @return kUnauthenticated when there is no such user (any more), kUnavailable.
  Result<Standing> find(std::string_view user_id, std::string_view team, std::string_view project);

  /// See storage::Database::changeToken().
  std::optional<std::uint64_t> changeToken();

 private:
  storage::Database& database_;
};

}  // namespace spindle::identity
