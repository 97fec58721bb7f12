#include "training/trainers/lease_waiters.h"

#include <deque>
#include <future>

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
    return {[this](const std::string&) -> Result<std::optional<Offer>> {
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

TEST(LeaseWaitersTest, ReturnsAvailableJob) {
  FakeJobQueue queue;
  queue.put("job-1");
  LeaseWaiters lease_waiters(queue.source(), hours(1));
  lease_waiters.start();
  WaitingTrainer one;
  lease_waiters.wait("one", hours(1), one.answer());
  EXPECT_EQ(one.get(), "job-1");
}

TEST(LeaseWaitersTest, ReportsWhetherATrainerWaits) {
  FakeJobQueue queue;
  LeaseWaiters lease_waiters(queue.source(), hours(1));
  lease_waiters.start();
  EXPECT_FALSE(lease_waiters.hasWaiters());
  WaitingTrainer one;
  lease_waiters.wait("one", hours(1), one.answer());
  EXPECT_TRUE(lease_waiters.hasWaiters());
  queue.put("job-1");
  lease_waiters.wake();
  EXPECT_EQ(one.get(), "job-1");
  EXPECT_FALSE(lease_waiters.hasWaiters());
}

TEST(LeaseWaitersTest, ReturnsJobThatArrivesLater) {
  FakeJobQueue queue;
  LeaseWaiters lease_waiters(queue.source(), hours(1));
  lease_waiters.start();
  WaitingTrainer one;
  lease_waiters.wait("one", hours(1), one.answer());
  queue.put("job-1");
  lease_waiters.wake();
  EXPECT_EQ(one.get(), "job-1");
}

TEST(LeaseWaitersTest, PollsWithoutWake) {
  FakeJobQueue queue;
  LeaseWaiters lease_waiters(queue.source(), milliseconds(1));
  lease_waiters.start();
  WaitingTrainer one;
  lease_waiters.wait("one", hours(1), one.answer());
  queue.put("job-1");
  EXPECT_EQ(one.get(), "job-1");
}

TEST(LeaseWaitersTest, ReturnsNothingAfterTimeout) {
  FakeJobQueue queue;
  LeaseWaiters lease_waiters(queue.source(), hours(1));
  lease_waiters.start();
  WaitingTrainer one;
  lease_waiters.wait("one", milliseconds(1), one.answer());
  EXPECT_EQ(one.get(), "nothing");
}

TEST(LeaseWaitersTest, SecondWaitReplacesFirst) {
  FakeJobQueue queue;
  LeaseWaiters lease_waiters(queue.source(), hours(1));
  lease_waiters.start();
  WaitingTrainer first;
  WaitingTrainer second;
  lease_waiters.wait("one", hours(1), first.answer());
  lease_waiters.wait("one", hours(1), second.answer());
  EXPECT_EQ(first.get(), "nothing");
  queue.put("job-1");
  lease_waiters.wake();
  EXPECT_EQ(second.get(), "job-1");
}

TEST(LeaseWaitersTest, ReleasesJobOfDisconnectedTrainer) {
  FakeJobQueue queue;
  queue.put("job-1");
  LeaseWaiters lease_waiters(queue.source(), hours(1));
  lease_waiters.start();
  WaitingTrainer gone;
  lease_waiters.wait("one", hours(1), gone.answer(false));
  EXPECT_EQ(queue.givenBack(), "job-1");
}

TEST(LeaseWaitersTest, StopAnswersAllWaiters) {
  FakeJobQueue queue;
  LeaseWaiters lease_waiters(queue.source(), hours(1));
  lease_waiters.start();
  WaitingTrainer one;
  lease_waiters.wait("one", hours(1), one.answer());
  lease_waiters.stop();
  EXPECT_EQ(one.get(), "nothing");
  WaitingTrainer late;
  lease_waiters.wait("late", hours(1), late.answer());
  EXPECT_EQ(late.get(), "nothing");
}

}  // namespace
}  // namespace spindle::training
