#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "columnar/store/snapshot.h"
#include "query/keyset.h"
#include "query/sql.h"
#include "tracing/calls/call_column.h"
#include "tracing/store/call_store.h"

namespace spindle::tracing {

/// The parts of the SQL statement that a reader executes.
struct CallStatement {
  std::vector<columnar::Source> sources;  ///< the sources of the project's rows
  SqlText from;                           ///< all sources as one unnamed table
  query::Sql condition;                   ///< over rows named `c`
  query::Sql order;                       ///< after ORDER BY; empty for no order
  CallProjection projection = {};
  std::optional<std::int64_t> limit = {};
  std::int64_t offset = 0;
  columnar::FamilyId resources = 0;           ///< family of the OpenTelemetry resources
  std::string project = {};                   ///< partition of all rows
  std::optional<query::Position> after = {};  ///< the rows start after this position
};

/// Direction of a time-ordered reader.
enum class TimeOrder { kOldestFirst, kNewestFirst };

/// Reads calls ordered by start time through time windows. Windows widen while they contain too few
/// rows, so that the first page costs the same regardless of the number of calls. For each window,
/// first selects rows by their light columns, then fetches the payloads of the selected rows.
/// The reader tells its end. @return kUnprocessable for a position of another order.
Result<std::unique_ptr<CallReader>> readByTime(columnar::Snapshot& snapshot,
                                               columnar::FamilyId family,
                                               std::string partition,
                                               CallStatement statement,
                                               TimeOrder order);

/// Returns the values that rows `c` of a time order are sorted by.
std::vector<query::SortColumn> timeColumns(TimeOrder order);

/// Selects a limited number of rows in any order, then fetches their payloads.
std::unique_ptr<CallReader> readLimited(columnar::Snapshot& snapshot, CallStatement statement);

/// Selects a limited number of rows, sorted by these values, then fetches their payloads. Ignores
/// the order of the statement. The reader tells its end.
/// @return kUnprocessable for a position of another order.
Result<std::unique_ptr<CallReader>> readPositioned(columnar::Snapshot& snapshot,
                                                   CallStatement statement,
                                                   std::vector<query::SortColumn> columns);

/// Reads few rows, ordered by time if `order` is given. Ignores the order of the statement.
std::unique_ptr<CallReader> readFew(columnar::Snapshot& snapshot,
                                    CallStatement statement,
                                    std::optional<TimeOrder> order);

/// Lets the engine sort complete rows; it spills to disk. For orders without a limit.
std::unique_ptr<CallReader> readSorted(columnar::Snapshot& snapshot, CallStatement statement);

}  // namespace spindle::tracing
