#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "transfer/manifest.h"

namespace spindle::transfer {

inline constexpr const char* kPagePath = "/calls/stream_query";
inline constexpr const char* kCountPath = "/calls/query_stats";

/// Returns the request body for the next calls after the cursor. Calls are sorted by start time,
/// then by id, so that calls that arrive meanwhile do not shift the pages.
std::string pageRequest(const ExportRange& range,
                        const std::optional<Cursor>& cursor,
                        std::int64_t limit);
/// Returns the request body for the number of calls.
std::string countRequest(const ExportRange& range);
/// Returns the number of calls in a response. @return kUpstream for an invalid response.
Result<std::int64_t> countIn(std::string response);

/// Counts the lines of a streamed page. Keeps only the last complete line and the incomplete one.
class PageLineCounter {
 public:
  void add(std::string_view bytes);

  std::int64_t count() const { return count_; }
  /// Returns the cursor of the last call. Only for a page that has lines. @return kUpstream when
  /// the page ends within a line, or with a line that is not a call.
  Result<Cursor> cursor() const;

 private:
  std::int64_t count_ = 0;
  std::string last_;  ///< the last complete line
  std::string open_;  ///< the incomplete line
};

}  // namespace spindle::transfer
