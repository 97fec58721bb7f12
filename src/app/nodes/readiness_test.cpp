#include "app/nodes/readiness.h"

#include <future>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

namespace spindle::app {
namespace {

TEST(Readiness, SucceedsWhenAllStoresCanBeReached) {
  int checked = 0;
  const auto reachable = [&checked]() -> Result<void> {
    ++checked;
    return {};
  };
  Readiness readiness({{"metadata database", reachable}, {"trace store", reachable}});
  readiness.open();
  EXPECT_TRUE(readiness.check());
  EXPECT_TRUE(readiness.check());
  EXPECT_EQ(checked, 2);  // the second call uses the outcome of the first
}

TEST(Readiness, NamesTheStoreAndNoDetails) {
  Readiness readiness({{"metadata database", [] { return Result<void>(); }},
                       {"file store", []() -> Result<void> {
                          return Error::unavailable("connection to s3.internal failed");
                        }}});
  readiness.open();
  const Result<void> outcome = readiness.check();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(outcome.error().message(), "The file store cannot be reached.");
}

TEST(Readiness, FailsWhileTheNodeStartsOrDrains) {
  Readiness readiness({});
  EXPECT_EQ(readiness.check().error().message(), "The node is starting.");
  readiness.open();
  EXPECT_TRUE(readiness.check());
  readiness.drain();
  readiness.open();
  const Result<void> outcome = readiness.check();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message(), "The node is draining.");
}

TEST(Readiness, DoesNotBlockOtherCallersWhileAStoreHangs) {
  std::promise<void> started;
  std::promise<void> release;
  bool hangs = true;
  Readiness readiness({{"trace store", [&]() -> Result<void> {
                          if (!std::exchange(hangs, false)) return {};
                          started.set_value();
                          release.get_future().wait();
                          return {};
                        }}});
  readiness.open();
  Result<void> slow = {};
  std::jthread first([&] { slow = readiness.check(); });
  started.get_future().wait();
  const Result<void> second = readiness.check();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message(), "The checks of the node take too long.");
  release.set_value();
  first.join();
  EXPECT_TRUE(slow);
  EXPECT_TRUE(readiness.check());
}

}  // namespace
}  // namespace spindle::app
