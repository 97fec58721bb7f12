#pragma once

#include <string_view>

#include "automation/scope.h"
#include "base/result.h"
#include "identity/access.h"

namespace spindle::registry {
class CollectionRepository;
class RegistryAccess;
}  // namespace spindle::registry

namespace spindle::automation {

/// Who may see and who may change the automations of a scope. Only people of the team count, also
/// in projects that are open to others. Thread-safe; may block on the database and then return
/// kUnavailable. Cheap to copy.
class ScopeAccess {
 public:
  /// Everything must outlive this.
  ScopeAccess(identity::Access& access,
              registry::RegistryAccess& registries,
              registry::CollectionRepository& collections)
      : access_(access), registries_(registries), collections_(collections) {}

  Result<bool> sees(std::string_view user_id, const Scope& scope);

  /// For an automation that was looked up by its id. @return kNotFound.
  Result<void> requireView(std::string_view user_id, const Scope& scope);
  /// @return kNotFound when the caller may not even see it, kPermissionDenied.
  Result<void> requireManage(std::string_view user_id, const Scope& scope);

  /// For sending a delivery again, or cancelling one. @return as requireManage().
  Result<void> requireReplay(std::string_view user_id, const Scope& scope);

  /// The scope that a caller means who wants to put an automation there. A project springs into
  /// being as with any first write. @return kNotFound, kPermissionDenied, kInvalidArgument.
  Result<Scope> open(std::string_view user_id, const ScopeSpec& spec);

 private:
  /// What is done to automations of some kind of scope.
  enum class Deed { kView, kManage, kReplay };

  Result<void> require(std::string_view user_id, const Scope& scope, Deed deed);
  Result<Scope> openCollection(Scope scope, const ScopeSpec& spec);

  identity::Access& access_;
  registry::RegistryAccess& registries_;
  registry::CollectionRepository& collections_;
};

}  // namespace spindle::automation
