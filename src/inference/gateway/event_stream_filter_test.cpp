#include "inference/gateway/event_stream_filter.h"

#include <vector>

#include <gtest/gtest.h>

#include "inference/gateway/response_summary.h"

namespace spindle::inference {
namespace {

const std::string text_event =
    R"(data: {"choices":[{"index":0,"delta":{"content":"a"}}],"usage":null})";
const std::string usage_event =
    R"(data: {"id":"x","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,)"
    R"("total_tokens":10,"prompt_tokens_details":{"cached_tokens":4},)"
    R"("completion_tokens_details":{"reasoning_tokens":2}}})";
const std::string done_event = "data: [DONE]";

std::string stream(const std::string& end_of_line = "\n") {
  const std::string gap = end_of_line + end_of_line;
  return ": ping" + gap + text_event + gap + text_event + gap + usage_event + gap + done_event +
         gap;
}

/// Returns everything that the filter sends when the stream arrives in pieces of this size.
std::string passed(EventStreamFilter& filter, const std::string& text, std::size_t piece) {
  std::string onward;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    onward += filter.feed(std::string_view(text).substr(at, piece));
  }
  return onward + filter.finish();
}

TEST(EventStreamFilter, PassesBytesUnchanged) {
  EventStreamFilter filter;
  EXPECT_EQ(filter.feed("data: {\"a"), "data: {\"a");
  EXPECT_EQ(filter.feed("\":1}\n\n"), "\":1}\n\n");
  EXPECT_EQ(filter.finish(), "");
}

TEST(EventStreamFilter, RemovesUnrequestedUsageAtEveryChunkSize) {
  for (const std::string end_of_line : {"\n", "\r\n"}) {
    const std::string gap = end_of_line + end_of_line;
    const std::string whole = stream(end_of_line);
    for (std::size_t piece = 1; piece <= whole.size(); ++piece) {
      EventStreamFilter filter({.hide_usage = true});
      EXPECT_EQ(passed(filter, whole, piece),
                ": ping" + gap + text_event + gap + text_event + gap + done_event + gap);
      const std::optional<TokenUsage> usage = usageInEvents(filter.kept());
      ASSERT_TRUE(usage);
      EXPECT_EQ(*usage, (TokenUsage{7, 3, 4, 2}));
      EXPECT_TRUE(filter.isDone());
    }
  }
}

TEST(EventStreamFilter, HoldsTheDoneEventUntilTheEndAtEveryChunkSize) {
  for (const bool hide_usage : {false, true}) {
    const std::string before = text_event + "\n\n";
    for (const std::string done : {"data: [DONE]\n\n", "data:[DONE]\r\n\r\n"}) {
      const std::string whole = before + done;
      for (std::size_t piece = 1; piece <= whole.size(); ++piece) {
        EventStreamFilter filter({.hide_usage = hide_usage});
        std::string onward;
        for (std::size_t at = 0; at < whole.size(); at += piece) {
          onward += filter.feed(std::string_view(whole).substr(at, piece));
        }
        EXPECT_EQ(onward, before) << piece;
        EXPECT_EQ(filter.finish(), done) << piece;
      }
    }
  }
}

TEST(EventStreamFilter, PassesLinesThatResembleTheDoneEvent) {
  for (const std::string line : {"data: [DONT]\n\n", "data: \"data: [DONE]\"\n\n",
                                 "x data: [DONE]\n\n", "dat\n\n", ": data: [DONE]\n\n"}) {
    for (std::size_t piece = 1; piece <= line.size(); ++piece) {
      EventStreamFilter filter;
      std::string onward;
      for (std::size_t at = 0; at < line.size(); at += piece) {
        onward += filter.feed(std::string_view(line).substr(at, piece));
      }
      EXPECT_EQ(onward, line) << piece;
    }
  }
}

TEST(EventStreamFilter, LimitsTheBytesAfterTheDoneEvent) {
  for (const bool hide_usage : {false, true}) {
    EventStreamFilter filter({.hide_usage = hide_usage});
    EXPECT_EQ(filter.feed("data: [DONE]\n\n"), "");
    for (int i = 0; i < 100; ++i) EXPECT_EQ(filter.feed(std::string(4096, 'x')), "");
    EXPECT_LE(filter.finish().size(), EventStreamFilter::kEnd);
  }
}

TEST(EventStreamFilter, DoesNotHoldAnEndlessEvent) {
  EventStreamFilter filter({.hide_usage = true});
  std::size_t onward = 0;
  const std::string piece(1UL << 20, 'x');
  for (int i = 0; i < 10; ++i) onward += filter.feed(piece).size();
  EXPECT_GE(onward, 5 * piece.size());
}

TEST(EventStreamFilter, SendsAnIncompleteLastEventAtTheEnd) {
  EventStreamFilter filter({.hide_usage = true});
  EXPECT_EQ(filter.feed(text_event), "");
  EXPECT_EQ(filter.finish(), text_event);
  EXPECT_FALSE(filter.isDone());
}

TEST(EventStreamFilter, KeepsTheEndOfALongStream) {
  EventStreamFilter filter;
  const std::string line = text_event + "\n\n";
  std::size_t sent = 0;
  while (sent < 10 * EventStreamFilter::kEnd) {
    EXPECT_EQ(filter.feed(line).size(), line.size());
    sent += line.size();
  }
  filter.feed(usage_event + "\n\n" + done_event + "\n\n");
  EXPECT_LE(filter.kept().size(), 3 * EventStreamFilter::kEnd);
  EXPECT_EQ(usageInEvents(filter.kept())->prompt, 7);
  EXPECT_TRUE(filter.isDone());
}

TEST(EventStreamFilter, KeepsAllForATraceUpToALimit) {
  EventStreamFilter filter({.keep_all = true});
  const std::string whole = stream();
  passed(filter, whole, 10);
  EXPECT_EQ(filter.kept(), whole);
  EXPECT_FALSE(filter.isCut());
  const std::string much(EventStreamFilter::kMostKept, 'x');
  filter.feed(much);
  EXPECT_TRUE(filter.isCut());
  EXPECT_LE(filter.kept().size(), EventStreamFilter::kMostKept + EventStreamFilter::kEnd);
}

TEST(ResponseSummary, ParsesCompletionsErrorsAndInvalidBodies) {
  const ResponseSummary good = summarizeResponse(
      R"({"choices":[{}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}})");
  EXPECT_TRUE(good.is_object);
  EXPECT_FALSE(good.is_error);
  EXPECT_EQ(good.usage, (TokenUsage{1, 2, 0, 0}));
  const ResponseSummary bad = summarizeResponse(R"({"error":{"message":"no","code":1}})");
  EXPECT_TRUE(bad.is_error);
  EXPECT_EQ(bad.message, "no");
  EXPECT_EQ(summarizeResponse(R"({"error":"no"})").message, "no");
  EXPECT_EQ(summarizeResponse(R"({"detail":"no"})").message, "no");
  for (const char* garbage : {"", "<html>", "[1]", "{\"a\":", "\xff\xfe"}) {
    EXPECT_FALSE(summarizeResponse(garbage).is_object) << garbage;
  }
}

TEST(ResponseSummary, IgnoresInvalidTokenCounts) {
  EXPECT_EQ(*summarizeResponse(R"({"usage":{"prompt_tokens":-4,"completion_tokens":"9"}})").usage,
            TokenUsage());
  EXPECT_EQ(summarizeResponse(R"({"usage":null})").usage, std::nullopt);
}

TEST(UsageInEvents, ReturnsTheLastUsage) {
  const std::string first = R"(data: {"usage":{"prompt_tokens":1}})";
  const std::string last = R"(data:{"usage":{"prompt_tokens":2}})";
  EXPECT_EQ(usageInEvents(first + "\n\n" + last + "\n\n" + text_event + "\n\n")->prompt, 2);
  EXPECT_EQ(usageInEvents("oken\":1}}\n\n" + text_event + "\n\n"), std::nullopt);
  EXPECT_EQ(usageInEvents(""), std::nullopt);
}

TEST(ErrorEvent, IsOneEventWithTheError) {
  EXPECT_EQ(errorEvent("it \"broke\"", "server_error"),
            "data: {\"error\":{\"message\":\"it \\\"broke\\\"\",\"type\":\"server_error\","
            "\"param\":null,\"code\":null}}\n\n");
}

}  // namespace
}  // namespace spindle::inference
