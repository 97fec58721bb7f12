#include "inference/usage/recorder.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <functional>
#include <future>
#include <string>
#include <system_error>
#include <thread>

#include <gtest/gtest.h>

#include "columnar/journal/file.h"
#include "columnar/testing/store_for_test.h"
#include "inference/usage/usage_journal.h"

namespace spindle::inference {
namespace {

/// A fake store that keeps its records, or fails on request.
class Sink final : public UsageSink {
 public:
  Result<void> write(const std::vector<UsageRecord>& records) override {
    const MutexLock lock(mutex_);
    ++writes_;
    changed_.notifyAll();
    if (failing_) return Error::unavailable("not now");
    for (const UsageRecord& record : records) ids_.push_back(record.id);
    changed_.notifyAll();
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
  void awaitRecords(std::size_t count) {
    const MutexLock lock(mutex_);
    while (ids_.size() < count) changed_.wait(mutex_);
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
      ++trace_attempts_;
      if (traces_fail_) return Error::unavailable("no");
      for (const TracedCompletion& trace : traces) traced_.push_back(trace.id);
      return {};
    };
  }
  MetricRegistry metrics_;
  Sink sink_;
  std::atomic<bool> traces_fail_{false};
  std::atomic<int> trace_attempts_{0};
  std::vector<std::string> traced_;  // read after flush() or the end
};

TEST_F(RecorderTest, FlushBlocksUntilEverythingIsStored) {
  Recorder recorder(sink_, trace(), nullptr, metrics_);
  ASSERT_TRUE(recorder.flush());
  for (int i = 0; i < 100; ++i) recorder.record(finished(std::to_string(i), i % 2 == 0));
  ASSERT_TRUE(recorder.flush());
  EXPECT_EQ(sink_.ids().size(), 100U);
  EXPECT_EQ(sink_.ids().front(), "0");
  EXPECT_EQ(traced_.size(), 50U);
  EXPECT_TRUE(recorder.admit());
}

TEST_F(RecorderTest, StoresQueuedRecordsInTheDestructor) {
  {
    Recorder recorder(sink_, trace(), nullptr, metrics_);
    for (int i = 0; i < 10; ++i) recorder.record(finished(std::to_string(i)));
  }
  EXPECT_EQ(sink_.ids().size(), 10U);
}

TEST_F(RecorderTest, RetriesUsageThatCannotBeStored) {
  Recorder recorder(sink_, trace(), nullptr, metrics_);
  sink_.fail(true);
  recorder.record(finished("a", true));
  EXPECT_FALSE(recorder.flush());  // does not wait while the store fails
  EXPECT_TRUE(sink_.ids().empty());
  sink_.fail(false);
  sink_.awaitWrites(2);
  while (sink_.ids().empty()) std::this_thread::yield();
  EXPECT_EQ(sink_.ids(), std::vector<std::string>{"a"});
}

TEST_F(RecorderTest, CountsCompletionsThatCannotBeTraced) {
  Recorder recorder(sink_, trace(), nullptr, metrics_);
  traces_fail_ = true;
  recorder.record(finished("a", true));
  ASSERT_TRUE(recorder.flush());
  EXPECT_EQ(trace_attempts_, 3);
  EXPECT_EQ(metrics_.counter("spindle_inference_traces_lost_total", "").value(), 1U);
  traces_fail_ = false;
  recorder.record(finished("b", true));
  ASSERT_TRUE(recorder.flush());
  EXPECT_EQ(traced_, std::vector<std::string>{"b"});
}

TEST_F(RecorderTest, RejectsRequestsWhenItsQueueIsFull) {
  sink_.fail(true);
  Recorder recorder(sink_, trace(), nullptr, metrics_);
  for (int i = 0; i < 30'000; ++i) recorder.record(finished(""));
  EXPECT_FALSE(recorder.admit());
}

TEST_F(RecorderTest, DropsTracesWhileAnotherServerFails) {
  const Counter& lost = metrics_.counter("spindle_inference_traces_lost_total", "");
  {
    sink_.fail(true);
    Recorder recorder(sink_, trace(), nullptr, metrics_,
                      {.records = 50'000, .bytes = 1'000'000, .drops_traces = true});
    for (int i = 0; i < 30'000; ++i) recorder.record(finished(std::to_string(i), true));
    EXPECT_TRUE(recorder.admit());
    EXPECT_GT(lost.value(), 20'000U);
    sink_.fail(false);
    sink_.awaitRecords(30'000);
  }
  EXPECT_EQ(traced_.size(), 30'000U - lost.value());
}

/// A recorder with a journal in a temporary folder.
class JournalledRecorderTest : public RecorderTest {
 protected:
  std::unique_ptr<UsageJournal> journal() const {
    UsageJournal::Options options;
    options.folder = folder_.path();
    options.segment_bytes = 64UL * 1024;
    options.create = create_;
    options.sync = sync_;
    return std::make_unique<UsageJournal>(std::move(options));
  }
  /// Records until record() itself writes the usage: the journal thread writes the first records.
  static void awaitDirectWrite(Recorder& recorder) {
    std::atomic<bool> released{false};
    do {
      recorder.record(finished("direct"), [&released] { released = true; });
      const bool direct = released;
      while (!released) std::this_thread::yield();
      if (direct) return;
      released = false;
    } while (true);
  }

  columnar::FolderForTest folder_;
  bool sync_ = true;
  UsageJournal::CreateFile create_;
};

TEST_F(JournalledRecorderTest, ReleasesResponsesAfterJournallingAndRecoversUsage) {
  sink_.fail(true);
  {
    Recorder recorder(sink_, trace(), journal(), metrics_);
    std::promise<void> released;
    recorder.record(finished("a"));
    recorder.record(finished("b"), [&released] { released.set_value(); });
    released.get_future().wait();
  }
  EXPECT_TRUE(sink_.ids().empty());
  sink_.fail(false);
  {
    Recorder recorder(sink_, trace(), journal(), metrics_);
    ASSERT_TRUE(recorder.flush());
    EXPECT_EQ(sink_.ids(), (std::vector<std::string>{"a", "b"}));
  }
  // No record is left to recover.
  EXPECT_TRUE(journal()->recovered().empty());
}

TEST_F(JournalledRecorderTest, RejectsRequestsWhileUsageIsOnlyInMemory) {
  create_ = [](const std::string& /*path*/) -> std::unique_ptr<columnar::File> {
    throw std::system_error(ENOSPC, std::generic_category());
  };
  sink_.fail(true);
  Recorder recorder(sink_, trace(), journal(), metrics_);
  EXPECT_TRUE(recorder.admit());
  std::promise<void> released;
  recorder.record(finished("a"), [&released] { released.set_value(); });
  released.get_future().wait();
  EXPECT_FALSE(recorder.flush());
  EXPECT_FALSE(recorder.admit());
  EXPECT_EQ(metrics_.counter("spindle_inference_usage_unjournalled_total", "").value(), 1U);
  sink_.fail(false);
  while (!recorder.admit()) std::this_thread::yield();
  EXPECT_EQ(sink_.ids(), std::vector<std::string>{"a"});
}

/// A file on a disk that becomes slow.
class SlowFile final : public columnar::File {
 public:
  SlowFile(std::unique_ptr<columnar::File> file, const std::atomic<bool>& slow)
      : file_(std::move(file)), slow_(slow) {}

  int write(std::uint64_t offset, std::string_view bytes) override {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(slow_ ? 3 : 0);
    while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return file_->write(offset, bytes);
  }
  int sync() override { return file_->sync(); }
  int truncate(std::uint64_t size) override { return file_->truncate(size); }
  std::string read(std::uint64_t offset, std::size_t count) const override {
    return file_->read(offset, count);
  }
  std::uint64_t size() const override { return file_->size(); }
  std::unique_ptr<columnar::FileView> view(std::uint64_t offset, std::size_t count) const override {
    return file_->view(offset, count);
  }

 private:
  const std::unique_ptr<columnar::File> file_;
  const std::atomic<bool>& slow_;
};

TEST_F(JournalledRecorderTest, WritesUsageDirectlyUnlessItSyncs) {
  sync_ = false;
  sink_.fail(true);
  {
    Recorder recorder(sink_, trace(), journal(), metrics_);
    awaitDirectWrite(recorder);
    recorder.record(finished("last"));
  }
  EXPECT_TRUE(sink_.ids().empty());
  sink_.fail(false);
  Recorder recorder(sink_, trace(), journal(), metrics_);
  ASSERT_TRUE(recorder.flush());
  EXPECT_EQ(sink_.ids().back(), "last");
}

TEST_F(JournalledRecorderTest, LeavesWritesToItsThreadWhileTheDiskIsSlow) {
  sync_ = false;
  std::atomic<bool> slow{false};
  create_ = [&slow](const std::string& path) -> std::unique_ptr<columnar::File> {
    return std::make_unique<SlowFile>(columnar::createFile(path), slow);
  };
  Recorder recorder(sink_, trace(), journal(), metrics_);
  awaitDirectWrite(recorder);
  slow = true;
  awaitDirectWrite(recorder);  // finds out that the disk is slow
  slow = false;
  std::promise<std::thread::id> released;
  recorder.record(finished("a"), [&released] { released.set_value(std::this_thread::get_id()); });
  EXPECT_NE(released.get_future().get(), std::this_thread::get_id());
}

class SharedRecorderTest : public JournalledRecorderTest,
                           public ::testing::WithParamInterface<bool> {};

INSTANTIATE_TEST_SUITE_P(Sync, SharedRecorderTest, ::testing::Bool());

TEST_P(SharedRecorderTest, StoresEveryRecordOfConcurrentThreadsOnce) {
  constexpr int kThreads = 4;
  constexpr int kEach = 500;
  sync_ = GetParam();
  std::atomic<int> released{0};
  {
    Recorder recorder(sink_, trace(), journal(), metrics_);
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&recorder, &released, t] {
        for (int i = 0; i < kEach; ++i) {
          recorder.record(finished(std::to_string(t * kEach + i)), [&released] { ++released; });
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(released, kThreads * kEach);
  std::vector<std::string> ids = sink_.ids();
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(ids.size(), static_cast<std::size_t>(kThreads * kEach));
  EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end());
}

}  // namespace
}  // namespace spindle::inference
