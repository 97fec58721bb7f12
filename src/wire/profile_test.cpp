#include "wire/profile.h"

#include <initializer_list>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace spindle::wire {
namespace {

using HeaderFields = std::initializer_list<std::pair<std::string_view, std::string_view>>;

void expectRecognized(bool expected, HeaderFields fields) {
  for (const auto& [name, value] : fields) {
    EXPECT_EQ(isVendorSdkHeader(name, value), expected) << name << ": " << value;
  }
}

TEST(Profile, RecognizesTheHeadersOfTheSdk) {
  expectRecognized(true, {{"X-Weave-Client-Capabilities", "trace_id_on_end"},
                          {"x-weave-retry-id", ""},
                          {"wandb-api-key", "secret"}});
}

TEST(Profile, RecognizesTheUserAgentOfTheSdk) {
  expectRecognized(true, {{"User-Agent", "W&B Weave JS Client 0.11.1"},
                          {"user-agent", "WeaveTrace/Python 0.2.1"},
                          {"USER-AGENT", "wandb-core"}});
}

TEST(Profile, IgnoresOtherHeaders) {
  expectRecognized(false, {{"User-Agent", "curl/8.0"},
                           {"User-Agent", ""},
                           {"Referer", "https://example.com/weave"},
                           {"X-Svc-Trace-Id", "weave"},
                           {"X-Weave", ""},
                           {"", ""}});
}

}  // namespace
}  // namespace spindle::wire
