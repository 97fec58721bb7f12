#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace spindle::tracing {

/// `M3.2.0/2`: the second Sunday of March, two hours after midnight.
struct YearlyMoment {
  unsigned month = 1;
  unsigned week = 1;     ///< 5: the last
  unsigned weekday = 0;  ///< 0: Sunday
  std::chrono::seconds time{2 * 3600};
};

/// When a place changes its clocks, year by year.
struct ZoneRule {
  std::chrono::seconds standard{0};  ///< ahead of UTC
  std::chrono::seconds summer{0};
  YearlyMoment begin;  ///< of summer time, by standard clocks
  YearlyMoment end;    ///< by summer clocks
};

/// Reads the line at the end of a zone file: `EST5EDT,M3.2.0,M11.1.0`. Empty for a place that does
/// not change its clocks, and for rules that do not count by weekdays.
std::optional<ZoneRule> parseZoneRule(std::string_view text);

/// The changes of one year, in order of time, with the offset from then on.
std::vector<std::pair<std::chrono::sys_seconds, std::chrono::seconds>> changesIn(
    const ZoneRule& rule, int year);

}  // namespace spindle::tracing
