#pragma once

#include <string_view>

#include "automation/rules/automation.h"
#include "automation/rules/visible_page.h"
#include "base/core/result.h"
#include "identity/store/page.h"
#include "identity/store/row_version.h"
#include "storage/database/forward.h"

namespace spindle::automation {

/// Repository of automations. Thread-safe; calls block on the database and may also return
/// kUnavailable. `if_version` as in identity::TeamRepository.
class AutomationRepository {
 public:
  /// `per_project` is the maximum number of automations of one project or registry.
  AutomationRepository(storage::Database& database, const Clock& clock, std::int64_t per_project)
      : database_(database), clock_(clock), per_project_(per_project) {}

  /// Inserts an automation.
  /// @return kConflict: `automation_name_taken` in the entity that owns the scope,
  /// `automation_limit`.
  Result<Automation> insert(const AutomationDraft& draft, std::string_view user_id);

  /// @return kNotFound.
  Result<Automation> find(std::string_view id);

  /// Lists automations, newest first, without those that the caller may not see.
  Result<identity::Page<Automation>> list(const AutomationFilter& filter,
                                          const SeesScope& sees,
                                          const identity::PageRequest& page);

  /// Replaces the draft of an automation. @return kNotFound, kPreconditionFailed, and as insert().
  Result<Automation> update(std::string_view id,
                            const AutomationDraft& draft,
                            identity::IfVersion if_version);

  /// @return kNotFound, kPreconditionFailed.
  Result<void> remove(std::string_view id, identity::IfVersion if_version = {});

 private:
  storage::Database& database_;
  const Clock& clock_;
  const std::int64_t per_project_;
};

}  // namespace spindle::automation
