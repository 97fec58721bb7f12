#include "inference/recorder.h"

#include <atomic>
#include <string>

#include <gtest/gtest.h>

namespace spindle::inference {
namespace {

/// Keeps what it is given, unless it is told to fail.
class Sink final : public UsageSink {
 public:
  Result<void> write(const std::vector<UsageRecord>& records) override {
    const MutexLock lock(mutex_);
    ++writes_;
    changed_.notifyAll();
    if (failing_) return Error::unavailable("not now");
    for (const UsageRecord& record : records) ids_.push_back(record.id);
    return {};
  }
  void fail(bool failing) {
    const MutexLock lock(mutex_);
    failing_ = failing;
  }
  void awaitWrites(int count) {
    const MutexLock lock(mutex_);
    while (writes_ < count) changed_.wait(mutex_);
  }
  std::vector<std::string> ids() {
    const MutexLock lock(mutex_);
    return ids_;
  }

 private:
  Mutex mutex_;
  Condition changed_;
  bool failing_ = false;
  int writes_ = 0;
  std::vector<std::string> ids_;
};

FinishedCompletion finished(std::string id, bool traced = false) {
  FinishedCompletion completion;
  completion.usage.id = id;
  if (traced) {
    completion.trace.emplace();
    completion.trace->id = std::move(id);
  }
  return completion;
}

class RecorderTest : public ::testing::Test {
 protected:
  Recorder::Trace trace() {
    return [this](const std::vector<TracedCompletion>& traces) -> Result<void> {
      ++trace_attempts;
      if (traces_fail) return Error::unavailable("no");
      for (const TracedCompletion& trace : traces) traced.push_back(trace.id);
      return {};
    };
  }
  MetricRegistry metrics;
  Sink sink;
  std::atomic<bool> traces_fail{false};
  std::atomic<int> trace_attempts{0};
  std::vector<std::string> traced;  // read after flush() or the end
};

TEST_F(RecorderTest, FlushWaitsUntilAllIsWritten) {
  Recorder recorder(sink, trace(), metrics);
  recorder.flush();
  for (int i = 0; i < 100; ++i) recorder.record(finished(std::to_string(i), i % 2 == 0));
  recorder.flush();
  EXPECT_EQ(sink.ids().size(), 100U);
  EXPECT_EQ(sink.ids().front(), "0");
  EXPECT_EQ(traced.size(), 50U);
  EXPECT_TRUE(recorder.hasRoom());
}

TEST_F(RecorderTest, WhatIsQueuedAtTheEndIsWritten) {
  {
    Recorder recorder(sink, trace(), metrics);
    for (int i = 0; i < 10; ++i) recorder.record(finished(std::to_string(i)));
  }
  EXPECT_EQ(sink.ids().size(), 10U);
}

TEST_F(RecorderTest, UsageThatCannotBeWrittenIsTriedAgain) {
  Recorder recorder(sink, trace(), metrics);
  sink.fail(true);
  recorder.record(finished("a", true));
  recorder.flush();  // does not wait for a disk that takes nothing
  EXPECT_TRUE(sink.ids().empty());
  sink.fail(false);
  sink.awaitWrites(2);
  while (sink.ids().empty()) std::this_thread::yield();
  EXPECT_EQ(sink.ids(), std::vector<std::string>{"a"});
}

TEST_F(RecorderTest, CompletionsThatCannotBeTracedAreCountedAndHoldNobodyUp) {
  Recorder recorder(sink, trace(), metrics);
  traces_fail = true;
  recorder.record(finished("a", true));
  recorder.flush();
  EXPECT_EQ(trace_attempts, 3);
  EXPECT_EQ(metrics.counter("spindle_inference_traces_lost_total", "").value(), 1U);
  traces_fail = false;
  recorder.record(finished("b", true));
  recorder.flush();
  EXPECT_EQ(traced, std::vector<std::string>{"b"});
}

TEST_F(RecorderTest, HasNoRoomWhenTheDiskTakesNothingForLong) {
  sink.fail(true);
  Recorder recorder(sink, trace(), metrics);
  for (int i = 0; i < 30'000; ++i) recorder.record(finished(""));
  EXPECT_FALSE(recorder.hasRoom());
}

}  // namespace
}  // namespace spindle::inference
