#include "http/server/logged_path.h"

#include <string>

#include <gtest/gtest.h>

namespace spindle::http {
namespace {

TEST(LoggedPath, ShowsOrdinaryPathsAsTheyAre) {
  EXPECT_EQ(loggedPath("/api/v1/teams/acme", "/api/v1/teams/{team}"), "/api/v1/teams/acme");
  const std::string name(200, 'n');
  EXPECT_EQ(loggedPath("/api/v1/models/" + name, "/api/v1/models/{name}"),
            "/api/v1/models/" + name);
  EXPECT_EQ(loggedPath("/no/such/place", ""), "/no/such/place");
  EXPECT_EQ(loggedPath("/", ""), "/");
}

TEST(LoggedPath, HidesCredentials) {
  const std::string_view route = "/api/v1/blobs/{token}";
  EXPECT_EQ(loggedPath("/api/v1/blobs/abc.def", route), "/api/v1/blobs/***");
  EXPECT_EQ(loggedPath("/under/api/v1/blobs/abc.def", route), "/under/api/v1/blobs/***");
  EXPECT_EQ(loggedPath("/api/v1/%62lobs/abc.def", route), "/api/v1/blobs/{token}");
  EXPECT_EQ(loggedPath("/x/abc/end", "/x/{token}/end"), "/x/***/end");
}

TEST(LoggedPath, HidesLongSegmentsWhereNoRouteMatched) {
  const std::string token(60, 't');
  EXPECT_EQ(loggedPath("/api/v1/blobs/" + token, ""), "/api/v1/blobs/***");
  EXPECT_EQ(loggedPath("/api/v1/blobs/" + token + "/", ""), "/api/v1/blobs/***/");
  EXPECT_EQ(loggedPath("/" + token + "/a//" + token, ""), "/***/a//***");
}

}  // namespace
}  // namespace spindle::http
