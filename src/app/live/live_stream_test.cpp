#include "app/live/live_stream.h"

#include <gtest/gtest.h>

namespace spindle::app {
namespace {

using live::Topic;

Timestamp at(std::int64_t second) { return timestampOfMicros(second * 1'000'000); }

std::string read(LiveStream& stream) {
  std::string text;
  std::string chunk;
  while (stream.body()->next(chunk) == http::BodyStream::State::kChunk) text += chunk;
  return text;
}

class LiveStreamTest : public testing::Test {
 protected:
  LiveStream open(std::string_view last_event_id = {}) {
    return LiveStream({}, {{Topic::kCalls, "acme/a", "p1"}, {Topic::kDeliveries, "acme", "t1"}},
                      log_, last_event_id, now_);
  }
  void publish(Topic topic, std::string_view scope, std::int64_t count) {
    log_.publish(topic, scope, count, at(10));
    log_.seal();
  }

  live::ChangeLog log_{4};
  LiveStream::Time now_ = std::chrono::steady_clock::now();
};

TEST(Topics, AreParsedOnce) {
  const auto topics = parseTopics("calls:acme/a b,deliveries:acme,calls:acme/a b");
  ASSERT_TRUE(topics);
  ASSERT_EQ(topics->size(), 2U);
  EXPECT_EQ(textOf((*topics)[0]), "calls:acme/a b");
  EXPECT_EQ((*topics)[1].topic, Topic::kDeliveries);
}

TEST(Topics, RefuseOtherTexts) {
  std::string many;
  for (std::size_t i = 0; i <= kMaxTopics; ++i) many += "calls:a/p" + std::to_string(i) + ",";
  const std::string long_name = "calls:a/" + std::string(400, 'x');
  for (const std::string& text :
       {std::string(), std::string(","), std::string("calls"), std::string("calls:"),
        std::string("calls:acme"), std::string("calls:acme/"), std::string("calls:a/b/c"),
        std::string("deliveries:acme/a"), std::string("calls:acme/a\n"), std::string("calls:A B/a"),
        std::string("deliveries:"), std::string("secrets:acme/a"), std::string("calls:/a"), many,
        long_name}) {
    const auto topics = parseTopics(text);
    ASSERT_FALSE(topics) << text;
    EXPECT_EQ(topics.error().code(), ErrorCode::kInvalidSchema);
  }
}

TEST_F(LiveStreamTest, StartsWithItsTopicsAndItsPosition) {
  LiveStream stream = open();
  EXPECT_EQ(read(stream), "event: ready\nid: " + log_.epoch() +
                              "-0\nretry: 2000\ndata: "
                              "{\"topics\":[\"calls:acme/a\",\"deliveries:acme\"]}\n\n");
}

TEST_F(LiveStreamTest, MergesChangesOfATopicAndIgnoresOthers) {
  LiveStream stream = open();
  read(stream);
  publish(Topic::kCalls, "p1", 3);
  publish(Topic::kCalls, "p1", 4);
  publish(Topic::kCalls, "p2", 9);
  publish(Topic::kDeliveries, "t1", 1);
  EXPECT_FALSE(stream.deliver(now_));
  EXPECT_EQ(read(stream),
            "event: calls\ndata: "
            "{\"project\":\"acme/a\",\"count\":7,\"newest\":\"1970-01-01T00:00:10Z\"}\n\n"
            "event: deliveries\nid: " +
                log_.epoch() +
                "-4\ndata: {\"team\":\"acme\",\"count\":1,\"newest\":\"1970-01-01T00:00:10Z\"}"
                "\n\n");
  stream.deliver(now_);
  EXPECT_EQ(read(stream), "");
}

TEST_F(LiveStreamTest, ContinuesAfterTheLastEventId) {
  publish(Topic::kCalls, "p1", 1);
  publish(Topic::kCalls, "p1", 2);
  LiveStream stream = open(log_.epoch() + "-1");
  read(stream);
  EXPECT_FALSE(stream.deliver(now_));
  EXPECT_NE(read(stream).find("\"count\":2"), std::string::npos);
}

TEST_F(LiveStreamTest, AsksForAResyncAfterAnUnknownId) {
  publish(Topic::kCalls, "p1", 1);
  for (const std::string& id :
       {std::string("other-1"), log_.epoch(), log_.epoch() + "-", log_.epoch() + "-1x",
        log_.epoch() + "-99", log_.epoch() + "-99999999999999999999999"}) {
    LiveStream stream = open(id);
    read(stream);
    EXPECT_TRUE(stream.deliver(now_)) << id;
    EXPECT_EQ(read(stream), "event: resync\nid: " + log_.epoch() + "-1\ndata: {}\n\n");
    EXPECT_FALSE(stream.deliver(now_));
  }
}

TEST_F(LiveStreamTest, ASlowReaderGetsAResyncAndNoBacklog) {
  LiveStream stream = open();
  read(stream);
  // Far more than the buffer holds, and more entries than the log remembers.
  int resyncs = 0;
  for (int i = 0; i < 2000; ++i) {
    publish(Topic::kCalls, "p1", 1);
    if (stream.deliver(now_)) ++resyncs;
  }
  const std::string backlog = read(stream);
  EXPECT_LE(backlog.size(), LiveStream::kBufferBytes);
  if (stream.deliver(now_)) ++resyncs;
  EXPECT_GT(resyncs, 0);
  EXPECT_NE((backlog + read(stream)).find("event: resync\n"), std::string::npos);
  publish(Topic::kCalls, "p1", 6);
  EXPECT_FALSE(stream.deliver(now_));
  EXPECT_NE(read(stream).find("\"count\":6"), std::string::npos) << "the stream continues";
}

TEST_F(LiveStreamTest, ASlowReaderMissesNothingThatTheLogRemembers) {
  live::ChangeLog log;
  LiveStream stream({}, {{Topic::kCalls, "acme/a", "p1"}}, log, {}, now_);
  read(stream);
  std::int64_t seen = 0;
  const auto count = [&](const std::string& text) {
    for (std::size_t i = text.find("\"count\":"); i != std::string::npos;
         i = text.find("\"count\":", i + 1)) {
      seen += std::stoll(text.substr(i + 8));
    }
  };
  for (int i = 0; i < 2000; ++i) {
    log.publish(Topic::kCalls, "p1", 1, at(i));
    log.seal();
    stream.deliver(now_);
  }
  count(read(stream));
  EXPECT_LT(seen, 2000);
  EXPECT_FALSE(stream.deliver(now_));
  count(read(stream));
  EXPECT_EQ(seen, 2000);
}

TEST_F(LiveStreamTest, KeepsThePositionOfAProjectThatDoesNotExistYet) {
  LiveStream stream({}, {{Topic::kCalls, "acme/a", "p1"}, {Topic::kCalls, "acme/new", ""}}, log_,
                    {}, now_);
  publish(Topic::kCalls, "p1", 1);
  publish(Topic::kCalls, "p9", 2);
  stream.deliver(now_);
  read(stream);
  stream.topics()[1].scope_id = "p9";
  publish(Topic::kCalls, "p9", 3);
  EXPECT_FALSE(stream.deliver(now_));
  EXPECT_EQ(read(stream), "event: calls\nid: " + log_.epoch() +
                              "-3\ndata: {\"project\":\"acme/new\",\"count\":5,\"newest\":"
                              "\"1970-01-01T00:00:10Z\"}\n\n");
}

TEST_F(LiveStreamTest, SendsACommentOnlyAfterSilence) {
  LiveStream stream = open();
  read(stream);
  stream.beat(now_ + std::chrono::seconds(14));
  EXPECT_EQ(read(stream), "");
  stream.beat(now_ + LiveStream::kHeartbeat);
  EXPECT_EQ(read(stream), ":\n\n");
  EXPECT_EQ(stream.nextBeat(), now_ + 2 * LiveStream::kHeartbeat);
}

TEST_F(LiveStreamTest, ClosesWithItsReason) {
  LiveStream stream = open();
  read(stream);
  stream.close("access");
  EXPECT_EQ(read(stream), "event: closed\ndata: {\"reason\":\"access\"}\n\n");
  std::string chunk;
  EXPECT_EQ(stream.body()->next(chunk), http::BodyStream::State::kEnd);
}

}  // namespace
}  // namespace spindle::app
