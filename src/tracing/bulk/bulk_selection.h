#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "objects/values/ref_conversion.h"
#include "tracing/calls/call_query.h"

namespace spindle::tracing {

class CallStore;

/// Maximum number of ids in a request.
inline constexpr std::size_t kMaxBulkCallIds = 10'000;

/// The calls of a bulk job: those of a query, or a list of ids.
struct BulkSelection {
  std::optional<CallQuery> query = {};
  std::vector<std::string> call_ids = {};
};

/// Reads `{"filter"?, "query"?}` or `{"call_ids"}`, with the permissions of one user for
/// references.
/// @return kInvalidSchema, kInvalidArgument.
Result<BulkSelection> bulkSelectionOf(std::string_view json,
                                      const ProjectScope& project,
                                      objects::RefProjects& projects);

/// Counts the calls, at most `limit` + 1.
Result<std::int64_t> countCalls(CallStore& calls,
                                const ProjectScope& project,
                                const BulkSelection& selection,
                                std::int64_t limit);

/// Calls `take` with the ids of the calls that exist, some at a time, each once. A false result of
/// `take` ends the iteration.
Result<void> forCallIds(CallStore& calls,
                        const ProjectScope& project,
                        const BulkSelection& selection,
                        const std::function<Result<bool>(std::vector<std::string>)>& take);

}  // namespace spindle::tracing
