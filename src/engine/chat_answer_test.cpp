#include "engine/chat_answer.h"

#include <gtest/gtest.h>

#include "engine/model_for_test.h"
#include "engine/scheduler.h"
#include "json/document.h"
#include "schema/parse.h"

namespace spindle::engine {
namespace {

class EventsForTest final : public EventOut {
 public:
  void send(const std::string& data) override {
    const std::lock_guard lock(mutex_);
    events_.push_back(data);
  }
  void finish() override {
    const std::lock_guard lock(mutex_);
    finished_ = true;
    changed_.notify_all();
  }
  bool isWanted() const override { return true; }

  std::vector<std::string> all() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return finished_; });
    return events_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> events_;
  bool finished_ = false;
};

class ChatAnswerTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    model_ = std::make_unique<ModelForTest>();
    template_ = *ChatTemplate::of(**model_);
  }
  static void TearDownTestSuite() {
    template_.reset();
    model_.reset();
  }

  static ChatRequest request(const std::string& json) {
    Result<ChatRequest> read = schema::parse(chatRequestCodec(), json);
    EXPECT_TRUE(read) << json;
    return read ? *std::move(read) : ChatRequest();
  }
  static std::string with(const std::string& members) {
    return R"({"model":"tiny","temperature":0,"messages":[{"role":"user","content":"Hi"}])" +
           (members.empty() ? "" : "," + members) + "}";
  }
  static Result<ChatPlan> plan(const std::string& members) {
    return planChat(**model_, *template_, request(with(members)), kContext, 1);
  }
  static std::string refusal(const std::string& members) {
    const Result<ChatPlan> made = plan(members);
    if (made) return "";
    EXPECT_EQ(made.error().code(), ErrorCode::kInvalidArgument);
    return made.error().message();
  }
  AnswerFrame frame(const std::string& members) {
    Result<ChatPlan> made = plan(members);
    EXPECT_TRUE(made) << made.error().message();
    AnswerFrame frame;
    frame.head = {"chatcmpl-1", 7, "tiny"};
    frame.plan = *std::move(made);
    frame.view.logprobs = frame.plan.shows_logprobs;
    frame.view.bytes_of = [](Token token) { return (*model_)->bytesOf(token, true); };
    frame.new_call_id = [] { return std::string("call_1"); };
    return frame;
  }
  std::string whole(const std::string& members) {
    AnswerFrame made = frame(members);
    const GenerationRequest generation = made.plan.generation;
    const std::int64_t answers = made.plan.answers;
    const auto answer = std::make_shared<WholeAnswer>(std::move(made));
    for (std::int64_t i = 0; i < answers; ++i)
      EXPECT_TRUE(scheduler_.submit(generation, answer->sink(i)));
    const Result<std::string> text = answer->wait();
    EXPECT_TRUE(text) << text.error().message();
    return text ? *text : std::string();
  }
  std::vector<std::string> streamed(const std::string& members, StreamedAnswer::Usage usage) {
    AnswerFrame made = frame(members);
    const GenerationRequest generation = made.plan.generation;
    const std::int64_t answers = made.plan.answers;
    const auto out = std::make_shared<EventsForTest>();
    const auto answer = std::make_shared<StreamedAnswer>(std::move(made), usage, out);
    for (std::int64_t i = 0; i < answers; ++i)
      EXPECT_TRUE(scheduler_.submit(generation, answer->sink(i)));
    return out->all();
  }
  /// The text at a path of names and positions.
  static std::string at(const std::string& text, const std::vector<LocStep>& path) {
    const auto parsed = json::Document::parse(text);
    const auto* document = std::get_if<json::Document>(&parsed);
    if (document == nullptr) return "no JSON";
    json::Node node = document->root();
    for (const LocStep& step : path) {
      if (const auto* name = std::get_if<std::string>(&step)) {
        const std::optional<json::Node> member = node.find(*name);
        if (!member) return "nothing";
        node = *member;
      } else {
        std::int64_t left = std::get<std::int64_t>(step);
        for (const json::Node item : node) {
          node = item;
          if (left-- == 0) break;
        }
      }
    }
    return node.isString() ? node.text() : std::string(node.raw());
  }

  static constexpr std::int64_t kContext = 1000;
  static std::unique_ptr<ModelForTest> model_;
  static std::unique_ptr<ChatTemplate> template_;
  Scheduler scheduler_{**model_, {.slots = 2, .context = kContext, .threads = 1, .exact = true}};
};
std::unique_ptr<ModelForTest> ChatAnswerTest::model_;
std::unique_ptr<ChatTemplate> ChatAnswerTest::template_;

constexpr std::int64_t kFirst = 0;

TEST_F(ChatAnswerTest, AWholeAnswerHasItsShape) {
  const std::string text = whole(R"("max_tokens":5)");
  EXPECT_EQ(at(text, {"object"}), "chat.completion");
  EXPECT_EQ(at(text, {"model"}), "tiny");
  EXPECT_EQ(at(text, {"choices", kFirst, "index"}), "0");
  EXPECT_EQ(at(text, {"choices", kFirst, "message", "role"}), "assistant");
  EXPECT_EQ(at(text, {"choices", kFirst, "message", "reasoning"}), "null");
  EXPECT_EQ(at(text, {"choices", kFirst, "finish_reason"}), "length");
  EXPECT_EQ(at(text, {"choices", kFirst, "logprobs"}), "null");
  EXPECT_EQ(at(text, {"usage", "completion_tokens"}), "5");
  EXPECT_EQ(at(text, {"usage", "prompt_tokens_details", "cached_tokens"}), "0");
}

TEST_F(ChatAnswerTest, AStreamSaysTheSameInPieces) {
  const std::string expected =
      at(whole(R"("max_tokens":20)"), {"choices", kFirst, "message", "content"});
  const std::vector<std::string> events =
      streamed(R"("max_tokens":20,"stream":true)", {.at_end = true});
  ASSERT_GE(events.size(), 4U);
  EXPECT_EQ(at(events[0], {"choices", kFirst, "delta", "role"}), "assistant");
  EXPECT_EQ(at(events[0], {"choices", kFirst, "delta", "content"}), "");
  std::string content;
  for (std::size_t i = 1; i + 3 < events.size(); ++i)
    content += at(events[i], {"choices", kFirst, "delta", "content"});
  EXPECT_EQ(content, expected);
  EXPECT_EQ(at(events[events.size() - 3], {"choices", kFirst, "finish_reason"}), "length");
  EXPECT_EQ(at(events[events.size() - 3], {"choices", kFirst, "delta"}), "{}");
  EXPECT_EQ(at(events[events.size() - 2], {"choices"}), "[]");
  EXPECT_EQ(at(events[events.size() - 2], {"usage", "completion_tokens"}), "20");
  EXPECT_EQ(events.back(), "[DONE]");
}

TEST_F(ChatAnswerTest, SeveralAnswersCountThePromptOnce) {
  const std::string text = whole(R"("max_tokens":4,"n":3)");
  EXPECT_EQ(at(text, {"choices", std::int64_t{2}, "index"}), "2");
  EXPECT_EQ(at(text, {"usage", "completion_tokens"}), "12");
  const std::vector<std::string> events = streamed(R"("max_tokens":4,"n":2,"stream":true)", {});
  EXPECT_EQ(std::count_if(events.begin(), events.end(),
                          [](const std::string& event) {
                            return at(event, {"choices", kFirst, "finish_reason"}) == "length";
                          }),
            2);
}

TEST_F(ChatAnswerTest, CallsOfToolsAreRead) {
  const std::string members =
      R"("max_tokens":200,"tool_choice":{"type":"function","function":{"name":"add"}},"tools":[)"
      R"({"type":"function","function":{"name":"add","parameters":{"type":"object","properties":)"
      R"({"a":{"type":"integer"}},"required":["a"]}}},)"
      R"({"type":"function","function":{"name":"other","parameters":{"type":"object"}}}])";
  const std::string text = whole(members);
  EXPECT_EQ(at(text, {"choices", kFirst, "message", "tool_calls", kFirst, "function", "name"}),
            "add")
      << text;
  EXPECT_EQ(at(text, {"choices", kFirst, "message", "tool_calls", kFirst, "id"}), "call_1");
  EXPECT_EQ(at(text, {"choices", kFirst, "message", "content"}), "null");
  std::string arguments;
  std::string name;
  for (const std::string& event : streamed(members + R"(,"stream":true)", {})) {
    const std::string calls = at(event, {"choices", kFirst, "delta", "tool_calls"});
    if (!calls.starts_with("[")) continue;
    // The first piece names the call and may bring the beginning of its arguments along.
    const std::int64_t pieces = calls.find(R"(},{"index")") == std::string::npos ? 1 : 2;
    for (std::int64_t i = 0; i < pieces; ++i) {
      if (at(calls, {i, "index"}) != "0") continue;
      arguments += at(calls, {i, "function", "arguments"});
      const std::string found = at(calls, {i, "function", "name"});
      if (found != "nothing") name = found;
    }
  }
  EXPECT_EQ(name, "add");
  EXPECT_EQ(arguments, at(text, {"choices", kFirst, "message", "tool_calls", kFirst, "function",
                                 "arguments"}));
}

TEST_F(ChatAnswerTest, LogProbabilitiesAreShownWhenAskedFor) {
  const std::string text = whole(R"("max_tokens":2,"logprobs":true,"top_logprobs":2)");
  const std::vector<LocStep> first = {"choices", kFirst, "logprobs", "content", kFirst};
  std::vector<LocStep> path = first;
  path.insert(path.end(), {"top_logprobs", kFirst, "logprob"});
  const std::string best = at(text, path);
  path = first;
  path.emplace_back("logprob");
  EXPECT_EQ(at(text, path), best) << "cold takes the likeliest";
}

TEST_F(ChatAnswerTest, RefusesWhatDoesNotGoTogether) {
  EXPECT_EQ(refusal(R"("stream_options":{"include_usage":true})"),
            "stream_options is only for stream=true.");
  EXPECT_EQ(refusal(R"("top_logprobs":2)"), "top_logprobs needs logprobs=true.");
  EXPECT_EQ(refusal(R"("tool_choice":"required")"),
            "tool_choice is 'required', but there are no tools.");
  EXPECT_EQ(refusal(R"("tool_choice":{"type":"function","function":{"name":"f"}},)"
                    R"("tools":[{"type":"function","function":{"name":"g"}}])"),
            "tool_choice names 'f', which is no tool.");
  EXPECT_EQ(refusal(R"("response_format":{"type":"json_schema"})"),
            "response_format.json_schema has no schema.");
  EXPECT_EQ(refusal(R"("logit_bias":{"x":1})"), "logit_bias: 'x' is no token id.");
  EXPECT_NE(refusal(R"("max_tokens":1000)").find("maximum context length is 1000"),
            std::string::npos);
  EXPECT_NE(refusal(R"("messages":[{"content":"no role"}])").find("cannot be used"),
            std::string::npos);
}

}  // namespace
}  // namespace spindle::engine
