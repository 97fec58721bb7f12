#include "tracing/ingest/ingest_budget.h"

#include <limits>

#include <gtest/gtest.h>

namespace spindle::tracing {
namespace {

TEST(IngestBudgetTest, AcceptsUpToTheLimitAndNamesTheSetting) {
  IngestBudget budget({.stored_request = 1000, .stored_growth = 32});
  EXPECT_TRUE(budget.add(999));
  EXPECT_TRUE(budget.add(1));
  const Result<void> refused = budget.add(1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kTooLarge);
  EXPECT_EQ(refused.error().message(),
            "The request would take more than 1000 bytes in the trace store "
            "(limits.stored_request). Send it in smaller parts.");
  EXPECT_EQ(budget.used(), 1000U);
}

TEST(IngestBudgetTest, LimitsGrowthByRequestSize) {
  IngestBudget budget({.stored_request = 1UL << 30, .stored_growth = 4}, 1UL << 20);
  EXPECT_TRUE(budget.add(5UL << 20));
  const Result<void> refused = budget.add(1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kTooLarge);
  EXPECT_NE(refused.error().message().find("limits.stored_growth"), std::string::npos);
  EXPECT_NE(refused.error().message().find("1048576 bytes"), std::string::npos);
}

TEST(IngestBudgetTest, DoesNotLimitSmallRequests) {
  IngestBudget budget({.stored_request = 1UL << 30, .stored_growth = 1}, 0);
  EXPECT_TRUE(budget.add(IngestBudget::kFreeBytes));
  EXPECT_FALSE(budget.add(1));
}

TEST(IngestBudgetTest, DoesNotOverflow) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  IngestBudget budget({.stored_request = kMost, .stored_growth = kMost}, kMost);
  EXPECT_TRUE(budget.add(kMost));
  EXPECT_FALSE(budget.add(kMost));
  IngestBudget none({.stored_request = 0, .stored_growth = 0}, 0);
  EXPECT_FALSE(none.add(1));
}

}  // namespace
}  // namespace spindle::tracing
