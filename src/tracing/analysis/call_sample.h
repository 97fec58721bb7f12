#pragma once

#include <string>

#include "base/core/result.h"
#include "base/core/sql_text.h"
#include "columnar/journal/family.h"
#include "query/sql.h"
#include "tracing/analysis/call_engine.h"
#include "tracing/stats/call_facets.h"

namespace spindle::columnar {
class Snapshot;
}

namespace spindle::tracing {

/// The calls of a project.
struct CallRows {
  columnar::FamilyId family;
  std::string partition;
  SqlText from;  ///< the same calls, as a table
};

/// CallEngine::newestCalls() in a snapshot.
Result<CallSample> sampleNewest(columnar::Snapshot& snapshot,
                                const CallRows& calls,
                                const query::Sql& condition,
                                SampleBudget budget);

}  // namespace spindle::tracing
