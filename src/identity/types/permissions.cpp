#include "identity/types/permissions.h"

#include <array>
#include <cstddef>

namespace spindle::identity {
namespace {

struct Rule {
  Action action = Action::kCreateTeam;
  Roles allowed;
  Roles if_own = {};  ///< allowed on the caller's own objects only
};

constexpr Role kOa = Role::kOrganizationAdmin;
constexpr Role kTa = Role::kTeamAdmin;
constexpr Role kTm = Role::kTeamMember;
constexpr Role kTv = Role::kTeamViewer;
constexpr Role kPa = Role::kProjectAdmin;
constexpr Role kRa = Role::kRegistryAdmin;
constexpr Role kRm = Role::kRegistryMember;
constexpr Role kRv = Role::kRegistryViewer;
constexpr Role kRr = Role::kRegistryRestrictedViewer;

constexpr std::array kRules = {
    Rule{Action::kCreateTeam, kOa},
    Rule{Action::kManageMembers, kOa | kTa},
    Rule{Action::kListMembers, kOa | kTa | kTm | kTv},
    Rule{Action::kManageSecrets, kTa},
    Rule{Action::kListSecrets, kTa | kTm},
    Rule{Action::kManageWebhooks, kTa},
    Rule{Action::kListWebhooks, kTa | kTm},
    Rule{Action::kManageChatIntegration, kTa},
    Rule{Action::kManageOrganizationAutomation, kOa},
    Rule{Action::kManageTeamAutomation, kTa},
    Rule{Action::kManageProjectAutomation, kTa | kPa},
    Rule{Action::kManageRegistryAutomation, kOa | kRa},
    Rule{Action::kManageRegistryCollectionAutomation, kOa | kRa | kRm},
    Rule{Action::kViewAutomations, kOa | kTa | kTm | kPa | kRa | kRm},
    Rule{Action::kReplayOrganizationDelivery, kOa},
    Rule{Action::kReplayDelivery, kTa | kPa | kRa},
    Rule{Action::kWriteProject, kTa | kTm | kPa},
    Rule{Action::kReadProject, kTa | kTm | kTv | kPa},
    Rule{Action::kDeleteRun, kTa | kPa, kTm},
    Rule{Action::kManageProject, kTa | kPa},
    Rule{Action::kCreateRegistry, kOa | kTa | kTm | kRa | kRm},
    Rule{Action::kRenameRegistry, kOa | kRa | kRm},
    Rule{Action::kManageRegistry, kOa | kRa},
    Rule{Action::kDeleteRegistry, kOa | kTa, kRa},
    Rule{Action::kManageRegistryCollection, kOa | kRa | kRm},
    Rule{Action::kLinkVersion, kOa | kRa | kRm},
    Rule{Action::kManageProtectedAlias, kOa | kRa},
    Rule{Action::kViewRegistry, kOa | kRa | kRm | kRv | kRr},
    Rule{Action::kDownloadFromRegistry, kOa | kRa | kRm | kRv},
    Rule{Action::kUpdateTeam, kTa},
    Rule{Action::kReadAudit, kOa | kTa},
};

constexpr bool inOrder() {
  for (std::size_t i = 0; i < kRules.size(); ++i) {
    if (static_cast<std::size_t>(kRules[i].action) != i) return false;
  }
  return kRules.size() == static_cast<std::size_t>(Action::kReadAudit) + 1;
}
static_assert(inOrder(), "one rule per action, in the order of the enumeration");

}  // namespace

bool allows(Action action, Roles roles, bool own) {
  const Rule& rule = kRules[static_cast<std::size_t>(action)];
  return roles.intersects(rule.allowed) || (own && roles.intersects(rule.if_own));
}

}  // namespace spindle::identity
