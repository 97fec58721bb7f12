#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "tracing/calls/call_query.h"

namespace spindle::identity {
class AuditTrail;
}  // namespace spindle::identity

namespace spindle::tracing {

class CallStore;

inline constexpr std::size_t kMaxDeletedCalls = 1000;

/// Deletes calls permanently, together with all their descendants in the traces. The audit log gets
/// an entry before the first call is deleted.
/// @return the number of requested ids, known or unknown, plus the descendants found; 0 if none of
/// the ids is known. kTooLarge for too many ids.
Result<std::int64_t> deleteWithDescendants(CallStore& calls,
                                           identity::AuditTrail& audit,
                                           const ProjectScope& project,
                                           const std::vector<std::string>& ids);

}  // namespace spindle::tracing
