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
  const Result<bool> admin = access.isOrganizationAdmin(user_id);
  if (!admin) return admin.error();
  scope.everything = *admin;
  if (scope.everything) return scope;
  const Result<std::vector<identity::TeamOfUser>> mine = teams.teamsOf(user_id);
  if (!mine) return mine.error();
  for (const identity::TeamOfUser& entry : *mine) {
    const bool administers =
        !entry.membership.pending && entry.membership.role == identity::TeamRole::kAdmin;
    if (administers) scope.team_ids.push_back(entry.team.id);
  }
  identity::PageRequest request{kPage, ""};
  while (true) {
    const Result<identity::Page<identity::Project>> page =
        projects.listForUser(user_id, false, request);
    if (!page) return page.error();
    for (const identity::Project& project : page->items) scope.project_ids.push_back(project.id);
    if (!page->next) return scope;
    request.after = *page->next;
  }
}

}  // namespace spindle::inference
