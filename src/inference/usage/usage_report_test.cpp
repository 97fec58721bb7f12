#include "inference/usage/usage_report.h"

#include <gtest/gtest.h>

namespace spindle::inference {
namespace {

TEST(UsageKeys, HaveNames) {
  for (const UsageKey key :
       {UsageKey::kDay, UsageKey::kModel, UsageKey::kProject, UsageKey::kUser, UsageKey::kApiKey}) {
    EXPECT_EQ(usageKeyOf(textOf(key)), key);
  }
  EXPECT_FALSE(usageKeyOf("week"));
}

}  // namespace
}  // namespace spindle::inference
