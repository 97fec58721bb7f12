// Tests that queries give the same calls in ClickHouse and in the embedded store.

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "query/codec.h"
#include "schema/parse.h"
#include "tracing/clickhouse/two_stores_for_test.h"

namespace spindle::tracing {
namespace {

using std::chrono::seconds;
using Texts = std::vector<std::string>;

std::vector<CallPart> comparedCalls() {
  const Texts values = {"1",
                        "1.0",
                        "1.5",
                        R"("1")",
                        R"("1.0")",
                        "true",
                        "false",
                        "null",
                        R"("")",
                        R"("text")",
                        R"("Text")",
                        R"("ÄÖ\n\"q")",
                        "-7",
                        "1e3",
                        "0",
                        R"("0")",
                        "255",
                        "256",
                        "[1,2]",
                        R"(["a"])",
                        R"({"b":1})",
                        R"({"0":"zero"})",
                        "9007199254740993"};
  std::vector<CallPart> parts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    CallComplete call;
    call.start.id = "call" + std::to_string(100 + i);
    call.start.trace_id = "trace" + std::to_string(i % 3);
    call.start.op_name = i % 2 == 0 ? "chat" : "";
    call.start.started_at = at(seconds(static_cast<int>(i)));
    call.start.attributes = "{}";
    call.start.inputs = R"({"a":)" + values[i] + R"(,"l":[)" + values[i] + ",2]}";
    if (i % 4 == 0) call.start.parent_id = "call100";
    if (i % 5 == 0) call.start.display_name = "Name " + std::to_string(i);
    if (i % 3 == 0) call.start.run_step = static_cast<std::int64_t>(i);
    if (i % 6 == 0) call.start.input_refs = {"ref:" + std::to_string(i), "other"};
    call.end.id = call.start.id;
    call.end.ended_at = at(seconds(static_cast<int>(2 * i)));
    call.end.output = values[i];
    if (values[i] == "null") call.end.output.reset();
    call.end.summary = "{}";
    if (i % 7 == 0) call.end.exception = "boom";
    if (i % 8 == 1) {
      parts.emplace_back(call.start);
    } else {
      parts.emplace_back(call);
    }
  }
  CallComplete empty;
  empty.start.id = "empty";
  empty.start.trace_id = "trace0";
  empty.start.started_at = at(seconds(1));
  empty.start.attributes = "{}";
  empty.start.inputs = "{}";
  empty.end.id = "empty";
  empty.end.ended_at = at(seconds(1));
  empty.end.summary = "{}";
  parts.emplace_back(empty);
  return parts;
}

std::string field(const std::string& path) { return R"({"$getField":")" + path + R"("})"; }
std::string literal(const std::string& json) { return R"({"$literal":)" + json + "}"; }
std::string operation(const std::string& op, const std::string& a, const std::string& b) {
  return "{\"" + op + "\":[" + a + "," + b + "]}";
}

/// Returns the operations that are compared.
Texts comparedQueries() {
  Texts queries;
  const Texts json_paths = {"inputs.a", "output", "inputs.l.0", "inputs.a.0", "inputs.missing"};
  const Texts literals = {R"("1")", R"("text")", R"("")", "1", "1.5", "true", "0"};
  for (const std::string& path : json_paths) {
    for (const std::string& value : literals) {
      queries.push_back(operation("$eq", field(path), literal(value)));
      if (path == "inputs.a") queries.push_back(operation("$gt", field(path), literal(value)));
    }
    for (const std::string to : {"int", "double", "string", "bool", "exists"})
      queries.push_back(R"({"$not":[{"$eq":[{"$convert":{"input":)" + field(path) + R"(,"to":")" +
                        to + R"("}},)" + literal(to == std::string("string") ? R"("1")" : "true") +
                        "]}]}");
    queries.push_back(operation("$gte", R"({"$size":)" + field(path) + "}", literal("2")));
    for (const std::string part : {"t", "1", ".0", "Ä"})
      queries.push_back(R"({"$contains":{"input":)" + field(path) + R"(,"substr":)" +
                        literal("\"" + part + "\"") + R"(,"case_insensitive":true}})");
    queries.push_back(
        operation("$in", field(path), "[" + literal(R"("1")") + "," + literal(R"("text")") + "]"));
  }
  for (const std::string column :
       {"parent_id", "op_name", "display_name", "ended_at", "exception", "svc_run_step",
        "input_refs", "summary.svc.latency_ms", "summary.svc.status", "summary.svc.trace_name"}) {
    queries.push_back(operation("$eq", field(column), literal("null")));
    queries.push_back(R"({"$not":[)" + operation("$eq", field(column), literal("null")) + "]}");
    queries.push_back(operation("$eq",
                                R"({"$convert":{"input":)" + field(column) + R"(,"to":"exists"}})",
                                literal("true")));
  }
  for (const std::string& query :
       {operation("$eq", field("op_name"), literal(R"("chat")")),
        R"({"$not":[)" + operation("$in", field("parent_id"), "[" + literal(R"("x")") + "]") + "]}",
        operation("$gt", field("summary.svc.latency_ms"), literal("5000")),
        operation("$eq", field("summary.svc.status"), literal(R"("running")")),
        operation("$gt", field("started_at"), literal(R"("2024-10-04T00:00:10Z")")),
        operation("$gt", field("svc_run_step"), literal("5.5")),
        operation("$gt", field("started_at"), field("ended_at")),
        R"({"$contains":{"input":)" + field("input_refs") + R"(,"substr":)" +
            literal(R"("OTHER")") + R"(,"case_insensitive":true}})",
        R"({"$not":[{"$contains":{"input":)" + field("input_refs") + R"(,"substr":)" +
            literal(R"("other")") + "}}]}",
        operation("$eq", R"({"$size":)" + field("input_refs") + "}", literal("2"))})
    queries.push_back(query);
  return queries;
}

class CallComparison : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { configureLogging(LogLevel::kError, LogFormat::kText); }
  void SetUp() override {
    if (!clickhouse::DatabaseForTest::isAvailable())
      GTEST_SKIP() << "SPINDLE_TEST_CLICKHOUSE is not set";
    stores_ = std::make_unique<TwoStoresForTest>();
    stores_->write(comparedCalls());
  }

  void expectSame(const CallQuery& selection, const CallPage& page, const std::string& shown) {
    EXPECT_EQ(stores_->clickHouseIds(selection, page), stores_->embeddedIds(selection, page))
        << shown;
  }

  std::unique_ptr<TwoStoresForTest> stores_;
};

TEST_F(CallComparison, QueriesGiveTheSameCalls) {
  for (const std::string& expression : comparedQueries()) {
    CallQuery selection;
    Result<query::Query> parsed =
        schema::parse(query::queryCodec(), R"({"$expr":)" + expression + "}");
    ASSERT_TRUE(parsed) << expression;
    selection.query = *std::move(parsed);
    expectSame(selection, {}, expression);
  }
}

TEST_F(CallComparison, OrdersAreTheSame) {
  // Without the number 1.0: only the embedded store keeps its text apart from that of 1.
  CallQuery selection;
  selection.filter.call_ids.emplace();
  for (const CallPart& part : comparedCalls()) {
    if (idOf(part) != "call101") selection.filter.call_ids->push_back(idOf(part));
  }
  for (const std::string key : {"inputs.a", "output", "ended_at", "op_name", "svc_run_step",
                                "display_name", "input_refs", "summary.svc.latency_ms"}) {
    for (const bool descending : {false, true}) {
      CallPage page;
      page.sort_by = {{key, descending}};
      expectSame(selection, page, key);
      page.positions = true;
      page.limit = 100;
      expectSame(selection, page, key + " with positions");
    }
  }
}

TEST_F(CallComparison, FiltersGiveTheSameCalls) {
  std::vector<CallFilter> filters(7);
  filters[0].op_names = {"chat", "x:*"};
  filters[1].input_refs = {"other"};
  filters[2].input_refs = {"ref:*"};
  filters[3].trace_ids = {"trace1", "trace2"};
  filters[4].call_ids = {"call101", "empty", "unknown"};
  filters[5].trace_roots_only = true;
  filters[6].thread_ids = std::vector<std::string>();
  for (std::size_t i = 0; i < filters.size(); ++i) {
    CallQuery selection;
    selection.filter = filters[i];
    expectSame(selection, {}, "filter " + std::to_string(i));
  }
}

}  // namespace
}  // namespace spindle::tracing
