#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "identity/types/roles.h"
#include "storage/database/forward.h"

namespace spindle::identity {

/// The facts about a user, a team and a project that decide access.
struct AccessFacts {
  bool organization_admin = false;
  bool organization_service = false;      ///< a service account of the whole organization
  std::optional<std::string> team_id;     ///< empty: no such team
  std::optional<TeamRole> membership;     ///< empty: not a member, or the invitation is pending
  std::optional<std::string> project_id;  ///< empty: no such project
  Visibility visibility = Visibility::kTeam;
  bool added = false;  ///< the user was added to the project itself
  std::optional<TeamRole> override_role;
};

/// Reads the facts for an access decision in one query. Thread-safe; blocks on the database.
class AccessFactsRepository {
 public:
  explicit AccessFactsRepository(storage::Database& database) : database_(database) {}

  /// Reads the facts; `team` and `project` are names and may be empty.
  /// @return kUnauthenticated when the user does not exist (any more) or is suspended,
  /// kUnavailable.
  Result<AccessFacts> find(std::string_view user_id,
                           std::string_view team,
                           std::string_view project);

  /// See storage::Database::changeToken().
  std::optional<std::uint64_t> changeToken();

 private:
  storage::Database& database_;
};

}  // namespace spindle::identity
