#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/core/result.h"
#include "base/core/time.h"
#include "clickhouse/client/client.h"
#include "query/sql.h"
#include "tracing/store/call_readers.h"

namespace spindle::tracing {

/// Returns a start time that more than `rows` stored rows at the beginning of a time order have not
/// passed, and 2 * rows + 1 rows of the sort key are read to find it: ids contain times, which are
/// close to those of starts. `after` is the start of the order instead of its end of time. Nothing
/// if there are too few rows with such ids.
Result<std::optional<Timestamp>> timeBound(clickhouse::Client& client,
                                           const std::string& project,
                                           TimeOrder order,
                                           std::optional<Timestamp> after,
                                           std::int64_t rows);

/// Returns the condition over rows `r` of a project that a call has started between `after` and the
/// bound, both included. Reads the index of the starts, which FINAL does not use.
query::Sql startedWithin(const std::string& project,
                         TimeOrder order,
                         std::optional<Timestamp> after,
                         Timestamp bound);

}  // namespace spindle::tracing
