#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "columnar/snapshot.h"
#include "query/sql.h"
#include "tracing/call_column.h"
#include "tracing/call_store.h"

namespace spindle::tracing {

/// What a reader reads: everything it needs to write its statements.
struct CallStatement {
  std::vector<columnar::Source> sources;  ///< the rows of the project
  SqlText from;                           ///< the same as one, without a name
  query::Sql condition;                   ///< over rows named `c`
  query::Sql order;                       ///< behind ORDER BY; empty for none
  std::vector<CallColumn> columns;
  std::optional<std::int64_t> limit = {};
  std::int64_t offset = 0;
  columnar::FamilyId resources = 0;  ///< where the resources of OpenTelemetry dumps are
  std::string project = {};          ///< the partition of all of it
};

/// `SELECT <list> FROM … AS c WHERE <condition>` of each source, put together.
query::Sql selectFrom(const std::vector<columnar::Source>& sources,
                      SqlView list,
                      const query::Sql& condition);

/// By which end of time a time-ordered reader begins.
enum class TimeOrder { kOldestFirst, kNewestFirst };

/// Reads calls ordered by their start through windows of time that widen as long as they hold too
/// little: the first page costs the same however many calls there are. First the rows of a window
/// are chosen by their light columns, then the payloads of the chosen ones are fetched.
std::unique_ptr<CallReader> readByTime(columnar::Snapshot& snapshot,
                                       columnar::FamilyId family,
                                       std::string partition,
                                       CallStatement statement,
                                       TimeOrder order);

/// Chooses a limited number of rows by any order, then fetches their payloads.
std::unique_ptr<CallReader> readChosen(columnar::Snapshot& snapshot, CallStatement statement);

/// Reads few rows, in the order of time when one is given. The statement's own order is not used.
std::unique_ptr<CallReader> readFew(columnar::Snapshot& snapshot,
                                    CallStatement statement,
                                    std::optional<TimeOrder> order);

/// Leaves the sorting of whole rows to the engine, which spills to disk. For orders without limit.
std::unique_ptr<CallReader> readSorted(columnar::Snapshot& snapshot, CallStatement statement);

}  // namespace spindle::tracing
