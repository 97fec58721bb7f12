#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "tracing/call_selection.h"

namespace spindle::tracing {

class CallStore;

inline constexpr std::size_t kMaxDeletedCalls = 1000;

/// Deletes calls for good, and every call below them in their traces.
/// @return how many: the ids that were asked for, known or not, and the descendants that were
/// found; 0 when none of the ids is known. kTooLarge for too many ids.
Result<std::int64_t> deleteWithDescendants(CallStore& calls,
                                           const ProjectScope& project,
                                           const std::vector<std::string>& ids);

}  // namespace spindle::tracing
