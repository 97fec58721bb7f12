#include "inference/usage/usage_scope.h"

#include "identity/access/access.h"
#include "identity/store/project_repository.h"
#include "identity/store/team_repository.h"

namespace spindle::inference {
namespace {

constexpr int kPage = 200;

}  // namespace

Result<UsageScope> usageScopeOf(identity::Access& access,
                                identity::TeamRepository& teams,
                                identity::ProjectRepository& projects,
                                std::string_view user_id) {
  UsageScope scope;
  scope.user_id = user_id;
  const bool admin = TRY(access.isOrganizationAdmin(user_id));
  scope.everything = admin;
  if (scope.everything) return scope;
  const std::vector<identity::TeamOfUser> mine = TRY(teams.teamsOf(user_id));
  for (const identity::TeamOfUser& entry : mine) {
    const bool administers =
        !entry.membership.pending && entry.membership.role == identity::TeamRole::kAdmin;
    if (administers) scope.team_ids.push_back(entry.team.id);
  }
  identity::PageRequest request{kPage, ""};
  while (true) {
    const identity::Page<identity::Project> page =
        TRY(projects.listForUser(user_id, false, request));
    for (const identity::Project& project : page.items) scope.project_ids.push_back(project.id);
    if (!page.next) return scope;
    request.after = *page.next;
  }
}

}  // namespace spindle::inference
