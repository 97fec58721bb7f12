#include "columnar/duckdb/connection.h"

#include <numeric>

#include <gtest/gtest.h>
#include <malloc.h>

#include "columnar/duckdb/number_list.h"
#include "columnar/testing/store_for_test.h"

namespace spindle::columnar {
namespace {

class ConnectionTest : public testing::Test {
 protected:
  EngineOptions options() const {
    EngineOptions options;
    options.file = folder_.path() + "/traces.duckdb";
    options.spill_folder = folder_.path() + "/spill";
    options.spill_bytes = 1 << 20;
    options.memory_bytes = 64 << 20;
    options.threads = 1;
    return options;
  }

  FolderForTest folder_;
  Engine engine_{options()};
  std::unique_ptr<Connection> connection_ = engine_.connect();
};

/// Runs a statement and returns the single number of its result.
std::int64_t numberOf(Statement& statement, const std::vector<Value>& params) {
  Result<QueryResult> result = statement.run(params);
  EXPECT_TRUE(result) << (result ? "" : result.error().message());
  if (!result || !*result->nextChunk()) return -1;
  const std::int64_t number = result->integer(0, 0);
  EXPECT_FALSE(*result->nextChunk());
  return number;
}

TEST_F(ConnectionTest, RepeatedRunsDoNotGrowAStatement) {
  Result<Statement> statement = connection_->prepare("SELECT CAST(? AS BIGINT) + 1");
  ASSERT_TRUE(statement) << statement.error().message();
  const auto run = [&](std::int64_t times) {
    for (std::int64_t i = 0; i < times; ++i) ASSERT_EQ(numberOf(*statement, {i}), i + 1);
  };
  run(2'000);
  const std::size_t before = ::mallinfo2().uordblks;
  run(20'000);
  EXPECT_LT(::mallinfo2().uordblks, before + (4U << 20U));
}

TEST_F(ConnectionTest, StatementsWorkAfterTheFileIsAttachedAgain) {
  ASSERT_TRUE(connection_->execute("CREATE TABLE stored.main.t AS SELECT 7::BIGINT AS n"));
  const std::unique_ptr<Connection> reader = engine_.connect();
  Result<Statement> statement = reader->prepare("SELECT n FROM stored.main.t WHERE n > ?");
  ASSERT_TRUE(statement) << statement.error().message();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(numberOf(*statement, {std::int64_t{1}}), 7);
    const Result<void> done = engine_.reattach(*connection_);
    ASSERT_TRUE(done) << done.error().message();
  }
  EXPECT_EQ(numberOf(*statement, {std::int64_t{1}}), 7);
  EXPECT_FALSE(engine_.failed());
}

TEST_F(ConnectionTest, NoOtherFileCanBeAttached) {
  EXPECT_FALSE(connection_->execute("ATTACH 'other.duckdb' AS other"));
}

TEST_F(ConnectionTest, ListsOfNumbersSelectTheirRows) {
  ASSERT_TRUE(connection_->execute("CREATE TABLE t AS SELECT i AS n FROM range(-1000, 1000) r(i)"));
  for (const std::int64_t count : {1, 2, 20, 200}) {
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = 0; i < count; ++i) numbers.push_back(5 * (i % 2 == 0 ? i : -i));
    Result<QueryResult> result = connection_->query(
        "SELECT count(*)::BIGINT, sum(n)::BIGINT FROM t WHERE " + isOneOf("n", numbers));
    ASSERT_TRUE(result) << result.error().message();
    ASSERT_TRUE(*result->nextChunk());
    EXPECT_EQ(result->integer(0, 0), count);
    EXPECT_EQ(result->integer(1, 0), std::accumulate(numbers.begin(), numbers.end(), 0L));
  }
}

TEST_F(ConnectionTest, ShortListsOfNumbersNeedNoJoin) {
  ASSERT_TRUE(connection_->execute("CREATE TABLE t AS SELECT i AS n FROM range(1000) r(i)"));
  std::vector<std::int64_t> numbers(20);
  std::iota(numbers.begin(), numbers.end(), 7);
  Result<QueryResult> plan =
      connection_->query("EXPLAIN SELECT n FROM t WHERE " + isOneOf("n", numbers));
  ASSERT_TRUE(plan) << plan.error().message();
  ASSERT_TRUE(*plan->nextChunk());
  EXPECT_EQ(plan->text(1, 0).find("JOIN"), std::string::npos) << plan->text(1, 0);
}

TEST_F(ConnectionTest, ResultsAreTheSameAfterReplanning) {
  Result<Statement> statement = connection_->prepare("SELECT * FROM range(?)");
  ASSERT_TRUE(statement);
  for (int i = 0; i < 199; ++i) ASSERT_EQ(numberOf(*statement, {std::int64_t{1}}), 0);
  Result<QueryResult> result = statement->run({std::int64_t{10'000}});
  ASSERT_TRUE(result);
  std::int64_t rows = 0;
  while (*result->nextChunk()) rows += static_cast<std::int64_t>(result->rows());
  EXPECT_EQ(rows, 10'000);
}

TEST_F(ConnectionTest, PreparedRollbackEndsFailedTransactions) {
  Result<Statement> begin = connection_->prepare("BEGIN TRANSACTION");
  Result<Statement> end = connection_->prepare("ROLLBACK");
  ASSERT_TRUE(begin && end);
  for (int i = 0; i < 1'200; ++i) {
    ASSERT_TRUE(begin->run());
    ASSERT_FALSE(connection_->query("SELECT CAST('x' AS BIGINT)"));
    ASSERT_TRUE(end->run()) << i;
  }
}

}  // namespace
}  // namespace spindle::columnar
