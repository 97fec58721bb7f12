#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"
#include "inference/usage/usage_report.h"

namespace spindle::identity {
class Access;
class ProjectRepository;
class TeamRepository;
}  // namespace spindle::identity

namespace spindle::inference {

/// Returns the usage that a user may see: its own, that of the teams that the user administers and
/// of the user's projects, or everything for an organization admin. Blocks on the database.
/// @return kUnauthenticated if the user no longer exists, kUnavailable.
Result<UsageScope> usageScopeOf(identity::Access& access,
                                identity::TeamRepository& teams,
                                identity::ProjectRepository& projects,
                                std::string_view user_id);

}  // namespace spindle::inference
