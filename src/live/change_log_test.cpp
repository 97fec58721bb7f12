#include "live/change_log.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace spindle::live {
namespace {

Timestamp at(std::int64_t second) { return timestampOfMicros(second * 1'000'000); }

std::vector<Change> changesAfter(const ChangeLog& log, std::uint64_t number) {
  std::vector<Change> changes;
  EXPECT_TRUE(log.visitAfter(
      number, [&](std::uint64_t, const Change& change) { changes.push_back(change); }));
  return changes;
}

bool remembers(const ChangeLog& log, std::uint64_t number) {
  return log.visitAfter(number, [](std::uint64_t, const Change&) {}).has_value();
}

TEST(Topics, HaveNames) {
  EXPECT_EQ(topicOf("calls"), Topic::kCalls);
  EXPECT_EQ(topicOf("deliveries"), Topic::kDeliveries);
  EXPECT_EQ(textOf(Topic::kEvaluations), "evaluations");
  EXPECT_EQ(topicOf("call"), std::nullopt);
  EXPECT_EQ(topicOf(""), std::nullopt);
}

TEST(ChangeLogs, MergeTheChangesOfATopicAndScopeBetweenTwoSeals) {
  ChangeLog log;
  log.publish(Topic::kCalls, "p1", 2, at(5));
  log.publish(Topic::kCalls, "p1", 3, at(4));
  log.publish(Topic::kCalls, "p2", 1, at(6));
  log.publish(Topic::kRuns, "p1", 1, at(7));
  EXPECT_EQ(log.last(), 0U);
  log.seal();
  EXPECT_EQ(log.last(), 3U);
  const std::vector<Change> changes = changesAfter(log, 0);
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_EQ(changes[0].scope_id, "p1");
  EXPECT_EQ(changes[0].count, 5);
  EXPECT_EQ(changes[0].newest, at(5));
  EXPECT_EQ(changes[1].scope_id, "p2");
  EXPECT_EQ(changes[2].topic, Topic::kRuns);
}

TEST(ChangeLogs, ReturnOnlyLaterEntries) {
  ChangeLog log;
  log.publish(Topic::kCalls, "p1", 1, at(1));
  log.seal();
  log.publish(Topic::kCalls, "p1", 7, at(2));
  log.seal();
  EXPECT_EQ(changesAfter(log, 0).size(), 2U);
  ASSERT_EQ(changesAfter(log, 1).size(), 1U);
  EXPECT_EQ(changesAfter(log, 1)[0].count, 7);
  EXPECT_TRUE(changesAfter(log, 2).empty());
  std::vector<std::uint64_t> numbers;
  log.visitAfter(0, [&](std::uint64_t number, const Change&) { numbers.push_back(number); });
  EXPECT_EQ(numbers, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_FALSE(remembers(log, 3));
}

TEST(ChangeLogs, ForgetTheOldestEntries) {
  ChangeLog log(2);
  for (int i = 0; i < 4; ++i) {
    log.publish(Topic::kCalls, "p1", 1, at(i));
    log.seal();
  }
  EXPECT_FALSE(remembers(log, 0));
  EXPECT_FALSE(remembers(log, 1));
  EXPECT_EQ(changesAfter(log, 2).size(), 2U);
}

TEST(ChangeLogs, ForgetEverythingWhenTooManyScopesChangeAtOnce) {
  ChangeLog log(2);
  log.publish(Topic::kCalls, "p1", 1, at(1));
  log.seal();
  for (const char* scope : {"p1", "p2", "p3"}) log.publish(Topic::kCalls, scope, 1, at(1));
  log.seal();
  EXPECT_FALSE(remembers(log, 0));
  EXPECT_FALSE(remembers(log, 1));
  EXPECT_TRUE(changesAfter(log, log.last()).empty());
  log.publish(Topic::kCalls, "p1", 1, at(1));
  log.seal();
  EXPECT_EQ(changesAfter(log, log.last() - 1).size(), 1U);
}

TEST(ChangeLogs, CallTheListenerOnceBetweenTwoSeals) {
  ChangeLog log;
  int calls = 0;
  log.setListener([&calls] { ++calls; });
  log.publish(Topic::kCalls, "p1", 1, at(1));
  log.publish(Topic::kCalls, "p2", 1, at(1));
  EXPECT_EQ(calls, 1);
  log.seal();
  log.publish(Topic::kCalls, "p1", 1, at(1));
  EXPECT_EQ(calls, 2);
  log.setListener({});
  log.seal();
  log.publish(Topic::kCalls, "p1", 1, at(1));
  EXPECT_EQ(calls, 2);
}

TEST(ChangeLogs, HaveDifferentEpochs) { EXPECT_NE(ChangeLog().epoch(), ChangeLog().epoch()); }

TEST(ChangeLogs, LoseNoCountWithManyPublishers) {
  ChangeLog log;
  std::atomic<int> wakes = 0;
  log.setListener([&wakes] { ++wakes; });
  std::vector<std::jthread> publishers;
  publishers.reserve(4);
  std::atomic<int> left = 4;
  for (int i = 0; i < 4; ++i) {
    publishers.emplace_back([&] {
      for (int n = 0; n < 1000; ++n) log.publish(Topic::kCalls, "p1", 1, at(n));
      --left;
    });
  }
  std::int64_t sum = 0;
  std::uint64_t position = 0;
  const auto read = [&] {
    log.seal();
    position =
        log.visitAfter(position, [&](std::uint64_t, const Change& c) { sum += c.count; }).value();
  };
  while (left > 0) read();
  publishers.clear();
  read();
  EXPECT_EQ(sum, 4000);
  EXPECT_GT(wakes, 0);
}

}  // namespace
}  // namespace spindle::live
