#pragma once

#include <string>

#include "base/core/result.h"
#include "query/sql.h"
#include "tracing/stats/call_stats.h"

namespace spindle::columnar {
class Snapshot;
}

namespace spindle::tracing {

/// Returns the SQL of the bucket index of a row `c` with a column `started_at`. The row must lie
/// within the buckets.
query::Sql bucketSql(const Buckets& buckets);

/// Aggregates calls and their usage by bucket, inside the store. `from` names the rows of a
/// project.
Result<CallStats> readStats(columnar::Snapshot& snapshot,
                            SqlView from,
                            const CallStatsQuery& query);

}  // namespace spindle::tracing
