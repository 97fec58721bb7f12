#include "wire/profile.h"

#include <gtest/gtest.h>

namespace spindle::wire {
namespace {

TEST(Profile, SeesTheSdkInItsOwnHeaders) {
  EXPECT_TRUE(showsVendorSdk("X-Weave-Client-Capabilities", "trace_id_on_end"));
  EXPECT_TRUE(showsVendorSdk("x-weave-retry-id", ""));
  EXPECT_TRUE(showsVendorSdk("wandb-api-key", "secret"));
}

TEST(Profile, SeesTheSdkInItsUserAgent) {
  EXPECT_TRUE(showsVendorSdk("User-Agent", "W&B Weave JS Client 0.11.1"));
  EXPECT_TRUE(showsVendorSdk("user-agent", "WeaveTrace/Python 0.2.1"));
  EXPECT_TRUE(showsVendorSdk("USER-AGENT", "wandb-core"));
}

TEST(Profile, SeesNothingInOthers) {
  EXPECT_FALSE(showsVendorSdk("User-Agent", "curl/8.0"));
  EXPECT_FALSE(showsVendorSdk("User-Agent", ""));
  EXPECT_FALSE(showsVendorSdk("Referer", "https://example.com/weave"));
  EXPECT_FALSE(showsVendorSdk("X-Svc-Trace-Id", "weave"));
  EXPECT_FALSE(showsVendorSdk("X-Weave", ""));
  EXPECT_FALSE(showsVendorSdk("", ""));
}

}  // namespace
}  // namespace spindle::wire
