#include "statistics/buckets.h"

#include <algorithm>

namespace spindle::statistics {
namespace {

using std::chrono::days, std::chrono::hours, std::chrono::minutes, std::chrono::seconds,
    std::chrono::sys_days;

seconds granularityFor(std::chrono::microseconds range) {
  if (range <= hours(2)) return minutes(5);
  if (range <= hours(12)) return hours(1);
  if (range <= days(3)) return hours(6);
  if (range <= days(14)) return hours(12);
  return days(1);
}

bool fitsDays(seconds granularity) {
  return days(1) % granularity == seconds(0) || granularity % days(1) == seconds(0);
}

std::vector<Timestamp> sinceEpoch(Timestamp start, Timestamp end, seconds step) {
  const auto micros = std::chrono::microseconds(step).count();
  const std::int64_t since = microsOf(start);
  const std::int64_t passed = (since % micros + micros) % micros;
  std::vector<Timestamp> begins;
  for (Timestamp begin = timestampOfMicros(since - passed); begin < end; begin += step)
    begins.push_back(begin);
  return begins;
}

std::vector<Timestamp> fromMidnight(Timestamp start,
                                    Timestamp end,
                                    seconds step,
                                    const TimeZone& zone) {
  const days together = std::max(days(1), std::chrono::floor<days>(step));
  sys_days day = zone.dayOf(start);
  const days passed(((day.time_since_epoch() % together) + together) % together);
  day -= passed;
  std::vector<Timestamp> begins;
  while (zone.beginOf(day) < end) {
    const Timestamp next_day = zone.beginOf(day + together);
    for (Timestamp begin = zone.beginOf(day); begin < std::min(next_day, end); begin += step) {
      // Drop buckets that end before the start.
      if (begin <= start) begins.clear();
      begins.push_back(begin);
      if (step >= days(1)) break;
    }
    day += together;
  }
  return begins;
}

}  // namespace

Buckets cutIntoBuckets(Timestamp start,
                       Timestamp end,
                       std::optional<std::int64_t> granularity,
                       const TimeZone& zone) {
  Buckets buckets;
  buckets.start = start;
  buckets.end = end;
  const std::chrono::microseconds range = std::max(end - start, std::chrono::microseconds(0));
  const seconds shortest((std::chrono::ceil<seconds>(range).count() + kMaxBuckets - 1) /
                         kMaxBuckets);
  constexpr std::int64_t kLongest = 10'000'000'000;  // centuries: sums do not overflow
  const seconds wanted =
      granularity ? seconds(std::min(*granularity, kLongest)) : granularityFor(range);
  buckets.granularity = std::max({wanted, shortest, seconds(1)});
  while (true) {
    const bool local = !zone.isUtc() && fitsDays(buckets.granularity);
    buckets.begins = local ? fromMidnight(start, end, buckets.granularity, zone)
                           : sinceEpoch(start, end, buckets.granularity);
    if (buckets.begins.size() <= static_cast<std::size_t>(kMaxBuckets)) return buckets;
    buckets.granularity += seconds(1);
  }
}

std::vector<BucketRun> runsOf(const Buckets& buckets) {
  std::vector<BucketRun> runs;
  for (std::size_t i = 0; i < buckets.begins.size(); ++i) {
    const bool follows = i > 0 && buckets.begins[i] - buckets.begins[i - 1] == buckets.granularity;
    if (!follows) runs.push_back({buckets.begins[i], i, i});
    runs.back().last = i;
  }
  return runs;
}

}  // namespace spindle::statistics
