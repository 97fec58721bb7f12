#include "app/migrate/clickhouse_trace_rows.h"

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/migrate/columnar_trace_rows.h"
#include "app/migrate/silent_move_for_test.h"
#include "app/migrate/trace_move.h"
#include "app/traces/clickhouse_tables.h"
#include "app/traces/columnar_families.h"
#include "base/core/folder_for_test.h"
#include "base/core/log.h"
#include "base/crypto/crypto.h"
#include "clickhouse/schema/migrator.h"
#include "clickhouse/testing/database_for_test.h"
#include "columnar/store/store.h"
#include "inference/usage/columnar_usage_store.h"
#include "runs/store/history_row.h"
#include "tracing/calls/call_column.h"

namespace spindle::app {
namespace {

using columnar::ColumnType, columnar::Family, columnar::FamilyId, columnar::Row, columnar::Value;

constexpr std::int64_t kStart = 1'767'225'600'000'000;  // 2026-01-01

Timestamp at(std::int64_t i) { return timestampOfMicros(kStart + i * 7'000'123); }

/// Returns a value of a column: sometimes null, sometimes empty, sometimes with odd characters.
Value someValue(ColumnType type, std::size_t i) {
  if (i % 5 == 3) return {};
  const bool is_empty = i % 5 == 4;
  switch (type) {
    case ColumnType::kText:
      return is_empty ? std::string() : "é\t'\n\\" + std::to_string(i);
    case ColumnType::kInteger:
      return is_empty ? std::int64_t{0} : static_cast<std::int64_t>(i) - 7;
    case ColumnType::kReal:
      return is_empty ? 0.0 : 0.1 * static_cast<double>(i);
    case ColumnType::kBoolean:
      return i % 2 == 0;
    case ColumnType::kTime:
      return at(static_cast<std::int64_t>(i));
    case ColumnType::kTexts:
      return is_empty ? std::vector<std::string>() : std::vector<std::string>{"", "b", "é"};
  }
  return {};
}

std::string callId(int i) {
  const std::string digits = std::to_string(100'000 + i);
  return i % 4 == 0 ? "call\t" + digits : "019b76da-8400-7000-8000-000000" + digits;
}

Row rowWith(const Family& family, std::string key, int i) {
  Row row;
  for (std::size_t column = 0; column < family.columns.size(); ++column)
    row.push_back(someValue(family.columns[column].type, column + static_cast<std::size_t>(i) * 3));
  row[family.key] = std::move(key);
  row[family.order] = at(i);
  return row;
}

Value& valueOf(Row& row, tracing::CallColumn column) {
  return row[static_cast<std::size_t>(column)];
}

class ClickHouseTraceRowsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setLogSinkForTest([](std::string_view) {});
  }
  static void TearDownTestSuite() { setLogSinkForTest({}); }
  void SetUp() override {
    if (!clickhouse::DatabaseForTest::isAvailable())
      GTEST_SKIP() << "SPINDLE_TEST_CLICKHOUSE is not set";
    database_ = std::make_unique<clickhouse::DatabaseForTest>();
    const clickhouse::ClientOptions client = database_->options();
    traces_.clickhouse_url = client.url;
    traces_.clickhouse_user = client.user;
    traces_.clickhouse_password = client.password;
    traces_.clickhouse_database = client.database;
  }

  std::unique_ptr<TraceRows> shared(bool create = true) {
    clock_.advance(std::chrono::seconds(1));
    return std::make_unique<ClickHouseTraceRows>(traces_, create, metrics_, clock_);
  }
  std::unique_ptr<TraceRows> embedded(const std::string& name) {
    columnar::StoreOptions options;
    options.folder = folder_.path() + "/" + name;
    options.recent_rows = 500;
    return std::make_unique<ColumnarTraceRows>(columnar::Store::open(options, families_, metrics_),
                                               families_, clickHouseRowTables());
  }
  /// Returns the message with which the database is refused.
  std::string refusal(bool create) {
    try {
      static_cast<void>(shared(create));
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return {};
  }

  static void put(TraceRows& rows, FamilyId family, std::vector<Row> some) {
    const std::string_view project = family == kInferenceUsage ? inference::kUsagePartition : "p";
    const Result<void> written = rows.write(family, project, std::move(some));
    ASSERT_TRUE(written) << written.error().message();
  }
  /// Fills an embedded store with `count` rows of each family, as its stores write them.
  void fill(TraceRows& rows, int count) {
    std::vector<std::vector<Row>> all(families_.size());
    for (int i = 0; i < count; ++i) {
      const std::string number = std::to_string(i);
      Row call = rowWith(families_[kCalls], callId(i), i);
      valueOf(call, tracing::CallColumn::kPresence) = std::int64_t{i % 3};
      const bool has_resource = i % 6 == 1;
      valueOf(call, tracing::CallColumn::kOtelResource) =
          has_resource ? Value("aa" + std::to_string(i % 30)) : Value();
      if (has_resource) valueOf(call, tracing::CallColumn::kOtelDump) = R"({"name":"x"})";
      all[kCalls].push_back(std::move(call));
      all[kFeedback].push_back(rowWith(families_[kFeedback], "note" + number, i));
      all[kSpans].push_back(span("trace" + std::to_string(i / 10), "span" + number, i));
      all[kRunHistory].push_back(block(i));
      all[kInferenceUsage].push_back(rowWith(families_[kInferenceUsage], "use" + number, i));
      Row resource = rowWith(families_[kOtelResources], "aa" + number, i);
      resource[1] = families_[kOtelResources].key_number->of("aa" + number);
      resource[3] = R"({"attributes":{"host":")" + number + "\"}}";
      if (i % 30 != 7) all[kOtelResources].push_back(std::move(resource));
    }
    for (FamilyId family = 0; family < all.size(); ++family) put(rows, family, all[family]);
  }
  Row span(const std::string& trace, const std::string& id, int i) const {
    Row row = rowWith(families_[kSpans], trace + ":" + id, i);
    row[1] = families_[kSpans].key_number->of(trace + ":" + id);
    for (std::size_t column = 0; column < row.size(); ++column) {
      const std::string_view name = families_[kSpans].columns[column].name.text();
      if (name == "trace_id") row[column] = trace;
      if (name == "span_id") row[column] = id;
      if (name == "expire_at" && i % 2 == 0) row[column] = at(i) + std::chrono::hours(100'000);
      if (name == "expire_at" && i % 2 == 1) row[column] = Value();
    }
    return row;
  }
  Row block(int i) const {
    const std::int64_t stream = i / 5 % 2;
    const std::string series = i % 5 == 0 ? "" : "a/lines" + std::to_string(i % 5);
    Row row = {
        "block" + std::to_string(i / 5) + (series.empty() ? "/lines" : "/" + std::to_string(i)),
        runs::rowPlaceOf(at(i), 3, stream, series),
        std::int64_t{3},
        stream,
        series.empty() ? Value() : Value(series),
        std::int64_t{i},
        std::int64_t{i + 2},
        i % 2 == 0 || series.empty() ? Value() : Value(encodeBase64("\x02\x01")),
        series.empty() ? Value(std::vector<std::string>{"a"}) : Value(),
        series.empty() ? "{\"a\":1}\n" : encodeBase64(std::string("\0\xff\x01 8 bytes", 11))};
    return row;
  }

  StoreReport move(TraceRows& from, TraceRows& to, const std::string& name) {
    MovePositions positions(work_, name);
    TraceMove traces(from, to, families_, positions, options_);
    traces.prepareTarget(true);
    traces.copy();
    return traces.verify(clock_.now());
  }
  std::vector<Row> read(TraceRows& rows, FamilyId family, const std::string& project = "p") {
    std::vector<Row> all;
    const Result<void> done =
        rows.read(family, project, "", RowForm::kPortable, [&all](TraceBatch batch) {
          for (Row& row : batch.rows) all.push_back(std::move(row));
          return Result<void>();
        });
    EXPECT_TRUE(done) << done.error().message();
    return all;
  }

  FolderForTest folder_;
  MetricRegistry metrics_;
  ManualClock clock_{timestampOfMicros(kStart)};
  config::TraceSettings traces_;
  std::unique_ptr<clickhouse::DatabaseForTest> database_;
  MigrateOptions options_ = silentMove();
  const std::vector<Family> families_ = columnarFamilies();
  const storage::DataFolder work_{folder_.path() + "/work"};
};

TEST_F(ClickHouseTraceRowsTest, AllFamiliesMoveOverAndBackWithEqualDigests) {
  const std::unique_ptr<TraceRows> source = embedded("source");
  const std::unique_ptr<TraceRows> over = shared();
  const std::unique_ptr<TraceRows> back = embedded("back");
  fill(*source, 300);
  const StoreReport there = move(*source, *over, "a");
  ASSERT_TRUE(there.differences.empty()) << there.differences.front();
  EXPECT_EQ(there.items, 6 * 300 - 10);
  EXPECT_EQ(*over->projects(), (std::vector<std::string>{"inference-usage", "p"}));
  const StoreReport returned = move(*over, *back, "b");
  ASSERT_TRUE(returned.differences.empty()) << returned.differences.front();
  EXPECT_EQ(returned.items, there.items);
  EXPECT_EQ(returned.digest, there.digest);
  // A copy within one engine keeps resources apart from calls, and has the same digest.
  const std::unique_ptr<TraceRows> twin = embedded("twin");
  const StoreReport same = move(*source, *twin, "c");
  ASSERT_TRUE(same.differences.empty()) << same.differences.front();
  EXPECT_EQ(same.digest, there.digest);
}

TEST_F(ClickHouseTraceRowsTest, CallsContainTheirResources) {
  const std::unique_ptr<TraceRows> source = embedded("source");
  const std::unique_ptr<TraceRows> over = shared();
  fill(*source, 8);
  ASSERT_TRUE(move(*source, *over, "a").differences.empty());
  int found = 0;
  for (Row& call : read(*over, kCalls)) {
    EXPECT_EQ(valueOf(call, tracing::CallColumn::kOtelResource), Value());
    const Value& id = valueOf(call, tracing::CallColumn::kId);
    const Value& dump = valueOf(call, tracing::CallColumn::kOtelDump);
    if (id == Value(callId(1))) {
      EXPECT_EQ(dump, Value(R"({"name":"x","resource":{"attributes":{"host":"1"}}})"));
      ++found;
    }
    if (id == Value(callId(7))) {
      EXPECT_NE(std::get<std::string>(dump).find("dropped_attributes_count"), std::string::npos)
          << "a resource that is missing";
      ++found;
    }
  }
  EXPECT_EQ(found, 2);
}

TEST_F(ClickHouseTraceRowsTest, ARepeatedMoveReplacesRows) {
  const std::unique_ptr<TraceRows> source = embedded("source");
  fill(*source, 60);
  ASSERT_TRUE(move(*source, *shared(), "a").differences.empty());
  Row changed = rowWith(families_[kCalls], callId(6), 99);
  valueOf(changed, tracing::CallColumn::kPresence) = std::int64_t{1};
  valueOf(changed, tracing::CallColumn::kOtelResource) = Value();
  put(*source, kCalls, {changed});
  MovePositions(work_, "a").reset();
  const StoreReport again = move(*source, *shared(), "a");
  EXPECT_TRUE(again.differences.empty()) << again.differences.front();
  EXPECT_EQ(again.items, 6 * 60 - 2);
}

TEST_F(ClickHouseTraceRowsTest, ASpanWithTwoStartsIsTheNewerOne) {
  const Row older = span("t", "s", 500);
  const Row newer = span("t", "s", 2);
  const Row other = span("t", "o", 4);
  put(*shared(), kSpans, {older, other});
  const std::unique_ptr<TraceRows> rows = shared();
  put(*rows, kSpans, {newer});
  const std::unique_ptr<TraceRows> back = embedded("back");
  const StoreReport report = move(*rows, *back, "a");
  EXPECT_TRUE(report.differences.empty()) << report.differences.front();
  EXPECT_EQ(report.items, 2);
  for (const Row& row : read(*back, kSpans))
    EXPECT_NE(row[families_[kSpans].order], Value(at(500)));
}

TEST_F(ClickHouseTraceRowsTest, ExpiredSpansAreNotCompared) {
  const std::unique_ptr<TraceRows> source = embedded("source");
  const std::unique_ptr<TraceRows> over = shared();
  Row expired = span("t", "expired", 1);
  const std::size_t column = over->expiryColumn(kSpans);
  ASSERT_EQ(families_[kSpans].columns[column].name.text(), "expire_at");
  expired[column] = timestampOfMicros(kStart - 1);
  put(*source, kSpans, {expired, span("t", "kept", 2)});
  const StoreReport report = move(*source, *over, "a");
  EXPECT_TRUE(report.differences.empty()) << report.differences.front();
  EXPECT_EQ(report.items, 1);
}

TEST_F(ClickHouseTraceRowsTest, ATargetWithOtherRowsIsRefused) {
  const std::unique_ptr<TraceRows> rows = shared();
  put(*rows, kFeedback, {rowWith(families_[kFeedback], "note", 1)});
  const Result<bool> refused = rows->beginMove("a", false);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("already contains data"), std::string::npos);
  EXPECT_TRUE(rows->beginMove("a", true)) << "the data folder knows the rows";
}

TEST_F(ClickHouseTraceRowsTest, OnlyTheSameMoveContinues) {
  const std::unique_ptr<TraceRows> rows = shared();
  ASSERT_TRUE(rows->beginMove("a", false));
  put(*rows, kFeedback, {rowWith(families_[kFeedback], "note", 1)});
  EXPECT_TRUE(shared()->beginMove("a", false));
  const Result<bool> refused = shared()->beginMove("b", true);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("unfinished move (a)"), std::string::npos);
  ASSERT_TRUE(rows->clear());
  EXPECT_TRUE(rows->projects()->empty());
  ASSERT_TRUE(rows->endMove());
  EXPECT_TRUE(shared()->beginMove("b", false));
}

TEST_F(ClickHouseTraceRowsTest, ASourceMustHaveTheTablesOfThisVersion) {
  EXPECT_NE(refusal(false).find("has no tables of Spindle"), std::string::npos);
  EXPECT_EQ(refusal(true), "");
  EXPECT_EQ(refusal(false), "");
  ASSERT_TRUE(database_->client().execute("DELETE FROM spindle_migrations WHERE area = 'runs'"));
  EXPECT_NE(refusal(false).find("older version"), std::string::npos);
}

TEST_F(ClickHouseTraceRowsTest, ANewerDatabaseIsRefused) {
  ASSERT_EQ(refusal(true), "");
  ASSERT_TRUE(database_->client().execute(
      "INSERT INTO spindle_migrations VALUES ('runs', 99, 'later', 'x', now64(6))"));
  EXPECT_NE(refusal(true).find("newer version"), std::string::npos);
  EXPECT_NE(refusal(false).find("newer version"), std::string::npos);
}

TEST_F(ClickHouseTraceRowsTest, AServerThatCannotBeUsedIsNamed) {
  traces_.clickhouse_password = Secret("wrong-password");
  const std::string denied = refusal(true);
  EXPECT_NE(denied.find("password"), std::string::npos) << denied;
  EXPECT_EQ(denied.find("wrong-password"), std::string::npos);
  traces_.clickhouse_url = "http://127.0.0.1:1";
  const std::string unreachable = refusal(false);
  EXPECT_NE(unreachable.find("http://127.0.0.1:1"), std::string::npos) << unreachable;
}

}  // namespace
}  // namespace spindle::app
