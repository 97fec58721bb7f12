#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "identity/permissions.h"
#include "identity/project_repository.h"
#include "identity/standing_repository.h"
#include "identity/validated_cache.h"

namespace spindle::identity {

/// A caller in a team it can see.
struct TeamAccess {
  std::string team_id;
  Roles roles;
  bool sees_all_projects = false;  ///< restricted ones included
};

/// A caller in a project it may use.
struct ProjectAccess {
  std::string
      team_id;  ///< empty only where a deployment's admin reads a team that is not there yet
  std::string project_id;  ///< empty: the project does not exist yet and reads as empty
  Roles roles;

  bool exists() const { return !project_id.empty(); }
};

/// Access decisions: who the caller is in a team or project, and whether that suffices.
///
/// What a caller cannot see answers kNotFound, whether it exists or not; what it sees but may not
/// do answers kPermissionDenied. An organization admin counts as admin of every team (it could make
/// itself one anyway), a service account of the organization as member of every team.
/// Decisions follow every change at once, by whichever process: answers are kept in memory only
/// while the database is unchanged. Thread-safe; may block on the database, and then return
/// kUnavailable.
class Access {
 public:
  Access(StandingRepository& standings, ProjectRepository& projects)
      : standings_(standings), projects_(projects) {}

  /// For what belongs to the organization as a whole. @return kPermissionDenied.
  Result<void> requireInOrganization(std::string_view user_id, Action action);

  Result<bool> isOrganizationAdmin(std::string_view user_id);

  /// The caller's place in a team. @return kNotFound.
  Result<TeamAccess> findTeam(std::string_view user_id, std::string_view team);
  /// @return kNotFound, kPermissionDenied.
  Result<TeamAccess> requireInTeam(std::string_view user_id, std::string_view team, Action action);

  /// For an existing project. @return kNotFound, kPermissionDenied.
  Result<ProjectAccess> requireInProject(std::string_view user_id,
                                         std::string_view team,
                                         std::string_view project,
                                         Action action,
                                         bool own = false);

  /// For reading. A project that does not exist yet reads as empty for those who may write to its
  /// team. @return kNotFound.
  Result<ProjectAccess> readProject(std::string_view user_id,
                                    std::string_view team,
                                    std::string_view project);

  /// For writing: makes the project, and for an organization admin the team, when it is missing.
  /// @return kNotFound, kPermissionDenied, kInvalidArgument for a new name against the rules.
  Result<ProjectAccess> writeProject(std::string_view user_id,
                                     std::string_view team,
                                     std::string_view project);

 private:
  Result<std::shared_ptr<const Standing>> standing(std::string_view user_id,
                                                   std::string_view team,
                                                   std::string_view project);

  StandingRepository& standings_;
  ProjectRepository& projects_;
  ValidatedCache<Standing> cache_;
};

}  // namespace spindle::identity
