#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/time.h"
#include "identity/types/team_role.h"

namespace spindle::identity {

/// Who sees a project, in addition to the admins of its team.
enum class Visibility {
  kOpen,        ///< all users with an API key read and log
  kPublic,      ///< all users with an API key read; the team writes
  kTeam,        ///< the members of the team
  kRestricted,  ///< the members of the team who were added to the project
};

/// `OPEN`, `PUBLIC`, `TEAM`, `RESTRICTED`.
std::string_view textOf(Visibility visibility);
std::optional<Visibility> visibilityOf(std::string_view text);

/// The part that a new project and a stored one have in common.
struct ProjectDefinition {
  std::string team_id;
  std::string name;
  Visibility visibility = Visibility::kTeam;
  std::string description;
};

struct Project : ProjectDefinition {
  std::string id;
  std::string team_name;
  std::int64_t version = 1;
  Timestamp created_at;
  Timestamp updated_at;
};

struct NewProject : ProjectDefinition {
  std::string creator_id;  ///< becomes admin of a restricted project
};

/// The fields to change. Fields without a value stay unchanged.
struct ProjectChange {
  std::optional<Visibility> visibility;
  std::optional<std::string> description;
};

/// The role of a team member in one of the team's projects.
struct ProjectMember {
  std::string user_id;
  std::string username;
  TeamRole team_role = TeamRole::kMember;
  std::optional<TeamRole> override_role;  ///< empty: follows the team role
  bool added = true;                      ///< the user was added to the project itself
};

}  // namespace spindle::identity
