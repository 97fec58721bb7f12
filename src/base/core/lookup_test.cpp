#include "base/core/lookup.h"

#include <gtest/gtest.h>

namespace spindle {
namespace {

enum class Size { kSmall, kLarge, kOther };

constexpr auto kSizes =
    std::to_array<LookupEntry<Size>>({{Size::kSmall, "small"}, {Size::kLarge, "large"}});

TEST(Lookup, ReturnsTheValueOfAKey) {
  EXPECT_EQ(lookUp(kSizes, Size::kSmall, ""), "small");
  EXPECT_EQ(lookUp(kSizes, Size::kLarge, ""), "large");
  EXPECT_EQ(lookUp(kSizes, Size::kOther, "unknown"), "unknown");
}

TEST(Lookup, ReturnsTheKeyOfAValue) {
  EXPECT_EQ(keyOf(kSizes, "large"), Size::kLarge);
  EXPECT_EQ(keyOf(kSizes, "huge"), std::nullopt);
}

}  // namespace
}  // namespace spindle
