#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/core/log.h"
#include "clickhouse/client/client.h"
#include "clickhouse/client/row_binary.h"
#include "clickhouse/client/statement_text.h"
#include "clickhouse/testing/database_for_test.h"

namespace spindle::clickhouse {
namespace {

using Texts = std::vector<std::string>;

/// Tests of the client against a real server.
class EngineTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setLogSinkForTest([](std::string_view) {});
  }
  static void TearDownTestSuite() { setLogSinkForTest({}); }
  void SetUp() override {
    if (!DatabaseForTest::isAvailable()) GTEST_SKIP() << "SPINDLE_TEST_CLICKHOUSE is not set";
    database_ = std::make_unique<DatabaseForTest>();
  }
  Client& client() { return database_->client(); }

  std::unique_ptr<DatabaseForTest> database_;
};

TEST_F(EngineTest, ReturnsParametersUnchanged) {
  std::string all;
  for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
  all += "äß€\U0001F600";
  const std::vector<Value> params = {all,
                                     std::numeric_limits<std::int64_t>::min(),
                                     std::numeric_limits<std::int64_t>::max(),
                                     0.1,
                                     -std::numeric_limits<double>::infinity(),
                                     true,
                                     timestampOfMicros(-62'135'596'800'000'000),  // the year 1
                                     timestampOfMicros(253'402'300'799'999'999),  // the year 9999
                                     Texts{"a'\\", "", all},
                                     Value()};
  constexpr SqlView kSql = "SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?";
  // Once in URL fields, once as constants.
  for (const std::string& more : {std::string("x"), std::string(kMaxFieldBytes, 'x')}) {
    std::vector<Value> values = params;
    values.emplace_back(more);
    Result<Cursor> row = client().query(kSql, values);
    ASSERT_TRUE(row) << row.error().message();
    ASSERT_TRUE(*row->next());
    EXPECT_EQ(row->text(0), all);
    EXPECT_EQ(row->integer(1), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(row->integer(2), std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(row->real(3), 0.1);
    EXPECT_TRUE(std::isinf(row->real(4)));
    EXPECT_TRUE(row->boolean(5));
    EXPECT_EQ(row->time(6), std::get<Timestamp>(params[6]));
    EXPECT_EQ(row->time(7), std::get<Timestamp>(params[7]));
    EXPECT_EQ(row->texts(8), (Texts{"a'\\", "", all}));
    EXPECT_TRUE(row->isNull(9));
    EXPECT_EQ(row->text(10), more);
    EXPECT_FALSE(*row->next());
  }
}

TEST_F(EngineTest, AcceptsManyParameters) {
  SqlText sql("SELECT 1 WHERE 'v19999' IN (");
  std::vector<Value> params;
  for (int i = 0; i < 20'000; ++i) {
    sql += i == 0 ? SqlView("?") : SqlView(", ?");
    params.emplace_back("v" + std::to_string(i));
  }
  sql += ")";
  Result<Cursor> row = client().query(sql, params);
  ASSERT_TRUE(row) << row.error().message();
  EXPECT_TRUE(*row->next());
}

TEST_F(EngineTest, InsertsRowsOnceForEachToken) {
  ASSERT_TRUE(client().execute(
      "CREATE TABLE t (id String, number UInt32, text LowCardinality(String), texts "
      "Array(String), time DateTime64(6, 'UTC'), maybe Nullable(Int64)) ENGINE = MergeTree ORDER "
      "BY id SETTINGS non_replicated_deduplication_window = 100"));
  const InsertTarget target{"t", {"id", "number", "text", "texts", "time", "maybe"}};
  std::string rows;
  for (std::uint32_t i = 0; i < 1'000; ++i) {
    putText(rows, "row" + std::to_string(i));
    putInteger(rows, i);
    putText(rows, i % 2 == 0 ? "even" : "odd");
    putTexts(rows, {std::to_string(i)});
    putTime(rows, timestampOfMicros(-1 - std::int64_t{i}));
    putNullMark(rows, i == 0);
    if (i > 0) putInteger(rows, -std::int64_t{i});
  }
  for (const char* const token : {"a", "a", "b"}) {
    const Result<void> stored = client().insert(target, rows, token);
    ASSERT_TRUE(stored) << stored.error().message();
  }
  Result<Cursor> counted = client().query("SELECT toInt64(count()) FROM t");
  ASSERT_TRUE(counted && *counted->next());
  EXPECT_EQ(counted->integer(0), 2'000);
  Result<Cursor> row =
      client().query("SELECT DISTINCT * FROM t WHERE id = ?", {std::string("row7")});
  ASSERT_TRUE(row && *row->next());
  EXPECT_EQ(row->integer(1), 7);
  EXPECT_EQ(row->text(2), "odd");
  EXPECT_EQ(row->texts(3), Texts{"7"});
  EXPECT_EQ(row->time(4), timestampOfMicros(-8));
  EXPECT_EQ(row->integer(5), -7);
  EXPECT_FALSE(*row->next());
}

TEST_F(EngineTest, StreamsLargeResultsAndCompressesThem) {
  for (const http::Coding coding : {http::Coding::kIdentity, http::Coding::kGzip}) {
    ClientOptions options = database_->options();
    options.compression = coding;
    Client compressing(options);
    std::int64_t sum = 0;
    const Result<void> read = forEachRow(
        compressing.query("SELECT toInt64(number), repeat('x', 100) FROM numbers(100000)"),
        [&sum](const Cursor& row) {
          sum += row.integer(0);
          EXPECT_EQ(row.text(1).size(), 100U);
        });
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(sum, std::int64_t{100'000} * 99'999 / 2);
  }
}

TEST_F(EngineTest, ReportsPreciseErrors) {
  const auto reason = [](Client& asked, SqlView sql) {
    Result<Cursor> rows = asked.query(sql);
    while (rows) {
      const Result<bool> more = rows->next();
      if (!more) return more.error().reason();
      if (!*more) return std::string("none");
    }
    return rows.error().reason();
  };
  EXPECT_EQ(reason(client(), "SELECT 1 FROM missing"), "clickhouse_schema");
  EXPECT_EQ(reason(client(), "SELEC 1"), "clickhouse_refused");
  ClientOptions options = database_->options();
  options.database = "missing_database";
  Client elsewhere(options);
  EXPECT_EQ(reason(elsewhere, "SELECT 1 FROM t"), "clickhouse_database");
  options = database_->options();
  options.password = Secret("wrong");
  Client stranger(options);
  EXPECT_EQ(reason(stranger, "SELECT 1"), "clickhouse_authentication");
  options = database_->options();
  options.query_memory_bytes = 1 << 20;
  Client small(options);
  EXPECT_EQ(reason(small, "SELECT groupArray(repeat('x', 100)) FROM numbers(1000000)"),
            "clickhouse_memory");
  options = database_->options();
  options.query_time = std::chrono::milliseconds(1'000);
  Client hasty(options);
  EXPECT_EQ(reason(hasty, "SELECT count() FROM numbers(100000000000) WHERE NOT ignore(rand())"),
            "clickhouse_timeout");
}

TEST_F(EngineTest, KnowsTheVersionOfTheServer) {
  const Result<ServerVersion> version = client().version();
  ASSERT_TRUE(version);
  EXPECT_GE(*version, (ServerVersion{24, 8}));
}

}  // namespace
}  // namespace spindle::clickhouse
