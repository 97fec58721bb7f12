#include "base/core/time.h"

#include <gtest/gtest.h>

#include "base/core/results_for_test.h"

namespace spindle {
namespace {

std::string shown(std::string_view text) {
  const ParsedTimestamp parsed = parseTimestamp(text);
  return parsed ? formatTimestamp(*parsed.value) : std::string(parsed.error.message);
}

TEST(Time, ParsesCommonFormats) {
  expectTexts(shown, {{"2024-05-01T10:00:00Z", "2024-05-01T10:00:00Z"},
                      {"2024-05-01 10:00", "2024-05-01T10:00:00Z"},
                      {"2024-05-01T10:00:00.25", "2024-05-01T10:00:00.250000Z"},
                      {"2024-05-01T10:00:00.1234567Z", "2024-05-01T10:00:00.123456Z"},
                      {"2024-05-01T10:00:00+02:00", "2024-05-01T08:00:00Z"},
                      {"2024-05-01T10:00:00-0530", "2024-05-01T15:30:00Z"},
                      {"2024-05-01", "2024-05-01T00:00:00Z"},
                      {"2024-02-29", "2024-02-29T00:00:00Z"},
                      {"1714557600", "2024-05-01T10:00:00Z"},
                      {"1714557600.5", "2024-05-01T10:00:00.500000Z"},
                      {"1714557600250", "2024-05-01T10:00:00.250000Z"}});
}

TEST(Time, ReportsWhyATextIsInvalid) {
  expectTexts(shown,
              {{"", "input is too short"},
               {"2024", "1970-01-01T00:33:44Z"},
               {"soon", "input is too short"},
               {"not a date", "invalid character in year"},
               {"2024-13-01", "month value is outside expected range of 1-12"},
               {"2024-02-30", "day value is outside expected range"},
               {"2023-02-29", "day value is outside expected range"},
               {"2024-05-01T25:00:00Z", "unexpected extra characters at the end of the input"},
               {"2024-05-01T10:00:00Zjunk", "unexpected extra characters at the end of the input"},
               {"99999999999999999", "dates after 9999 are not supported as unix timestamps"}});
}

TEST(Time, ReadsUnixSecondsAndMilliseconds) {
  EXPECT_EQ(formatTimestamp(*timestampFromUnix(0)), "1970-01-01T00:00:00Z");
  EXPECT_EQ(formatTimestamp(*timestampFromUnix(-1.5)), "1969-12-31T23:59:58.500000Z");
  EXPECT_EQ(formatTimestamp(*timestampFromUnix(1714557600.123456)), "2024-05-01T10:00:00.123456Z");
  EXPECT_EQ(formatTimestamp(*timestampFromUnix(1714557600123.0)), "2024-05-01T10:00:00.123000Z");
  EXPECT_FALSE(timestampFromUnix(1e18).has_value());
}

}  // namespace
}  // namespace spindle
