#include "trainer/jobs/job_options.h"

#include <string>

#include <gtest/gtest.h>

namespace spindle::trainer {
namespace {

TEST(SftOptions, HaveDefaults) {
  for (const char* json : {"{}", R"({"batch_size":null,"learning_rate":null,"other":1})",
                           R"({"batch_size":"auto"})"}) {
    const Result<SftOptions> options = sftOptionsOf(json);
    ASSERT_TRUE(options) << options.error().message();
    EXPECT_EQ(options->batch_size, 2U);
    EXPECT_EQ(options->learning_rates, std::vector<double>{5e-5});
    EXPECT_EQ(options->assistant_turns, AssistantTurns::kAll);
    EXPECT_EQ(options->learner.weight_decay, 0);
    EXPECT_EQ(options->learner.max_grad_norm, 1);
    EXPECT_EQ(options->learner.lora_rank, 8U);
    EXPECT_EQ(options->learner.lora_alpha, 32);
    EXPECT_EQ(options->learner.beta2, 0.99);
    EXPECT_EQ(options->learner.seed, 3407U);
  }
}

TEST(SftOptions, AcceptOneRateOrOnePerBatch) {
  EXPECT_FALSE(sftOptionsOf(R"({"learning_rate":0.1})")->rate_per_batch);
  const Result<SftOptions> several = sftOptionsOf(R"({"learning_rate":[0.1,0.2]})");
  EXPECT_TRUE(several->rate_per_batch);
  EXPECT_EQ(several->learning_rates, (std::vector<double>{0.1, 0.2}));
}

TEST(RlOptions, HaveTheDefaultsOfTheirLoss) {
  const Result<RlOptions> cispo = rlOptionsOf("{}");
  ASSERT_TRUE(cispo);
  EXPECT_EQ(cispo->learning_rate, 5e-6);
  EXPECT_EQ(cispo->loss.loss, PolicyLoss::kCispo);
  EXPECT_EQ(cispo->loss.epsilon, 1);
  EXPECT_EQ(cispo->loss.epsilon_high, 4);
  EXPECT_EQ(cispo->learner.weight_decay, 0.1);
  EXPECT_EQ(cispo->learner.max_grad_norm, 0.1);
  EXPECT_TRUE(cispo->scale_rewards);
  EXPECT_EQ(cispo->kl_source, KlSource::kLearner);
  EXPECT_EQ(cispo->chunk, 1024U);
  const Result<RlOptions> ppo = rlOptionsOf(R"({"ppo":true})");
  EXPECT_EQ(ppo->loss.loss, PolicyLoss::kPpo);
  EXPECT_EQ(ppo->loss.epsilon, 0.2);
  EXPECT_EQ(ppo->loss.epsilon_high, 0.2);
  EXPECT_EQ(rlOptionsOf(R"({"ppo":true,"epsilon":0.3})")->loss.epsilon_high, 0.3);
  EXPECT_EQ(rlOptionsOf(R"({"ppo":true,"loss_fn":"cispo"})")->loss.loss, PolicyLoss::kCispo);
}

TEST(RlOptions, ReadEveryField) {
  const Result<RlOptions> options = rlOptionsOf(
      R"({"learning_rate":0.5,"loss_fn":"ppo","epsilon":0.1,"epsilon_high":0.4,)"
      R"("importance_sampling_level":"geometric_average","scale_rewards":false,)"
      R"("advantage_balance":-0.25,"max_negative_advantage_importance_sampling_weight":1.5,)"
      R"("mask_prob_ratio":true,"kimi_k2_tau":0.2,"kl_penalty_coef":0.05,)"
      R"("truncated_importance_sampling":2.0,"precalculate_logprobs":true,)"
      R"("allow_training_without_logprobs":true,"packed_sequence_length":512,)"
      R"("logprob_calculation_chunk_size":64,"num_trajectories_learning_rate_multiplier_power":0.5,)"
      R"("scale_learning_rate_by_reward_std_dev":true,"plot_tensors":true,"seed":7})");
  ASSERT_TRUE(options) << options.error().message();
  EXPECT_EQ(options->loss.epsilon, 0.1);
  EXPECT_EQ(options->loss.epsilon_high, 0.4);
  EXPECT_EQ(options->loss.level, RatioLevel::kGeometricAverage);
  EXPECT_FALSE(options->scale_rewards);
  EXPECT_EQ(options->advantage_balance, -0.25);
  EXPECT_EQ(options->loss.ratio_cap, 1.5);
  EXPECT_TRUE(options->loss.mask_outside);
  EXPECT_EQ(options->loss.tau, 0.2);
  EXPECT_EQ(options->kl_coefficient, 0.05);
  EXPECT_EQ(options->kl_source, KlSource::kSample) << "where KL counts and nothing is said";
  EXPECT_EQ(options->loss.truncation, 2.0);
  EXPECT_TRUE(options->precalculate_logprobs);
  EXPECT_TRUE(options->allow_training_without_logprobs);
  EXPECT_EQ(options->packed_sequence_length, 512U);
  EXPECT_EQ(options->chunk, 64U);
  EXPECT_EQ(options->trajectories_power, 0.5);
  EXPECT_TRUE(options->scale_by_reward_spread);
  EXPECT_EQ(options->learner.seed, 7U);
  EXPECT_FALSE(rlOptionsOf(R"({"normalize_advantages":false})")->scale_rewards);
}

TEST(JobOptions, NameInvalidFields) {
  const auto rl = [](const std::string& json) { return rlOptionsOf(json).error().message(); };
  const std::string before = "The job's configuration cannot be used: ";
  EXPECT_EQ(rl("{"), "The job's configuration is not JSON.");
  EXPECT_EQ(rl("[]"), before + "the configuration is not a JSON object.");
  EXPECT_EQ(rl(R"({"learning_rate":-1})"), before + "learning_rate is out of range.");
  EXPECT_EQ(rl(R"({"loss_fn":"dpo"})"), before + "loss_fn is unknown.");
  EXPECT_EQ(rl(R"({"importance_sampling_level":"word"})"),
            before + "importance_sampling_level is unknown.");
  EXPECT_EQ(rl(R"({"kl_penalty_source":"me"})"), before + "kl_penalty_source is unknown.");
  EXPECT_EQ(rl(R"({"advantage_balance":2})"), before + "advantage_balance is out of range.");
  EXPECT_EQ(rl(R"({"mask_prob_ratio":1})"), before + "mask_prob_ratio is neither true nor false.");
  EXPECT_EQ(rl(R"({"packed_sequence_length":1.5})"),
            before + "packed_sequence_length is out of range.");
  EXPECT_EQ(rl(R"({"packed_sequence_length":2.5})"),
            before + "packed_sequence_length is not a whole number.");
  EXPECT_EQ(sftOptionsOf(R"({"assistant_turns":"first"})").error().message(),
            before + "assistant_turns is neither all nor last.");
  EXPECT_EQ(sftOptionsOf(R"({"batch_size":0})").error().message(),
            before + "batch_size is out of range.");
  EXPECT_EQ(sftOptionsOf(R"({"learning_rate":["x"]})").error().message(),
            before + "learning_rate is out of range.");
  EXPECT_EQ(sftOptionsOf(R"({"learning_rate":1e38})").error().message(),
            before + "learning_rate is out of range.");
}

TEST(JobOptions, ManualOnesNameUnknownFields) {
  constexpr UnknownFields kRefused = UnknownFields::kRefused;
  const std::string before = "The job's configuration cannot be used: unknown fields: ";
  EXPECT_EQ(
      sftOptionsOf(R"({"batchsize":4,"seed":1,"lr":1,"epsilon":1})", kRefused).error().message(),
      before + "batchsize, lr, epsilon.");
  EXPECT_EQ(rlOptionsOf(R"({"epsilon":1,"batch_size":4})", kRefused).error().message(),
            before + "batch_size.");
  EXPECT_TRUE(sftOptionsOf(R"({"batchsize":4})")) << "a newer server may say more";
}

TEST(JobOptions, ManualOnesMayBeAServersConfiguration) {
  const Result<SftOptions> sft = sftOptionsOf(
      R"({"batch_size":2,"learning_rate":[1e-4],"assistant_turns":"all","metric_logging":)"
      R"({"enabled":false,"target_training_step":null},"experimental_config":{},"lora_rank":8,)"
      R"("lora_alpha":32,"weight_decay":0,"max_grad_norm":1,"beta1":0.9,"beta2":0.99,)"
      R"("adam_epsilon":1e-8,"seed":3407})",
      UnknownFields::kRefused);
  EXPECT_TRUE(sft) << sft.error().message();
  const Result<RlOptions> rl = rlOptionsOf(
      R"({"learning_rate":5e-6,"loss_fn":"ppo","ppo":true,"epsilon":0.2,"epsilon_high":0.2,)"
      R"("importance_sampling_level":"token","scale_rewards":true,"normalize_advantages":true,)"
      R"("advantage_balance":0,"max_negative_advantage_importance_sampling_weight":null,)"
      R"("mask_prob_ratio":false,"kimi_k2_tau":null,"kl_penalty_coef":0,)"
      R"("kl_penalty_source":"sample","kl_penalty_reference_step":null,)"
      R"("kl_penalty_step_lag":null,"kl_ref_adapter_path":null,)"
      R"("truncated_importance_sampling":null,"precalculate_logprobs":false,)"
      R"("allow_training_without_logprobs":false,"packed_sequence_length":null,)"
      R"("logprob_calculation_chunk_size":1024,)"
      R"("num_trajectories_learning_rate_multiplier_power":0,)"
      R"("scale_learning_rate_by_reward_std_dev":false,"plot_tensors":false,"lora_rank":8,)"
      R"("lora_alpha":32,"weight_decay":0.1,"max_grad_norm":0.1,"beta1":0.9,"beta2":0.99,)"
      R"("adam_epsilon":1e-8,"seed":3407})",
      UnknownFields::kRefused);
  EXPECT_TRUE(rl) << rl.error().message();
}

}  // namespace
}  // namespace spindle::trainer
