#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"

namespace spindle::identity {

class Access;
class TeamRepository;

/// Returns the team for requests of a user that name no team: the team of its oldest membership.
/// For an organization admin without a membership, returns the team with its own user name, which
/// its first write creates. Returns nothing for other users. Blocks on the database. @return
/// kUnavailable.
Result<std::optional<std::string>> defaultTeamOf(TeamRepository& teams,
                                                 Access& access,
                                                 std::string_view user_id,
                                                 std::string_view username);

}  // namespace spindle::identity
