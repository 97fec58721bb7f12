#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "identity/types/team.h"

namespace spindle::identity {

class Access;
class TeamRepository;

/// Returns the name of the first team whose membership is not pending, of
/// TeamRepository::teamsOf().
std::optional<std::string> firstTeamOf(const std::vector<TeamOfUser>& teams);

/// Returns the team for requests of a user that name no team: the team of its oldest membership.
/// For an organization admin without a membership, returns the team with its own user name, which
/// its first write creates. Returns nothing for other users. Blocks on the database. @return
/// kUnavailable.
Result<std::optional<std::string>> defaultTeamOf(TeamRepository& teams,
                                                 Access& access,
                                                 std::string_view user_id,
                                                 std::string_view username);

}  // namespace spindle::identity
