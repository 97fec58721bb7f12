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

#include "base/result.h"
#include "tracing/call.h"
#include "tracing/call_column.h"
#include "tracing/call_selection.h"
#include "tracing/call_stats.h"
#include "tracing/thread.h"

namespace spindle::tracing {

/// The calls of an answer, some at a time. Used by one thread at a time.
class CallReader {
 public:
  virtual ~CallReader() = default;
  /// The next calls, in order; none at the end. A batch is small enough to hold in memory.
  virtual Result<std::vector<Call>> next() = 0;
};

/// The threads of an answer, some at a time. Used by one thread at a time.
class ThreadReader {
 public:
  virtual ~ThreadReader() = default;
  /// The next threads, in order; none at the end.
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

/// One unchanging view of a project's calls. Holds a place in the store: short-lived, or finite.
/// Used by one thread at a time. All functions return kUnavailable, kTimeout, and where a selection
/// is given kUnprocessable or kInvalidArgument for what it cannot mean.
class CallView {
 public:
  virtual ~CallView() = default;

  virtual Result<std::optional<Call>> find(std::string_view id,
                                           const std::vector<CallColumn>& columns) = 0;
  /// With all its columns.
  Result<std::optional<Call>> find(std::string_view id) { return find(id, allCallColumns()); }
  /// `columns` are those that the caller will look at; the reader must die before the next call of
  /// any function.
  virtual Result<std::unique_ptr<CallReader>> read(const CallSelection& selection,
                                                   const CallPage& page,
                                                   const std::vector<CallColumn>& columns) = 0;
  /// At most `limit`, when given. The storage size is that of whole traces, by their roots.
  virtual Result<CallCount> count(const CallSelection& selection,
                                  std::optional<std::int64_t> limit,
                                  bool with_storage) = 0;
  /// The calls of the traces that these calls are in.
  virtual Result<std::vector<TraceMember>> tracesOf(const std::vector<std::string>& call_ids) = 0;
  /// Storage bytes by trace.
  virtual Result<std::unordered_map<std::string, std::int64_t>> traceBytes(
      const std::vector<std::string>& trace_ids) = 0;
  virtual Result<std::int64_t> totalBytes() = 0;
  /// Counts by buckets of time. @return also kInvalidArgument for more rows than one answer holds.
  virtual Result<CallStats> stats(const CallStatsQuery& query) = 0;
  /// Groups turns by their threads; as with read(), the reader must die before the next call.
  virtual Result<std::unique_ptr<ThreadReader>> threads(const ThreadQuery& query) = 0;
};

/// Where calls are kept. Thread-safe; calls block on disk: worker threads only.
class CallStore {
 public:
  virtual ~CallStore() = default;

  /// Merges the parts into their calls, all or none. On disk and visible when it returns.
  /// @return kNotFound for an end that requires a start, kRateLimited, kStorageFull, kUnavailable.
  virtual Result<void> write(std::string_view project_id, std::vector<CallPart> parts) = 0;

  virtual Result<std::unique_ptr<CallView>> view(const ProjectScope& project) = 0;

  /// Forgets calls whose time has run out. @return how many.
  virtual Result<std::int64_t> removeExpired(Timestamp now) = 0;
};

}  // namespace spindle::tracing
