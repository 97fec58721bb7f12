#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "automation/automation.h"
#include "automation/event_matcher.h"
#include "base/result.h"
#include "storage/session.h"

namespace spindle::automation {

// What several repositories read of automations inside a transaction.

/// `scope_type`, the ids and the names of a scope, of a table `a` that has the ids.
SqlView scopeColumns();
/// The joins that scopeColumns() needs, behind the table `a`.
SqlView scopeJoins();
Scope scopeAt(const storage::Row& row);

/// SELECT … FROM automations a …, up to the condition.
const SqlText& selectAutomations();
Automation automationAt(const storage::Row& row);

/// Those that wait for events.
Result<std::vector<WatchingAutomation>> enabledAutomations(storage::Session& session);

}  // namespace spindle::automation
