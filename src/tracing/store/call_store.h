#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/core/result.h"
#include "tracing/calls/call.h"
#include "tracing/calls/call_column.h"
#include "tracing/calls/call_outline.h"
#include "tracing/calls/call_query.h"
#include "tracing/calls/call_search.h"
#include "tracing/calls/thread.h"
#include "tracing/stats/call_facets.h"
#include "tracing/stats/call_stats.h"

namespace spindle::tracing {

/// Returns the calls of a query in batches. For one thread at a time.
class CallReader {
 public:
  virtual ~CallReader() = default;
  /// Returns the next calls, in order; none at the end. A batch fits into memory.
  virtual Result<std::vector<Call>> next() = 0;
  /// Returns the position at which the page ended if more calls may follow it. Only after the last
  /// batch of a page with CallPage::positions.
  virtual std::optional<query::Position> end() const = 0;
};

/// Returns the threads of a query in batches. For one thread at a time.
class ThreadReader {
 public:
  virtual ~ThreadReader() = default;
  /// Returns the next threads, in order; none at the end.
  virtual Result<std::vector<Thread>> next() = 0;
};

struct CallCount {
  std::int64_t count = 0;
  bool has_more = false;  ///< more match than were counted
  std::optional<std::int64_t> total_storage_bytes = {};
};

/// One call inside a trace, without its payloads.
struct TraceMember {
  std::string id;
  std::optional<std::string> parent_id;
};

/// A snapshot of a project's calls. Occupies a slot of the store: keep it short-lived, or finite.
/// For one thread at a time. All functions return kUnavailable and kTimeout; those with a selection
/// also kUnprocessable or kInvalidArgument for an invalid one.
class CallView {
 public:
  virtual ~CallView() = default;

  virtual Result<std::optional<Call>> find(std::string_view id,
                                           const std::vector<CallColumn>& columns) = 0;
  /// Returns the call with all columns.
  Result<std::optional<Call>> find(std::string_view id) { return find(id, allCallColumns()); }
  /// Destroy the reader before the next call of any function. @return also kUnprocessable for a
  /// position of another order.
  virtual Result<std::unique_ptr<CallReader>> read(const CallQuery& selection,
                                                   const CallPage& page,
                                                   const CallProjection& projection) = 0;
  /// Counts at most `limit` calls, if given. The storage size covers whole traces, by their roots.
  virtual Result<CallCount> count(const CallQuery& selection,
                                  std::optional<std::int64_t> limit,
                                  bool with_storage) = 0;
  /// Returns all calls of the traces that contain these calls.
  virtual Result<std::vector<TraceMember>> tracesOf(const std::vector<std::string>& call_ids) = 0;
  /// Returns storage bytes by trace.
  virtual Result<std::unordered_map<std::string, std::int64_t>> traceBytes(
      const std::vector<std::string>& trace_ids) = 0;
  virtual Result<std::int64_t> totalBytes() = 0;
  /// Aggregates calls by time bucket. @return also kInvalidArgument for too many rows,
  /// kUnprocessable for a dimension that calls cannot be grouped by.
  virtual Result<CallStats> stats(const CallStatsQuery& query) = 0;
  /// Returns the calls of a trace, oldest first; at most `limit`.
  virtual Result<std::vector<OutlinedCall>> outline(std::string_view trace_id,
                                                    std::int64_t limit) = 0;
  /// Returns the newest calls that contain a text, newest first.
  virtual Result<std::vector<FoundCall>> search(const CallSearch& search) = 0;
  /// Counts the values of dimensions, in the order of the requests. May count only the newest calls
  /// of a large selection, and then says so. @return as stats().
  virtual Result<std::vector<Facet>> facets(const FacetQuery& query) = 0;
  /// Finds the paths of values in the attributes of calls. As facets(), may read only the newest.
  virtual Result<CallAttributes> attributes(const AttributeQuery& query) = 0;
  /// Groups turns by thread. As with read(), destroy the reader before the next call.
  virtual Result<std::unique_ptr<ThreadReader>> threads(const ThreadQuery& query) = 0;
};

/// Stores calls. Thread-safe; calls block on disk: use worker threads only.
class CallStore {
 public:
  virtual ~CallStore() = default;

  /// Merges the parts into their calls, all or none. Durable and visible when it returns.
  /// @return kNotFound for an end that requires a start, kRateLimited, kStorageFull, kUnavailable.
  virtual Result<void> write(std::string_view project_id, std::vector<CallPart> parts) = 0;

  virtual Result<std::unique_ptr<CallView>> view(const ProjectScope& project) = 0;

  /// Deletes expired calls. @return their number.
  virtual Result<std::int64_t> removeExpired(Timestamp now) = 0;
};

}  // namespace spindle::tracing
