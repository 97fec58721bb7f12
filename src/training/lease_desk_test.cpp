#include "training/lease_desk.h"

#include <deque>
#include <future>

#include <gtest/gtest.h>

namespace spindle::training {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

/// A queue of job ids, leased in order.
class Shelf {
 public:
  void put(const std::string& id) {
    const MutexLock lock(mutex_);
    jobs_.push_back(id);
  }
  LeaseDesk::Source source() {
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
class Waiting {
 public:
  LeaseDesk::Answer answer(bool there = true) {
    return [this, there](const Result<std::optional<Offer>>& offer) {
      answer_.set_value(offer && *offer ? (*offer)->job.id : "nothing");
      return there;
    };
  }
  std::string get() { return answer_.get_future().get(); }

 private:
  std::promise<std::string> answer_;
};

TEST(LeaseDesks, GiveAJobThatIsThere) {
  Shelf shelf;
  shelf.put("job-1");
  LeaseDesk desk(shelf.source(), hours(1));
  desk.start();
  Waiting one;
  desk.wait("one", hours(1), one.answer());
  EXPECT_EQ(one.get(), "job-1");
}

TEST(LeaseDesks, KnowWhetherAnybodyWaits) {
  Shelf shelf;
  LeaseDesk desk(shelf.source(), hours(1));
  desk.start();
  EXPECT_FALSE(desk.isAttended());
  Waiting one;
  desk.wait("one", hours(1), one.answer());
  EXPECT_TRUE(desk.isAttended());
  shelf.put("job-1");
  desk.wake();
  EXPECT_EQ(one.get(), "job-1");
  EXPECT_FALSE(desk.isAttended());
}

TEST(LeaseDesks, GiveAJobThatComesLater) {
  Shelf shelf;
  LeaseDesk desk(shelf.source(), hours(1));
  desk.start();
  Waiting one;
  desk.wait("one", hours(1), one.answer());
  shelf.put("job-1");
  desk.wake();
  EXPECT_EQ(one.get(), "job-1");
}

TEST(LeaseDesks, AskNowAndThenAlsoWithoutBeingTold) {
  Shelf shelf;
  LeaseDesk desk(shelf.source(), milliseconds(1));
  desk.start();
  Waiting one;
  desk.wait("one", hours(1), one.answer());
  shelf.put("job-1");
  EXPECT_EQ(one.get(), "job-1");
}

TEST(LeaseDesks, SendAwayWhoHasWaitedLongEnough) {
  Shelf shelf;
  LeaseDesk desk(shelf.source(), hours(1));
  desk.start();
  Waiting one;
  desk.wait("one", milliseconds(1), one.answer());
  EXPECT_EQ(one.get(), "nothing");
}

TEST(LeaseDesks, TakeASecondWaitOfAWorkerInPlaceOfTheFirst) {
  Shelf shelf;
  LeaseDesk desk(shelf.source(), hours(1));
  desk.start();
  Waiting first;
  Waiting second;
  desk.wait("one", hours(1), first.answer());
  desk.wait("one", hours(1), second.answer());
  EXPECT_EQ(first.get(), "nothing");
  shelf.put("job-1");
  desk.wake();
  EXPECT_EQ(second.get(), "job-1");
}

TEST(LeaseDesks, HandBackAJobThatNobodyTook) {
  Shelf shelf;
  shelf.put("job-1");
  LeaseDesk desk(shelf.source(), hours(1));
  desk.start();
  Waiting gone;
  desk.wait("one", hours(1), gone.answer(false));
  EXPECT_EQ(shelf.givenBack(), "job-1");
}

TEST(LeaseDesks, SendEverybodyAwayAtTheEnd) {
  Shelf shelf;
  LeaseDesk desk(shelf.source(), hours(1));
  desk.start();
  Waiting one;
  desk.wait("one", hours(1), one.answer());
  desk.stop();
  EXPECT_EQ(one.get(), "nothing");
  Waiting late;
  desk.wait("late", hours(1), late.answer());
  EXPECT_EQ(late.get(), "nothing");
}

}  // namespace
}  // namespace spindle::training
