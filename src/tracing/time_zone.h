#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace spindle::tracing {

/// How far the clocks of a place are from UTC, at any moment. Immutable.
class TimeZone {
 public:
  /// UTC.
  TimeZone() = default;

  /// From the bytes of a zone file (RFC 8536), its rule for later years included. Empty when they
  /// are something else.
  static std::optional<TimeZone> parse(std::string_view bytes);

  std::chrono::seconds offsetAt(Timestamp moment) const;
  /// The calendar day that it is there.
  std::chrono::sys_days dayOf(Timestamp moment) const;
  /// When that day begins there: at midnight, or when the clocks skip midnight, right after.
  Timestamp beginOf(std::chrono::sys_days day) const;

  bool isUtc() const { return changes_.empty() && first_ == std::chrono::seconds(0); }

 private:
  struct Change {
    std::chrono::sys_seconds at;
    std::chrono::seconds offset;
  };

  std::chrono::seconds first_{0};  ///< before the first change
  std::vector<Change> changes_;    ///< in order of time
};

/// The zone of that name in a folder of zone files; `UTC` needs no file. Blocks on disk.
/// @return kInvalidArgument for a name that is not there.
Result<TimeZone> loadTimeZone(std::string_view name,
                              const std::string& folder = "/usr/share/zoneinfo");

}  // namespace spindle::tracing
