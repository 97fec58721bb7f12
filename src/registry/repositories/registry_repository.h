#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "identity/store/page.h"
#include "identity/store/row_version.h"
#include "identity/types/roles.h"
#include "registry/artifacts/artifact.h"
#include "registry/artifacts/registry.h"
#include "storage/database/forward.h"

namespace spindle::registry {

/// A registry with all facts that decide about the access of one user.
struct RegistryAccessRecord {
  Registry registry;
  identity::RegistryRoleFacts standing;
  /// The user administers a team that is an admin of the registry.
  bool administers_admin_team = false;
};

/// SQL access to registries, their members and their protected aliases. Thread-safe; calls block on
/// the database. Every call can return kUnavailable, and kNotFound if the registry does not exist.
class RegistryRepository {
 public:
  RegistryRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  /// Creates a registry with the creator as admin. @return kConflict `registry_name_taken`.
  Result<Registry> insert(const Actor& creator, const NewRegistry& fresh);

  /// Finds a registry by its name, with the facts for access decisions about the user.
  Result<RegistryAccessRecord> find(std::string_view user_id, std::string_view name);

  /// Returns a page of the registries that the user can see, newest first.
  Result<identity::Page<Registry>> list(std::string_view user_id,
                                        const identity::PageRequest& page);

  /// Returns true for members and admins of a team or a registry, and for organization admins.
  Result<bool> mayCreate(std::string_view user_id);

  /// Changes a registry. The actor becomes an admin of a registry that becomes restricted. Accepted
  /// types can only be added; if the registry accepted all types, it still accepts the types in
  /// use.
  /// @return kPreconditionFailed, kConflict `registry_name_taken`.
  Result<Registry> update(std::string_view registry_id,
                          const Actor& actor,
                          const RegistryChange& change,
                          identity::IfVersion if_version = {});

  /// Removes a registry with its collections and links. The source versions stay.
  /// @return kPreconditionFailed.
  Result<void> remove(std::string_view registry_id, identity::IfVersion if_version = {});

  /// Returns a page of members. The page cursor is the id of a user or team.
  Result<identity::Page<RegistryMember>> members(std::string_view registry_id,
                                                 const identity::PageRequest& page);
  /// Adds a member or changes its role. The default role is restricted viewer, admin for
  /// organization admins, and member for service accounts.
  /// @return kNotFound if the user or team does not exist; kConflict `last_admin`.
  Result<RegistryMember> putMember(std::string_view registry_id,
                                   RegistryMember::Kind kind,
                                   std::string_view name,
                                   std::optional<identity::RegistryRole> role);
  /// Removes a member. @return kConflict `last_admin` for the last admin of a restricted registry.
  Result<void> removeMember(std::string_view registry_id,
                            RegistryMember::Kind kind,
                            std::string_view name);

  /// Returns the protected aliases, sorted by name.
  Result<std::vector<std::string>> protectedAliases(std::string_view registry_id);
  /// Protects an alias; has no effect if it is protected already.
  Result<void> protect(std::string_view registry_id, std::string_view alias);
  Result<void> unprotect(std::string_view registry_id, std::string_view alias);

 private:
  storage::Database& database_;
  const Clock& clock_;
};

}  // namespace spindle::registry
