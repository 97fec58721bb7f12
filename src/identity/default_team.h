#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace spindle::identity {

class Access;
class TeamRepository;

/// Where a user's things go when it does not say: the team of its oldest membership. An admin of
/// the organization without one gets the team of its own name, which comes into being when it first
/// writes there. Nothing for everybody else. Blocks on the database. @return kUnavailable.
Result<std::optional<std::string>> defaultTeamOf(TeamRepository& teams,
                                                 Access& access,
                                                 std::string_view user_id,
                                                 std::string_view username);

}  // namespace spindle::identity
