#include "storage/database/database.h"

#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/core/log.h"
#include "storage/testing/postgres_for_test.h"

namespace spindle::storage {
namespace {

/// The behaviour that both engines have in common.
class DatabaseContract : public ::testing::TestWithParam<Engine> {
 protected:
  static void SetUpTestSuite() { configureLogging(LogLevel::kWarning, LogFormat::kText); }

  void SetUp() override {
    database_->migrate({{"test",
                         {{1, "tables",
                           "CREATE TABLE parent (id TEXT PRIMARY KEY);"
                           "CREATE TABLE item (id TEXT PRIMARY KEY, n BIGINT, r DOUBLE PRECISION, "
                           "t TEXT, parent_id TEXT REFERENCES parent (id));"}}}},
                       Timestamp{});
  }

  Result<std::int64_t> execute(SqlView sql, const Params& params = {}) {
    return database_->write([&](Session& session) { return session.execute(sql, params); });
  }
  Result<Rows> query(SqlView sql, const Params& params = {}) {
    return database_->read([&](Session& session) { return session.query(sql, params); });
  }
  std::int64_t count(SqlView from) {
    const Result<Rows> rows = query("SELECT count(*) FROM " + SqlText(from));
    return rows ? rows->front().integer(0) : -1;
  }
  /// Stores a row with these values and reads it back.
  Row roundTrip(const Value& number, const Value& real, const Value& text) {
    const std::string id = "id" + std::to_string(next_id_++);
    const Result<std::int64_t> stored =
        execute("INSERT INTO item (id, n, r, t) VALUES (?, ?, ?, ?)", {id, number, real, text});
    EXPECT_TRUE(stored);
    return query("SELECT n, r, t FROM item WHERE id = ?", {id})->front();
  }

  DatabaseForTest database_{GetParam()};
  int next_id_ = 1;
};

TEST_P(DatabaseContract, KeepsIntegersExactly) {
  for (const std::int64_t number :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 31, (std::int64_t{1} << 53) + 1,
        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    EXPECT_EQ(roundTrip(number, {}, {}).integer("n"), number);
  }
}

TEST_P(DatabaseContract, KeepsDoublesExactly) {
  for (const double number : {0.0, 0.1, -1.0 / 3, 1e300, 5e-324, 3.0, 1.7976931348623157e308}) {
    EXPECT_EQ(roundTrip({}, number, {}).real("r"), number);
  }
}

TEST_P(DatabaseContract, KeepsTextExactly) {
  std::string ascii;
  for (char c = 1; c < 127; ++c) ascii += c;
  for (const std::string& text :
       {std::string(), ascii, std::string("é ☃ 😀 \xF4\x8F\xBF\xBF"), std::string("1"),
        std::string("null"), std::string("it's \"quoted\" ? $1 :name"),
        std::string(1'000'000, 'x')}) {
    EXPECT_EQ(roundTrip({}, {}, text).text("t"), text);
  }
}

TEST_P(DatabaseContract, DistinguishesNullFromEmptyText) {
  const Row nothing = roundTrip({}, {}, {});
  EXPECT_TRUE(nothing.isNull("n") && nothing.isNull("r") && nothing.isNull("t"));
  EXPECT_FALSE(roundTrip({}, {}, "").isNull("t"));
  EXPECT_EQ(query("SELECT id FROM item WHERE t = ?", {""})->size(), 1U);
}

TEST_P(DatabaseContract, RejectsValuesThatOneEngineCannotStore) {
  const auto code = [&](const Value& value) {
    return execute("INSERT INTO item (id, t) VALUES ('x', ?)", {value}).error().code();
  };
  EXPECT_EQ(code(std::string("a\0b", 3)), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code("\xFF"), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(std::nan("")), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(std::numeric_limits<double>::infinity()), ErrorCode::kInvalidArgument);
  EXPECT_EQ(count("item"), 0);
}

TEST_P(DatabaseContract, ReadsCountsSumsAndConditionsAsIntegers) {
  ASSERT_TRUE(execute("INSERT INTO item (id, n) VALUES ('a', 2), ('b', 40)"));
  const Row row =
      query(
          "SELECT count(*) AS many, sum(n) AS total, avg(n) AS mean, max(n) > 3 AS large, "
          "max(t) AS none FROM item")
          ->front();
  EXPECT_EQ(row.integer("many"), 2);
  EXPECT_EQ(row.integer("total"), 42);
  EXPECT_EQ(row.real("mean"), 21.0);
  EXPECT_TRUE(row.boolean("large"));
  EXPECT_TRUE(row.isNull("none"));
}

TEST_P(DatabaseContract, CountsTheRowsItChanges) {
  EXPECT_EQ(*execute("INSERT INTO item (id, n) VALUES ('a', 1), ('b', 1), ('c', 2)"), 3);
  EXPECT_EQ(*execute("UPDATE item SET n = 5 WHERE n = ?", {1}), 2);
  EXPECT_EQ(*execute("UPDATE item SET n = 5 WHERE n = ?", {99}), 0);
  EXPECT_EQ(*execute("INSERT INTO item (id) VALUES ('a') ON CONFLICT (id) DO NOTHING"), 0);
  EXPECT_EQ(*execute("INSERT INTO item (id, n) VALUES ('a', 7) ON CONFLICT (id) "
                     "DO UPDATE SET n = excluded.n"),
            1);
  EXPECT_EQ(*execute("DELETE FROM item"), 3);
}

TEST_P(DatabaseContract, ReturnsRowsOfAWrite) {
  const Result<std::optional<Row>> row = database_->write([](Session& session) {
    return session.queryOne("INSERT INTO item (id, n) VALUES (?, ?) RETURNING n + 1 AS next",
                            {"a", 41});
  });
  ASSERT_TRUE(row);
  EXPECT_EQ((*row)->integer("next"), 42);
  EXPECT_EQ(count("item"), 1);
}

TEST_P(DatabaseContract, PagesAndOrdersTextByItsBytes) {
  for (const char* id : {"b", "B", "a", "_", "é", "10", "9"}) {
    ASSERT_TRUE(execute("INSERT INTO item (id) VALUES (?)", {id}));
  }
  std::string order;
  const Result<Rows> page = query("SELECT id FROM item ORDER BY id LIMIT ? OFFSET ?", {5, 1});
  for (const Row& row : *page) {
    order += row.text(0) + " ";
  }
  EXPECT_EQ(order, "9 B _ a b ");
  EXPECT_EQ(query("SELECT id FROM item WHERE id > ?", {"a"})->size(), 2U);
}

TEST_P(DatabaseContract, CollectsRecordsOfRows) {
  for (const char* id : {"a", "b"}) {
    ASSERT_TRUE(execute("INSERT INTO item (id) VALUES (?)", {id}));
  }
  const auto id_at = [](const Row& row) { return row.text("id"); };
  const Result<std::vector<std::string>> ids =
      collectRows(query("SELECT id FROM item ORDER BY id"), id_at);
  ASSERT_TRUE(ids);
  EXPECT_EQ(*ids, (std::vector<std::string>{"a", "b"}));
  const Result<std::vector<std::string>> refused =
      collectRows(query("SELECT id FROM item WHERE id = ?", {"\xFF"}), id_at);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
}

TEST_P(DatabaseContract, ReportsADuplicateKeyAsConflict) {
  ASSERT_TRUE(execute("INSERT INTO item (id) VALUES ('a')"));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(execute("INSERT INTO item (id) VALUES (?)", {"a"}).error().code(),
              ErrorCode::kConflict);
  }
  EXPECT_TRUE(execute("INSERT INTO item (id) VALUES (?)", {"b"}));
}

TEST_P(DatabaseContract, ReportsABrokenReferenceAsConflict) {
  EXPECT_EQ(execute("INSERT INTO item (id, parent_id) VALUES ('a', 'none')").error().code(),
            ErrorCode::kConflict);
  ASSERT_TRUE(execute("INSERT INTO parent (id) VALUES ('p')"));
  ASSERT_TRUE(execute("INSERT INTO item (id, parent_id) VALUES ('a', 'p')"));
  EXPECT_EQ(execute("DELETE FROM parent WHERE id = 'p'").error().code(), ErrorCode::kConflict);
}

TEST_P(DatabaseContract, ThrowsForWrongSql) {
  EXPECT_THROW((void)execute("INSERT INTO nowhere VALUES (1)"), SqlError);
  EXPECT_THROW((void)query("SELEKT 1"), SqlError);
  EXPECT_THROW((void)query("SELECT id FROM item WHERE id = ?"), SqlError);
  EXPECT_THROW((void)query("SELECT id FROM item", {1}), SqlError);
  EXPECT_EQ(count("item"), 0) << "the connections are still usable";
}

TEST_P(DatabaseContract, RefusesWritesWhileReading) {
  EXPECT_THROW((void)query("INSERT INTO item (id) VALUES ('a')"), SqlError);
  EXPECT_EQ(count("item"), 0);
}

TEST_P(DatabaseContract, RollsBackWhenTheWorkReturnsAnError) {
  const Result<void> result = database_->write([](Session& session) -> Result<void> {
    if (const auto done = session.execute("INSERT INTO item (id) VALUES ('a')"); !done) {
      return done.error();
    }
    return Error::notFound("changed my mind");
  });
  EXPECT_EQ(result.error().message(), "changed my mind");
  EXPECT_EQ(count("item"), 0);
}

TEST_P(DatabaseContract, RollsBackWhenTheWorkThrows) {
  EXPECT_THROW((void)database_->write([](Session& session) -> Result<void> {
    if (const auto done = session.execute("INSERT INTO item (id) VALUES ('a')"); !done) {
      return done.error();
    }
    throw std::runtime_error("bug");
  }),
               std::runtime_error);
  EXPECT_EQ(count("item"), 0);
  EXPECT_TRUE(execute("INSERT INTO item (id) VALUES ('a')"));
}

TEST_P(DatabaseContract, LosesTheTransactionAfterAFailedStatement) {
  ASSERT_TRUE(execute("INSERT INTO item (id) VALUES ('a')"));
  const Result<int> result = database_->write([](Session& session) -> Result<int> {
    (void)session.execute("INSERT INTO item (id) VALUES ('b')");
    (void)session.execute("INSERT INTO item (id) VALUES ('a')");
    const Result<std::int64_t> later = session.execute("INSERT INTO item (id) VALUES ('c')");
    EXPECT_EQ(later.error().code(), ErrorCode::kConflict);
    return 1;  // as if nothing had happened
  });
  EXPECT_EQ(result.error().code(), ErrorCode::kConflict);
  EXPECT_EQ(count("item"), 1);
}

TEST_P(DatabaseContract, ReadsOneSnapshot) {
  const Result<void> result = database_->read([&](Session& session) -> Result<void> {
    EXPECT_EQ(session.query("SELECT count(*) FROM item")->front().integer(0), 0);
    EXPECT_TRUE(execute("INSERT INTO item (id) VALUES ('a')"));
    EXPECT_EQ(session.query("SELECT count(*) FROM item")->front().integer(0), 0);
    return {};
  });
  EXPECT_TRUE(result);
  EXPECT_EQ(count("item"), 1);
}

TEST_P(DatabaseContract, SerializesWrites) {
  ASSERT_TRUE(execute("INSERT INTO item (id, n) VALUES ('sum', 0)"));
  std::atomic<int> failed{0};
  const auto add_one = [](Session& session) -> Result<std::int64_t> {
    const auto row = session.queryOne("SELECT n FROM item WHERE id = 'sum'");
    if (!row) return row.error();
    return session.execute("UPDATE item SET n = ? WHERE id = 'sum'", {(*row)->integer("n") + 1});
  };
  {
    std::vector<std::jthread> threads;
    threads.reserve(8);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int round = 0; round < 25; ++round) {
          if (!database_->write(add_one)) ++failed;
        }
      });
    }
  }
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(query("SELECT n FROM item WHERE id = 'sum'")->front().integer("n"), 100);
}

TEST_P(DatabaseContract, KeepsInvariantsAcrossRows) {
  // Two rows are on duty. Each of two writers ends one duty if another row remains. One must
  // remain.
  ASSERT_TRUE(execute("INSERT INTO item (id, n) VALUES ('a', 1), ('b', 1)"));
  const auto leave = [&](const char* who) {
    return database_->write([who](Session& session) -> Result<std::int64_t> {
      const auto on_duty = session.queryOne("SELECT count(*) FROM item WHERE n = 1");
      if (!on_duty) return on_duty.error();
      if ((*on_duty)->integer(0) < 2) return Error::conflict("the last one stays");
      return session.execute("UPDATE item SET n = 0 WHERE id = ?", {who});
    });
  };
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(execute("UPDATE item SET n = 1"));
    std::jthread other([&] { (void)leave("a"); });
    (void)leave("b");
    other.join();
    EXPECT_EQ(count("item WHERE n = 1"), 1);
  }
}

TEST_P(DatabaseContract, CountsItsTransactions) {
  const auto text = [&] { return database_.metrics().prometheusText(); };
  ASSERT_TRUE(execute("INSERT INTO item (id) VALUES ('a')"));
  EXPECT_NE(text().find("spindle_storage_transactions_total{kind=\"write\"} 1"), std::string::npos)
      << text();
  EXPECT_NE(text().find("spindle_storage_connections_in_use{kind=\"write\"} 0"), std::string::npos);
}

TEST_P(DatabaseContract, ChangesTheTokenAfterEveryCommit) {
  const std::unique_ptr<Database> other = database_.openAgain();
  const std::optional<std::uint64_t> before = database_->changeToken();
  if (GetParam() == Engine::kPostgres) {
    EXPECT_EQ(before, std::nullopt);
    return;
  }
  ASSERT_TRUE(before);
  ASSERT_TRUE(query("SELECT * FROM item"));
  EXPECT_EQ(database_->changeToken(), before);
  ASSERT_TRUE(other->write(
      [](Session& session) { return session.execute("INSERT INTO item (id) VALUES ('a')"); }));
  const std::optional<std::uint64_t> after_other = database_->changeToken();
  EXPECT_NE(after_other, before);
  ASSERT_TRUE(execute("INSERT INTO item (id) VALUES ('b')"));
  EXPECT_NE(database_->changeToken(), after_other);
}

TEST_P(DatabaseContract, ChangesTheTokenAtOnceAfterOwnCommits) {
  if (GetParam() == Engine::kPostgres) return;
  DatabaseOptions options = database_.options();
  options.change_window = std::chrono::hours(1);
  MetricRegistry metrics;
  const std::unique_ptr<Database> patient = Database::open(options, metrics);
  const std::optional<std::uint64_t> before = patient->changeToken();
  ASSERT_TRUE(execute("INSERT INTO item (id) VALUES ('a')"));
  EXPECT_EQ(patient->changeToken(), before);
  ASSERT_TRUE(patient->write(
      [](Session& session) { return session.execute("INSERT INTO item (id) VALUES ('b')"); }));
  EXPECT_NE(patient->changeToken(), before);
}

TEST_P(DatabaseContract, ServesManyThreadsAtOnce) {
  std::atomic<int> failed{0};
  {
    std::vector<std::jthread> threads;
    threads.reserve(8);
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        for (int round = 0; round < 20; ++round) {
          const std::string id = std::to_string(i) + "/" + std::to_string(round);
          if (!execute("INSERT INTO item (id) VALUES (?)", {id})) ++failed;
          if (query("SELECT id FROM item WHERE id = ?", {id})->size() != 1) ++failed;
        }
      });
    }
  }
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(count("item"), 160);
}

INSTANTIATE_TEST_SUITE_P(Engines,
                         DatabaseContract,
                         ::testing::Values(Engine::kSqlite, Engine::kPostgres),
                         [](const auto& engine) { return nameOfEngine(engine.param); });

TEST(PostgresDatabase, ReconnectsAfterALostConnection) {
  DatabaseForTest database(Engine::kPostgres);
  const auto ask = [&] {
    return database->read([](Session& session) { return session.query("SELECT 1"); });
  };
  const auto change = [&] {
    return database->write([](Session& session) {
      return session.execute("CREATE TABLE IF NOT EXISTS x (a BIGINT)");
    });
  };
  ASSERT_TRUE(ask());
  ASSERT_TRUE(change());
  PostgresForTest::instance().closeAllConnections();
  EXPECT_TRUE(ask());
  EXPECT_TRUE(change());
}

TEST(PostgresDatabase, ReconnectsAfterACrashOfTheServer) {
  DatabaseForTest database(Engine::kPostgres);
  const auto ask = [&] {
    return database->read([](Session& session) { return session.query("SELECT 1"); });
  };
  const auto change = [&] {
    return database->write([](Session& session) {
      return session.execute("CREATE TABLE IF NOT EXISTS x (a BIGINT)");
    });
  };
  ASSERT_TRUE(ask());
  ASSERT_TRUE(change());
  PostgresForTest::instance().crash();
  EXPECT_TRUE(ask());
  EXPECT_TRUE(change());
}

TEST(PostgresDatabase, ReportsAFullDiskAndContinues) {
  DatabaseForTest database(Engine::kPostgres);
  const auto execute = [&](SqlView sql) {
    return database->write([&](Session& session) { return session.execute(sql); });
  };
  const Result<std::int64_t> refused =
      execute("DO $$ BEGIN RAISE EXCEPTION 'no space' USING ERRCODE = '53100'; END $$");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kStorageFull);
  EXPECT_TRUE(execute("CREATE TABLE after (id TEXT)"));
}

TEST(PostgresDatabase, SaysWhyItCannotStart) {
  MetricRegistry metrics;
  DatabaseOptions options;
  options.engine = Engine::kPostgres;
  options.connection = Secret("host=/nonexistent user=nobody password=hunter2");
  try {
    (void)Database::open(options, metrics);
    FAIL();
  } catch (const std::runtime_error& problem) {
    const std::string why = problem.what();
    EXPECT_NE(why.find("cannot connect to PostgreSQL"), std::string::npos) << why;
    EXPECT_EQ(why.find("hunter2"), std::string::npos) << why;
  }
}

TEST(SqliteDatabase, ReportsAFullDiskAndContinuesAfterwards) {
  DatabaseForTest database(Engine::kSqlite);
  const auto execute = [&](SqlView sql, const Params& params = {}) {
    return database->write([&](Session& session) { return session.execute(sql, params); });
  };
  ASSERT_TRUE(execute("CREATE TABLE note (t TEXT)"));
  ASSERT_TRUE(execute("PRAGMA max_page_count = 1"));  // SQLite uses the current size instead
  const Result<std::int64_t> refused =
      execute("INSERT INTO note (t) VALUES (?)", {std::string(1'000'000, 'x')});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kStorageFull) << refused.error().message();
  ASSERT_TRUE(execute("PRAGMA max_page_count = 1000000"));
  EXPECT_TRUE(execute("INSERT INTO note (t) VALUES (?)", {std::string(1'000'000, 'x')}));
}

TEST(SqliteDatabase, SaysWhyItCannotStart) {
  MetricRegistry metrics;
  DatabaseOptions options;
  options.path = "/nonexistent/spindle.db";
  EXPECT_THROW((void)Database::open(options, metrics), std::runtime_error);
  const FolderForTest folder;
  options.path = folder.path() + "/a \"quoted\" name.db";
  EXPECT_THROW((void)Database::open(options, metrics), std::runtime_error);
}

TEST(SqliteDatabase, AcceptsUnusualPaths) {
  const FolderForTest folder;
  MetricRegistry metrics;
  DatabaseOptions options;
  for (const char* name : {"a b  c.db", "x=y timeout=3.db", "é'?#.db"}) {
    options.path = folder.path() + "/" + name;
    const std::unique_ptr<Database> database = Database::open(options, metrics);
    EXPECT_TRUE(database->write(
        [](Session& session) { return session.execute("CREATE TABLE t (a BIGINT)"); }));
    EXPECT_EQ(::access(options.path.c_str(), F_OK), 0) << options.path;
  }
}

}  // namespace
}  // namespace spindle::storage
