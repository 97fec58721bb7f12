#include "tracing/routes/call_cursor.h"

#include <gtest/gtest.h>

#include "http/router/paging.h"

namespace spindle::tracing {
namespace {

query::Position positionForTest() {
  return {std::int64_t{1'700'000'000'000'000}, std::string("id")};
}

TEST(CallCursor, BelongsToOneList) {
  const std::string cursor = callCursor("a list", positionForTest());
  const Result<query::Position> read = positionOfCursor("a list", cursor);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, positionForTest());
  const Result<query::Position> other = positionOfCursor("another list", cursor);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code(), ErrorCode::kInvalidSchema);
}

TEST(CallCursor, RefusesOtherTexts) {
  const std::string cursor = callCursor("l", positionForTest());
  for (const std::string& text :
       {std::string(), std::string("x"), cursor + "x", cursor.substr(4),
        cursor.substr(0, cursor.size() - 4), http::encodeCursor(""), http::encodeCursor("[]"),
        std::string("\"; DROP TABLE calls; --")}) {
    const Result<query::Position> read = positionOfCursor("l", text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().violations().front().loc.back(), LocStep("cursor"));
  }
}

}  // namespace
}  // namespace spindle::tracing
