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

/// Returns the team for requests of a user that name no team, of TeamRepository::teamsOf(): the
/// team of the oldest confirmed membership, else the only team. Anybody who administers a team can
/// add a user to it, so a membership that nobody confirmed counts only if there is no choice; an
/// organization admin has one.
std::optional<std::string> defaultTeamAmong(const std::vector<TeamOfUser>& teams,
                                            bool organization_admin);

/// Returns the same by the id of the user. For an organization admin without a confirmed
/// membership, returns the team with its own user name, which its first write creates. Blocks on
/// the database.
/// @return kUnavailable.
Result<std::optional<std::string>> defaultTeamOf(TeamRepository& teams,
                                                 Access& access,
                                                 std::string_view user_id,
                                                 std::string_view username);

}  // namespace spindle::identity
