#include "trainer/kernels/parallel.h"

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace spindle::trainer {
namespace {

class Parallel : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { setThreads(GetParam()); }
  void TearDown() override { setThreads(1); }
};

TEST_P(Parallel, ProcessesEveryIndexOnce) {
  for (std::int64_t count = 0; count < 400; ++count) {
    std::vector<std::atomic<int>> times(static_cast<std::size_t>(count));
    inParallel(count, 3, [&times](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) ++times[static_cast<std::size_t>(i)];
    });
    for (const std::atomic<int>& time : times) ASSERT_EQ(time.load(), 1);
  }
}

TEST_P(Parallel, RespectsTheMinimumPartSize) {
  std::mutex mutex;
  std::vector<std::int64_t> sizes;
  inParallel(100, 40, [&](std::int64_t begin, std::int64_t end) {
    const std::lock_guard lock(mutex);
    if (end < 100) sizes.push_back(end - begin);
  });
  for (const std::int64_t size : sizes) EXPECT_GE(size, 40);
}

TEST_P(Parallel, RethrowsExceptionsAndStaysUsable) {
  const auto throwing = [](std::int64_t begin, std::int64_t) {
    if (begin == 0) throw std::runtime_error("no");
  };
  EXPECT_THROW(inParallel(100, 1, throwing), std::runtime_error);
  std::atomic<std::int64_t> sum{0};
  inParallel(100, 1, [&sum](std::int64_t begin, std::int64_t end) { sum += end - begin; });
  EXPECT_EQ(sum.load(), 100);
}

TEST_P(Parallel, SupportsNestedCalls) {
  std::atomic<std::int64_t> sum{0};
  inParallel(10, 1, [&sum](std::int64_t begin, std::int64_t end) {
    inParallel(end - begin, 1,
               [&sum](std::int64_t first, std::int64_t last) { sum += last - first; });
  });
  EXPECT_EQ(sum.load(), 10);
}

INSTANTIATE_TEST_SUITE_P(OfThreads, Parallel, ::testing::Values(1, 2, 3, 8));

}  // namespace
}  // namespace spindle::trainer
