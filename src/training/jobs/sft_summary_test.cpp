#include "training/jobs/sft_summary.h"

#include <gtest/gtest.h>

namespace spindle::training {
namespace {

TEST(TheSummaryOfAnSftJob, HasMeansOfLossesAndSumsOfCounts) {
  SftSummary summary;
  summary.add({{"loss", 1},
               {"grad_norm", 0.5},
               {"learning_rate", 0.1},
               {"num_tokens", 10},
               {"num_trajectories", 2},
               {"num_trainable_tokens", 4},
               {"tokens_per_second", 9}});
  summary.add({{"loss", 0.5}, {"num_tokens", 20}, {"num_trajectories", 1}});
  EXPECT_EQ(summary.metrics(), Metrics({{"loss/train", 0.75},
                                        {"loss/grad_norm", 0.5},
                                        {"loss/learning_rate", 0.1},
                                        {"data/step_num_trajectories", 3},
                                        {"data/step_num_tokens", 30},
                                        {"data/step_trainer_tokens", 4},
                                        {"data/step_num_gradient_steps", 2}}));
}

TEST(TheSummaryOfAnSftJob, IsEmptyWithoutSteps) { EXPECT_TRUE(SftSummary().metrics().empty()); }

}  // namespace
}  // namespace spindle::training
