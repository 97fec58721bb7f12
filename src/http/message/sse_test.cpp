#include "http/message/sse.h"

#include <gtest/gtest.h>

namespace spindle::http {
namespace {

using namespace std::string_view_literals;
using namespace std::chrono_literals;

std::string described(const ServerSentEvent& event) {
  std::string text = event.event + "|" + event.id + "|" + event.data;
  if (event.retry) text += "|" + std::to_string(event.retry->count());
  return text;
}

std::vector<std::string> parsed(std::string_view stream, std::size_t piece) {
  EventParser parser;
  std::vector<ServerSentEvent> events;
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    EXPECT_TRUE(parser.feed(stream.substr(at, piece), events));
  }
  std::vector<std::string> out;
  out.reserve(events.size());
  for (const ServerSentEvent& event : events) out.push_back(described(event));
  return out;
}

TEST(ServerSentEvents, AreWrittenWithEveryField) {
  ServerSentEvent event;
  event.event = "delta\ninjected: x";
  event.id = "42";
  event.data = "{\"a\":\n1}";
  event.retry = 1500ms;
  EXPECT_EQ(formatEvent(event),
            "event: deltainjected: x\nid: 42\nretry: 1500\ndata: {\"a\":\ndata: 1}\n\n");
  EXPECT_EQ(formatEvent("[DONE]"), "data: [DONE]\n\n");
  EXPECT_EQ(formatEvent(""), "data: \n\n");
  EXPECT_EQ(formatEvent("a\r\nb\rc\n"), "data: a\ndata: b\ndata: c\ndata: \n\n");
  EXPECT_EQ(formatComment(), ":\n\n");
  EXPECT_EQ(formatComment("alive\nx"), ": alive\n: x\n\n");
}

TEST(ServerSentEvents, AreParsedWithAnyLineEndsAndReads) {
  const std::string base =
      "\xEF\xBB\xBF: hello\n\nevent: start\nid: 1\ndata: one\ndata:two\ndata\n\n"
      "data:  three\nunknown: x\nretry: 250\nretry: soon\n\nid\ndata: four\n\nevent: dropped\n\n"
      "data: never finished\n";
  const std::vector<std::string> expected = {"start|1|one\ntwo\n", "|1| three|250", "||four"};
  for (const std::string_view line_end : {"\n", "\r", "\r\n"}) {
    std::string stream;
    for (const char c : base) {
      if (c == '\n') {
        stream += line_end;
      } else {
        stream += c;
      }
    }
    for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
      EXPECT_EQ(parsed(stream, piece), expected) << piece;
    }
  }
}

TEST(ServerSentEvents, RoundTrip) {
  ServerSentEvent event;
  event.event = "chunk";
  event.id = "7";
  event.data = "line\n\n indented: yes\n";
  const std::string stream = formatComment("x") + formatEvent(event) + formatEvent("[DONE]");
  EXPECT_EQ(parsed(stream, 3),
            (std::vector<std::string>{"chunk|7|line\n\n indented: yes\n", "|7|[DONE]"}));
}

TEST(ServerSentEvents, KeepTheLastIdForTheNextConnection) {
  EventParser parser;
  std::vector<ServerSentEvent> events;
  ASSERT_TRUE(parser.feed("id: 5\ndata: x\n\nid: bad\0id\ndata: y\n\n"sv, events));
  EXPECT_EQ(parser.lastEventId(), "5");
  EXPECT_EQ(events.size(), 2U);
}

TEST(ServerSentEvents, AreLimitedInSize) {
  for (const std::string_view stream :
       {"data: 0123456789\ndata: 0123456789\n\n", "data: 0123456789012345678"}) {
    EventParser parser(20);
    std::vector<ServerSentEvent> events;
    const Result<void> fed = parser.feed(stream, events);
    ASSERT_FALSE(fed);
    EXPECT_EQ(fed.error().code(), ErrorCode::kTooLarge);
    EXPECT_TRUE(events.empty());
  }
  EventParser parser(20);
  std::vector<ServerSentEvent> events;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(parser.feed("data: 0123456789\n\n", events));
  EXPECT_EQ(events.size(), 100U);
}

}  // namespace
}  // namespace spindle::http
