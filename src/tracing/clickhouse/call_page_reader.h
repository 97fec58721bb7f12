#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "clickhouse/client/client.h"
#include "query/keyset.h"
#include "query/sql.h"
#include "tracing/calls/call_column.h"
#include "tracing/store/call_readers.h"
#include "tracing/store/call_store.h"

namespace spindle::tracing {

/// A page of calls.
struct CallPageStatement {
  std::string project;
  query::Sql stored = {};                     ///< over stored rows `r`, for callRows()
  query::Sql condition = {};                  ///< over rows `c`
  std::vector<query::SortColumn> columns;     ///< the values that calls are sorted by
  std::optional<TimeOrder> by_time = {};      ///< the columns are those of this order
  query::Sql order = {};                      ///< after ORDER BY; empty: by the columns
  std::optional<query::Position> after = {};  ///< with columns: the page starts after it
  std::optional<std::int64_t> limit = {};
  std::int64_t offset = 0;
  CallProjection projection = {};
  /// With columns: calls that one statement selects. Each needs about 100 bytes here.
  std::int64_t selected_at_once = 50'000;
};

/// Reads a page in two steps: selects calls by their light columns, and fetches the payloads of a
/// batch of them. Memory does not grow with the page. A call that is deleted in between is omitted.
/// A page without a limit whose calls a condition on stored rows names, such as a trace, is one
/// statement. The first pages of a time order read the calls near their beginning.
/// The reader tells its end if the statement has columns and a limit.
/// @return kUnprocessable for a position of another order.
Result<std::unique_ptr<CallReader>> readCallPage(clickhouse::Client& client,
                                                 CallPageStatement statement);

/// Returns the calls with these ids by their places in the list; nothing for unknown ones.
Result<std::vector<std::optional<Call>>> fetchCalls(clickhouse::Client& client,
                                                    const std::string& project,
                                                    const std::vector<std::string>& ids,
                                                    const CallProjection& projection);

}  // namespace spindle::tracing
