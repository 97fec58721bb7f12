#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "transfer/manifest.h"

namespace spindle::transfer {

inline constexpr const char* kPagePath = "/calls/stream_query";
inline constexpr const char* kCountPath = "/calls/query_stats";

/// The body that asks for the next calls behind the cursor: by start, then by id, so that calls
/// that come in meanwhile move nothing.
std::string pageRequest(const ExportRange& range,
                        const std::optional<Cursor>& cursor,
                        std::int64_t limit);
/// The body that asks how many calls there are.
std::string countRequest(const ExportRange& range);
/// @return kUpstream when the answer is not understood.
Result<std::int64_t> countIn(std::string answer);

/// Watches the lines of a page go by. Keeps one line at most.
class PageLines {
 public:
  void add(std::string_view bytes);

  std::int64_t count() const { return count_; }
  /// Where the page ends. @return kUpstream when it ends within a line, or with a line that is no
  /// call. Only for a page that has lines.
  Result<Cursor> cursor() const;

 private:
  std::int64_t count_ = 0;
  std::string last_;  ///< the last whole line
  std::string open_;  ///< the line that has begun
};

}  // namespace spindle::transfer
