#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/core/result.h"
#include "base/core/sql_text.h"
#include "base/core/time.h"
#include "columnar/journal/family.h"
#include "query/sql.h"
#include "tracing/stats/call_facets.h"

namespace spindle::columnar {
class Snapshot;
}

namespace spindle::tracing {

/// The newest calls of a selection.
struct CallSample {
  std::int64_t rows = 0;                ///< number of calls
  std::optional<Timestamp> since = {};  ///< calls that started earlier are not part of it
};

/// The calls of a project.
struct CallRows {
  columnar::FamilyId family;
  std::string partition;
  SqlText from;  ///< the same calls, as a table
};

/// Returns the newest calls `c` that satisfy the condition: all, or about as many as the budget
/// permits. The condition should be fast.
Result<CallSample> newestCalls(columnar::Snapshot& snapshot,
                               const CallRows& calls,
                               const query::Sql& condition,
                               SampleBudget budget);

}  // namespace spindle::tracing
