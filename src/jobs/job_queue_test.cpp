#include "jobs/job_queue.h"

#include <atomic>
#include <set>
#include <thread>

#include "base/core/mutex.h"
#include "jobs/jobs_for_test.h"

namespace spindle::jobs {
namespace {

using std::chrono::seconds;

class Queue : public JobContract {
 protected:
  std::optional<LeasedJob> lease(std::string_view worker = "w1", std::string_view kind = "test") {
    Result<std::optional<LeasedJob>> leased = queue_.lease(kind, worker, seconds(30));
    EXPECT_TRUE(leased);
    return leased ? *std::move(leased) : std::nullopt;
  }
};

TEST_P(Queue, ReleasesTheJobsOfADeadNodeOfEveryKind) {
  const Job one = enqueue("1");
  const Result<Job> two = queue_.enqueue({.kind = "other", .payload = "2"});
  ASSERT_TRUE(two);
  ASSERT_TRUE(queue_.lease("test", "dead", seconds(30))->has_value());
  ASSERT_TRUE(queue_.lease("other", "dead", seconds(30))->has_value());
  EXPECT_EQ(queue_.releaseWorker("alive").value(), 0);
  EXPECT_EQ(queue_.releaseWorker("dead").value(), 2);
  EXPECT_EQ(stateOf(one.id), JobState::kQueued);
  EXPECT_TRUE(queue_.lease("other", "alive", seconds(30))->has_value());
}

TEST_P(Queue, StoresAllFieldsOfAJob) {
  const Result<Job> made = queue_.enqueue({.kind = "test",
                                           .payload = R"({"a":"☃"})",
                                           .queue_key = "k",
                                           .unique_key = "u",
                                           .run_at = clock_.now() + seconds(5),
                                           .id = "job-1"});
  ASSERT_TRUE(made);
  const Result<Job> job = queue_.find("job-1");
  ASSERT_TRUE(job);
  EXPECT_EQ(job->kind, "test");
  EXPECT_EQ(job->payload, R"({"a":"☃"})");
  EXPECT_EQ(job->progress, "{}");
  EXPECT_EQ(job->queue_key, "k");
  EXPECT_EQ(job->unique_key, "u");
  EXPECT_EQ(job->state, JobState::kQueued);
  EXPECT_EQ(job->attempts, 0);
  EXPECT_EQ(job->run_at, clock_.now() + seconds(5));
  EXPECT_EQ(job->created_at, clock_.now());
  EXPECT_FALSE(job->finished_at);
  EXPECT_EQ(queue_.find("job-2").error().code(), ErrorCode::kNotFound);
}

TEST_P(Queue, ChangesInsideTheTransactionOfTheCaller) {
  const auto add = [&](bool well) {
    return database_->write([&](storage::Session& session) -> Result<void> {
      TRY(queue_.enqueue(session, {.kind = "test", .id = "job-1"}));
      return well ? Result<void>() : Error::unavailable("undone");
    });
  };
  EXPECT_FALSE(add(false));
  EXPECT_FALSE(queue_.find("job-1"));
  EXPECT_TRUE(add(true));
  const std::optional<LeasedJob> leased = lease();
  ASSERT_TRUE(leased);
  const auto holds = [&](const std::string& token) {
    return database_->read(
        [&](storage::Session& session) { return JobQueue::requireLease(session, "job-1", token); });
  };
  EXPECT_TRUE(holds(leased->token));
  EXPECT_EQ(holds("another").error().reason(), "lease_lost");
  const auto end = [&](JobState state) {
    return database_->write(
        [&](storage::Session& session) { return queue_.end(session, "job-1", state, "why"); });
  };
  EXPECT_TRUE(end(JobState::kCancelled));
  EXPECT_TRUE(end(JobState::kSucceeded)) << "no effect";
  EXPECT_EQ(queue_.find("job-1")->state, JobState::kCancelled);
  EXPECT_EQ(queue_.find("job-1")->error, "why");
  EXPECT_FALSE(holds(leased->token));
}

TEST_P(Queue, RejectsADuplicateId) {
  ASSERT_TRUE(queue_.enqueue({.kind = "test", .id = "job-1"}));
  EXPECT_EQ(queue_.enqueue({.kind = "other", .id = "job-1"}).error().code(), ErrorCode::kConflict);
}

TEST_P(Queue, LeasesJobsInTheOrderOfEnqueuing) {
  const Job first = enqueue("1");
  const Job second = enqueue("2");
  EXPECT_EQ(lease()->job.id, first.id);
  EXPECT_EQ(lease()->job.id, second.id);
  EXPECT_FALSE(lease());
}

TEST_P(Queue, LeasesOnlyTheRequestedKind) {
  enqueue("1");
  EXPECT_FALSE(lease("w1", "other"));
  EXPECT_TRUE(lease());
}

TEST_P(Queue, LeasesAJobOnlyWhenItIsDue) {
  ASSERT_TRUE(queue_.enqueue({.kind = "test", .run_at = clock_.now() + seconds(10)}));
  EXPECT_FALSE(lease());
  clock_.advance(seconds(10));
  EXPECT_TRUE(lease());
}

TEST_P(Queue, ReportsWhetherAJobIsReady) {
  const auto ready = [&] { return *queue_.hasReady("test"); };
  EXPECT_FALSE(ready());
  ASSERT_TRUE(queue_.enqueue({.kind = "test"}));
  EXPECT_TRUE(ready());
  EXPECT_FALSE(*queue_.hasReady("other"));
  ASSERT_TRUE(lease());
  EXPECT_FALSE(ready());
  clock_.advance(seconds(31));
  EXPECT_TRUE(ready());
}

TEST_P(Queue, LeasesTheFirstJobThatTheWorkerAccepts) {
  enqueue("1");
  enqueue("2");
  enqueue("3", "model");
  enqueue("4", "model");
  const auto lease = [this](const std::string& payload) {
    const auto leased = queue_.lease("test", "w", std::chrono::seconds(30),
                                     [&](const Job& job) { return job.payload == payload; });
    EXPECT_TRUE(leased);
    return leased && *leased ? (*leased)->job.payload : "";
  };
  const auto is_ready = [this](const std::string& payload) {
    return *queue_.hasReady("test", [&](const Job& job) { return job.payload == payload; });
  };
  EXPECT_TRUE(is_ready("2"));
  EXPECT_EQ(lease("2"), "2");
  EXPECT_FALSE(is_ready("2"));
  EXPECT_EQ(lease("2"), "");
  EXPECT_EQ(lease("4"), "") << "an earlier job has the same key";
  EXPECT_EQ(lease("3"), "3");
  EXPECT_EQ(lease("1"), "1");
}

TEST_P(Queue, RunsJobsOfOneKeyOneAtATimeInOrder) {
  const Job first = enqueue("1", "model-a");
  const Job second = enqueue("2", "model-a");
  const Job other = enqueue("3", "model-b");
  const std::optional<LeasedJob> running = lease();
  EXPECT_EQ(running->job.id, first.id);
  const std::optional<LeasedJob> beside = lease();
  EXPECT_EQ(beside->job.id, other.id) << "another key does not wait";
  ASSERT_TRUE(queue_.complete(other.id, beside->token));
  EXPECT_FALSE(lease());
  ASSERT_TRUE(queue_.fail(first.id, running->token, "later", clock_.now() + seconds(60)));
  EXPECT_FALSE(lease()) << "a job that waits for a retry keeps its position";
  clock_.advance(seconds(60));
  const std::optional<LeasedJob> again = lease();
  EXPECT_EQ(again->job.id, first.id);
  ASSERT_TRUE(queue_.complete(first.id, again->token));
  EXPECT_EQ(lease()->job.id, second.id);
}

TEST_P(Queue, CreatesAJobWithAUniqueKeyOnce) {
  const NewJob job{.kind = "test", .payload = "1", .unique_key = "same"};
  const Result<Job> first = queue_.enqueue(job);
  EXPECT_EQ(queue_.enqueue(job)->id, first->id);
  const std::optional<LeasedJob> leased = lease();
  ASSERT_TRUE(queue_.complete(first->id, leased->token));
  EXPECT_EQ(queue_.enqueue(job)->id, first->id) << "also when it has finished";
  NewJob other = job;
  other.kind = "other";
  EXPECT_NE(queue_.enqueue(other)->id, first->id);
}

TEST_P(Queue, ReportsTheWorkerOfALease) {
  enqueue("1");
  const std::optional<LeasedJob> leased = lease("worker-7");
  ASSERT_TRUE(leased);
  const Result<Job> job = queue_.find(leased->job.id);
  EXPECT_EQ(job->state, JobState::kRunning);
  EXPECT_EQ(job->worker, "worker-7");
  EXPECT_EQ(job->leased_until, clock_.now() + seconds(30));
  EXPECT_EQ(job->attempts, 1);
}

TEST_P(Queue, LeasesAJobAgainWhenItsLeaseExpired) {
  const Job job = enqueue("1");
  const std::optional<LeasedJob> dead = lease("w1");
  clock_.advance(seconds(29));
  EXPECT_FALSE(lease("w2"));
  clock_.advance(seconds(1));
  const std::optional<LeasedJob> next_lease = lease("w2");
  ASSERT_TRUE(next_lease);
  EXPECT_EQ(next_lease->job.id, job.id);
  EXPECT_EQ(next_lease->job.attempts, 2);
  EXPECT_EQ(queue_.complete(job.id, dead->token).error().code(), ErrorCode::kConflict);
  EXPECT_EQ(queue_.fail(job.id, dead->token, "x").error().code(), ErrorCode::kConflict);
  EXPECT_EQ(queue_.release(job.id, dead->token).error().code(), ErrorCode::kConflict);
  EXPECT_EQ(queue_.setProgress(job.id, dead->token, "{}").error().code(), ErrorCode::kConflict);
  EXPECT_EQ(queue_.heartBeat(job.id, dead->token, seconds(30)).error().code(),
            ErrorCode::kConflict);
  EXPECT_EQ(queue_.endCancelled(job.id, dead->token).error().code(), ErrorCode::kConflict);
  ASSERT_TRUE(queue_.complete(job.id, next_lease->token));
}

TEST_P(Queue, KeepsALeaseThatIsRenewed) {
  enqueue("1");
  const std::optional<LeasedJob> leased = lease();
  for (int i = 0; i < 5; ++i) {
    clock_.advance(seconds(20));
    const Result<HeartBeat> beat = queue_.heartBeat(leased->job.id, leased->token, seconds(30));
    ASSERT_TRUE(beat);
    EXPECT_FALSE(beat->cancel_requested);
    EXPECT_FALSE(lease("w2"));
  }
}

TEST_P(Queue, FinishesAJob) {
  const Job job = enqueue("1");
  const std::optional<LeasedJob> leased = lease();
  clock_.advance(seconds(3));
  ASSERT_TRUE(queue_.setProgress(job.id, leased->token, R"({"rows":3})"));
  ASSERT_TRUE(queue_.complete(job.id, leased->token));
  const Result<Job> done = queue_.find(job.id);
  EXPECT_EQ(done->state, JobState::kSucceeded);
  EXPECT_EQ(done->progress, R"({"rows":3})");
  EXPECT_EQ(done->finished_at, clock_.now());
  EXPECT_FALSE(done->leased_until);
  clock_.advance(seconds(60));
  EXPECT_FALSE(lease());
  EXPECT_EQ(queue_.complete(job.id, leased->token).error().code(), ErrorCode::kConflict);
}

TEST_P(Queue, RetriesAFailedJobAtTheGivenTime) {
  const Job job = enqueue("1");
  ASSERT_TRUE(queue_.fail(job.id, lease()->token, "busy", clock_.now() + seconds(10)));
  const Result<Job> waiting = queue_.find(job.id);
  EXPECT_EQ(waiting->state, JobState::kQueued);
  EXPECT_EQ(waiting->error, "busy");
  EXPECT_FALSE(waiting->worker);
  EXPECT_FALSE(lease());
  clock_.advance(seconds(10));
  const std::optional<LeasedJob> again = lease();
  EXPECT_EQ(again->job.attempts, 2);
  ASSERT_TRUE(queue_.fail(job.id, again->token, "broken"));
  EXPECT_EQ(stateOf(job.id), JobState::kFailed);
  EXPECT_EQ(queue_.find(job.id)->error, "broken");
}

TEST_P(Queue, DoesNotCountAReleasedAttempt) {
  const Job job = enqueue("1");
  ASSERT_TRUE(queue_.release(job.id, lease()->token));
  EXPECT_EQ(queue_.find(job.id)->attempts, 0);
  EXPECT_EQ(lease()->job.attempts, 1);
}

TEST_P(Queue, ReleasesTheLeasesOfADeadWorker) {
  enqueue("1");
  enqueue("2");
  ASSERT_TRUE(queue_.enqueue({.kind = "other"}));
  ASSERT_TRUE(lease("dead"));
  ASSERT_TRUE(lease("alive"));
  ASSERT_TRUE(lease("dead", "other"));
  const Result<std::int64_t> returned = queue_.releaseWorker("test", "dead");
  ASSERT_TRUE(returned);
  EXPECT_EQ(*returned, 1);
  const std::optional<LeasedJob> again = lease("alive");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->job.attempts, 2);
  EXPECT_FALSE(lease("alive"));
}

TEST_P(Queue, CancelsAQueuedJobAtOnce) {
  const Job job = enqueue("1", "k");
  const Job next = enqueue("2", "k");
  const Result<Job> cancelled = queue_.cancel(job.id);
  ASSERT_TRUE(cancelled);
  EXPECT_EQ(cancelled->state, JobState::kCancelled);
  EXPECT_EQ(cancelled->finished_at, clock_.now());
  EXPECT_EQ(lease()->job.id, next.id);
}

TEST_P(Queue, ReportsACancelRequestAtTheHeartbeat) {
  const Job job = enqueue("1");
  const std::optional<LeasedJob> leased = lease();
  const Result<Job> asked = queue_.cancel(job.id);
  EXPECT_EQ(asked->state, JobState::kRunning);
  EXPECT_TRUE(asked->cancel_requested);
  EXPECT_TRUE(queue_.heartBeat(job.id, leased->token, seconds(30))->cancel_requested);
  ASSERT_TRUE(queue_.endCancelled(job.id, leased->token));
  EXPECT_EQ(stateOf(job.id), JobState::kCancelled);
}

TEST_P(Queue, IgnoresTheCancellationOfAFinishedJob) {
  const Job job = enqueue("1");
  ASSERT_TRUE(queue_.complete(job.id, lease()->token));
  EXPECT_EQ(queue_.cancel(job.id)->state, JobState::kSucceeded);
  EXPECT_FALSE(queue_.cancel(job.id)->cancel_requested);
  EXPECT_EQ(queue_.cancel("none").error().code(), ErrorCode::kNotFound);
}

TEST_P(Queue, ListsTheNewestFirst) {
  const Job a = enqueue("1", "k");
  const Job b = enqueue("2", "k");
  const Job c = enqueue("3");
  ASSERT_TRUE(lease());
  const auto ids = [&](const JobFilter& filter) {
    std::vector<std::string> found;
    const Result<std::vector<Job>> jobs = queue_.list(filter);
    for (const Job& job : *jobs) found.push_back(job.id);
    return found;
  };
  using Ids = std::vector<std::string>;
  EXPECT_EQ(ids({}), (Ids{c.id, b.id, a.id}));
  EXPECT_EQ(ids({.kind = "test", .limit = 1, .offset = 1}), Ids{b.id});
  EXPECT_EQ(ids({.kind = "other"}), Ids{});
  EXPECT_EQ(ids({.queue_key = "k"}), (Ids{b.id, a.id}));
  EXPECT_EQ(ids({.state = JobState::kRunning}), Ids{a.id});
}

TEST_P(Queue, ListsOpenJobsInTheOrderOfLeases) {
  for (const char* id : {"a", "b", "c"}) ASSERT_TRUE(queue_.enqueue({.kind = "test", .id = id}));
  ASSERT_TRUE(queue_.enqueue({.kind = "other", .id = "d"}));
  const auto ids = [&](std::int64_t limit) {
    std::string text;
    const Result<std::vector<Job>> open = queue_.open("test", limit);
    EXPECT_TRUE(open);
    for (const Job& job : open ? *open : std::vector<Job>()) {
      text += job.id + (job.worker ? "=" + *job.worker + " " : " ");
    }
    return text;
  };
  EXPECT_EQ(ids(10), "a b c ");
  EXPECT_EQ(ids(2), "a b ");
  const std::optional<LeasedJob> leased = lease();
  ASSERT_TRUE(leased);
  EXPECT_EQ(ids(10), "a=w1 b c ");
  ASSERT_TRUE(queue_.complete("a", leased->token));
  EXPECT_EQ(ids(10), "b c ");
}

TEST_P(Queue, RemovesJobsThatFinishedLongAgo) {
  const Job old = enqueue("1");
  ASSERT_TRUE(queue_.complete(old.id, lease()->token));
  clock_.advance(seconds(100));
  const Job recent = enqueue("2");
  ASSERT_TRUE(queue_.complete(recent.id, lease()->token));
  const Job open = enqueue("3");
  EXPECT_EQ(*queue_.removeFinished(clock_.now()), 1);
  EXPECT_FALSE(queue_.find(old.id));
  EXPECT_TRUE(queue_.find(recent.id));
  EXPECT_TRUE(queue_.find(open.id));
}

TEST_P(Queue, LeasesEachJobToOneOfManyWorkers) {
  for (int i = 0; i < 20; ++i) enqueue(std::to_string(i));
  Mutex mutex;
  std::multiset<std::string> taken;
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        while (true) {
          const Result<std::optional<LeasedJob>> leased = queue_.lease("test", "w", seconds(30));
          if (!leased || !*leased) return;
          const MutexLock lock(mutex);
          taken.insert((*leased)->job.id);
        }
      });
    }
  }
  EXPECT_EQ(taken.size(), 20U);
  EXPECT_EQ(std::set(taken.begin(), taken.end()).size(), 20U);
}

/// A queue whose wall clock is adjusted while its schedule clock goes on.
class AdjustedQueue : public Queue {
 protected:
  void pass(std::chrono::microseconds time) {
    clock_.advance(time);
    schedule_.advance(time);
  }

  ManualClock schedule_{clock_.now()};
  JobQueue adjusted_{*database_, {clock_, schedule_}};
};

TEST_P(AdjustedQueue, LeasesJobsAtOnceAfterTheClockWasSetBack) {
  ASSERT_TRUE(adjusted_.enqueue({.kind = "test"}));
  clock_.advance(-std::chrono::hours(5));
  EXPECT_TRUE(adjusted_.lease("test", "w1", seconds(30))->has_value());
}

TEST_P(AdjustedQueue, KeepsLeasesWhenTheWallClockIsAdjusted) {
  ASSERT_TRUE(adjusted_.enqueue({.kind = "test"}));
  ASSERT_TRUE(adjusted_.lease("test", "w1", seconds(30))->has_value());
  clock_.advance(std::chrono::hours(5));
  EXPECT_FALSE(*adjusted_.hasReady("test")) << "set forward: the lease has not run out";
  clock_.advance(-std::chrono::hours(10));
  pass(seconds(31));
  EXPECT_TRUE(*adjusted_.hasReady("test")) << "set back: the lease has run out";
}

TEST_P(AdjustedQueue, RetriesAfterTheBackoffWhenTheWallClockIsAdjusted) {
  ASSERT_TRUE(adjusted_.enqueue({.kind = "test", .id = "job-1"}));
  const Result<std::optional<LeasedJob>> leased = adjusted_.lease("test", "w1", seconds(30));
  clock_.advance(std::chrono::hours(2));
  ASSERT_TRUE(adjusted_.fail("job-1", (*leased)->token, "later", clock_.now() + seconds(10)));
  clock_.advance(-std::chrono::hours(4));
  EXPECT_FALSE(*adjusted_.hasReady("test"));
  pass(seconds(11));
  EXPECT_TRUE(*adjusted_.hasReady("test"));
}

SPINDLE_JOBS_ON_BOTH_ENGINES(AdjustedQueue);

SPINDLE_JOBS_ON_BOTH_ENGINES(Queue);

}  // namespace
}  // namespace spindle::jobs
