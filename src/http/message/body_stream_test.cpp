#include "http/message/body_stream.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace spindle::http {
namespace {

using StreamState = BodyStream::State;

TEST(PulledBody, CallsTheFunctionAndMayBlock) {
  int asked = 0;
  PulledBody body([&asked](std::string& piece) {
    piece = "row";
    return ++asked < 3 ? StreamState::kChunk : StreamState::kEnd;
  });
  std::string piece;
  EXPECT_TRUE(body.blocks());
  EXPECT_EQ(body.next(piece), StreamState::kChunk);
  EXPECT_EQ(piece, "row");
  EXPECT_EQ(body.next(piece), StreamState::kChunk);
  EXPECT_EQ(body.next(piece), StreamState::kEnd);
}

TEST(PulledBody, FailsIfItsFunctionReturnsWait) {
  PulledBody body([](std::string& /*piece*/) { return StreamState::kWait; });
  std::string piece;
  EXPECT_EQ(body.next(piece), StreamState::kBroken);
}

TEST(PushedBody, GivesEverythingPushedSoFarAsOnePiece) {
  PushedBody body(100);
  std::string piece;
  EXPECT_EQ(body.next(piece), StreamState::kWait);
  EXPECT_TRUE(body.tryPush("ab"));
  EXPECT_TRUE(body.tryPush("cd"));
  EXPECT_EQ(body.next(piece), StreamState::kChunk);
  EXPECT_EQ(piece, "abcd");
  EXPECT_EQ(body.next(piece), StreamState::kWait);
  body.finish();
  EXPECT_EQ(body.next(piece), StreamState::kEnd);
}

TEST(PushedBody, WakesTheReaderOnceForEachTimeItWaits) {
  PushedBody body(100);
  int woken = 0;
  body.onReady([&woken] { ++woken; });
  std::string piece;
  EXPECT_TRUE(body.tryPush("a"));
  EXPECT_EQ(woken, 0) << "nobody waits yet";
  EXPECT_EQ(body.next(piece), StreamState::kChunk);
  EXPECT_EQ(body.next(piece), StreamState::kWait);
  EXPECT_TRUE(body.tryPush("b"));
  EXPECT_TRUE(body.tryPush("c"));
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(body.next(piece), StreamState::kChunk);
  EXPECT_EQ(body.next(piece), StreamState::kWait);
  body.finish();
  EXPECT_EQ(woken, 2);
}

TEST(PushedBody, RejectsBytesWhenFullAndSignalsSpace) {
  PushedBody body(4);
  int space = 0;
  body.onSpace([&space] { ++space; });
  EXPECT_TRUE(body.tryPush("abcdefgh")) << "an empty buffer takes a piece of any size";
  EXPECT_FALSE(body.tryPush("x"));
  std::string piece;
  EXPECT_EQ(body.next(piece), StreamState::kChunk);
  EXPECT_EQ(piece, "abcdefgh");
  EXPECT_EQ(space, 1);
  EXPECT_TRUE(body.tryPush("x"));
}

TEST(PushedBody, SpaceMayBeUsedFromInsideTheWakeUp) {
  PushedBody body(1);
  bool pushed = false;
  body.onSpace([&] { pushed = body.tryPush("b"); });
  EXPECT_TRUE(body.tryPush("a"));
  EXPECT_FALSE(body.tryPush("b"));
  std::string piece;
  EXPECT_EQ(body.next(piece), StreamState::kChunk);
  EXPECT_TRUE(pushed);
  EXPECT_EQ(body.next(piece), StreamState::kChunk);
  EXPECT_EQ(piece, "b");
}

TEST(PushedBody, DeliversWhatWasPushedBeforeItFailed) {
  PushedBody body(10);
  EXPECT_TRUE(body.tryPush("a"));
  body.fail();
  EXPECT_FALSE(body.tryPush("b"));
  std::string piece;
  EXPECT_EQ(body.next(piece), StreamState::kChunk);
  EXPECT_EQ(body.next(piece), StreamState::kBroken);
}

TEST(PushedBody, IgnoresAFailureAfterTheEnd) {
  PushedBody body(10);
  body.finish();
  body.fail();
  std::string piece;
  EXPECT_EQ(body.next(piece), StreamState::kEnd);
}

TEST(PushedBody, CancelUnblocksAWaitingProducer) {
  PushedBody body(1);
  EXPECT_TRUE(body.push("a"));
  std::atomic<bool> refused{false};
  std::thread producer([&] { refused = !body.push("b"); });
  body.cancel();
  producer.join();
  EXPECT_TRUE(refused);
  EXPECT_TRUE(body.cancelled());
}

TEST(PushedBody, CarriesEveryByteInOrderBetweenTwoThreads) {
  PushedBody body(64);
  std::thread producer([&] {
    for (int i = 0; i < 10000; ++i) body.push(std::to_string(i) + ",");
    body.finish();
  });
  std::string expected;
  for (int i = 0; i < 10000; ++i) expected += std::to_string(i) + ",";
  std::string all;
  std::string piece;
  for (StreamState state = body.next(piece); state != StreamState::kEnd; state = body.next(piece)) {
    if (state == StreamState::kChunk) all += piece;
    if (state == StreamState::kWait) std::this_thread::yield();
  }
  producer.join();
  EXPECT_EQ(all, expected);
}

}  // namespace
}  // namespace spindle::http
