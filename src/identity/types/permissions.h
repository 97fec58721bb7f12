#pragma once

#include "identity/types/roles.h"

namespace spindle::identity {

/// An action that needs a role; one row of the permission table.
enum class Action {
  kCreateTeam,     ///< also: add users and organization service accounts, delete teams
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
  kDeleteRun,      ///< or stop it; members only their own runs
  kManageProject,  ///< visibility and roles
  kCreateRegistry,
  kRenameRegistry,  ///< also: add accepted types
  kManageRegistry,  ///< visibility, members, roles, protected aliases
  kDeleteRegistry,  ///< registry admins only registries that they created
  kManageRegistryCollection,
  kLinkVersion,
  kManageProtectedAlias,
  kViewRegistry,
  kDownloadFromRegistry,
  kUpdateTeam,  ///< settings of the team itself
  kReadAudit,   ///< the audit log of the team, or of the organization
};

/// Returns true if the roles allow the action. This function alone decides about permissions. `own`
/// is true if the object belongs to the caller.
bool allows(Action action, Roles roles, bool own = false);

}  // namespace spindle::identity
