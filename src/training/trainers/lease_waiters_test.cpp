#include "training/trainers/lease_waiters.h"

#include <deque>
#include <future>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

namespace spindle::training {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

/// A queue of job ids, leased in order.
class FakeJobQueue {
 public:
  void put(const std::string& id) {
    const MutexLock lock(mutex_);
    jobs_.push_back(id);
  }
  LeaseWaiters::Source source() {
    return {[this](const TrainerRequest&) -> Result<std::optional<Offer>> {
              const MutexLock lock(mutex_);
              if (jobs_.empty()) return std::optional<Offer>();
              Offer offer;
              offer.job.id = jobs_.front();
              jobs_.pop_front();
              return std::optional(offer);
            },
            [this](const Offer& offer) { back_.set_value(offer.job.id); }};
  }
  std::string givenBack() { return back_.get_future().get(); }

 private:
  Mutex mutex_;
  std::deque<std::string> jobs_ SPINDLE_GUARDED_BY(mutex_);
  std::promise<std::string> back_;
};

/// A trainer that waits for a job.
class WaitingTrainer {
 public:
  LeaseWaiters::Answer answer(bool there = true) {
    return [this, there](const Result<std::optional<Offer>>& offer) {
      answer_.set_value(offer && *offer ? (*offer)->job.id : "nothing");
      return there;
    };
  }
  std::string get() { return answer_.get_future().get(); }

 private:
  std::promise<std::string> answer_;
};

class LeaseWaitersTest : public ::testing::Test {
 protected:
  void start(milliseconds poll = hours(1)) {
    waiters_.emplace(queue_.source(), poll);
    waiters_->start();
  }
  void wait(LeaseWaiters::Answer answer, milliseconds timeout = hours(1)) {
    waiters_->wait({"one"}, timeout, std::move(answer));
  }
  void putAndWake(const std::string& id) {
    queue_.put(id);
    waiters_->wake();
  }

  FakeJobQueue queue_;
  std::optional<LeaseWaiters> waiters_;
};

TEST_F(LeaseWaitersTest, ReturnsAvailableJob) {
  queue_.put("job-1");
  start();
  WaitingTrainer one;
  wait(one.answer());
  EXPECT_EQ(one.get(), "job-1");
}

TEST_F(LeaseWaitersTest, ReportsWhetherATrainerWaits) {
  start();
  EXPECT_FALSE(waiters_->hasGgufWaiters());
  WaitingTrainer one;
  wait(one.answer());
  EXPECT_TRUE(waiters_->hasGgufWaiters());
  putAndWake("job-1");
  EXPECT_EQ(one.get(), "job-1");
  EXPECT_FALSE(waiters_->hasGgufWaiters());
}

TEST_F(LeaseWaitersTest, ReturnsJobThatArrivesLater) {
  start();
  WaitingTrainer one;
  wait(one.answer());
  putAndWake("job-1");
  EXPECT_EQ(one.get(), "job-1");
}

TEST_F(LeaseWaitersTest, PollsWithoutWake) {
  start(milliseconds(1));
  WaitingTrainer one;
  wait(one.answer());
  queue_.put("job-1");
  EXPECT_EQ(one.get(), "job-1");
}

TEST_F(LeaseWaitersTest, ReturnsNothingAfterTimeout) {
  start();
  WaitingTrainer one;
  wait(one.answer(), milliseconds(1));
  EXPECT_EQ(one.get(), "nothing");
}

TEST_F(LeaseWaitersTest, SecondWaitReplacesFirst) {
  start();
  WaitingTrainer first;
  WaitingTrainer second;
  wait(first.answer());
  wait(second.answer());
  EXPECT_EQ(first.get(), "nothing");
  putAndWake("job-1");
  EXPECT_EQ(second.get(), "job-1");
}

TEST_F(LeaseWaitersTest, ReleasesJobOfDisconnectedTrainer) {
  queue_.put("job-1");
  start();
  WaitingTrainer gone;
  wait(gone.answer(false));
  EXPECT_EQ(queue_.givenBack(), "job-1");
}

TEST_F(LeaseWaitersTest, StopAnswersAllWaiters) {
  start();
  WaitingTrainer one;
  wait(one.answer());
  waiters_->stop();
  EXPECT_EQ(one.get(), "nothing");
  WaitingTrainer late;
  waiters_->wait({"late"}, hours(1), late.answer());
  EXPECT_EQ(late.get(), "nothing");
}

}  // namespace
}  // namespace spindle::training
