#pragma once

#include "base/core/result.h"
#include "base/core/sql_text.h"
#include "query/field.h"
#include "query/sql.h"
#include "tracing/analysis/call_engine.h"
#include "tracing/stats/call_stats.h"

namespace spindle::tracing {

/// The calls that statistics are about.
struct StatsRows {
  query::Sql selected;  ///< condition over rows `c`, except for trace_roots_only and the time
  SqlText latency;      ///< milliseconds of a call `c`
};

/// Aggregates calls and their usage by bucket, inside the store.
Result<CallStats> readStats(CallEngine& engine,
                            const StatsRows& rows,
                            const query::Fields& fields,
                            const CallStatsQuery& query);

}  // namespace spindle::tracing
