#pragma once

#include <string>

#include "base/result.h"
#include "tracing/call_stats.h"

namespace spindle::columnar {
class Snapshot;
}

namespace spindle::tracing {

/// Counts calls and their usage by buckets, inside the store. `from` names the rows of a project.
Result<CallStats> readStats(columnar::Snapshot& snapshot,
                            const std::string& from,
                            const CallStatsQuery& query);

}  // namespace spindle::tracing
