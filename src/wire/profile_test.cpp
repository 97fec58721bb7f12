#include "wire/profile.h"

#include <gtest/gtest.h>

namespace spindle::wire {
namespace {

TEST(Profile, RecognizesTheHeadersOfTheSdk) {
  EXPECT_TRUE(isVendorSdkHeader("X-Weave-Client-Capabilities", "trace_id_on_end"));
  EXPECT_TRUE(isVendorSdkHeader("x-weave-retry-id", ""));
  EXPECT_TRUE(isVendorSdkHeader("wandb-api-key", "secret"));
}

TEST(Profile, RecognizesTheUserAgentOfTheSdk) {
  EXPECT_TRUE(isVendorSdkHeader("User-Agent", "W&B Weave JS Client 0.11.1"));
  EXPECT_TRUE(isVendorSdkHeader("user-agent", "WeaveTrace/Python 0.2.1"));
  EXPECT_TRUE(isVendorSdkHeader("USER-AGENT", "wandb-core"));
}

TEST(Profile, IgnoresOtherHeaders) {
  EXPECT_FALSE(isVendorSdkHeader("User-Agent", "curl/8.0"));
  EXPECT_FALSE(isVendorSdkHeader("User-Agent", ""));
  EXPECT_FALSE(isVendorSdkHeader("Referer", "https://example.com/weave"));
  EXPECT_FALSE(isVendorSdkHeader("X-Svc-Trace-Id", "weave"));
  EXPECT_FALSE(isVendorSdkHeader("X-Weave", ""));
  EXPECT_FALSE(isVendorSdkHeader("", ""));
}

}  // namespace
}  // namespace spindle::wire
