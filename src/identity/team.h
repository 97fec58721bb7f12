#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "identity/team_role.h"
#include "identity/user.h"

namespace spindle::identity {

/// Who may set how long artifacts live.
enum class TtlPermission { kAdmins, kAdminsAndMembers };
std::string_view textOf(TtlPermission permission);
std::optional<TtlPermission> ttlPermissionOf(std::string_view text);

/// An entity: the owner of projects. Its name stands in every path.
struct Team {
  std::string id;
  std::string name;
  std::optional<std::int64_t> default_artifact_ttl_days;
  TtlPermission ttl_permission = TtlPermission::kAdmins;
  std::int64_t version = 1;
  Timestamp created_at;
  Timestamp updated_at;
};

/// What to change; what is not set stays.
struct TeamChange {
  std::optional<std::optional<std::int64_t>> default_artifact_ttl_days;
  std::optional<TtlPermission> ttl_permission;
};

struct Membership {
  std::string id;
  std::string team_id;
  std::string user_id;
  TeamRole role = TeamRole::kMember;
  bool pending = false;  ///< invited, not yet accepted: no rights. Added members are not pending
  std::int64_t version = 1;
  Timestamp created_at;
  Timestamp updated_at;
};

/// A member as its team lists it.
struct Member {
  Membership membership;
  User user;
};

/// A team as one of its members lists it.
struct TeamOfUser {
  Team team;
  Membership membership;
};

}  // namespace spindle::identity
