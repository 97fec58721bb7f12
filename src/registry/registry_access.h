#pragma once

#include <string_view>

#include "base/result.h"
#include "identity/permissions.h"
#include "registry/registry.h"

namespace spindle::registry {

class RegistryRepository;

/// A caller in a registry it can see.
struct RegistryEntry {
  Registry registry;
  identity::Roles roles;
  bool own = false;  ///< the caller made the registry
};

/// Access decisions in registries, as identity::Access makes them in teams and projects: what a
/// caller cannot see is kNotFound, whether it exists or not; what it sees but may not do is
/// kPermissionDenied. An organization admin counts as one only where the whole organization is let
/// in. Thread-safe; blocks on the database, and may then return kUnavailable.
///
/// Collections are looked up by name with CollectionRepository::find(), in a registry by its id and
/// in a project by that of the project.
class RegistryAccess {
 public:
  explicit RegistryAccess(RegistryRepository& registries) : registries_(registries) {}

  /// The caller's place in a registry, by its name. @return kNotFound.
  Result<RegistryEntry> find(std::string_view user_id, std::string_view registry);
  /// @return kNotFound, kPermissionDenied.
  Result<RegistryEntry> require(std::string_view user_id,
                                std::string_view registry,
                                identity::Action action);

 private:
  RegistryRepository& registries_;
};

}  // namespace spindle::registry
