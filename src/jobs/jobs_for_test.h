#pragma once

#include <gtest/gtest.h>

#include "base/core/log.h"
#include "jobs/job_queue.h"
#include "jobs/migrations.h"
#include "storage/testing/postgres_for_test.h"

namespace spindle::jobs {

/// A queue over a fresh database of the engine under test.
class JobContract : public ::testing::TestWithParam<storage::Engine> {
 protected:
  static void SetUpTestSuite() { configureLogging(LogLevel::kError, LogFormat::kText); }
  void SetUp() override { database_->migrate({jobsSchema()}, clock_.now()); }

  Job enqueue(const std::string& payload, std::optional<std::string> queue_key = {}) {
    const Result<Job> job =
        queue_.enqueue({.kind = "test", .payload = payload, .queue_key = std::move(queue_key)});
    EXPECT_TRUE(job);
    return *job;
  }
  JobState stateOf(std::string_view id) {
    const Result<Job> job = queue_.find(id);
    EXPECT_TRUE(job);
    return job->state;
  }

  ManualClock clock_{timestampOfMicros(1'700'000'000'000'000)};
  storage::DatabaseForTest database_{GetParam()};
  JobQueue queue_{*database_, clock_};
};

}  // namespace spindle::jobs

#define SPINDLE_JOBS_ON_BOTH_ENGINES(Suite)                     \
  INSTANTIATE_TEST_SUITE_P(                                     \
      Engines, Suite,                                           \
      ::testing::Values(::spindle::storage::Engine::kSqlite,    \
                        ::spindle::storage::Engine::kPostgres), \
      [](const auto& engine) { return ::spindle::storage::nameOfEngine(engine.param); })
