#include "query/position.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace spindle::query {
namespace {

TEST(PositionText, KeepsEveryValue) {
  const Position position = {std::monostate(),
                             std::string("a \"quoted\"\n\0text", 16),
                             std::string(),
                             std::numeric_limits<std::int64_t>::min(),
                             0.1,
                             -std::numeric_limits<double>::infinity()};
  EXPECT_EQ(parsePosition(positionText(position)), position);
  const std::optional<Position> none = parsePosition(positionText({std::nan("")}));
  ASSERT_TRUE(none);
  EXPECT_TRUE(std::isnan(std::get<double>(none->front())));
}

TEST(PositionText, RefusesOtherTexts) {
  for (const std::string_view text :
       {"", "{}", "[1]", "[null]", R"(["x"])", R"([""])", R"(["nn"])", R"(["i"])", R"(["i1x"])",
        R"(["i99999999999999999999"])", R"(["rx"])", R"([["n"]])", R"(["n")"}) {
    EXPECT_FALSE(parsePosition(text)) << text;
  }
  EXPECT_FALSE(parsePosition(positionText(Position(1000))));
}

}  // namespace
}  // namespace spindle::query
