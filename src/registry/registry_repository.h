#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "identity/page.h"
#include "identity/roles.h"
#include "identity/row_version.h"
#include "registry/artifact.h"
#include "registry/registry.h"

namespace spindle::storage {
class Database;
}

namespace spindle::registry {

/// Everything that decides about a user in one registry.
struct RegistryRecord {
  Registry registry;
  identity::RegistryStanding standing;
  /// The user administers a team that is an admin of the registry.
  bool administers_admin_team = false;
};

/// Registries, those to whom they give roles, and their protected aliases. Thread-safe; calls block
/// on the database, and every one may return kUnavailable. What is not there is kNotFound.
class RegistryRepository {
 public:
  RegistryRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  /// The creator becomes its admin. @return kConflict `registry_name_taken`.
  Result<Registry> insert(const Actor& creator, const NewRegistry& fresh);

  /// Who the user is there, for access decisions.
  Result<RegistryRecord> find(std::string_view user_id, std::string_view name);

  /// Those that a user sees, newest first.
  Result<identity::Page<Registry>> list(std::string_view user_id,
                                        const identity::PageRequest& page);

  /// True for members and admins of a team or a registry, and organization admins.
  Result<bool> mayCreate(std::string_view user_id);

  /// One that is closed to the organization has the actor as its admin. Accepted types are only
  /// added; when all were accepted, those in use stay so.
  /// @return kPreconditionFailed, kConflict `registry_name_taken`.
  Result<Registry> update(std::string_view registry_id,
                          const Actor& actor,
                          const RegistryChange& change,
                          identity::IfVersion if_version = {});

  /// Its collections and links go with it; the versions stay where they were made.
  /// @return kPreconditionFailed.
  Result<void> remove(std::string_view registry_id, identity::IfVersion if_version = {});

  /// A page ends with the id of a user or team.
  Result<identity::Page<RegistryMember>> members(std::string_view registry_id,
                                                 const identity::PageRequest& page);
  /// Without a role: restricted viewer, for organization admins admin, for service accounts member.
  /// @return kNotFound when there is no such user or team; kConflict `last_admin`.
  Result<RegistryMember> putMember(std::string_view registry_id,
                                   RegistryMember::Kind kind,
                                   std::string_view name,
                                   std::optional<identity::RegistryRole> role);
  /// @return kConflict `last_admin` for the last one of a restricted registry.
  Result<void> removeMember(std::string_view registry_id,
                            RegistryMember::Kind kind,
                            std::string_view name);

  /// In the order of their names.
  Result<std::vector<std::string>> protectedAliases(std::string_view registry_id);
  /// Nothing happens when it is protected already.
  Result<void> protect(std::string_view registry_id, std::string_view alias);
  Result<void> unprotect(std::string_view registry_id, std::string_view alias);

 private:
  storage::Database& database_;
  const Clock& clock_;
};

}  // namespace spindle::registry
