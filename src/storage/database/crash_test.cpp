#include <array>
#include <cstdint>
#include <random>
#include <set>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "storage/testing/postgres_for_test.h"

namespace spindle::storage {
namespace {

const std::vector<AreaSchema> crash_schema = {
    {"test", {{1, "rows", "CREATE TABLE kept (n BIGINT PRIMARY KEY, twin BIGINT NOT NULL);"}}}};

/// Commits two rows at a time and reports each commit, until it is killed.
[[noreturn]] void commitForEver(const DatabaseOptions& options, int report, std::int64_t from) {
  MetricRegistry metrics;
  const std::unique_ptr<Database> database = Database::open(options, metrics);
  database->migrate(crash_schema, Timestamp{});
  for (std::int64_t n = from;; n += 2) {
    const Result<std::int64_t> done =
        database->write([n](Session& session) -> Result<std::int64_t> {
          TRY(session.execute("INSERT INTO kept VALUES (?, ?)", {n, n + 1}));
          return session.execute("INSERT INTO kept VALUES (?, ?)", {n + 1, n});
        });
    if (!done || ::write(report, &n, sizeof(n)) != sizeof(n)) ::_exit(1);
  }
}

TEST(Crash, KeepsAcknowledgedWritesAndNoPartialOnes) {
  const FolderForTest folder;
  DatabaseOptions options;
  options.path = folder.path() + "/spindle.db";
  std::mt19937 random(20240501);
  std::set<std::int64_t> acknowledged;
  std::int64_t next = 0;
  for (int round = 0; round < 20; ++round) {
    std::array<int, 2> channel{};
    ASSERT_EQ(::pipe(channel.data()), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) commitForEver(options, channel[1], next);
    ::close(channel[1]);
    const unsigned kill_after = random() % 12;
    std::int64_t n = 0;
    for (unsigned i = 0; ::read(channel[0], &n, sizeof(n)) == sizeof(n); ++i) {
      acknowledged.insert(n);
      if (i == kill_after) ::kill(child, SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
    ::close(channel[0]);

    MetricRegistry metrics;
    const std::unique_ptr<Database> database = Database::open(options, metrics);
    const Result<Rows> rows = database->read(
        [](Session& session) { return session.query("SELECT n, twin FROM kept ORDER BY n"); });
    ASSERT_TRUE(rows);
    std::set<std::int64_t> found;
    for (const Row& row : *rows) found.insert(row.integer("n"));
    for (const std::int64_t kept : acknowledged) EXPECT_TRUE(found.count(kept) == 1) << kept;
    for (const Row& row : *rows) EXPECT_TRUE(found.count(row.integer("twin")) == 1);
    next = found.empty() ? 0 : *found.rbegin() + 1;
  }
  EXPECT_GE(acknowledged.size(), 20U);
}

/// Waits for a byte, opens the database, adds a row and exits normally.
[[noreturn]] void writeAndExit(const DatabaseOptions& options, int go) {
  char signal = 0;
  if (::read(go, &signal, 1) != 1) ::_exit(1);
  bool done = false;
  {
    MetricRegistry metrics;
    const std::unique_ptr<Database> database = Database::open(options, metrics);
    done = database
               ->write([](Session& session) {
                 return session.execute("INSERT INTO kept VALUES (2, 2)");
               })
               .has_value();
  }
  ::_exit(done ? 0 : 1);
}

TEST(Crash, WritesSurviveTheExitOfAnotherProcess) {
  const FolderForTest folder;
  DatabaseOptions options;
  options.path = folder.path() + "/spindle.db";
  std::array<int, 2> channel{};
  ASSERT_EQ(::pipe(channel.data()), 0);
  const pid_t other_process = ::fork();  // before the database has threads and locks
  ASSERT_GE(other_process, 0);
  if (other_process == 0) writeAndExit(options, channel[0]);

  const auto insert = [](std::int64_t n) {
    return [n](Session& session) {
      return session.execute("INSERT INTO kept VALUES (?, ?)", {n, n});
    };
  };
  {
    MetricRegistry metrics;
    const std::unique_ptr<Database> database = Database::open(options, metrics);
    database->migrate(crash_schema, Timestamp{});
    ASSERT_TRUE(database->write(insert(1)));
    ASSERT_EQ(::write(channel[1], "g", 1), 1);
    int status = 0;
    ASSERT_EQ(::waitpid(other_process, &status, 0), other_process);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(::access((options.path + "-wal").c_str(), F_OK), 0)
        << "the visitor took the log away";
    ASSERT_TRUE(database->write(insert(3)));
  }
  ::close(channel[0]);
  ::close(channel[1]);
  MetricRegistry metrics;
  const std::unique_ptr<Database> again = Database::open(options, metrics);
  const Result<Rows> rows =
      again->read([](Session& session) { return session.query("SELECT n FROM kept"); });
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->size(), 3U);
}

}  // namespace
}  // namespace spindle::storage
