#include "agents/chat/trace_feed.h"

#include "agents/columnar/columnar_spans_for_test.h"
#include "agents/query/span_query_for_test.h"

namespace spindle::agents {
namespace {

class TraceFeedTest : public ::testing::Test, protected SpansForTest {
 protected:
  static AgentSpan answer(const std::string& trace, double start, const std::string& text) {
    AgentSpan made = span(trace, "s" + trace, start, 1);
    made.conversation_id = "c" + trace;
    made.input_messages = {{"user", "?", ""}};
    made.output_messages = {{"assistant", text, ""}};
    return made;
  }

  void write(std::vector<AgentSpan> spans) {
    ASSERT_TRUE(tested_.spans().write("prj", std::move(spans)));
  }

  void say(std::string_view kind, const std::string& id, int value) {
    feedback::Feedback said;
    said.id = "f" + std::to_string(++said_);
    said.created_at = at(said_);
    said.target_kind = kind;
    said.target_id = id;
    said.feedback_type = "quality";
    said.payload = R"({"v":)" + std::to_string(value) + "}";
    ASSERT_TRUE(tested_.feedback().add({{"prj", said}}));
  }

  std::vector<TraceFeedItem> fed(TraceFeedOptions options) {
    if (options.limit == 0) options.limit = 100;
    std::vector<TraceFeedItem> all;
    Result<TraceFeed> feed =
        TraceFeed::open(tested_.spans(), tested_.feedback(), "prj", std::move(options));
    EXPECT_TRUE(feed);
    while (feed) {
      Result<std::vector<TraceFeedItem>> some = feed->next();
      EXPECT_TRUE(some);
      if (!some || some->empty()) break;
      for (TraceFeedItem& one : *some) all.push_back(std::move(one));
    }
    return all;
  }

  static Texts idsOf(const std::vector<TraceFeedItem>& traces) {
    Texts ids;
    for (const TraceFeedItem& trace : traces) ids.push_back(trace.trace_id);
    return ids;
  }

  ColumnarSpansForTest tested_;
  int said_ = 0;
};

TEST_F(TraceFeedTest, ReturnsMatchingTracesOldestFirst) {
  std::vector<AgentSpan> spans;
  spans.reserve(41);
  for (int i = 0; i < 40; ++i) spans.push_back(answer(std::to_string(i + 10), 40 - i, "a"));
  spans[0].request_model = "m";
  AgentSpan tool = span("49", "x", 1.5, 1, "execute_tool");
  tool.request_model = "m";
  spans.push_back(tool);
  write(spans);
  const std::vector<TraceFeedItem> all = fed({});
  ASSERT_EQ(all.size(), 40U);
  EXPECT_EQ(all.front().trace_id, "49");
  EXPECT_EQ(all.front().conversation_id, "c49");
  EXPECT_EQ(all.back().trace_id, "10");
  EXPECT_EQ(all.back().conversation->answer, R"({"role":"assistant","content":"a"})");
  TraceFeedOptions options;
  options.filter.query = queryOf(is("request_model", R"("m")"));
  EXPECT_EQ(idsOf(fed(options)), Texts({"49", "10"}));
  options.limit = 1;
  EXPECT_EQ(idsOf(fed(options)), Texts({"49"}));
}

TEST_F(TraceFeedTest, ReturnsFeedbackOnTracesSpansAndConversations) {
  write({answer("1", 1, "a"), answer("2", 2, "b"), answer("3", 3, "c")});
  say(feedback::kConversationTarget, "c1", 1);
  say(feedback::kSpanTarget, "s1", 2);
  say(feedback::kTurnTarget, "1", 3);
  say(feedback::kTurnTarget, "1", 4);
  say(feedback::kTurnTarget, "2", 5);
  TraceFeedOptions options;
  options.feedback = true;
  const std::vector<TraceFeedItem> traces = fed(options);
  ASSERT_EQ(traces.size(), 3U);
  ASSERT_EQ(traces[0].feedback.size(), 3U);
  EXPECT_LT(traces[0].feedback[0].find(R"({"v":3})"), traces[0].feedback[0].find(R"({"v":4})"));
  EXPECT_NE(traces[0].feedback[1].find(R"({"v":2})"), std::string::npos);
  EXPECT_NE(traces[0].feedback[2].find(R"({"v":1})"), std::string::npos);
  EXPECT_EQ(traces[1].feedback.size(), 1U);
  EXPECT_TRUE(traces[2].feedback.empty());
}

TEST_F(TraceFeedTest, ReadsNumbersFromCustomAttributes) {
  AgentSpan real = answer("1", 1, "a");
  real.custom.reals = {{"my.score", 0.5}};
  AgentSpan later = span("1", "later", 2, 1);
  later.custom.integers = {{"my.score", 2}};
  AgentSpan truth = answer("2", 3, "b");
  truth.custom.booleans = {{"my.score", true}};
  AgentSpan text = answer("3", 4, "c");
  text.custom.strings = {{"my.score", "7"}};
  write({real, later, truth, text});
  TraceFeedOptions options;
  options.attribute = "my.score";
  const std::vector<TraceFeedItem> traces = fed(options);
  ASSERT_EQ(traces.size(), 3U);
  EXPECT_EQ(traces[0].number, 2);
  EXPECT_EQ(traces[1].number, 1);
  EXPECT_EQ(traces[2].number, std::nullopt);
  options.attribute = std::string("a\0b", 3);
  EXPECT_EQ(fed(options)[0].number, std::nullopt);
}

TEST_F(TraceFeedTest, RejectsInvalidQueries) {
  TraceFeedOptions options;
  options.limit = 1;
  options.filter.query = queryOf(R"({"$eq":[{"$getField":"a"},{"$getField":"b"}]})");
  EXPECT_FALSE(TraceFeed::open(tested_.spans(), tested_.feedback(), "prj", options));
}

}  // namespace
}  // namespace spindle::agents
