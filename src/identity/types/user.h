#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/time.h"
#include "identity/types/team_role.h"

namespace spindle::identity {

enum class UserKind { kUser, kService };
std::string_view textOf(UserKind kind);

/// The scope of a service account: its team, or every team of the organization.
enum class ServiceScope { kTeam, kOrganization };
std::string_view textOf(ServiceScope scope);

/// A person or a service account. Users are not entities: only teams own projects, so a user and a
/// team may have the same name.
struct User {
  std::string id;
  std::string username;
  std::optional<std::string> email;  ///< persons only
  std::string name;
  UserKind kind = UserKind::kUser;
  bool organization_admin = false;
  bool suspended = false;  ///< keys and sessions are refused
  // Service accounts only:
  std::string description;
  std::optional<ServiceScope> scope;
  std::optional<std::string> team_id;  ///< the team of a team-scope account

  std::int64_t version = 1;  ///< incremented by every change; the ETag
  Timestamp created_at;
  Timestamp updated_at;
};

struct NewUser {
  std::string username;
  std::optional<std::string> email;
  std::string name;
  bool organization_admin = false;
};

/// The fields to change. Fields without a value stay unchanged.
struct UserChange {
  std::optional<std::string> name = {};
  std::optional<std::optional<std::string>> email = {};
  std::optional<bool> organization_admin = {};
  std::optional<bool> suspended = {};
};

struct NewServiceAccount {
  std::string description;
  std::optional<std::string> team_id;  ///< empty: an account of the whole organization
  TeamRole role = TeamRole::kMember;   ///< in its team; never kViewer
};

}  // namespace spindle::identity
