#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "identity/store/page.h"
#include "identity/store/row_version.h"
#include "identity/types/project.h"
#include "storage/database/forward.h"

namespace spindle::identity {

/// SQL access to projects and to the roles that they give to members of their team. Thread-safe;
/// calls block on the database. Every method may also return kUnavailable. `if_version` as in
/// TeamRepository.
class ProjectRepository {
 public:
  ProjectRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  /// Creates a project.
  /// @return kInvalidArgument for an invalid name, kConflict when the name is taken or the team
  /// does not exist.
  Result<Project> insert(const NewProject& project);

  /// The ids of a project and its team.
  struct EnsuredProject {
    std::string team_id;
    std::string project_id;
  };
  /// Returns the project with that name, and creates it if it is missing. With `create_team`, also
  /// creates a missing team with the creator as its admin.
  /// @return kInvalidArgument for invalid names, kNotFound for a missing team.
  Result<EnsuredProject> ensure(std::string_view team_name,
                                std::string_view project_name,
                                std::string_view creator_id,
                                bool create_team);

  /// @return kNotFound.
  Result<Project> find(std::string_view team_name, std::string_view project_name);
  /// @return kNotFound.
  Result<Project> findById(std::string_view project_id);

  /// Lists the projects of a team that the user may see; with `sees_all`, every project.
  Result<Page<Project>> list(std::string_view team_id,
                             std::string_view user_id,
                             bool sees_all,
                             const PageRequest& page);

  /// Lists the projects of all teams of a user that the user may see; with `sees_all`, every
  /// project of every team.
  Result<Page<Project>> listForUser(std::string_view user_id,
                                    bool sees_all,
                                    const PageRequest& page);

  /// @return kNotFound, kPreconditionFailed.
  Result<Project> update(std::string_view project_id,
                         const ProjectChange& change,
                         IfVersion if_version = {});
  /// @return kNotFound, kPreconditionFailed.
  Result<void> remove(std::string_view project_id, IfVersion if_version = {});

  /// Lists the users who were added to the project itself, sorted by name.
  Result<std::vector<ProjectMember>> members(std::string_view project_id);

  /// Lists the members of the team who have access to the project. Pages continue after a user id.
  Result<Page<ProjectMember>> effectiveMembers(std::string_view project_id,
                                               const PageRequest& page);

  /// Gives a member of the team a role in the project. If it equals the team role, the project role
  /// follows the team role from now on.
  /// @return kNotFound when the project or member does not exist; kConflict:
  /// `viewer_cannot_be_raised`, `project_visibility` (open and public projects have no project
  /// roles).
  Result<ProjectMember> setRole(std::string_view project_id,
                                std::string_view user_id,
                                TeamRole role);
  /// Removes a user and its role from the project itself.
  /// @return kNotFound when the user was not added to the project.
  Result<void> removeRole(std::string_view project_id, std::string_view user_id);

 private:
  storage::Database& database_;
  const Clock& clock_;
};

}  // namespace spindle::identity
