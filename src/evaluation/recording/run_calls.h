#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "tracing/store/call_store.h"

namespace spindle::evaluation {

/// Returns a call of a project, or nothing. Blocks on the store and returns its errors.
Result<std::optional<tracing::Call>> findCall(tracing::CallStore& calls,
                                              const tracing::ProjectScope& project,
                                              std::string_view id);

/// Calls `each` for the child calls of a call, or for a page of them, in the order of their start
/// times. Fills only the given columns. Blocks on the store and returns its errors.
Result<void> forChildren(tracing::CallStore& calls,
                         const tracing::ProjectScope& project,
                         std::string_view parent_id,
                         const std::vector<tracing::CallColumn>& columns,
                         const std::function<void(const tracing::Call&)>& each,
                         const tracing::CallPage& page = {});

}  // namespace spindle::evaluation
