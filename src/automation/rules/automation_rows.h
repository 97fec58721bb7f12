#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "automation/rules/automation.h"
#include "automation/rules/event_matcher.h"
#include "automation/rules/sql_parts.h"
#include "base/core/result.h"
#include "storage/database/session.h"

namespace spindle::automation {

// Queries of automations that several repositories run inside a transaction.

/// Returns the columns of a scope: `scope_type`, ids and names, for a table `a` that contains the
/// ids.
SqlView scopeColumns();
/// Returns the joins that scopeColumns() needs, after the table `a`.
SqlView scopeJoins();
Scope scopeAt(const storage::Row& row);
/// Returns `scope_type` and the ids of a scope.
ColumnValues scopeValues(const Scope& scope);
/// Returns the value of a column that is NULL instead of an empty text, such as an id of a scope.
storage::Value orNull(const std::string& text);

/// Returns the columns that contain the draft of an automation.
ColumnValues draftValues(const AutomationDraft& draft);
/// Returns the columns of a new automation, without its creator and `active_after`.
ColumnValues automationValues(const Automation& automation);
/// Returns SELECT … FROM automations a …, without a condition.
const SqlText& selectAutomations();
Automation automationAt(const storage::Row& row);

/// Returns the enabled automations.
Result<std::vector<EnabledAutomation>> enabledAutomations(storage::Session& session);

}  // namespace spindle::automation
