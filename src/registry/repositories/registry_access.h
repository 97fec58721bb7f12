#pragma once

#include <string_view>

#include "base/core/result.h"
#include "identity/types/permissions.h"
#include "registry/artifacts/registry.h"

namespace spindle::registry {

class RegistryRepository;

/// A registry that the caller can see, with the roles of the caller in it.
struct VisibleRegistry {
  Registry registry;
  identity::Roles roles;
  bool own = false;  ///< the caller created the registry
};

/// Decides about access to registries, like identity::Access for teams and projects. Returns
/// kNotFound for a registry that the caller cannot see, even if it exists, and kPermissionDenied
/// for an action that the caller may not do. The organization admin role applies only in registries
/// that are visible to the whole organization. Thread-safe; blocks on the database, and can return
/// kUnavailable.
///
/// To find a collection, call CollectionRepository::find() with the id of the registry or project.
class RegistryAccess {
 public:
  explicit RegistryAccess(RegistryRepository& registries) : registries_(registries) {}

  /// Returns the registry with this name and the roles of the user. @return kNotFound.
  Result<VisibleRegistry> find(std::string_view user_id, std::string_view registry);
  /// Like find(), and checks that the user may do `action`. @return kNotFound, kPermissionDenied.
  Result<VisibleRegistry> require(std::string_view user_id,
                                  std::string_view registry,
                                  identity::Action action);

 private:
  RegistryRepository& registries_;
};

}  // namespace spindle::registry
