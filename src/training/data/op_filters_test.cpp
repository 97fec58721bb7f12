#include "training/data/op_filters.h"

#include <gtest/gtest.h>

namespace spindle::training {
namespace {

using Names = std::vector<std::string>;

TEST(OpsByName, MatchEveryVersion) {
  EXPECT_EQ(opFiltersFor({"ask"}, "p1"), (Names{"ask", "svc-trace-internal:///p1/op/ask:*"}));
  EXPECT_EQ(opFiltersFor({"a", "b"}, "p1"), (Names{"a", "svc-trace-internal:///p1/op/a:*", "b",
                                                   "svc-trace-internal:///p1/op/b:*"}));
}

TEST(OpsByName, MatchTheDerivedId) {
  EXPECT_EQ(opFiltersFor({"Chat m"}, "p1"),
            (Names{"Chat m", "svc-trace-internal:///p1/op/Chat%20m:*",
                   "svc-trace-internal:///p1/op/chat_m:*"}));
}

TEST(OpsByReference, StayUnchanged) {
  const Names refs = {"svc-trace-internal:///p1/op/ask:abc", "svc-trace-internal:///p1/op/ask:*",
                      "svc:///other/project/op/ask:abc", "ask:*"};
  EXPECT_EQ(opFiltersFor(refs, "p1"), refs);
  EXPECT_EQ(opFiltersFor({}, "p1"), Names());
}

}  // namespace
}  // namespace spindle::training
