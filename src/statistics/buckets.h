#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/core/time.h"
#include "statistics/time_zone.h"

namespace spindle::statistics {

/// Maximum number of buckets in one response.
inline constexpr std::int64_t kMaxBuckets = 10'000;
/// Maximum time range of one response.
inline constexpr std::chrono::days kMaxRange{31};

/// A time range divided into buckets of equal length. A clock change makes a bucket longer or
/// shorter. Of the first and the last bucket, only the part between `start` and `end` counts.
struct Buckets {
  Timestamp start;  ///< inclusive
  Timestamp end;    ///< exclusive
  std::chrono::seconds granularity{1};
  std::vector<Timestamp> begins;
};

/// Divides the time from `start` to `end` into at most kMaxBuckets buckets. Without a granularity,
/// chooses one for the range. Buckets that divide a day or consist of whole days start at midnight
/// of the zone; others are multiples of their length since 1970.
Buckets cutIntoBuckets(Timestamp start,
                       Timestamp end,
                       std::optional<std::int64_t> granularity,
                       const TimeZone& zone);

/// Consecutive buckets at equal distances.
struct BucketRun {
  Timestamp begin;
  std::size_t first = 0;  ///< index of the first bucket
  std::size_t last = 0;   ///< index of the last bucket, which may be longer or shorter than the
                          ///< others
};
std::vector<BucketRun> runsOf(const Buckets& buckets);

}  // namespace spindle::statistics
