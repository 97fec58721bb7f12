#pragma once

#include <optional>
#include <string_view>

namespace spindle::identity {

/// A role in a team, or the role that a project gives a user instead.
enum class TeamRole { kAdmin, kMember, kViewer };

/// `ADMIN`, `MEMBER`, `VIEWER`.
std::string_view textOf(TeamRole role);
std::optional<TeamRole> teamRoleOf(std::string_view text);

}  // namespace spindle::identity
