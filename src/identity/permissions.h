#pragma once

#include "identity/roles.h"

namespace spindle::identity {

/// Everything that is decided by role. One row of the permission table each.
enum class Action {
  kCreateTeam,     ///< and service accounts of the organization, users, removing teams
  kManageMembers,  ///< invite, remove, change roles, service accounts of the team
  kListMembers,
  kManageSecrets,
  kListSecrets,
  kManageWebhooks,
  kListWebhooks,
  kManageChatIntegration,
  kManageOrganizationAutomation,
  kManageTeamAutomation,
  kManageProjectAutomation,
  kManageRegistryAutomation,
  kManageRegistryCollectionAutomation,
  kViewAutomations,
  kReplayOrganizationDelivery,
  kReplayDelivery,
  kWriteProject,  ///< create it, log, edit metadata, aliases and tags
  kReadProject,
  kDeleteRun,      ///< or stop it; members only their own
  kManageProject,  ///< visibility and roles
  kCreateRegistry,
  kRenameRegistry,  ///< and add accepted types
  kManageRegistry,  ///< visibility, members, roles, protected aliases
  kDeleteRegistry,  ///< registry admins only one they created
  kManageRegistryCollection,
  kLinkVersion,
  kManageProtectedAlias,
  kViewRegistry,
  kDownloadFromRegistry,
  kUpdateTeam,  ///< settings of the team itself
};

/// The one place where it is decided who may do what. `own` says that the object is the caller's
/// own.
bool allows(Action action, Roles roles, bool own = false);

}  // namespace spindle::identity
