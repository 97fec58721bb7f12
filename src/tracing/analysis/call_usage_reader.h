#pragma once

#include <vector>

#include "base/core/result.h"
#include "base/core/sql_text.h"
#include "query/sql.h"
#include "tracing/analysis/call_dimension.h"
#include "tracing/analysis/call_engine.h"
#include "tracing/stats/call_stats.h"

namespace spindle::tracing {

/// The groups of calls, as SQL over rows with the value `g` of their dimension.
struct GroupPlaces {
  CallDimension dimension;
  query::Sql join;  ///< after FROM … AS t
  SqlText place;    ///< index of the group
};

/// Aggregates the usage that calls report, by bucket and model, or by bucket and group if `groups`
/// is not null. `condition` selects calls `c`.
Result<std::vector<BucketRow>> readUsage(CallEngine& engine,
                                         const query::Sql& condition,
                                         const CallStatsQuery& query,
                                         const GroupPlaces* groups);

/// Returns `, CAST(<figure> AS DOUBLE)` for each figure, over rows `t` of calls or of usage, and
/// prices `p`.
SqlText figureColumns(const CallEngine& engine, const std::vector<Figure>& figures);

/// Reads rows of bucket, model, group, count and figures.
Result<std::vector<BucketRow>> readBuckets(CallEngine& engine,
                                           const query::Sql& sql,
                                           const std::vector<Figure>& figures);

}  // namespace spindle::tracing
