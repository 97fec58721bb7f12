#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"

namespace spindle::statistics {

/// The UTC offset of a place at any time. Immutable.
class TimeZone {
 public:
  /// Constructs UTC.
  TimeZone() = default;

  /// Parses a zone file (RFC 8536), including its rule for later years. Empty if the bytes are not
  /// a zone file.
  static std::optional<TimeZone> parse(std::string_view bytes);

  std::chrono::seconds offsetAt(Timestamp moment) const;
  /// Returns the local calendar day.
  std::chrono::sys_days dayOf(Timestamp moment) const;
  /// Returns the start of a local day: midnight, or the first moment after it if clocks skip
  /// midnight.
  Timestamp beginOf(std::chrono::sys_days day) const;

  bool isUtc() const { return changes_.empty() && first_ == std::chrono::seconds(0); }

 private:
  struct Change {
    std::chrono::sys_seconds at;
    std::chrono::seconds offset;
  };

  std::chrono::seconds first_{0};  ///< before the first change
  std::vector<Change> changes_;    ///< sorted by time
};

/// Loads the zone of that name from a folder of zone files; `UTC` needs no file. Blocks on disk.
/// @return kInvalidArgument for an unknown name.
Result<TimeZone> loadTimeZone(std::string_view name,
                              const std::string& folder = "/usr/share/zoneinfo");

}  // namespace spindle::statistics
