#pragma once

#include <cstdint>
#include <optional>

#include "base/core/result.h"
#include "base/core/sql_text.h"
#include "base/core/time.h"
#include "query/sql.h"

namespace spindle::columnar {
class Snapshot;
}

namespace spindle::tracing {

/// The newest calls of a selection.
struct CallSample {
  std::int64_t rows = 0;                ///< number of calls
  std::optional<Timestamp> since = {};  ///< calls that started earlier are not part of it
};

/// Returns the newest calls `c` of `from` that satisfy the condition, about `budget` calls or all
/// if there are not more. The condition should be fast.
Result<CallSample> newestCalls(columnar::Snapshot& snapshot,
                               SqlView from,
                               const query::Sql& condition,
                               std::int64_t budget);

}  // namespace spindle::tracing
