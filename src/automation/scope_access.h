#pragma once

#include <string_view>

#include "automation/scope.h"
#include "base/result.h"
#include "identity/access.h"

namespace spindle::automation {

/// Who may see and who may change the automations of a scope. Only people of the team count, also
/// in projects that are open to others. Thread-safe; may block on the database and then return
/// kUnavailable.
class ScopeAccess {
 public:
  explicit ScopeAccess(identity::Access& access) : access_(access) {}

  Result<bool> sees(std::string_view user_id, const Scope& scope);

  /// For an automation that was looked up by its id. @return kNotFound.
  Result<void> requireView(std::string_view user_id, const Scope& scope);
  /// @return kNotFound when the caller may not even see it, kPermissionDenied.
  Result<void> requireManage(std::string_view user_id, const Scope& scope);

  /// The scope that a caller means who wants to put an automation there. A project springs into
  /// being as with any first write. @return kNotFound, kPermissionDenied, kInvalidArgument.
  Result<Scope> open(std::string_view user_id, const ScopeSpec& spec);

 private:
  Result<void> require(std::string_view user_id, const Scope& scope);

  identity::Access& access_;
};

}  // namespace spindle::automation
