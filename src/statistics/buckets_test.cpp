#include "statistics/buckets.h"

#include <gtest/gtest.h>

#include "statistics/utc_for_test.h"

namespace spindle::statistics {
namespace {

using std::chrono::days, std::chrono::hours, std::chrono::seconds;
using namespace std::chrono_literals;

const Timestamp start_of_may = utc("2024-05-01");

Buckets cut(std::chrono::microseconds range, std::optional<std::int64_t> granularity = {}) {
  return cutIntoBuckets(start_of_may, start_of_may + range, granularity, TimeZone());
}

TEST(TimeBuckets, ChooseALengthForTheRange) {
  struct Case {
    std::chrono::microseconds range;
    seconds granularity;
  };
  const Case cases[] = {{0s, 300s},           {2h, 300s},      {2h + 1us, 3600s},
                        {12h, 3600s},         {12h + 1us, 6h}, {days(3), 6h},
                        {days(3) + 1us, 12h}, {days(14), 12h}, {days(14) + 1us, 24h},
                        {days(31), 24h}};
  for (const Case& each : cases)
    EXPECT_EQ(cut(each.range).granularity, each.granularity) << each.range.count();
}

TEST(TimeBuckets, CoverExactlyTheRange) {
  const Buckets buckets = cut(1h, 1800);
  EXPECT_EQ(buckets.begins, (std::vector<Timestamp>{start_of_may, start_of_may + 30min}));
  EXPECT_EQ(cut(1h + 1us, 1800).begins.size(), 3U);
  EXPECT_TRUE(cut(0s).begins.empty());
  const Buckets inside =
      cutIntoBuckets(start_of_may + 10min, start_of_may + 40min, 1800, TimeZone());
  EXPECT_EQ(inside.begins, (std::vector<Timestamp>{start_of_may, start_of_may + 30min}));
  const Buckets early = cutIntoBuckets(utc("1969-12-31T23:50:00"), utc("1970-01-01"), 3600, {});
  EXPECT_EQ(early.begins, (std::vector<Timestamp>{utc("1969-12-31T23:00:00")}));
}

TEST(TimeBuckets, GetLongerAtTheLimit) {
  EXPECT_EQ(cut(days(31), 1).granularity, 268s);
  EXPECT_EQ(cut(10'000s, 1).granularity, 1s);
  EXPECT_EQ(cut(10'001s, 1).granularity, 2s);
  EXPECT_EQ(cut(1h, 0).granularity, 1s);
  EXPECT_EQ(cut(1h, -5).granularity, 1s);
  EXPECT_LE(
      cutIntoBuckets(start_of_may + 500ms, start_of_may + 10'000s + 400ms, 1, {}).begins.size(),
      static_cast<std::size_t>(kMaxBuckets));
  EXPECT_EQ(cut(1h, INT64_MAX).begins.size(), 1U);
}

TEST(TimeBuckets, AreOneRunWithoutClockChanges) {
  const std::vector<BucketRun> runs = runsOf(cut(1h));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].begin, start_of_may);
  EXPECT_EQ(runs[0].last, 11U);
}

/// The zone Europe/Berlin of the system.
const TimeZone& berlin() {
  static const TimeZone zone = loadTimeZone("Europe/Berlin").value();
  return zone;
}

Buckets berlinBuckets(std::string_view from, std::string_view to, std::int64_t granularity) {
  return cutIntoBuckets(utc(from), utc(to), granularity, berlin());
}

std::vector<Timestamp> times(std::initializer_list<std::string_view> texts) {
  std::vector<Timestamp> times;
  for (const std::string_view text : texts) times.push_back(utc(text));
  return times;
}

TEST(LocalBuckets, StartAtLocalMidnight) {
  const Buckets buckets = berlinBuckets("2024-05-01T10:00:00", "2024-05-03T10:00:00", 86400);
  EXPECT_EQ(buckets.begins,
            times({"2024-04-30T22:00:00", "2024-05-01T22:00:00", "2024-05-02T22:00:00"}));
}

TEST(LocalBuckets, FollowClockChanges) {
  // The 31st of March has 23 hours, the 27th of October 25.
  const Buckets spring = berlinBuckets("2024-03-29T23:00:00", "2024-04-01T22:00:00", 86400);
  EXPECT_EQ(spring.begins,
            times({"2024-03-29T23:00:00", "2024-03-30T23:00:00", "2024-03-31T22:00:00"}));
  const std::vector<BucketRun> runs = runsOf(spring);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[1].first, 2U);
  const Buckets quarters = berlinBuckets("2024-10-26T22:00:00", "2024-10-27T23:00:00", 21600);
  EXPECT_EQ(quarters.begins.size(), 5U) << "four of six hours and one of the hour that is left";
  EXPECT_EQ(quarters.begins.back(), utc("2024-10-27T22:00:00"));
  const Buckets hourly = berlinBuckets("2024-10-26T22:00:00", "2024-10-27T23:00:00", 3600);
  EXPECT_EQ(hourly.begins.size(), 25U);
  EXPECT_EQ(runsOf(hourly).size(), 1U);
}

TEST(LocalBuckets, AlignWholeDays) {
  const Buckets weeks = berlinBuckets("2024-05-01", "2024-05-20", 7L * 86400);
  for (std::size_t i = 1; i < weeks.begins.size(); ++i)
    EXPECT_EQ(weeks.begins[i] - weeks.begins[i - 1], days(7));
  EXPECT_LE(weeks.begins.front(), utc("2024-05-01"));
}

TEST(LocalBuckets, IgnoreTheZoneForOddLengths) {
  const Buckets buckets = cutIntoBuckets(start_of_may, start_of_may + 2h, 1000, berlin());
  EXPECT_EQ(microsOf(buckets.begins[0]) % 1'000'000'000, 0);
}

}  // namespace
}  // namespace spindle::statistics
