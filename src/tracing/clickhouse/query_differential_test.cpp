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
#include "statistics/buckets.h"
#include "tracing/clickhouse/call_query_generator_for_test.h"
#include "tracing/clickhouse/two_stores_for_test.h"

namespace spindle::tracing {
namespace {

using std::chrono::seconds;
using Texts = std::vector<std::string>;

constexpr int kCalls = 240;
constexpr std::uint64_t kSeed = 20'261'118;

/// More with SPINDLE_TEST_QUERIES in the environment.
int generatedQueries() {
  const char* const value = std::getenv("SPINDLE_TEST_QUERIES");  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? 500 : std::stoi(value);
}

feedback::ProjectFeedback generatedFeedback(CallQueryGenerator& random, int number) {
  feedback::Feedback feedback;
  feedback.id = "feedback" + std::to_string(number);
  feedback.created_at = at(seconds(number));
  feedback.target_kind = random.oneIn(8) ? "agent_turn" : "call";
  feedback.target_id = "call" + std::to_string(100 + random.below(kCalls / 2));
  feedback.svc_ref = "svc-trace-internal:///prj/call/" + feedback.target_id;
  feedback.feedback_type = random.oneOf({"note", "score"});
  feedback.payload = R"({"x":)" + random.value(1) + R"(,"b":)" + random.value(1) + "}";
  if (random.oneIn(2)) feedback.runnable_ref = random.oneOf({"text", "", "chat"});
  if (random.oneIn(3)) feedback.trigger_ref = random.oneOf({"1", "text"});
  return {"prj", std::move(feedback)};
}

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
  call.end.summary = random.oneOf(
      {"{}", R"({"score":)" + random.value(1) + "}",
       R"({"usage":{"m1":{"prompt_tokens":7,"completion_tokens":)" + std::to_string(number) + "}}}",
       R"({"usage":{"m1":{"input_tokens":3},"m2":{"output_tokens":)" + std::to_string(number) +
           R"(,"total_tokens":9}}})"});
  if (random.oneIn(6)) call.end.exception = random.oneOf({"boom", ""});
  return call;
}

/// Returns a number with as many digits as both engines agree on.
std::string textOf(const FigureValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&value)) return std::to_string(*real);
  return "-";
}

/// Returns count, statistics by group and facets of a selection, as text.
Texts aggregates(CallStore& store, const CallQuery& selection) {
  Result<std::unique_ptr<CallView>> view = store.view({"prj", "team/app"});
  if (!view) return {view.error().message()};
  Texts lines;
  const Result<CallCount> count = (*view)->count(selection, 100, true);
  if (!count) return {count.error().message()};
  lines.push_back("count " + std::to_string(count->count) + " " +
                  std::to_string(count->total_storage_bytes.value_or(-1)));
  for (const std::string group : {"", "op_name", "model", "status", "svc_run_step", "started_at"}) {
    CallStatsQuery query;
    query.selection = selection;
    query.buckets = statistics::cutIntoBuckets(at(seconds(0)), at(seconds(200)), 30, {});
    query.usage_figures = figuresOf({{Metric::kInputTokens, {Aggregation::kSum, Aggregation::kMax}},
                                     {Metric::kTotalTokens, {Aggregation::kAvg}, {50}}});
    query.call_figures =
        figuresOf({{Metric::kLatency, {Aggregation::kAvg, Aggregation::kMin}, {50, 95}},
                   {Metric::kCallCount},
                   {Metric::kErrorCount, {Aggregation::kSum, Aggregation::kCountTrue}}});
    if (!group.empty()) query.group_by = group;
    const Result<CallStats> stats = (*view)->stats(query);
    if (!stats) return {stats.error().message()};
    for (const CallGroup& found : stats->groups)
      lines.push_back("group " + found.value + " " + std::to_string(found.calls));
    for (const std::vector<BucketRow>* rows : {&stats->usage, &stats->calls}) {
      for (const BucketRow& row : *rows) {
        std::string line = group + " " + std::to_string(row.bucket) + " " + row.model + " " +
                           std::to_string(row.group) + " " + std::to_string(row.count);
        for (const FigureValue& value : row.values) line += " " + textOf(value);
        lines.push_back(std::move(line));
      }
    }
  }
  FacetQuery query;
  query.selection = selection;
  query.facets = {
      {"op_name", 3},     {"model"},         {"trace_roots_only"}, {"user"},
      {"svc_run_step"},   {"started_at", 5}, {"inputs.a"},         {"attributes.tag", 4, "t"},
      {"display_name", 2}};
  const Result<std::vector<Facet>> facets = (*view)->facets(query);
  if (!facets) return {facets.error().message()};
  for (const Facet& facet : *facets) {
    std::string line = "facet " + std::to_string(facet.other) + " " +
                       std::to_string(facet.missing) + " " + std::to_string(facet.rows);
    for (const FacetValue& value : facet.values)
      line += " " + value.value + "=" + std::to_string(value.count);
    lines.push_back(std::move(line));
  }
  AttributeQuery attributes;
  attributes.selection = selection;
  const Result<CallAttributes> paths = (*view)->attributes(attributes);
  if (!paths) return {paths.error().message()};
  for (const AttributePath& path : paths->paths)
    lines.push_back(path.path + " " + path.type + " " + std::to_string(path.count));
  return lines;
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
  std::vector<feedback::ProjectFeedback> feedback;
  for (int i = 0; i < kCalls; ++i) feedback.push_back(generatedFeedback(random, i));
  stores_->write(feedback);

  const int queries = generatedQueries();
  std::map<std::string, int> outcomes;
  int different = 0;
  // Refused queries are compared too, but do not count.
  for (int i = 0; i < queries + outcomes["refused"] && different < 20; ++i) {
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
    if (!failed && random.oneIn(10)) {
      EXPECT_EQ(aggregates(stores_->clickHouse(), selection),
                aggregates(stores_->embedded(), selection))
          << "aggregates of query " << i << ": " << shown;
      ++outcomes["aggregated"];
    }
    ++outcomes[failed ? "refused" : embedded.empty() ? "empty" : "rows"];
  }
  for (const auto& [outcome, count] : outcomes) std::cout << outcome << ": " << count << "\n";
  EXPECT_GT(outcomes["rows"], queries / 3);
}

}  // namespace
}  // namespace spindle::tracing
