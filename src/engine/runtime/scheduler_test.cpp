#include "engine/runtime/scheduler.h"

#include <future>
#include <numeric>

#include <gtest/gtest.h>
#include <llama.h>

#include "engine/runtime/llama_for_test.h"
#include "engine/runtime/model_for_test.h"

namespace spindle::engine {
namespace {

class SchedulerTest : public SharedModelTest {
 protected:
  static SchedulerOptions options() {
    return {.slots = 3, .context = 256, .batch = 64, .queue = 8, .threads = 1, .exact = true};
  }
  static GenerationRequest request(const std::string& text, std::int64_t max_tokens = 24) {
    GenerationRequest request;
    request.prompt = (*model_)->tokensOf(text, true);
    request.sampling.temperature = 0;
    request.max_tokens = max_tokens;
    request.ignore_end = true;
    return request;
  }
  static std::shared_ptr<SinkForTest> run(Scheduler& scheduler, GenerationRequest request) {
    auto sink = std::make_shared<SinkForTest>();
    const Result<void> submitted = scheduler.submit(std::move(request), sink);
    EXPECT_TRUE(submitted) << submitted.error().message();
    return sink;
  }

  /// Returns a context of llama.cpp with the precision of SchedulerOptions::exact.
  static llama_context* exactContext() {
    llama_context_params params = referenceParams();
    params.type_k = GGML_TYPE_F32;
    params.type_v = GGML_TYPE_F32;
    params.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_DISABLED;
    return llama_init_from_model((*model_)->handle(), params);
  }

  /// Returns the logits of every token, computed by llama.cpp without the scheduler.
  static std::vector<std::vector<float>> logitsOf(const std::vector<Token>& prompt) {
    llama_context* context = exactContext();
    std::vector<std::vector<float>> all;
    for (Token token : prompt) {
      EXPECT_EQ(llama_decode(context, llama_batch_get_one(&token, 1)), 0);
      const float* logits = llama_get_logits_ith(context, -1);
      all.emplace_back(logits, logits + (*model_)->vocabularySize());
    }
    llama_free(context);
    return all;
  }

  /// Generates with llama.cpp alone: one sequence, token by token.
  static std::vector<Token> referenceTokens(const GenerationRequest& request,
                                            const Adapter* adapter = nullptr) {
    llama_context* context = exactContext();
    if (adapter != nullptr) {
      llama_adapter_lora* handle = adapter->handle();
      float scale = 1;
      llama_set_adapters_lora(context, &handle, 1, &scale);
    }
    std::vector<Token> due = request.prompt;
    std::vector<Token> generated;
    while (static_cast<std::int64_t>(generated.size()) < request.max_tokens) {
      EXPECT_EQ(llama_decode(context, llama_batch_get_one(due.data(),
                                                          static_cast<std::int32_t>(due.size()))),
                0);
      const float* logits = llama_get_logits_ith(context, -1);
      const float* largest = std::max_element(logits, logits + (*model_)->vocabularySize());
      generated.push_back(static_cast<Token>(largest - logits));
      due = {generated.back()};
    }
    llama_free(context);
    return generated;
  }
};

TEST_F(SchedulerTest, EqualsLlamaCppAlone) {
  Scheduler scheduler(**model_, options());
  const GenerationRequest asked = request("<|im_start|>he said");
  const auto sink = run(scheduler, asked);
  EXPECT_EQ(sink->tokens(), referenceTokens(asked));
  EXPECT_EQ(sink->end().reason, FinishReason::kLength);
  EXPECT_EQ(sink->end().prompt_tokens, static_cast<std::int64_t>(asked.prompt.size()));
  EXPECT_EQ(sink->end().completion_tokens, 24);
  EXPECT_EQ(sink->end().cached_tokens, 0);
}

TEST_F(SchedulerTest, OtherGenerationsChangeNothing) {
  Scheduler scheduler(**model_, options());
  std::vector<GenerationRequest> asked;
  std::vector<std::shared_ptr<SinkForTest>> sinks;
  for (const std::string text :
       {"alpha", "beta has a longer prompt", "c", "delta 4", "epsilon", "zeta zeta"}) {
    asked.push_back(request(text, 20 + static_cast<std::int64_t>(text.size())));
    sinks.push_back(run(scheduler, asked.back()));
  }
  for (std::size_t i = 0; i < asked.size(); ++i)
    EXPECT_EQ(sinks[i]->tokens(), referenceTokens(asked[i])) << i;
}

TEST_F(SchedulerTest, ProcessesALongPromptInSeveralSteps) {
  Scheduler scheduler(**model_, options());
  const GenerationRequest asked = request(std::string(150, 'q') + "and", 16);
  ASSERT_GT(asked.prompt.size(), 128U);
  EXPECT_EQ(run(scheduler, asked)->tokens(), referenceTokens(asked));
}

TEST_F(SchedulerTest, ReusesCachedPrefixes) {
  Scheduler scheduler(**model_, options());
  const std::string shared(100, 'p');
  const GenerationRequest first = request(shared + " one");
  const GenerationRequest second = request(shared + " two");
  const auto before = run(scheduler, first);
  EXPECT_EQ(before->end().cached_tokens, 0);
  const auto after = run(scheduler, second);
  EXPECT_GE(after->end().cached_tokens, 100);
  EXPECT_EQ(after->tokens(), referenceTokens(second));
  const auto again = run(scheduler, second);
  EXPECT_EQ(again->end().cached_tokens, static_cast<std::int64_t>(second.prompt.size()) - 1)
      << "the last token is always processed";
  EXPECT_EQ(again->tokens(), referenceTokens(second));
}

TEST_F(SchedulerTest, ConcurrentRequestsComputeASharedPrefixOnce) {
  Scheduler scheduler(**model_, options());
  const GenerationRequest asked = request(std::string(150, 's'), 30);
  std::vector<std::shared_ptr<SinkForTest>> sinks;
  sinks.reserve(3);
  for (int i = 0; i < 3; ++i) sinks.push_back(run(scheduler, asked));
  std::int64_t cached = 0;
  for (const auto& sink : sinks) {
    EXPECT_EQ(sink->tokens(), referenceTokens(asked));
    cached += sink->end().cached_tokens;
  }
  // The last tokens are not worth waiting for.
  EXPECT_GE(cached, 2 * (static_cast<std::int64_t>(asked.prompt.size()) - 64));
}

TEST_F(SchedulerTest, OnlyTheSameSaltSharesAPrompt) {
  Scheduler scheduler(**model_, options());
  GenerationRequest asked = request(std::string(80, 's'));
  run(scheduler, asked)->end();
  asked.cache_salt = "mine";
  EXPECT_EQ(run(scheduler, asked)->end().cached_tokens, 0);
  EXPECT_GT(run(scheduler, asked)->end().cached_tokens, 0);
}

TEST_F(SchedulerTest, AdaptersAlternateWithoutInterference) {
  Scheduler scheduler(**model_, options());
  const std::shared_ptr<Adapter> a = model_->adapter(1);
  const std::shared_ptr<Adapter> b = model_->adapter(2);
  scheduler.addAdapter("a", a);
  scheduler.addAdapter("b", b);
  std::vector<std::shared_ptr<SinkForTest>> sinks;
  std::vector<GenerationRequest> asked;
  for (const std::string name : {"", "a", "b"}) {
    asked.push_back(request("the same prompt for all of them"));
    asked.back().adapter = name;
    sinks.push_back(run(scheduler, asked.back()));
  }
  EXPECT_EQ(sinks[0]->tokens(), referenceTokens(asked[0]));
  EXPECT_EQ(sinks[1]->tokens(), referenceTokens(asked[1], a.get()));
  EXPECT_EQ(sinks[2]->tokens(), referenceTokens(asked[2], b.get()));
  EXPECT_NE(sinks[1]->tokens(), sinks[0]->tokens());
  for (const auto& sink : sinks) EXPECT_EQ(sink->end().cached_tokens, 0);
  ASSERT_TRUE(scheduler.removeAdapter("a"));
  EXPECT_FALSE(scheduler.removeAdapter("a"));
  auto sink = std::make_shared<SinkForTest>();
  EXPECT_EQ(scheduler.submit(asked[1], sink).error().code(), ErrorCode::kNotFound);
}

TEST_F(SchedulerTest, StopsAtStopTokensAndTexts) {
  Scheduler scheduler(**model_, options());
  GenerationRequest asked = request("go on", 40);
  for (Token letter = 'a'; letter <= 'z'; ++letter) asked.sampling.logit_bias[letter] = 100;
  const std::vector<Token> all = run(scheduler, asked)->tokens();
  // Stop token.
  GenerationRequest at_token = asked;
  at_token.stop_tokens = {all[9]};
  const auto first =
      static_cast<std::size_t>(std::find(all.begin(), all.end(), all[9]) - all.begin());
  const auto stopped = run(scheduler, at_token);
  EXPECT_EQ(stopped->tokens().size(), first + 1);
  EXPECT_EQ(stopped->end().reason, FinishReason::kStop);
  EXPECT_EQ(stopped->end().stop_token, all[9]);
  // Stop text.
  const std::string whole = run(scheduler, asked)->text();
  ASSERT_GT(whole.size(), 12U);
  GenerationRequest at_text = asked;
  at_text.stop_texts = {whole.substr(6, 4)};
  const auto text = run(scheduler, at_text);
  EXPECT_EQ(text->text(), whole.substr(0, whole.find(whole.substr(6, 4))));
  EXPECT_EQ(text->end().stop_text, whole.substr(6, 4));
  // Not before min_tokens.
  at_token.min_tokens = static_cast<std::int64_t>(first) + 5;
  EXPECT_GE(run(scheduler, at_token)->tokens().size(), first + 5);
}

TEST_F(SchedulerTest, FollowsTheGrammar) {
  Scheduler scheduler(**model_, options());
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    GenerationRequest asked = request("a number:", 30);
    asked.sampling.temperature = 1.5;
    asked.sampling.seed = seed;
    asked.ignore_end = false;
    asked.grammar = GrammarText{R"(root ::= "{\"n\":" [1-9] [0-9] [0-9] "}")"};
    const auto sink = run(scheduler, asked);
    EXPECT_EQ(sink->end().reason, FinishReason::kStop);
    const std::string& text = sink->text();
    ASSERT_EQ(text.size(), 9U) << text;
    EXPECT_EQ(text.substr(0, 5), "{\"n\":");
    EXPECT_EQ(text.back(), '}');
  }
  GenerationRequest wrong = request("x");
  wrong.grammar = GrammarText{"root ::= ("};
  EXPECT_EQ(scheduler.submit(wrong, std::make_shared<SinkForTest>()).error().code(),
            ErrorCode::kInvalidArgument);
}

TEST_F(SchedulerTest, ReturnsTopLogprobs) {
  Scheduler scheduler(**model_, options());
  GenerationRequest asked = request("which?", 5);
  asked.top_logprobs = 3;
  const auto sink = run(scheduler, asked);
  for (const GeneratedToken& token : sink->details()) {
    ASSERT_EQ(token.top.size(), 3U);
    EXPECT_EQ(token.top[0].token, token.token) << "greedy sampling takes the most likely token";
    EXPECT_EQ(token.top[0].logprob, token.logprob);
    EXPECT_LE(token.logprob, 0);
  }
}

TEST_F(SchedulerTest, TheSameSeedGivesTheSame) {
  Scheduler scheduler(**model_, options());
  GenerationRequest asked = request("dice", 20);
  asked.sampling.temperature = 1;
  asked.sampling.seed = 11;
  const std::vector<Token> first = run(scheduler, asked)->tokens();
  EXPECT_EQ(run(scheduler, asked)->tokens(), first);
  asked.sampling.seed = 12;
  EXPECT_NE(run(scheduler, asked)->tokens(), first);
}

TEST_F(SchedulerTest, StopsCancelledGenerations) {
  Scheduler scheduler(**model_, options());
  const auto sink = std::make_shared<SinkForTest>();
  sink->wantOnly(3);
  ASSERT_TRUE(scheduler.submit(request("endless", 200), sink));
  EXPECT_EQ(sink->end().reason, FinishReason::kCancelled);
  EXPECT_EQ(sink->tokens().size(), 3U);
  GenerationRequest late = request("late");
  late.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  EXPECT_EQ(run(scheduler, late)->end().reason, FinishReason::kTimeout);
}

TEST_F(SchedulerTest, RefusesInvalidRequests) {
  SchedulerOptions small = options();
  small.queue = 0;
  Scheduler scheduler(**model_, small);
  const auto code = [&](GenerationRequest asked) {
    return scheduler.submit(std::move(asked), std::make_shared<SinkForTest>()).error().code();
  };
  EXPECT_EQ(code(GenerationRequest{}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(request("x", 256)), ErrorCode::kInvalidArgument) << "longer than the context";
  GenerationRequest unknown = request("x");
  unknown.prompt.push_back(264);
  EXPECT_EQ(code(unknown), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(request("x")), ErrorCode::kRateLimited);
}

TEST_F(SchedulerTest, PromptLogprobsEqualLlamaCpp) {
  GenerationRequest asked = request("What is this text worth, token by token?", 0);
  asked.prompt_logprobs = 2;
  Scheduler scheduler(**model_,
                      {.slots = 2, .context = 256, .batch = 16, .threads = 1, .exact = true});
  // In several steps, and although the whole prompt is cached.
  run(scheduler, request("What is this text worth, token by token?", 1))->end();
  const auto sink = run(scheduler, asked);
  EXPECT_EQ(sink->end().reason, FinishReason::kLength);
  EXPECT_EQ(sink->end().cached_tokens, 0);
  EXPECT_EQ(sink->end().completion_tokens, 0);
  const std::vector<GeneratedToken>& scored = sink->prompt();
  ASSERT_EQ(scored.size(), asked.prompt.size());
  const std::vector<std::vector<float>> logits = logitsOf(asked.prompt);
  for (std::size_t i = 1; i < scored.size(); ++i) {
    EXPECT_EQ(scored[i].token, asked.prompt[i]);
    const std::vector<float>& before = logits[i - 1];
    const TokenLogprobs expected = logprobsOf(before.data(), before.size(), asked.prompt[i], 2);
    EXPECT_NEAR(scored[i].logprob, expected.logprob, 1e-3);
    ASSERT_EQ(scored[i].top.size(), 2U);
    EXPECT_NEAR(scored[i].top[0].logprob, expected.top[0].logprob, 1e-3);
    EXPECT_GE(scored[i].rank, 1);
  }
}

/// Blocks the scheduler until it is released.
class HoldingSink final : public GenerationSink {
 public:
  bool isWanted() const override { return true; }
  void onPrompt(std::vector<GeneratedToken> /*tokens*/) override {}
  void onDelta(GenerationDelta /*delta*/) override {
    begun.set_value();
    go_on.get_future().wait();
  }
  void onEnd(const GenerationEnd& /*end*/) override {}

  std::promise<void> begun;
  std::promise<void> go_on;
};

/// Records the order in which generations end.
class OrderSink final : public GenerationSink {
 public:
  OrderSink(std::string name, std::vector<std::string>& order, std::promise<void>* all_done)
      : name_(std::move(name)), order_(order), all_done_(all_done) {}
  bool isWanted() const override { return true; }
  void onPrompt(std::vector<GeneratedToken> /*tokens*/) override {}
  void onDelta(GenerationDelta /*delta*/) override {}
  void onEnd(const GenerationEnd& /*end*/) override {
    order_.push_back(name_);
    if (order_.size() == 4) all_done_->set_value();
  }

 private:
  const std::string name_;
  std::vector<std::string>& order_;
  std::promise<void>* const all_done_;
};

TEST_F(SchedulerTest, LowerPriorityValuesStartFirst) {
  std::vector<std::string> order;
  std::promise<void> all_done;
  Scheduler scheduler(**model_, {.slots = 1, .context = 256, .threads = 1});
  const auto holding = std::make_shared<HoldingSink>();
  ASSERT_TRUE(scheduler.submit(request("first", 1), holding));
  holding->begun.get_future().wait();
  const auto submit = [&](const std::string& name, std::int64_t priority) {
    GenerationRequest one = request(name, 1);
    one.priority = priority;
    ASSERT_TRUE(scheduler.submit(one, std::make_shared<OrderSink>(name, order, &all_done)));
  };
  submit("late", 5);
  submit("usual", 0);
  submit("usual too", 0);
  submit("urgent", -1);
  holding->go_on.set_value();
  all_done.get_future().wait();
  EXPECT_EQ(order, (std::vector<std::string>{"urgent", "usual", "usual too", "late"}));
}

TEST_F(SchedulerTest, DestructorCancelsAllGenerations) {
  std::vector<std::shared_ptr<SinkForTest>> sinks;
  {
    Scheduler scheduler(**model_, options());
    for (int i = 0; i < 6; ++i)
      sinks.push_back(run(scheduler, request("long " + std::to_string(i), 240)));
  }
  for (const auto& sink : sinks) {
    const FinishReason reason = sink->end().reason;
    EXPECT_TRUE(reason == FinishReason::kCancelled || reason == FinishReason::kLength);
  }
}

}  // namespace
}  // namespace spindle::engine
