#pragma once

#include <string_view>

#include "automation/rules/scope.h"
#include "automation/rules/visible_page.h"
#include "base/core/result.h"
#include "identity/access/access.h"

namespace spindle::registry {
class CollectionRepository;
class RegistryAccess;
}  // namespace spindle::registry

namespace spindle::automation {

/// Checks permissions for the automations of a scope. Only members of the team have them, also in
/// projects that are visible to others. Thread-safe; may block on the database and then return
/// kUnavailable. Cheap to copy.
class ScopeAccess {
 public:
  /// All must outlive this object.
  struct Ports {
    identity::Access& access;
    registry::RegistryAccess& registries;
    registry::CollectionRepository& collections;
  };

  explicit ScopeAccess(const Ports& ports) : ports_(ports) {}

  Result<bool> sees(std::string_view user_id, const Scope& scope);
  /// Returns a function that calls sees() once per scope: a list has many items in few scopes.
  SeesScope seenBy(std::string_view user_id) const;

  /// Checks the permission to view an automation that was found by its id. @return kNotFound.
  Result<void> requireView(std::string_view user_id, const Scope& scope);
  /// Checks the permission to change an automation.
  /// @return kNotFound if the caller may not see it, kPermissionDenied.
  Result<void> requireManage(std::string_view user_id, const Scope& scope);

  /// Checks the permission to replay or cancel a delivery. @return as requireManage().
  Result<void> requireReplay(std::string_view user_id, const Scope& scope);

  enum class MissingProject { kCreate, kLeave };
  /// Resolves the scope of a new or moved automation and checks the permission to manage
  /// automations there. Creates a missing project, as with any first write; with kLeave, the scope
  /// of a missing project has no project id.
  /// @return kNotFound, kPermissionDenied, kInvalidArgument.
  Result<Scope> open(std::string_view user_id,
                     const ScopeSpec& spec,
                     MissingProject missing = MissingProject::kCreate);

 private:
  /// The operation whose permission is checked.
  enum class Operation { kView, kManage, kReplay };

  Result<void> require(std::string_view user_id, const Scope& scope, Operation operation);
  Result<Scope> openCollection(Scope scope, const ScopeSpec& spec);

  Ports ports_;
};

}  // namespace spindle::automation
