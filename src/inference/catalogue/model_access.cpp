#include "inference/catalogue/model_access.h"

#include <algorithm>

#include "identity/access/access.h"
#include "identity/store/team_repository.h"
#include "identity/store/user_repository.h"

namespace spindle::inference {

Result<TeamsOfUser> ModelAccess::teamsOf(std::string_view user_id) {
  const Result<bool> admin = access_.isOrganizationAdmin(user_id);
  if (!admin) return admin.error();
  if (*admin) return TeamsOfUser();
  const Result<identity::User> user = users_.find(user_id);
  if (!user) return user.error();
  if (user->scope == identity::ServiceScope::kOrganization) return TeamsOfUser();
  const Result<std::vector<identity::TeamOfUser>> teams = teams_.teamsOf(user_id);
  if (!teams) return teams.error();
  std::vector<std::string> ids;
  for (const identity::TeamOfUser& entry : *teams) {
    if (!entry.membership.pending) ids.push_back(entry.team.id);
  }
  return TeamsOfUser(std::move(ids));
}

Result<bool> ModelAccess::mayUse(std::string_view user_id, const Model& model) {
  if (model.teams.empty()) return true;
  const Result<TeamsOfUser> teams = teamsOf(user_id);
  if (!teams) return teams.error();
  return mayUse(*teams, model);
}

bool ModelAccess::mayUse(const TeamsOfUser& teams, const Model& model) {
  if (model.teams.empty() || !teams) return true;
  return std::ranges::any_of(*teams, [&model](const std::string& team_id) {
    return std::ranges::find(model.teams, team_id) != model.teams.end();
  });
}

}  // namespace spindle::inference
