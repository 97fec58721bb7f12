#pragma once

#include <string_view>

#include "base/core/result.h"
#include "identity/store/row_query.h"
#include "identity/types/api_key.h"
#include "identity/types/project.h"
#include "identity/types/session.h"
#include "identity/types/team.h"
#include "identity/types/user.h"
#include "storage/database/forward.h"

// The rows of this area as records, for its repositories.
namespace spindle::identity {

// The aliases of the tables are `u` (users), `t` (teams), `m` (memberships), `p` (projects), `r`
// (project_roles), `k` (api_keys) and `s` (user_sessions).
const RowQuery<User>& selectUsers();
const RowQuery<Team>& selectTeams();
const RowQuery<Member>& selectMembers();           ///< `m` and `u`
const RowQuery<TeamOfUser>& selectTeamsOfUsers();  ///< `m` and `t`
const RowQuery<Project>& selectProjects();         ///< `p` and `t`
const RowQuery<ProjectMember>&
selectProjectMembers();  ///< `p`, `m`, `u` and `r`, which may be NULL
const RowQuery<ApiKey>& selectApiKeys();
const RowQuery<UserSession>& selectSessions();

/// @return kNotFound.
Result<User> findUser(storage::Session& session, std::string_view id);

// Insert without checking names. @return kConflict.
Result<void> insertRow(storage::Session& session, const User& user);
Result<void> insertRow(storage::Session& session, const Team& team);
Result<void> insertRow(storage::Session& session, const Membership& membership);
Result<void> insertRow(storage::Session& session, const Project& project);
Result<void> insertRow(storage::Session& session, const ApiKey& key, std::string_view digest);
Result<void> insertRow(storage::Session& session, const UserSession& made, std::string_view digest);

/// Parses a stored role. An unknown text gives the fewest permissions.
TeamRole storedRoleOf(std::string_view text);

}  // namespace spindle::identity
