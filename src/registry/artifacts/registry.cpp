#include "registry/artifacts/registry.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace spindle::registry {
namespace {

using identity::RegistryRole;

constexpr std::array<std::string_view, 4> kRoles = {"ADMIN", "MEMBER", "VIEWER",
                                                    "RESTRICTED_VIEWER"};

}  // namespace

std::string_view textOf(RegistryVisibility visibility) {
  return visibility == RegistryVisibility::kOrganization ? "organization" : "restricted";
}

RegistryVisibility visibilityOf(std::string_view text) {
  return text == textOf(RegistryVisibility::kOrganization) ? RegistryVisibility::kOrganization
                                                           : RegistryVisibility::kRestricted;
}

std::string_view textOf(RegistryRole role) { return kRoles[static_cast<std::size_t>(role)]; }

RegistryRole registryRoleOf(std::string_view text) {
  const auto* const found = std::find(kRoles.begin(), kRoles.end(), text);
  if (found == kRoles.end()) return RegistryRole::kRestrictedViewer;
  return static_cast<RegistryRole>(found - kRoles.begin());
}

}  // namespace spindle::registry
