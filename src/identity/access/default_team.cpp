#include "identity/access/default_team.h"

#include <vector>

#include "identity/access/access.h"
#include "identity/store/team_repository.h"

namespace spindle::identity {

Result<std::optional<std::string>> defaultTeamOf(TeamRepository& teams,
                                                 Access& access,
                                                 std::string_view user_id,
                                                 std::string_view username) {
  const Result<std::vector<TeamOfUser>> found = teams.teamsOf(user_id);
  if (!found) return found.error();
  if (!found->empty()) return std::optional(found->front().team.name);
  const Result<bool> admin = access.isOrganizationAdmin(user_id);
  if (!admin) return admin.error();
  return *admin ? std::optional(std::string(username)) : std::nullopt;
}

}  // namespace spindle::identity
