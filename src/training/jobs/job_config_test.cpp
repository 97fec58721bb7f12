#include <gtest/gtest.h>

#include "training/jobs/job_config_json.h"
#include "training/jobs/job_service.h"
#include "training/jobs/system_check.h"

namespace spindle::training {
namespace {

using std::chrono::seconds;

/// Returns true if the configuration has this member.
::testing::AssertionResult says(const std::string& config, const std::string& member) {
  if (config.find(member + ",") != std::string::npos ||
      config.find(member + "}") != std::string::npos) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << member << " is not in " << config;
}

TEST(RlConfiguration, HasDocumentedDefaults) {
  const std::string config = effectiveConfig(RlConfig());
  for (const char* member : {R"("learning_rate":5e-06)",
                             R"("loss_fn":"cispo")",
                             R"("ppo":false)",
                             R"("epsilon":1.0)",
                             R"("epsilon_high":4.0)",
                             R"("importance_sampling_level":"token")",
                             R"("scale_rewards":true)",
                             R"("normalize_advantages":true)",
                             R"("advantage_balance":0.0)",
                             R"("max_negative_advantage_importance_sampling_weight":null)",
                             R"("mask_prob_ratio":false)",
                             R"("kimi_k2_tau":null)",
                             R"("kl_penalty_coef":0.0)",
                             R"("kl_penalty_source":"current_learner")",
                             R"("kl_penalty_reference_step":null)",
                             R"("kl_penalty_step_lag":null)",
                             R"("kl_ref_adapter_path":null)",
                             R"("truncated_importance_sampling":null)",
                             R"("precalculate_logprobs":false)",
                             R"("allow_training_without_logprobs":false)",
                             R"("packed_sequence_length":null)",
                             R"("logprob_calculation_chunk_size":1024)",
                             R"("num_trajectories_learning_rate_multiplier_power":0.0)",
                             R"("scale_learning_rate_by_reward_std_dev":false)",
                             R"("plot_tensors":false)",
                             R"("lora_rank":8)",
                             R"("lora_alpha":32.0)",
                             R"("weight_decay":0.1)",
                             R"("max_grad_norm":0.1)",
                             R"("beta1":0.9)",
                             R"("beta2":0.99)",
                             R"("adam_epsilon":1e-08)",
                             R"("seed":3407)"}) {
    EXPECT_TRUE(says(config, member));
  }
}

TEST(RlConfiguration, ResolvesDependentDefaults) {
  RlConfig ppo;
  ppo.ppo = true;
  EXPECT_TRUE(says(effectiveConfig(ppo), R"("loss_fn":"ppo")"));
  EXPECT_TRUE(says(effectiveConfig(ppo), R"("epsilon":0.2)"));
  EXPECT_TRUE(says(effectiveConfig(ppo), R"("epsilon_high":0.2)"));
  ppo.epsilon = 0.3;
  EXPECT_TRUE(says(effectiveConfig(ppo), R"("epsilon_high":0.3)"));
  ppo.loss_fn = "cispo";
  EXPECT_TRUE(says(effectiveConfig(ppo), R"("loss_fn":"cispo")")) << "it overrides ppo";
  RlConfig kl;
  kl.kl_penalty_coef = 0.1;
  EXPECT_TRUE(says(effectiveConfig(kl), R"("kl_penalty_source":"sample")"));
  kl.kl_penalty_source = "current_learner";
  EXPECT_TRUE(says(effectiveConfig(kl), R"("kl_penalty_source":"current_learner")"));
  RlConfig plain;
  plain.normalize_advantages = false;
  EXPECT_TRUE(says(effectiveConfig(plain), R"("scale_rewards":false)")) << "both have to be true";
}

TEST(RlConfiguration, KeepsItsStoredText) {
  RlConfig config;
  config.kl_ref_adapter_path = "team/project/other:v1";
  config.reference_version = 12;
  config.reference_team = "team_1";
  EXPECT_EQ(
      effectiveConfig(config),
      R"({"learning_rate":5e-06,"loss_fn":"cispo","ppo":false,"epsilon":1.0,"epsilon_high":4.0,)"
      R"("importance_sampling_level":"token","scale_rewards":true,"normalize_advantages":true,)"
      R"("advantage_balance":0.0,"max_negative_advantage_importance_sampling_weight":null,)"
      R"("mask_prob_ratio":false,"kimi_k2_tau":null,"kl_penalty_coef":0.0,)"
      R"("kl_penalty_source":"current_learner","kl_penalty_reference_step":null,)"
      R"("kl_penalty_step_lag":null,"kl_ref_adapter_path":"team/project/other:v1",)"
      R"("kl_ref_version_id":12,"kl_ref_team_id":"team_1","truncated_importance_sampling":null,)"
      R"("precalculate_logprobs":false,"allow_training_without_logprobs":false,)"
      R"("packed_sequence_length":null,"logprob_calculation_chunk_size":1024,)"
      R"("num_trajectories_learning_rate_multiplier_power":0.0,)"
      R"("scale_learning_rate_by_reward_std_dev":false,"plot_tensors":false,"lora_rank":8,)"
      R"("lora_alpha":32.0,"weight_decay":0.1,"max_grad_norm":0.1,"beta1":0.9,"beta2":0.99,)"
      R"("adam_epsilon":1e-08,"seed":3407})");
}

TEST(RlConfiguration, ReturnsKlReference) {
  RlConfig config;
  EXPECT_FALSE(klReferenceOf(effectiveConfig(config)).step);
  config.kl_penalty_reference_step = 3;
  EXPECT_EQ(klReferenceOf(effectiveConfig(config)).step, 3);
  config = RlConfig();
  config.kl_penalty_step_lag = 2;
  EXPECT_EQ(klReferenceOf(effectiveConfig(config)).lag, 2);
  config = RlConfig();
  config.kl_ref_adapter_path = "team/project/other:v1";
  config.reference_version = 12;
  config.reference_team = "team_1";
  EXPECT_EQ(klReferenceOf(effectiveConfig(config)).version, 12);
  EXPECT_EQ(klReferenceOf(effectiveConfig(config)).team_id, "team_1");
}

TEST(SftConfiguration, HasEveryDefault) {
  const std::string config = effectiveConfig(SftConfig());
  for (const char* member :
       {R"("batch_size":2)", R"("learning_rate":5e-05)", R"("assistant_turns":"all")",
        R"("metric_logging":{"enabled":false,"target_training_step":null})",
        R"("experimental_config":{})", R"("weight_decay":0.0)", R"("max_grad_norm":1.0)",
        R"("seed":3407)"}) {
    EXPECT_TRUE(says(config, member));
  }
  SftConfig automatic;
  automatic.batch_size = "auto";
  EXPECT_TRUE(says(effectiveConfig(automatic), R"("batch_size":2)"));
}

TEST(SftConfiguration, KeepsItsStoredText) {
  EXPECT_EQ(effectiveConfig(SftConfig()),
            R"({"batch_size":2,"learning_rate":5e-05,"assistant_turns":"all",)"
            R"("metric_logging":{"enabled":false,"target_training_step":null},)"
            R"("experimental_config":{},"lora_rank":8,"lora_alpha":32.0,"weight_decay":0.0,)"
            R"("max_grad_norm":1.0,"beta1":0.9,"beta2":0.99,"adam_epsilon":1e-08,"seed":3407})");
}

TEST(SftConfiguration, KeepsGivenValues) {
  SftConfig config;
  config.batch_size = std::int64_t{4};
  config.learning_rate = std::vector<double>{1e-4, 5e-5};
  config.assistant_turns = "last";
  config.metric_logging = MetricLoggingConfig{true, 3};
  config.experimental = R"({"a":1})";
  const std::string filled = effectiveConfig(config);
  for (const char* member :
       {R"("batch_size":4)", R"("learning_rate":[0.0001,5e-05])", R"("assistant_turns":"last")",
        R"("metric_logging":{"enabled":true,"target_training_step":3})",
        R"("experimental_config":{"a":1})"}) {
    EXPECT_TRUE(says(filled, member));
  }
}

TEST(DataOfAnArtifact, IsTheFileOfTheKnownNameOrTheOnlyOne) {
  EXPECT_EQ(dataFileAmong({"metadata.json", "train.jsonl", "trajectories.jsonl"}),
            "trajectories.jsonl");
  EXPECT_EQ(dataFileAmong({"train.jsonl", "x.jsonl"}), "train.jsonl");
  EXPECT_EQ(dataFileAmong({"a.txt", "x.jsonl"}), "x.jsonl");
  EXPECT_EQ(dataFileAmong({"x.jsonl", "y.jsonl"}), "");
  EXPECT_EQ(dataFileAmong({"a.txt"}), "");
}

TEST(TrainerCheck, FailsWhenJobsWaitForAMinute) {
  const Timestamp now = timestampOfMicros(1'700'000'000'000'000);
  EXPECT_TRUE(checkTrainers({0, std::nullopt}, std::nullopt, now).success);
  EXPECT_TRUE(checkTrainers({1, now - seconds(59)}, std::nullopt, now).success);
  EXPECT_FALSE(checkTrainers({1, now - seconds(60)}, std::nullopt, now).success);
  EXPECT_TRUE(checkTrainers({1, now - seconds(600)}, seconds(59), now).success);
  const ComponentCheck check = checkTrainers({2, now - seconds(600)}, seconds(60), now);
  EXPECT_FALSE(check.success);
  EXPECT_TRUE(check.error && check.error->find("2 training jobs are pending") == 0);
}

TEST(ProgressOfAJob, CountsItsSteps) {
  Job job;
  EXPECT_FALSE(job.progress());
  job.status = JobStatus::kRunning;
  job.steps_expected = 4;
  job.last_sequence = 1;
  EXPECT_EQ(job.progress(), 0.0);
  job.last_sequence = 3;
  EXPECT_EQ(job.progress(), 0.5);
  job.status = JobStatus::kFailed;
  job.last_sequence = 4;
  EXPECT_EQ(job.progress(), 0.5) << "the last event is its end";
  job.status = JobStatus::kCompleted;
  EXPECT_EQ(job.progress(), 1.0);
}

TEST(ChangedConfiguration, WithoutChangesIsTheSame) {
  SftConfig sft;
  sft.batch_size = std::int64_t{5};
  sft.experimental = R"({"a":1})";
  const std::string stored = effectiveConfig(sft);
  const Result<SftConfig> same = changedSftConfig(stored, "{}");
  ASSERT_TRUE(same);
  EXPECT_EQ(effectiveConfig(*same), stored);
  RlConfig rl;
  rl.kl_penalty_coef = 0.5;
  rl.scale_rewards = false;
  const std::string rl_stored = effectiveConfig(rl);
  const Result<RlConfig> rl_same = changedRlConfig(rl_stored, "{}");
  ASSERT_TRUE(rl_same);
  EXPECT_EQ(effectiveConfig(*rl_same), rl_stored);
}

TEST(ChangedConfiguration, ReplacesMembersAndDependentDefaults) {
  RlConfig rl;
  rl.scale_rewards = false;
  const Result<RlConfig> changed =
      changedRlConfig(effectiveConfig(rl), R"({"loss_fn":"ppo","scale_rewards":true})");
  ASSERT_TRUE(changed);
  const std::string config = effectiveConfig(*changed);
  for (const char* member : {R"("loss_fn":"ppo")", R"("ppo":true)", R"("epsilon":0.2)",
                             R"("epsilon_high":0.2)", R"("scale_rewards":true)"}) {
    EXPECT_TRUE(says(config, member));
  }
}

TEST(ChangedConfiguration, RefusesUnknownAndInternalMembers) {
  EXPECT_FALSE(changedSftConfig("{}", R"({"colour":1})"));
  EXPECT_FALSE(changedSftConfig("{}", R"({"lora_rank":64})"));
  EXPECT_FALSE(changedRlConfig("{}", R"({"kl_ref_version_id":7})"));
  EXPECT_FALSE(changedRlConfig("{}", R"({"kl_ref_team_id":"t"})"));
}

}  // namespace
}  // namespace spindle::training
