#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/time.h"
#include "identity/types/team_role.h"
#include "identity/types/user.h"

namespace spindle::identity {

/// The roles that may set the time to live of artifact versions.
enum class TtlPermission { kAdmins, kAdminsAndMembers };
std::string_view textOf(TtlPermission permission);
std::optional<TtlPermission> ttlPermissionOf(std::string_view text);

/// An entity: the owner of projects. Its name is part of every path.
struct Team {
  std::string id;
  std::string name;
  std::optional<std::int64_t> default_artifact_ttl_days;
  TtlPermission ttl_permission = TtlPermission::kAdmins;
  std::int64_t version = 1;
  Timestamp created_at;
  Timestamp updated_at;
};

/// The fields to change. Fields without a value stay unchanged.
struct TeamChange {
  std::optional<std::optional<std::int64_t>> default_artifact_ttl_days;
  std::optional<TtlPermission> ttl_permission;
};

struct Membership {
  std::string id;
  std::string team_id;
  std::string user_id;
  TeamRole role = TeamRole::kMember;
  /// Invited and not accepted yet: no permissions. Added members are not pending.
  bool pending = false;
  /// The user accepted it, or the organization made it. Otherwise an admin of the team, who may be
  /// a stranger, has added the user.
  bool confirmed = true;
  std::int64_t version = 1;
  Timestamp created_at;
  Timestamp updated_at;
};

/// Who adds a member to a team.
enum class AddedBy {
  kOrganization,  ///< an organization admin, the operator or the server
  kTeamAdmin,
};

/// A member in the list of its team.
struct Member {
  Membership membership;
  User user;
};

/// A team in the list of one of its members.
struct TeamOfUser {
  Team team;
  Membership membership;
};

}  // namespace spindle::identity
