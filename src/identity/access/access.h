#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "identity/access/validated_cache.h"
#include "identity/store/access_facts_repository.h"
#include "identity/store/project_repository.h"
#include "identity/types/permissions.h"

namespace spindle::identity {

/// The roles of a caller in a team that it can see.
struct TeamAccess {
  std::string team_id;
  Roles roles;
  bool sees_all_projects = false;  ///< including restricted ones
};

/// The roles of a caller in a project that it may use.
struct ProjectAccess {
  /// Empty only when an organization admin reads a team that does not exist yet.
  std::string team_id;
  std::string project_id;  ///< empty: the project does not exist yet and reads as empty
  Roles roles;

  bool exists() const { return !project_id.empty(); }
};

/// Decides whether a caller may do an action in the organization, a team or a project.
///
/// Returns kNotFound for everything that the caller cannot see, whether it exists or not. Returns
/// kPermissionDenied if the caller sees the object but its roles do not allow the action. An
/// organization admin counts as admin of every team, because it could make itself one. A service
/// account of the organization counts as member of every team. Nothing is allowed to a user who was
/// deleted or suspended: every method returns kUnauthenticated then, unless it says otherwise.
/// Decisions follow every change at once, also a change by another process: cached results are
/// valid only while the database is unchanged. Thread-safe; may block on the database and then
/// return kUnavailable.
class Access {
 public:
  Access(AccessFactsRepository& access_facts, ProjectRepository& projects)
      : access_facts_(access_facts), projects_(projects) {}

  /// Checks an action that concerns the whole organization. @return kPermissionDenied.
  Result<void> requireInOrganization(std::string_view user_id, Action action);

  Result<bool> isOrganizationAdmin(std::string_view user_id);

  /// Returns the caller's roles in a team. @return kNotFound.
  Result<TeamAccess> findTeam(std::string_view user_id, std::string_view team);
  /// Checks an action in a team. @return kNotFound, kPermissionDenied.
  Result<TeamAccess> requireInTeam(std::string_view user_id, std::string_view team, Action action);

  /// Checks an action in an existing project; `own` as in allows().
  /// @return kNotFound, kPermissionDenied.
  Result<ProjectAccess> requireInProject(std::string_view user_id,
                                         std::string_view team,
                                         std::string_view project,
                                         Action action,
                                         bool own = false);

  /// Checks an action for a job that continues after the request of its user, before each part of
  /// its work. `name` is `team/project`; the project must still be the one with `project_id`.
  /// @return kPermissionDenied whenever the user has lost the access, also with its account.
  Result<ProjectAccess> requireForJob(std::string_view user_id,
                                      std::string_view project_id,
                                      std::string_view name,
                                      Action action);

  /// Checks read access. A project that does not exist yet reads as empty for callers who may write
  /// to its team. @return kNotFound.
  Result<ProjectAccess> readProject(std::string_view user_id,
                                    std::string_view team,
                                    std::string_view project);
  /// For a project named `team/project`. @return kInvalidArgument too, for an invalid name.
  Result<ProjectAccess> readProject(std::string_view user_id, std::string_view name);

  /// Checks write access and creates a missing project. For an organization admin, it also creates
  /// a missing team.
  /// @return kNotFound, kPermissionDenied, kInvalidArgument for an invalid new name.
  Result<ProjectAccess> writeProject(std::string_view user_id,
                                     std::string_view team,
                                     std::string_view project);
  /// For a project named `team/project`.
  Result<ProjectAccess> writeProject(std::string_view user_id, std::string_view name);

 private:
  Result<std::shared_ptr<const AccessFacts>> facts(std::string_view user_id,
                                                   std::string_view team,
                                                   std::string_view project);

  AccessFactsRepository& access_facts_;
  ProjectRepository& projects_;
  ValidatedCache<AccessFacts> cache_;
};

}  // namespace spindle::identity
