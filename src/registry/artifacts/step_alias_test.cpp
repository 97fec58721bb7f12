#include "registry/artifacts/step_alias.h"

#include <gtest/gtest.h>

namespace spindle::registry {
namespace {

TEST(StepAlias, NewestStepIsTheHighest) {
  const auto newest =
      newestStep({"step2", "latest", "step10", "step9", "steps", "step-11", "step"});
  ASSERT_TRUE(newest);
  EXPECT_EQ(newest->step, 10);
  EXPECT_EQ(newest->alias, "step10");
  EXPECT_FALSE(newestStep({"latest", "step99999999999999999999", "v3"}));
  EXPECT_FALSE(newestStep({}));
}

}  // namespace
}  // namespace spindle::registry
