#include "trainer/jobs/job.h"

#include <filesystem>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "trainer/jobs/adapter_folder.h"
#include "trainer/jobs/base_model.h"
#include "trainer/model/base_for_test.h"
#include "trainer/model/failure.h"
#include "trainer/model/llama_for_test.h"

namespace spindle::trainer {
namespace {

/// Records the events of a job, and may stop it.
class EventsForTest final : public JobEvents {
 public:
  void onStart(std::uint64_t total, const std::string& why) override {
    starts.push_back(total);
    note = why;
  }
  void onStep(std::uint64_t step, const Metrics& metrics) override {
    steps.emplace_back(step, metrics);
  }
  void onState(std::uint64_t step) override { states.push_back(step); }
  Action action() override {
    if (cancel_after > 0 && steps.size() >= cancel_after) return Action::kStop;
    return pause_after > 0 && steps.size() >= pause_after ? Action::kPause : Action::kContinue;
  }

  std::vector<std::uint64_t> starts;
  std::string note;
  std::vector<std::pair<std::uint64_t, Metrics>> steps;
  std::vector<std::uint64_t> states;
  std::size_t cancel_after = 0;
  std::size_t pause_after = 0;
};

class Jobs : public ::testing::Test {
 protected:
  JobSpec spec(JobSpec::Kind kind, const std::string& data, const std::string& config = "{}") {
    base_.folder().write("data.jsonl", data);
    JobSpec spec;
    spec.kind = kind;
    spec.base = base_.file();
    spec.base_model = "tiny";
    spec.data = base_.at("data.jsonl");
    spec.config = config;
    spec.out = base_.at("out");
    return spec;
  }
  JobSpec sft(const std::string& data, const std::string& config = "{}") {
    return spec(JobSpec::Kind::kSft, data, config);
  }
  JobSpec rl(const std::string& data, const std::string& config = "{}") {
    return spec(JobSpec::Kind::kRl, data, config);
  }

  static std::string row(const std::string& question, const std::string& answer) {
    return R"({"messages":[{"role":"user","content":")" + question +
           R"("},{"role":"assistant","content":")" + answer + "\"}]}\n";
  }

  /// Returns trajectories for one prompt, with token ids.
  static std::string group(const std::vector<std::pair<std::string, double>>& answers) {
    std::string text = R"({"trajectories":[)";
    for (std::size_t i = 0; i < answers.size(); ++i) {
      text += (i == 0 ? "" : ",") + (R"({"reward":)" + std::to_string(answers[i].second)) +
              R"(,"messages_and_choices":[{"role":"user","content":"q"},{"finish_reason":"stop",)"
              R"("index":0,"message":{"role":"assistant","content":"a"},"prompt_token_ids":)"
              R"([259,117,10,113,258,10,259,97,10],"token_ids":)" +
              answers[i].first + R"(,"logprobs":{"content":[)";
      std::string logprobs;
      for (const char c : answers[i].first) {
        if (c == ',' || c == ']')
          logprobs += (logprobs.empty() ? "" : ",") +
                      std::string(R"({"token":"t","logprob":-5.5,"top_logprobs":[]})");
      }
      text += logprobs + "]}}]}";
    }
    return text + "]}\n";
  }

  Result<JobResult> run(const JobSpec& spec) {
    events_ = {};
    return runner_.run(spec, events_);
  }

  /// Makes the next run of the job save its state and write to another folder.
  void saveStates(JobSpec& spec, double seconds_between_states) {
    spec.state = base_.at("state");
    spec.seconds_between_states = seconds_between_states;
    spec.out = base_.at("resumed");
    events_ = {};
  }

  /// Returns the logprob of tokens after a prompt, with the written adapter.
  double logprobOf(const std::string& adapter_folder, const std::vector<std::int64_t>& tokens) {
    const std::unique_ptr<Model> model = base_.load();
    EXPECT_TRUE(model->setAdapter(*readAdapterFolder(adapter_folder)));
    std::vector<std::int64_t> all = {259, 117, 10, 113, 258, 10, 259, 97, 10};
    const auto prompt = static_cast<std::int64_t>(all.size());
    all.insert(all.end(), tokens.begin(), tokens.end());
    Targets targets;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      targets.at.push_back(prompt - 1 + static_cast<std::int64_t>(i));
      targets.tokens.push_back(tokens[i]);
    }
    double sum = 0;
    const TokenScores scores = *model->score(rowOf(all), targets, Policy::kLearner);
    for (const float logprob : scores.logprobs) sum += static_cast<double>(logprob);
    return sum;
  }

  static Adapter adapterIn(const std::string& folder) {
    const Result<Adapter> adapter = readAdapterFolder(folder);
    EXPECT_TRUE(adapter) << adapter.error().message();
    return adapter ? *adapter : Adapter();
  }

  static void expectEqual(const Adapter& a, const Adapter& b) {
    ASSERT_EQ(a.pairs.size(), b.pairs.size());
    for (const auto& [module, pair] : a.pairs) {
      ASSERT_EQ(pair.down, b.pairs.at(module).down) << module;
      ASSERT_EQ(pair.up, b.pairs.at(module).up) << module;
    }
  }

  BaseForTest base_;
  JobRunner runner_{{.threads = 1}};
  EventsForTest events_;
};

TEST_F(Jobs, TrainOnExamples) {
  std::string data;
  for (int i = 0; i < 24; ++i) data += row("hello", "bye bye");
  const JobSpec job = sft(data, R"({"learning_rate":0.02,"batch_size":4})");
  const Result<JobResult> result = run(job);
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_FALSE(result->unchanged);
  EXPECT_EQ(events_.starts, std::vector<std::uint64_t>{6});
  EXPECT_EQ(events_.note, "");
  ASSERT_EQ(events_.steps.size(), 6U);
  const Metrics& first = events_.steps.front().second;
  const Metrics& last = events_.steps.back().second;
  EXPECT_LT(last.at("loss"), 0.6 * first.at("loss"));
  for (const char* name : {"learning_rate", "grad_norm", "num_trajectories", "num_tokens",
                           "num_trainable_tokens", "tokens_per_second", "gradient_step"})
    EXPECT_TRUE(first.contains(name)) << name;
  EXPECT_EQ(first.at("gradient_step"), 1);
  EXPECT_EQ(first.at("num_trajectories"), 4);
  for (const char* file : {"adapter_config.json", "adapter_model.safetensors", "adapter.gguf"})
    EXPECT_TRUE(std::filesystem::exists(job.out + "/" + file)) << file;
  EXPECT_EQ(adapterIn(job.out).base_model, "tiny");
}

TEST_F(Jobs, WriteAnAdapterThatTheEngineComputesEqually) {
  const JobSpec job = sft(row("a", "b") + row("c", "d"), R"({"learning_rate":0.05})");
  ASSERT_TRUE(run(job));
  const std::vector<std::int64_t> tokens = {259, 117, 10, 97, 258};
  const std::unique_ptr<Model> model = base_.load();
  ASSERT_TRUE(model->setAdapter(adapterIn(job.out)));
  const std::vector<float> logits = *model->logits(rowOf(tokens), 4, Policy::kLearner);
  const std::vector<float> expected =
      LlamaForTest(base_.file(), job.out + "/adapter.gguf").logits(tokens);
  for (std::size_t i = 0; i < logits.size(); ++i) ASSERT_NEAR(logits[i], expected[i], 1e-2);
}

TEST_F(Jobs, SameSeedGivesSameAdapterAlsoAfterResume) {
  std::string data;
  for (int i = 0; i < 8; ++i) data += row("q" + std::to_string(i), "a" + std::to_string(i));
  JobSpec job = sft(data, R"({"learning_rate":0.01})");
  ASSERT_TRUE(run(job));
  const Adapter whole = adapterIn(job.out);
  ASSERT_TRUE(run(job));
  expectEqual(adapterIn(job.out), whole);

  saveStates(job, 0);
  events_.cancel_after = 2;
  const Result<JobResult> cancelled = runner_.run(job, events_);
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code(), ErrorCode::kConflict);
  EXPECT_EQ(events_.states, std::vector<std::uint64_t>{1}) << "cancelled before the second";
  EXPECT_FALSE(std::filesystem::exists(job.out));
  JobRunner another({.threads = 1});
  events_ = {};
  ASSERT_TRUE(another.run(job, events_));
  ASSERT_EQ(events_.steps.size(), 3U);
  EXPECT_EQ(events_.steps.front().first, 2U);
  expectEqual(adapterIn(job.out), whole);

  JobSpec other = sft(data + row("x", "y"), R"({"learning_rate":0.01,"batch_size":1})");
  other.state = job.state;
  EXPECT_EQ(run(other).error().message(), "The saved state belongs to another job.");
}

TEST_F(Jobs, PausedJobsResume) {
  const std::string data = row("a", "b") + row("c", "d") + row("e", "f") + row("g", "h");
  JobSpec job = sft(data, R"({"learning_rate":0.01,"batch_size":1})");
  ASSERT_TRUE(run(job));
  const Adapter whole = adapterIn(job.out);
  saveStates(job, 3600);
  events_.pause_after = 2;
  EXPECT_EQ(runner_.run(job, events_).error().reason(), "job_paused");
  EXPECT_EQ(events_.states, std::vector<std::uint64_t>{2});
  events_ = {};
  ASSERT_TRUE(runner_.run(job, events_));
  EXPECT_EQ(events_.steps.front().first, 3U);
  expectEqual(adapterIn(job.out), whole);
}

TEST_F(Jobs, ContinueFromAnAdapter) {
  JobSpec job = sft(row("a", "b"), R"({"learning_rate":0.05})");
  ASSERT_TRUE(run(job));
  const double loss = events_.steps.front().second.at("loss");
  job.adapter = job.out;
  job.out = base_.at("second");
  ASSERT_TRUE(run(job));
  EXPECT_LT(events_.steps.front().second.at("loss"), loss);
}

TEST_F(Jobs, AcceptARatePerBatch) {
  const std::string data = row("a", "b") + row("c", "d") + row("e", "f");
  ASSERT_TRUE(run(sft(data, R"({"learning_rate":[0.1,0.2],"batch_size":2})")));
  EXPECT_EQ(events_.steps[0].second.at("learning_rate"), 0.1);
  EXPECT_EQ(events_.steps[1].second.at("learning_rate"), 0.2);
  EXPECT_EQ(
      run(sft(data, R"({"learning_rate":[0.1],"batch_size":2})")).error().message(),
      "learning_rate has 1 entries, but the data makes 2 batches of 2 rows: there must be one "
      "for each.");
}

TEST_F(Jobs, SkipTooLongRowsAndBatchesWithoutLabels) {
  const std::string data = row(std::string(2000, 'x'), "b") + row("c", "d");
  const Result<JobResult> result = run(sft(data, R"({"batch_size":1})"));
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(events_.starts, std::vector<std::uint64_t>{1});
  EXPECT_EQ(result->metrics.at("num_rows_dropped"), 1);
  const std::string masked =
      R"({"messages":[{"role":"user","content":"a"}],"loss_mask":{"type":"none"}})";
  const Result<JobResult> nothing = run(sft(masked + "\n"));
  ASSERT_TRUE(nothing);
  EXPECT_TRUE(nothing->unchanged);
  EXPECT_EQ(events_.starts, std::vector<std::uint64_t>{0});
  EXPECT_NE(events_.note.find("loss_mask"), std::string::npos) << events_.note;
}

TEST_F(Jobs, ReportInvalidData) {
  EXPECT_EQ(run(sft(row("a", "b") + "{}\n")).error().message(),
            "The training data cannot be used: line 2: it has no messages: SFT learns from "
            "examples, {\"messages\": [{\"role\": …, \"content\": …}, …]}.");
  EXPECT_EQ(run(sft("\n")).error().message(), "The training data has no rows.");
  EXPECT_EQ(run(rl("{\"trajectories\":[7]}\n")).error().message(),
            "The training data cannot be used: group 1: trajectories[0]: it is not a JSON object.");
  JobSpec job = sft(row("a", "b"));
  job.data = base_.at("none");
  EXPECT_EQ(run(job).error().message(), "The training data cannot be read.");
  EXPECT_EQ(run(sft(row("a", "b"), R"({"learning_rate":-1})")).error().message(),
            "The job's configuration cannot be used: learning_rate is out of range.");
  const Result<JobResult> counted = run(
      rl(R"({"trajectories":[{"messages_and_choices":[{"index":0,"finish_reason":"stop","message":)"
         R"({"role":"assistant","content":"a"},"prompt_token_ids":[1],"token_ids":[2,3],)"
         R"("logprobs":{"content":[{"token":"a","logprob":-1}]}}]}]})"
         "\n"));
  EXPECT_EQ(counted.error().message(),
            "The training data cannot be used: group 1: trajectories[0]: a choice has 2 token_ids "
            "but 1 logprobs.");
}

TEST_F(Jobs, ManualJobsNameLinesAndUnknownFields) {
  JobSpec examples = rl(row("a", "b"));
  examples.is_manual = true;
  const std::string problem = run(examples).error().message();
  EXPECT_TRUE(
      problem.starts_with("The training data cannot be used: line 1: it has no "
                          "trajectories: RL learns from groups"))
      << problem;
  EXPECT_TRUE(problem.ends_with("; this is an example for SFT.")) << problem;
  JobSpec misspelt = sft(row("a", "b"), R"({"batchsize":1})");
  EXPECT_TRUE(run(misspelt)) << "of a server that is newer";
  misspelt.is_manual = true;
  EXPECT_EQ(run(misspelt).error().message(),
            "The job's configuration cannot be used: unknown fields: batchsize.");
}

TEST_F(Jobs, ReadFilesThatBeginWithAByteOrderMark) {
  const Result<JobResult> result = run(sft("\xEF\xBB\xBF" + row("a", "b")));
  EXPECT_TRUE(result) << result.error().message();
}

TEST_F(Jobs, ShortenTemplateErrors) {
  const Result<JobResult> result =
      run(rl(R"({"trajectories":[{"messages_and_choices":[{"role":"user","content":7},{"index":0,)"
             R"("finish_reason":"stop","message":{"role":"assistant","content":"a"},"logprobs":)"
             R"({"content":[{"token":"a","logprob":-1}]}}]}]})"
             "\n"));
  ASSERT_FALSE(result);
  const std::string& problem = result.error().message();
  EXPECT_NE(problem.find("group 1: trajectories[0]: the chat template refuses it: "),
            std::string::npos)
      << problem;
  EXPECT_EQ(problem.find("http"), std::string::npos) << problem;
}

TEST_F(Jobs, OnlyFileErrorsAreTrainerFaults) {
  JobSpec job = sft(row("a", "b"));
  job.data = base_.at("none");
  EXPECT_TRUE(isTrainersFault(run(job).error()));
  job = sft(row("a", "b") + row("c", "d"), R"({"batch_size":1})");
  job.state = base_.at("none/state");
  job.seconds_between_states = 0;
  EXPECT_TRUE(isTrainersFault(run(job).error())) << "a state that cannot be written";
  job = sft(row("a", "b"));
  base_.folder().write("file", "");
  job.out = base_.at("file/out");
  EXPECT_TRUE(isTrainersFault(run(job).error())) << "a result that cannot be written";
  job = sft(row("a", "b"));
  job.adapter = base_.at("none");
  EXPECT_TRUE(isTrainersFault(run(job).error()));
  EXPECT_FALSE(isTrainersFault(run(sft("{}\n")).error()));
  EXPECT_FALSE(isTrainersFault(run(sft(row("a", "b"), R"({"seed":-1})")).error()));
  EXPECT_TRUE(run(sft(row("a", "b")))) << "the next one is not disturbed";
}

TEST_F(Jobs, GiveAdviceForAnUnreadableBase) {
  JobSpec job = sft(row("a", "b"));
  job.base = base_.at("none.gguf");
  const std::string what_to_do = " Replace its file, or train another base model.";
  EXPECT_EQ(run(job).error().message(),
            "The base model tiny cannot be used: No such file or directory." + what_to_do);
  EXPECT_TRUE(isTrainersFault(run(job).error()));
  base_.folder().write("broken.gguf", "GGUF and no more");
  job.base = base_.at("broken.gguf");
  const Error broken = run(job).error();
  EXPECT_TRUE(broken.message().starts_with("The base model tiny cannot be used: The GGUF file "))
      << broken.message();
  EXPECT_TRUE(broken.message().ends_with(what_to_do)) << broken.message();
  EXPECT_FALSE(isTrainersFault(broken));
}

TEST_F(Jobs, GiveAdviceForAnUnusableReference) {
  JobSpec job = rl(group({{"[98,99]", 1}, {"[100,101]", 0}}), R"({"kl_penalty_coef":0.1})");
  Adapter other = adapterForTest(base_.load()->shape());
  other.pairs.begin()->second.down.resize(4);
  ASSERT_TRUE(writeAdapterFolder(other, base_.at("reference")));
  job.reference = base_.at("reference");
  const Error error = run(job).error();
  EXPECT_TRUE(error.message().starts_with("The KL reference adapter cannot be used: "))
      << error.message();
  EXPECT_TRUE(
      error.message().ends_with(". Name another one, or none to use the base model as reference."))
      << error.message();
}

TEST_F(Jobs, GiveAdviceAfterOutOfMemory) {
  const Error memory = failureOf(std::bad_alloc());
  EXPECT_EQ(withAdvice(memory, JobSpec::Kind::kSft).message(),
            "The trainer ran out of memory: a smaller batch_size, shorter rows or a smaller base "
            "model need less.");
  EXPECT_EQ(withAdvice(memory, JobSpec::Kind::kRl).message(),
            "The trainer ran out of memory: a smaller packed_sequence_length, shorter trajectories "
            "or a smaller base model need less.");
  const Error other = failureOf(std::runtime_error("sizes differ"));
  EXPECT_EQ(withAdvice(other, JobSpec::Kind::kRl).message(), other.message());
}

TEST_F(Jobs, FailIfTheLossIsNotFinite) {
  const Result<JobResult> result = run(sft(row("a", "b") + row("c", "d") + row("e", "f"),
                                           R"({"learning_rate":1e30,"batch_size":1})"));
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message().find("The loss is not a number at step"), std::string::npos)
      << result.error().message();
  EXPECT_FALSE(std::filesystem::exists(base_.at("out")));
}

TEST_F(Jobs, TrainOnRewards) {
  const std::string data = group({{"[98,99]", 1}, {"[100,101]", 0}, {"[102,103]", 0}});
  for (const std::string config :
       {R"("loss_fn":"cispo")", R"("loss_fn":"ppo","epsilon":0.9)",
        R"("importance_sampling_level":"sequence","loss_fn":"ppo","epsilon":0.9)",
        R"("kl_penalty_coef":0.1)",
        R"("precalculate_logprobs":true,"truncated_importance_sampling":2.0)"}) {
    const JobSpec job =
        rl(data, R"({"learning_rate":0.02,"max_grad_norm":1.0,"lora_rank":4,)" + config + "}");
    const Result<JobResult> result = run(job);
    ASSERT_TRUE(result) << config << ": " << result.error().message();
    ASSERT_EQ(events_.steps.size(), 1U) << "one row";
    const Metrics& metrics = events_.steps[0].second;
    for (const char* name :
         {"loss", "policy_loss", "entropy", "kl_div", "grad_norm", "learning_rate", "reward",
          "reward_std_dev", "exception_rate", "num_groups_submitted", "num_groups_trainable",
          "num_trajectories", "num_trainable_tokens", "num_datums", "tokens_per_second",
          "loss/importance_ratio_mean", "loss/clipped_token_fraction"})
      EXPECT_TRUE(metrics.contains(name)) << config << " " << name;
    EXPECT_EQ(metrics.at("num_trainable_tokens"), 6);
    EXPECT_EQ(metrics.contains("kl_policy_ref"), config.find("kl_") != std::string::npos);

    const std::string fresh = base_.at("fresh");
    ASSERT_TRUE(
        writeAdapterFolder(createAdapter(base_.load()->shape(), {.rank = 4, .alpha = 32}), fresh));
    EXPECT_GT(logprobOf(job.out, {98, 99}), logprobOf(fresh, {98, 99})) << config;
    EXPECT_LT(logprobOf(job.out, {100, 101}), logprobOf(fresh, {100, 101})) << config;
  }
}

TEST_F(Jobs, UseTheGivenKlReference) {
  JobSpec job = rl(group({{"[98,99]", 1}, {"[100,101]", 0}}),
                   R"({"learning_rate":0.02,"kl_penalty_coef":0.1,)"
                   R"("kl_penalty_source":"current_learner"})");
  ASSERT_TRUE(run(job));
  EXPECT_NEAR(events_.steps[0].second.at("kl_policy_ref"), 0, 1e-6) << "a new adapter is the base";
  ASSERT_TRUE(writeAdapterFolder(adapterForTest(base_.load()->shape()), base_.at("reference")));
  job.reference = base_.at("reference");
  ASSERT_TRUE(run(job));
  EXPECT_GT(std::abs(events_.steps[0].second.at("kl_policy_ref")), 1e-3);
}

TEST_F(Jobs, WithoutDifferentRewardsChangeNothing) {
  const Result<JobResult> result = run(rl(group({{"[98]", 1}, {"[99]", 1}})));
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_TRUE(result->unchanged);
  EXPECT_EQ(result->metrics.at("num_groups_trainable"), 0);
  EXPECT_EQ(events_.starts, std::vector<std::uint64_t>{0});
  EXPECT_NE(events_.note.find("rewards"), std::string::npos) << events_.note;
  EXPECT_TRUE(events_.steps.empty());
  EXPECT_FALSE(std::filesystem::exists(base_.at("out")));
}

TEST_F(Jobs, RlJobsResumeBitIdentically) {
  std::string data;
  for (int i = 0; i < 4; ++i)
    data += group({{"[98,99]", 1}, {"[100,10" + std::to_string(i) + "]", 0}});
  JobSpec job = rl(data, R"({"learning_rate":0.02,"packed_sequence_length":16,)"
                         R"("precalculate_logprobs":true,"kl_penalty_coef":0.1})");
  ASSERT_TRUE(run(job));
  ASSERT_GE(events_.steps.size(), 3U);
  const Adapter whole = adapterIn(job.out);
  saveStates(job, 0);
  events_.cancel_after = 3;
  ASSERT_FALSE(runner_.run(job, events_));
  ASSERT_TRUE(run(job));
  EXPECT_EQ(events_.steps.front().first, 3U);
  expectEqual(adapterIn(job.out), whole);
}

TEST_F(Jobs, ScaleTheRateByTrajectoriesAndDeviation) {
  JobSpec job = rl(group({{"[98,99]", 1}, {"[100,101]", 0}, {"[102]", 0}, {"[103]", 0}}),
                   R"({"learning_rate":0.01,"num_trajectories_learning_rate_multiplier_power":0.5,)"
                   R"("scale_learning_rate_by_reward_std_dev":true})");
  job.reward_history = {{0, 0.5}, {1, 0.4}, {2, 0.3}};
  ASSERT_TRUE(run(job));
  EXPECT_NEAR(events_.steps[0].second.at("learning_rate"), 0.01 * 2 * 0.6, 1e-9);
}

}  // namespace
}  // namespace spindle::trainer
