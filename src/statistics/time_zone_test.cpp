#include "statistics/time_zone.h"

#include <cstdint>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "statistics/utc_for_test.h"
#include "statistics/zone_rule.h"
#include "storage/testing/postgres_for_test.h"

namespace spindle::statistics {
namespace {

using std::chrono::hours, std::chrono::seconds, std::chrono::sys_days;
using namespace std::chrono_literals;

std::string bigEndian(std::int64_t number, int size) {
  std::string bytes;
  for (int shift = 8 * (size - 1); shift >= 0; shift -= 8)
    bytes += static_cast<char>(number >> shift & 0xFF);
  return bytes;
}

/// A zone file that starts at UTC+1 and has these changes, each with its own offset.
std::string zoneFile(const std::vector<std::pair<Timestamp, hours>>& changes,
                     const std::string& rule) {
  const auto header = [](std::size_t times, std::size_t types) {
    std::string text = "TZif2" + std::string(15, '\0');
    text += bigEndian(0, 4) + bigEndian(0, 4) + bigEndian(0, 4);
    return text + bigEndian(static_cast<std::int64_t>(times), 4) +
           bigEndian(static_cast<std::int64_t>(types), 4) + bigEndian(4, 4);
  };
  std::string file =
      header(0, 1) + bigEndian(0, 4) + std::string(2, '\0') + std::string("CET\0", 4);
  file += header(changes.size(), changes.size() + 1);
  for (const auto& [at, offset] : changes)
    file += bigEndian(std::chrono::floor<seconds>(at).time_since_epoch().count(), 8);
  for (std::size_t i = 0; i < changes.size(); ++i) file += static_cast<char>(i + 1);
  file += bigEndian(3600, 4) + std::string(2, '\0');
  for (const auto& [at, offset] : changes)
    file += bigEndian(seconds(offset).count(), 4) + std::string(2, '\0');
  return file + std::string("CET\0", 4) + "\n" + rule + "\n";
}

TimeZone zoneOf(const std::vector<std::pair<Timestamp, hours>>& changes,
                const std::string& rule = "") {
  std::optional<TimeZone> zone = TimeZone::parse(zoneFile(changes, rule));
  EXPECT_TRUE(zone);
  return zone.value_or(TimeZone());
}

TEST(TimeZoneTest, IsUtcByDefault) {
  const TimeZone zone;
  EXPECT_TRUE(zone.isUtc());
  EXPECT_EQ(zone.offsetAt(utc("2024-05-01T12:00:00")), 0s);
  EXPECT_EQ(zone.beginOf(sys_days(2024y / 5 / 1)), utc("2024-05-01"));
}

TEST(TimeZoneTest, FollowsTheChangesOfTheFile) {
  const TimeZone zone =
      zoneOf({{utc("2024-03-31T01:00:00"), 2h}, {utc("2024-10-27T01:00:00"), 1h}});
  EXPECT_FALSE(zone.isUtc());
  EXPECT_EQ(zone.offsetAt(utc("2024-03-31T00:59:59")), 1h);
  EXPECT_EQ(zone.offsetAt(utc("2024-03-31T01:00:00")), 2h);
  EXPECT_EQ(zone.offsetAt(utc("2024-12-01")), 1h);
  EXPECT_EQ(zone.dayOf(utc("2024-06-01T22:00:00")), sys_days(2024y / 6 / 2));
  EXPECT_EQ(zone.beginOf(sys_days(2024y / 3 / 31)), utc("2024-03-30T23:00:00"));
  EXPECT_EQ(zone.beginOf(sys_days(2024y / 4 / 1)), utc("2024-03-31T22:00:00"));
}

TEST(TimeZoneTest, StartsADayAfterASkippedMidnight) {
  const TimeZone zone = zoneOf({{utc("2024-03-30T23:00:00"), 2h}});
  EXPECT_EQ(zone.beginOf(sys_days(2024y / 3 / 31)), utc("2024-03-30T23:00:00"));
}

TEST(TimeZoneTest, StartsADayAtTheSecondMidnight) {
  const TimeZone zone = zoneOf({{utc("2024-03-30T23:00:00"), 0h}});
  EXPECT_EQ(zone.beginOf(sys_days(2024y / 3 / 31)), utc("2024-03-31T00:00:00"));
}

TEST(TimeZoneTest, FollowsItsRuleAfterTheLastChange) {
  const TimeZone zone = zoneOf({{utc("2007-01-01"), 1h}}, "CET-1CEST,M3.5.0,M10.5.0/3");
  EXPECT_EQ(zone.offsetAt(utc("2006-07-01")), 1h) << "the rule is for later";
  EXPECT_EQ(zone.offsetAt(utc("2031-03-30T00:59:59")), 1h);
  EXPECT_EQ(zone.offsetAt(utc("2031-03-30T01:00:00")), 2h);
  EXPECT_EQ(zone.offsetAt(utc("2031-10-26T00:59:59")), 2h);
  EXPECT_EQ(zone.offsetAt(utc("2031-10-26T01:00:00")), 1h);
}

TEST(TimeZoneTest, RejectsOtherBytes) {
  EXPECT_FALSE(TimeZone::parse(""));
  EXPECT_FALSE(TimeZone::parse("TZif"));
  EXPECT_FALSE(TimeZone::parse(std::string(100'000, 'x')));
  const std::string good = zoneFile({{utc("2024-03-31T01:00:00"), 2h}}, "");
  for (std::size_t size = 0; size + 6 < good.size(); ++size)
    EXPECT_FALSE(TimeZone::parse(good.substr(0, size))) << size;
}

TEST(TimeZoneTest, LoadsOnlyFromTheFolder) {
  const storage::FolderForTest folder;
  std::ofstream(folder.path() + "/Zone_1", std::ios::binary)
      << zoneFile({{utc("2024-03-31T01:00:00"), 2h}}, "");
  std::ofstream(folder.path() + "/text") << "no zone";
  const Result<TimeZone> zone = loadTimeZone("Zone_1", folder.path());
  ASSERT_TRUE(zone);
  EXPECT_EQ(zone->offsetAt(utc("2025-01-01")), 2h);
  EXPECT_TRUE(loadTimeZone("UTC", "/nowhere"));
  for (const std::string name : {"", "/Zone_1", "../x", "Zone.1", "none", "text", "."}) {
    const Result<TimeZone> missing = loadTimeZone(name, folder.path());
    ASSERT_FALSE(missing) << name;
    EXPECT_EQ(missing.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(missing.error().message(), "Unknown timezone: " + name);
  }
}

TEST(ZoneRuleTest, ReadsBothHemispheresAndOddOffsets) {
  const std::optional<ZoneRule> york = parseZoneRule("EST5EDT,M3.2.0,M11.1.0");
  ASSERT_TRUE(york);
  EXPECT_EQ(york->standard, -5h);
  EXPECT_EQ(york->summer, -4h);
  const auto changes = changesIn(*york, 2024);
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].first, utc("2024-03-10T07:00:00"));
  EXPECT_EQ(changes[1].first, utc("2024-11-03T06:00:00"));
  EXPECT_EQ(changes[1].second, -5h);
  const std::optional<ZoneRule> howe = parseZoneRule("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0");
  ASSERT_TRUE(howe);
  EXPECT_EQ(howe->standard, 10h + 30min);
  EXPECT_EQ(howe->summer, 11h);
  EXPECT_EQ(changesIn(*howe, 2024).front().second, 10h + 30min) << "summer ends in April";
}

TEST(ZoneRuleTest, IsEmptyWithoutChangesAndForInvalidRules) {
  for (const std::string_view text :
       {"", "UTC0", "CET-1", "EST5EDT", "EST5EDT,M3.2.0", "EST5EDT,M13.2.0,M11.1.0",
        "EST5EDT,J60,J300", "E5EDT,M3.2.0,M11.1.0", "EST5EDT,M3.2.0,M11.1.0x", "<EST"}) {
    EXPECT_FALSE(parseZoneRule(text)) << text;
  }
}

}  // namespace
}  // namespace spindle::statistics
