#include "base/core/url_path.h"

#include <gtest/gtest.h>

namespace spindle {
namespace {

TEST(UrlPath, AcceptsOnlyPaths) {
  for (const char* path : {"/", "/a", "/a/b-1.0_~/"}) EXPECT_TRUE(isUrlPath(path)) << path;
  for (const char* other :
       {"", "a", "//evil.example.com", "/a//b", "/a?b", "/a#b", "/a\\b", "/a%2f", "/ "})
    EXPECT_FALSE(isUrlPath(other)) << other;
}

}  // namespace
}  // namespace spindle
