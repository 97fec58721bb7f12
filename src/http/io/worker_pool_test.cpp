#include "http/io/worker_pool.h"

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
  /// Returns true if the job ran, false if it was dropped.
  bool wait() { return outcome_.get_future().get(); }

 private:
  std::function<void()> what_;
  std::promise<bool> outcome_;
};

/// A job that blocks a worker until it is released.
struct Gate {
  std::promise<void> entered;
  std::promise<void> open;
  Call job{[this] {
    entered.set_value();
    open.get_future().wait();
  }};
};

/// A pool of one thread that is blocked by a job.
struct BlockedPool {
  explicit BlockedPool(std::size_t queue_limit) : pool(1, queue_limit, queued) {
    pool.submit(gate.job);
    gate.entered.get_future().wait();
  }
  Gauge queued;
  Gate gate;
  WorkerPool pool;
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

TEST(WorkerPool, RejectsJobsWhenTheQueueIsFull) {
  Call waiting;
  Call refused;
  Call pressing;
  BlockedPool blocked(1);
  EXPECT_EQ(blocked.pool.trySubmit(waiting), WorkerPool::SubmitResult::kAccepted);
  EXPECT_EQ(blocked.pool.trySubmit(refused), WorkerPool::SubmitResult::kFull);
  blocked.pool.submit(pressing);
  EXPECT_EQ(blocked.queued.value(), 2);
  blocked.gate.open.set_value();
  EXPECT_TRUE(waiting.wait());
  EXPECT_TRUE(pressing.wait());
}

TEST(WorkerPool, StopDropsWaitingAndCompletesRunningJobs) {
  Call waiting;
  BlockedPool blocked(1);
  blocked.pool.submit(waiting);
  std::thread stopper([&blocked] { blocked.pool.stop(); });
  EXPECT_FALSE(waiting.wait());
  blocked.gate.open.set_value();
  stopper.join();
  EXPECT_TRUE(blocked.gate.job.wait());
  EXPECT_EQ(blocked.queued.value(), 0);

  Call late;
  EXPECT_EQ(blocked.pool.trySubmit(late), WorkerPool::SubmitResult::kAccepted);
  EXPECT_FALSE(late.wait());
}

TEST(WorkerPool, UsesEveryThreadWhenJobsBlock) {
  Gauge queued;
  Gate gates[4];
  WorkerPool pool(4, 0, queued);
  for (std::size_t i = 0; i < 4; ++i) pool.submit(gates[i].job, std::to_string(i));
  for (Gate& gate : gates) gate.entered.get_future().wait();
  for (Gate& gate : gates) gate.open.set_value();
  for (Gate& gate : gates) EXPECT_TRUE(gate.job.wait());
}

TEST(WorkerPool, BlockedClassLeavesThreadsToOthers) {
  Gauge queued;
  Gate gates[8];
  Call other;
  WorkerPool pool(4, 100, queued);
  for (Gate& gate : gates) pool.submit(gate.job, "greedy");
  for (int i = 0; i < 3; ++i) gates[i].entered.get_future().wait();
  EXPECT_EQ(pool.trySubmit(other, "modest"), WorkerPool::SubmitResult::kAccepted);
  EXPECT_TRUE(other.wait()) << "while every job of the first class is blocked";
  EXPECT_EQ(queued.value(), 5);
  for (Gate& gate : gates) gate.open.set_value();
  for (Gate& gate : gates) EXPECT_TRUE(gate.job.wait());
}

TEST(WorkerPool, TwoBlockedClassesLeaveThreadsToAThird) {
  Gauge queued;
  std::vector<std::unique_ptr<Gate>> gates;
  Call third;
  WorkerPool pool(16, 100, queued);
  for (int i = 0; i < 40; ++i) {
    gates.push_back(std::make_unique<Gate>());
    pool.submit(gates.back()->job, i % 2 == 0 ? "a" : "b");
  }
  for (int i = 0; i < 12; ++i) gates[i]->entered.get_future().wait();
  EXPECT_EQ(pool.trySubmit(third, "c"), WorkerPool::SubmitResult::kAccepted);
  EXPECT_TRUE(third.wait());
  for (const auto& gate : gates) gate->open.set_value();
  for (const auto& gate : gates) EXPECT_TRUE(gate->job.wait());
}

TEST(WorkerPool, ServesWaitingClassesRoundRobin) {
  std::vector<std::string> order;
  std::vector<std::unique_ptr<Call>> calls;
  BlockedPool blocked(100);
  for (const char* name : {"a", "a", "a", "b", "c", "b"}) {
    calls.push_back(std::make_unique<Call>([&order, name] { order.emplace_back(name); }));
    blocked.pool.submit(*calls.back(), name);
  }
  blocked.gate.open.set_value();
  for (const auto& call : calls) EXPECT_TRUE(call->wait());
  EXPECT_EQ(order, (std::vector<std::string>{"a", "b", "c", "a", "b", "a"}));
}

TEST(WorkerPool, LimitsTheQueueShareOfAClass) {
  std::vector<std::unique_ptr<Call>> calls;
  BlockedPool blocked(8);
  const auto submit = [&](const char* name) {
    auto call = std::make_unique<Call>();
    const WorkerPool::SubmitResult admittance = blocked.pool.trySubmit(*call, name);
    if (admittance == WorkerPool::SubmitResult::kAccepted) calls.push_back(std::move(call));
    return admittance;
  };
  WorkerPool::SubmitResult last = WorkerPool::SubmitResult::kAccepted;
  while (last == WorkerPool::SubmitResult::kAccepted) last = submit("greedy");
  EXPECT_EQ(last, WorkerPool::SubmitResult::kClassFull);
  EXPECT_EQ(calls.size(), 6U);
  EXPECT_EQ(submit("modest"), WorkerPool::SubmitResult::kAccepted);
  EXPECT_EQ(submit("another"), WorkerPool::SubmitResult::kAccepted);
  EXPECT_EQ(submit("late"), WorkerPool::SubmitResult::kFull);
  blocked.gate.open.set_value();
  for (const auto& call : calls) EXPECT_TRUE(call->wait());
}

}  // namespace
}  // namespace spindle::http
