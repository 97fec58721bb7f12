#include "identity/access/default_team.h"

#include <algorithm>

#include "identity/access/access.h"
#include "identity/store/team_repository.h"

namespace spindle::identity {

std::optional<std::string> defaultTeamAmong(const std::vector<TeamOfUser>& teams,
                                            bool organization_admin) {
  const auto joined = [](const TeamOfUser& entry) { return !entry.membership.pending; };
  const auto confirmed = std::find_if(teams.begin(), teams.end(), [&](const TeamOfUser& entry) {
    return joined(entry) && entry.membership.confirmed;
  });
  if (confirmed != teams.end()) return confirmed->team.name;
  if (organization_admin || std::count_if(teams.begin(), teams.end(), joined) != 1) {
    return std::nullopt;
  }
  return std::find_if(teams.begin(), teams.end(), joined)->team.name;
}

Result<std::optional<std::string>> defaultTeamOf(TeamRepository& teams,
                                                 Access& access,
                                                 std::string_view user_id,
                                                 std::string_view username) {
  const std::vector<TeamOfUser> found = TRY(teams.teamsOf(user_id));
  const bool admin = TRY(access.isOrganizationAdmin(user_id));
  if (std::optional<std::string> team = defaultTeamAmong(found, admin)) return team;
  return admin ? std::optional(std::string(username)) : std::nullopt;
}

}  // namespace spindle::identity
