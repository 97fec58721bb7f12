#include "base/id.h"

#include <gtest/gtest.h>

namespace spindle {
namespace {

const Timestamp kNow = timestampOfMicros(1714557600000000);  // 2024-05-01T10:00:00Z

TEST(Id, UuidCarriesTheTimeTheVersionAndTheVariant) {
  const std::string id = newUuid(kNow);
  ASSERT_EQ(id.size(), 36U);
  EXPECT_EQ(id.substr(0, 13), "018f3398-c100");  // 1714557600000 ms
  EXPECT_EQ(id[14], '7');
  EXPECT_NE(std::string("89ab").find(id[19]), std::string::npos);
  EXPECT_NE(newUuid(kNow), id);
}

TEST(Id, PrefixedIdsSortByTime) {
  const std::string early = newPrefixedId("usr_", kNow);
  const std::string late = newPrefixedId("usr_", kNow + std::chrono::milliseconds(1));
  EXPECT_EQ(early.size(), 4U + 26U);
  EXPECT_EQ(early.substr(0, 14), "usr_01HWSSHG80");
  EXPECT_LT(early, late);
}

}  // namespace
}  // namespace spindle
