#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "identity/page.h"
#include "identity/project.h"

namespace spindle::storage {
class Database;
}

namespace spindle::identity {

/// Projects, and the roles they give to members of their team. Thread-safe; calls block on the
/// database. Every method may also return kUnavailable. `if_version` as in TeamRepository.
class ProjectRepository {
 public:
  using IfVersion = std::optional<std::int64_t>;

  ProjectRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  /// @return kInvalidArgument for a name against the rules, kConflict when it is taken or the team
  /// is gone.
  Result<Project> insert(const NewProject& project);

  /// Where a first write goes.
  struct Place {
    std::string team_id;
    std::string project_id;
  };
  /// The project of that name, made now when it is missing; with `create_team` a missing team too,
  /// with the creator as its admin.
  /// @return kInvalidArgument for names against the rules, kNotFound for a missing team.
  Result<Place> ensure(std::string_view team_name,
                       std::string_view project_name,
                       std::string_view creator_id,
                       bool create_team);

  /// @return kNotFound.
  Result<Project> find(std::string_view team_name, std::string_view project_name);
  /// @return kNotFound.
  Result<Project> findById(std::string_view project_id);

  /// The projects of a team that this user may see; `sees_all` for those who see every one.
  Result<Page<Project>> list(std::string_view team_id,
                             std::string_view user_id,
                             bool sees_all,
                             const PageRequest& page);

  /// The projects of all teams of a user; `sees_all` for those who see every one there is.
  Result<Page<Project>> listOf(std::string_view user_id, bool sees_all, const PageRequest& page);

  /// @return kNotFound, kPreconditionFailed.
  Result<Project> update(std::string_view project_id,
                         const ProjectChange& change,
                         IfVersion if_version = {});
  /// @return kNotFound, kPreconditionFailed.
  Result<void> remove(std::string_view project_id, IfVersion if_version = {});

  /// Those to whom the project itself gives a place, in the order of their names.
  Result<std::vector<ProjectMember>> members(std::string_view project_id);

  /// The members of the team that the project lets in. A page ends with the id of a user.
  Result<Page<ProjectMember>> everyone(std::string_view project_id, const PageRequest& page);

  /// Gives a member of the team a role in the project. The role of the team itself means that the
  /// project follows it from now on.
  /// @return kNotFound when there is no such project or member; kConflict:
  /// `viewer_cannot_be_raised`, `project_visibility` (open and public projects have no own roles).
  Result<ProjectMember> setRole(std::string_view project_id,
                                std::string_view user_id,
                                TeamRole role);
  /// @return kNotFound when the project gives the user nothing.
  Result<void> removeRole(std::string_view project_id, std::string_view user_id);

 private:
  storage::Database& database_;
  const Clock& clock_;
};

}  // namespace spindle::identity
