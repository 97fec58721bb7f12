#include "http/worker_pool.h"

#include <atomic>
#include <functional>
#include <future>
#include <memory>

#include <gtest/gtest.h>

namespace spindle::http {
namespace {

class Call final : public WorkerPool::Job {
 public:
  explicit Call(std::function<void()> what = {}) : what_(std::move(what)) {}
  void run() noexcept override {
    if (what_) what_();
    outcome_.set_value(true);
  }
  void drop() noexcept override { outcome_.set_value(false); }
  /// True when it ran, false when it was dropped.
  bool wait() { return outcome_.get_future().get(); }

 private:
  std::function<void()> what_;
  std::promise<bool> outcome_;
};

/// A job that holds a worker until told otherwise.
struct Gate {
  std::promise<void> entered;
  std::promise<void> open;
  Call job{[this] {
    entered.set_value();
    open.get_future().wait();
  }};
};

TEST(WorkerPool, RunsEveryJobOnce) {
  Gauge queued;
  std::atomic<int> ran{0};
  std::vector<std::unique_ptr<Call>> calls;
  WorkerPool pool(3, 1000, queued);
  for (int i = 0; i < 1000; ++i) {
    calls.push_back(std::make_unique<Call>([&ran] { ++ran; }));
    pool.submit(*calls.back());
  }
  for (const auto& call : calls) EXPECT_TRUE(call->wait());
  EXPECT_EQ(ran, 1000);
}

TEST(WorkerPool, RefusesAtOnceWhenTheQueueIsFull) {
  Gauge queued;
  Gate gate;
  Call waiting;
  Call refused;
  Call pressing;
  WorkerPool pool(1, 1, queued);
  pool.submit(gate.job);
  gate.entered.get_future().wait();
  EXPECT_TRUE(pool.trySubmit(waiting));
  EXPECT_FALSE(pool.trySubmit(refused));
  pool.submit(pressing);
  EXPECT_EQ(queued.value(), 2);
  gate.open.set_value();
  EXPECT_TRUE(waiting.wait());
  EXPECT_TRUE(pressing.wait());
}

TEST(WorkerPool, DropsWhatWaitsAndFinishesWhatRunsWhenItStops) {
  Gauge queued;
  Gate gate;
  Call waiting;
  WorkerPool pool(1, 1, queued);
  pool.submit(gate.job);
  gate.entered.get_future().wait();
  pool.submit(waiting);
  std::thread stopper([&pool] { pool.stop(); });
  EXPECT_FALSE(waiting.wait());
  gate.open.set_value();
  stopper.join();
  EXPECT_TRUE(gate.job.wait());
  EXPECT_EQ(queued.value(), 0);

  Call late;
  EXPECT_TRUE(pool.trySubmit(late));
  EXPECT_FALSE(late.wait());
}

TEST(WorkerPool, UsesEveryThreadWhenJobsBlock) {
  Gauge queued;
  Gate gates[4];
  WorkerPool pool(4, 0, queued);
  for (Gate& gate : gates) pool.submit(gate.job);
  for (Gate& gate : gates) gate.entered.get_future().wait();
  for (Gate& gate : gates) gate.open.set_value();
  for (Gate& gate : gates) EXPECT_TRUE(gate.job.wait());
}

}  // namespace
}  // namespace spindle::http
