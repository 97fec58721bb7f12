// Tests that generated queries give the same calls in ClickHouse and in the embedded store.

#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "query/codec.h"
#include "schema/parse.h"
#include "tracing/clickhouse/call_query_generator_for_test.h"
#include "tracing/clickhouse/two_stores_for_test.h"

namespace spindle::tracing {
namespace {

using std::chrono::seconds;
using Texts = std::vector<std::string>;

constexpr int kCalls = 240;
constexpr int kQueries = 5'000;
constexpr std::uint64_t kSeed = 20'261'118;

CallPart generatedCall(CallQueryGenerator& random, int number) {
  CallComplete call;
  const std::string id = "call" + std::to_string(100 + number);
  call.start.id = id;
  call.start.trace_id = "trace" + std::to_string(number % 5);
  call.start.op_name =
      random.oneOf({"chat", "embed", "", "svc-trace-internal:///p/op/Chat%20it:v1"});
  call.start.started_at = at(seconds(number / 2));
  call.start.attributes =
      R"({"tag":)" + random.value(1) + R"(,"n":)" + std::to_string(number % 9) + "}";
  const std::string ref = random.oneIn(2)
                              ? "svc-trace-internal:///p/object/" + std::to_string(number % 4)
                              : random.oneOf({"x", "1"});
  call.start.inputs = R"({"a":)" + random.value() + R"(,"l":[)" + random.value(1) + "," +
                      random.value() + R"(],"ref":")" + ref + R"("})";
  if (random.oneIn(3)) call.start.parent_id = "call100";
  if (random.oneIn(3)) call.start.display_name = random.oneOf({"Name", "chat", "Äöü", ""});
  if (random.oneIn(3)) call.start.thread_id = "thread" + std::to_string(number % 3);
  if (random.oneIn(3)) call.start.turn_id = id;
  if (random.oneIn(2)) call.start.user_id = random.oneOf({"ann", "bob"});
  if (random.oneIn(3)) call.start.run_step = number % 7;
  if (random.oneIn(4)) call.start.input_refs = {"ref:" + std::to_string(number % 3), "other"};
  if (random.oneIn(4)) call.start.expire_at = at(seconds(1'000'000 + number));
  if (random.oneIn(6)) return call.start;
  call.end.id = id;
  call.end.ended_at = at(seconds(number / 2) + std::chrono::milliseconds(random.below(9'000)));
  if (!random.oneIn(6)) call.end.output = random.value();
  call.end.summary = random.oneIn(2) ? R"({"score":)" + random.value(1) + "}" : "{}";
  if (random.oneIn(6)) call.end.exception = random.oneOf({"boom", ""});
  return call;
}

class QueryDifferential : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { configureLogging(LogLevel::kError, LogFormat::kText); }
  void SetUp() override {
    if (!clickhouse::DatabaseForTest::isAvailable())
      GTEST_SKIP() << "SPINDLE_TEST_CLICKHOUSE is not set";
    stores_ = std::make_unique<TwoStoresForTest>();
  }

  std::unique_ptr<TwoStoresForTest> stores_;
};

TEST_F(QueryDifferential, GeneratedQueriesGiveTheSameCalls) {
  const char* const given = std::getenv("SPINDLE_TEST_SEED");  // NOLINT(concurrency-mt-unsafe)
  const std::uint64_t seed = given == nullptr ? kSeed : std::stoull(given);
  std::cout << "SPINDLE_TEST_SEED=" << seed << "\n";
  CallQueryGenerator random(seed);
  std::vector<CallPart> parts;
  for (int i = 0; i < kCalls; ++i) parts.push_back(generatedCall(random, i));
  stores_->write(parts);

  std::map<std::string, int> outcomes;
  int different = 0;
  for (int i = 0; i < kQueries && different < 20; ++i) {
    CallQuery selection;
    std::string shown = R"({"$expr":)" + random.operation() + "}";
    Result<query::Query> parsed = schema::parse(query::queryCodec(), shown);
    if (parsed && !random.oneIn(10)) selection.query = *std::move(parsed);
    if (random.oneIn(4)) selection.expand_columns = {"inputs.ref"};
    if (random.oneIn(8)) selection.filter.trace_ids = {"trace1", "trace3"};
    if (random.oneIn(12))
      selection.filter.op_names = {"chat", "svc-trace-internal:///p/op/Chat%20it:*"};
    CallPage page;
    if (!random.oneIn(3)) {
      page.sort_by.emplace();
      for (std::size_t keys = 1 + random.below(2); keys > 0; --keys)
        page.sort_by->push_back({random.field(), random.oneIn(2)});
      for (const query::SortKey& key : *page.sort_by)
        shown += " by " + key.field + (key.descending ? " desc" : "");
    }
    if (random.oneIn(3)) page.limit = static_cast<std::int64_t>(random.below(50));
    if (random.oneIn(5)) page.offset = static_cast<std::int64_t>(random.below(20));
    page.positions = page.limit && *page.limit > 0 && random.oneIn(2);
    const Texts embedded = stores_->embeddedIds(selection, page);
    const Texts clickhouse = stores_->clickHouseIds(selection, page);
    const bool same = embedded == clickhouse;
    different += same ? 0 : 1;
    EXPECT_EQ(clickhouse, embedded)
        << "query " << i << ": " << shown << (selection.expand_columns.empty() ? "" : " expanded")
        << " limit " << page.limit.value_or(-1) << " offset " << page.offset
        << (page.positions ? " with positions" : "");
    const bool failed = embedded.size() == 1 && !embedded[0].starts_with("call");
    ++outcomes[failed ? "refused" : embedded.empty() ? "empty" : "rows"];
  }
  for (const auto& [outcome, count] : outcomes) std::cout << outcome << ": " << count << "\n";
  EXPECT_GT(outcomes["rows"], kQueries / 3);
}

}  // namespace
}  // namespace spindle::tracing
