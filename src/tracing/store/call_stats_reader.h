#pragma once

#include <string>

#include "base/core/result.h"
#include "base/core/sql_text.h"
#include "tracing/stats/call_stats.h"

namespace spindle::columnar {
class Snapshot;
}

namespace spindle::tracing {

/// Aggregates calls and their usage by bucket, inside the store. `from` names the rows of a
/// project.
Result<CallStats> readStats(columnar::Snapshot& snapshot,
                            SqlView from,
                            const CallStatsQuery& query);

}  // namespace spindle::tracing
