#include "tracing/metadata/retention_repository.h"

#include <gtest/gtest.h>

#include "tracing/metadata/two_projects_for_test.h"

namespace spindle::tracing {
namespace {

class RetentionTest : public TwoProjectsTest {
 protected:
  std::optional<std::int64_t> days(const std::string& project) {
    const Result<std::optional<std::int64_t>> days = retention_.days(project);
    EXPECT_TRUE(days);
    return days ? *days : std::nullopt;
  }

  RetentionRepository retention_{*database_, clock_};
};

TEST_P(RetentionTest, IsUnlimitedByDefault) {
  EXPECT_EQ(days(first_), std::nullopt);
  EXPECT_EQ(days("prj_none"), std::nullopt);
}

TEST_P(RetentionTest, CanBeSetChangedAndRemoved) {
  ASSERT_TRUE(retention_.setDays(first_, 7));
  EXPECT_EQ(days(first_), 7);
  EXPECT_EQ(days(second_), std::nullopt);
  ASSERT_TRUE(retention_.setDays(first_, 1));
  EXPECT_EQ(days(first_), 1) << "what was read before is not shown again";
  ASSERT_TRUE(retention_.setDays(first_, std::nullopt));
  EXPECT_EQ(days(first_), std::nullopt);
}

TEST_P(RetentionTest, IsAtLeastADay) {
  for (const std::int64_t none : {0, -1})
    EXPECT_EQ(codeOf(retention_.setDays(first_, none)), ErrorCode::kInvalidArgument);
  EXPECT_EQ(days(first_), std::nullopt);
}

TEST_P(RetentionTest, IsSeenByOtherProcesses) {
  EXPECT_EQ(days(first_), std::nullopt);
  const std::unique_ptr<storage::Database> other = database_.openAgain();
  RetentionRepository elsewhere(*other, clock_);
  ASSERT_TRUE(elsewhere.setDays(first_, 3));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (days(first_) != 3 && std::chrono::steady_clock::now() < deadline) {
  }
  EXPECT_EQ(days(first_), 3);
}

SPINDLE_ON_BOTH_ENGINES(RetentionTest);

}  // namespace
}  // namespace spindle::tracing
