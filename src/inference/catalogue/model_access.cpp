#include "inference/catalogue/model_access.h"

#include <algorithm>

#include "identity/access/access.h"
#include "identity/store/team_repository.h"
#include "identity/store/user_repository.h"

namespace spindle::inference {

Result<TeamsOfUser> ModelAccess::teamsOf(std::string_view user_id) {
  if (TRY(access_.isOrganizationAdmin(user_id))) return TeamsOfUser();
  const identity::User user = TRY(users_.find(user_id));
  if (user.scope == identity::ServiceScope::kOrganization) return TeamsOfUser();
  const std::vector<identity::TeamOfUser> teams = TRY(teams_.teamsOf(user_id));
  std::vector<std::string> ids;
  for (const identity::TeamOfUser& entry : teams) {
    if (!entry.membership.pending) ids.push_back(entry.team.id);
  }
  return TeamsOfUser(std::move(ids));
}

Result<bool> ModelAccess::mayUse(std::string_view user_id, const Model& model) {
  if (model.teams.empty()) return true;
  const TeamsOfUser teams = TRY(teamsOf(user_id));
  return mayUse(teams, model);
}

bool ModelAccess::mayUse(const TeamsOfUser& teams, const Model& model) {
  if (model.teams.empty() || !teams) return true;
  return std::ranges::any_of(*teams, [&model](const std::string& team_id) {
    return std::ranges::find(model.teams, team_id) != model.teams.end();
  });
}

}  // namespace spindle::inference
