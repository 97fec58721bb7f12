#include "registry/artifacts/json_members.h"

#include <gtest/gtest.h>

namespace spindle::registry {
namespace {

TEST(JsonMembers, MergeKeepsTheTextOfValues) {
  EXPECT_EQ(mergedMembers(R"({"a":0.930,"b":{"x":1}})", R"({"b":[1e-4],"c":null})"),
            R"({"a":0.930,"b":[1e-4],"c":null})");
  EXPECT_EQ(mergedMembers("{}", "{}"), "{}");
  EXPECT_EQ(memberCount(R"({"a":1,"b":{"c":2}})"), 2U);
}

TEST(JsonMembers, MergesMembers) {
  EXPECT_EQ(mergedMembers(R"({"a":1,"b":2})", R"({"b":3,"c":{"d":4}})"),
            R"({"a":1,"b":3,"c":{"d":4}})");
}

}  // namespace
}  // namespace spindle::registry
