#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "inference/usage_report.h"

namespace spindle::identity {
class Access;
class ProjectRepository;
class TeamRepository;
}  // namespace spindle::identity

namespace spindle::inference {

/// Whose usage a user may see: its own; that of the teams it administers; that of the projects it
/// is in; all of the deployment for an administrator of that. Blocks on the database.
/// @return kUnauthenticated when there is no such user any more, kUnavailable.
Result<UsageScope> usageScopeOf(identity::Access& access,
                                identity::TeamRepository& teams,
                                identity::ProjectRepository& projects,
                                std::string_view user_id);

}  // namespace spindle::inference
