#include "http/message/origin.h"

#include <gtest/gtest.h>

namespace spindle::http {
namespace {

std::string originWith(const std::string& prefix) {
  Request request;
  request.headers.add("Host", "spindle.example.com:8443");
  if (!prefix.empty()) request.headers.add(kForwardedPrefix, prefix);
  request.secure = true;
  return originOf(request);
}

TEST(Origin, IsTheBaseUrlOfTheClient) {
  EXPECT_EQ(originWith(""), "https://spindle.example.com:8443");
  EXPECT_EQ(originWith("/custom"), "https://spindle.example.com:8443/custom");
  EXPECT_EQ(originWith("/a/b-1.0_~/"), "https://spindle.example.com:8443/a/b-1.0_~");
}

TEST(Origin, IgnoresAnInvalidPrefix) {
  for (const char* wrong : {"custom", "//evil.example.com", "/a?b", "/a#b", "/a\\b", "/a%2f", "/ "})
    EXPECT_EQ(originWith(wrong), "https://spindle.example.com:8443") << wrong;
  EXPECT_EQ(originWith("/" + std::string(300, 'a')), "https://spindle.example.com:8443");
}

}  // namespace
}  // namespace spindle::http
