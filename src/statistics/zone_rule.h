#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace spindle::statistics {

/// `M3.2.0/2`: the second Sunday of March, two hours after midnight.
struct YearlyMoment {
  unsigned month = 1;
  unsigned week = 1;     ///< 5: the last
  unsigned weekday = 0;  ///< 0: Sunday
  std::chrono::seconds time{2 * 3600};
};

/// The yearly clock changes of a zone.
struct ZoneRule {
  std::chrono::seconds standard{0};  ///< offset from UTC
  std::chrono::seconds summer{0};
  YearlyMoment begin;  ///< start of summer time, in standard time
  YearlyMoment end;    ///< end of summer time, in summer time
};

/// Parses the last line of a zone file: `EST5EDT,M3.2.0,M11.1.0`. Empty for a zone without clock
/// changes, and for rules that do not count by weekdays.
std::optional<ZoneRule> parseZoneRule(std::string_view text);

/// Returns the changes of one year, sorted by time, with the new offset.
std::vector<std::pair<std::chrono::sys_seconds, std::chrono::seconds>> changesIn(
    const ZoneRule& rule, int year);

}  // namespace spindle::statistics
