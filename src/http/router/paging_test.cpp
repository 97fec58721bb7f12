#include "http/router/paging.h"

#include <gtest/gtest.h>

#include "http/router/etag.h"

namespace spindle::http {
namespace {

TEST(Paging, CursorRoundTrips) {
  EXPECT_EQ(decodeCursor(encodeCursor("usr_01HX é")).value(), "usr_01HX é");
  EXPECT_EQ(decodeCursor("").value(), "");
}

TEST(Paging, RejectsAnInvalidCursor) {
  for (const char* text : {"nonsense", "!!!", "YzI6eA", "YzE6AA"}) {
    const Result<std::string> position = decodeCursor(text);
    ASSERT_FALSE(position) << text;
    EXPECT_EQ(position.error().violations()[0].msg, "Value error, not a cursor of this list");
  }
}

TEST(Etag, ParsesTheVersionInIfMatch) {
  Headers headers;
  EXPECT_FALSE(expectedVersion(headers).value().has_value());
  headers.set("If-Match", etagOf(7));
  EXPECT_EQ(expectedVersion(headers).value(), 7);
  headers.set("If-Match", "*");
  EXPECT_FALSE(expectedVersion(headers).value().has_value());
  for (const char* text : {"7", "\"x\"", "\"\"", "W/\"7\"", "\"7\",\"8\""}) {
    headers.set("If-Match", text);
    EXPECT_EQ(expectedVersion(headers).error().code(), ErrorCode::kPreconditionFailed) << text;
  }
}

}  // namespace
}  // namespace spindle::http
