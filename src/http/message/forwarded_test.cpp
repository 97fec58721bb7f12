#include "http/message/forwarded.h"

#include <gtest/gtest.h>

namespace spindle::http {
namespace {

TEST(ForwardedRequests, AreRecognizedByTheFieldsOfProxies) {
  const auto forwarded = [](const char* name) {
    Headers headers;
    headers.add("Host", "h");
    headers.add(name, "x");
    return wasForwarded(headers);
  };
  for (const char* name : {"X-Forwarded-For", "X-Forwarded-Proto", "x-forwarded-anything",
                           "forwarded", "VIA", "x-real-ip"}) {
    EXPECT_TRUE(forwarded(name)) << name;
  }
  for (const char* name : {"X-Forwarded", "Viability", "X-Request-Id", "Authorization"}) {
    EXPECT_FALSE(forwarded(name)) << name;
  }
}

}  // namespace
}  // namespace spindle::http
