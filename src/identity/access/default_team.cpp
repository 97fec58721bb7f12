#include "identity/access/default_team.h"

#include <algorithm>

#include "identity/access/access.h"
#include "identity/store/team_repository.h"

namespace spindle::identity {

std::optional<std::string> firstTeamOf(const std::vector<TeamOfUser>& teams) {
  const auto first = std::ranges::find_if(
      teams, [](const TeamOfUser& entry) { return !entry.membership.pending; });
  return first == teams.end() ? std::nullopt : std::optional(first->team.name);
}

Result<std::optional<std::string>> defaultTeamOf(TeamRepository& teams,
                                                 Access& access,
                                                 std::string_view user_id,
                                                 std::string_view username) {
  const std::vector<TeamOfUser> found = TRY(teams.teamsOf(user_id));
  if (std::optional<std::string> team = firstTeamOf(found)) return team;
  const bool admin = TRY(access.isOrganizationAdmin(user_id));
  return admin ? std::optional(std::string(username)) : std::nullopt;
}

}  // namespace spindle::identity
