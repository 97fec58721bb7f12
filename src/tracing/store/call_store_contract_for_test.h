#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "pricing/project_prices.h"
#include "query/codec.h"
#include "query/store_contract_for_test.h"
#include "schema/parse.h"
#include "tracing/store/call_measure.h"
#include "tracing/store/call_store.h"
#include "tracing/store/call_time_for_test.h"

namespace spindle::tracing {

/// The tests that every implementation of CallStore must pass; see query::StoreContract.
class CallStoreContract : public query::StoreContract<CallStore> {
 protected:
  using Texts = std::vector<std::string>;
  using milliseconds = std::chrono::milliseconds;
  using seconds = std::chrono::seconds;

  static CallComplete complete(const std::string& id, milliseconds start, milliseconds took) {
    CallComplete call;
    call.start.id = id;
    call.start.trace_id = "trace";
    call.start.op_name = "op";
    call.start.started_at = at(start);
    call.start.attributes = "{}";
    call.start.inputs = R"({"n":")" + id + R"("})";
    call.start.bytes = 10;
    call.end.id = id;
    call.end.ended_at = at(start + took);
    call.end.output = "1";
    call.end.summary = "{}";
    call.end.output_bytes = 1;
    call.end.summary_bytes = 2;
    return call;
  }
  static CallComplete withUsage(CallComplete call, const std::string& usage) {
    call.end.summary = R"({"usage":)" + usage + "}";
    return call;
  }
  static CallComplete turn(const std::string& id,
                           const std::string& thread,
                           milliseconds start,
                           milliseconds took) {
    CallComplete call = complete(id, start, took);
    call.start.thread_id = thread;
    call.start.turn_id = id;
    return call;
  }

  void write(std::vector<CallPart> parts, const std::string& project = "prj_1") {
    ASSERT_TRUE(store().write(project, std::move(parts)));
  }
  std::unique_ptr<CallView> view(const std::string& project = "prj_1") {
    Result<std::unique_ptr<CallView>> view = store().view({project, "team/app"});
    EXPECT_TRUE(view);
    return *std::move(view);
  }
  Texts read(const CallQuery& selection, const CallPage& page = {}) {
    const std::unique_ptr<CallView> calls = view();
    Result<std::unique_ptr<CallReader>> reader =
        calls->read(selection, page, {CallColumn::kId, CallColumn::kInputs});
    EXPECT_TRUE(reader) << (reader ? "" : reader.error().message());
    Texts ids;
    while (reader) {
      const Result<std::vector<Call>> batch = (*reader)->next();
      EXPECT_TRUE(batch);
      if (!batch || batch->empty()) break;
      for (const Call& call : *batch) {
        ids.push_back(call.id);
        EXPECT_EQ(call.inputs, R"({"n":")" + call.id + R"("})");
      }
    }
    return ids;
  }
  /// Reads all pages of a query, each after the end of the one before.
  Texts readPages(const CallQuery& selection, CallPage page) {
    Texts ids;
    page.positions = true;
    do {
      const std::unique_ptr<CallView> calls = view();
      Result<std::unique_ptr<CallReader>> reader = calls->read(selection, page, {CallColumn::kId});
      EXPECT_TRUE(reader) << (reader ? "" : reader.error().message());
      if (!reader) break;
      for (Result<std::vector<Call>> batch = (*reader)->next(); batch && !batch->empty();
           batch = (*reader)->next()) {
        for (const Call& call : *batch) ids.push_back(call.id);
      }
      page.after = (*reader)->end();
      page.offset = 0;
    } while (page.after && ids.size() < 10'000);
    return ids;
  }
  static CallQuery asked(const std::string& expression) {
    CallQuery selection;
    Result<query::Query> query =
        schema::parse(query::queryCodec(), R"({"$expr":)" + expression + "}");
    EXPECT_TRUE(query);
    selection.query = *std::move(query);
    return selection;
  }
};

// NOLINTBEGIN(misc-definitions-in-headers): a test program includes this header in one file.

TEST_P(CallStoreContract, ReadsByTimeInBothDirections) {
  std::vector<CallPart> parts;
  Texts ids;
  for (int i = 0; i < 3000; ++i) {
    const std::string id = "call" + std::to_string(10'000 + i);
    ids.push_back(id);
    parts.emplace_back(complete(id, seconds(i), seconds(1)));
  }
  write(std::move(parts));
  beforeAndAfterAFlush([&] {
    EXPECT_EQ(read({}), ids);
    CallPage newest;
    newest.sort_by = {{"started_at", true}};
    newest.limit = 2;
    newest.offset = 1;
    EXPECT_EQ(read({}, newest), (Texts{"call12998", "call12997"}));
    CallPage by_input;
    by_input.sort_by = {{"inputs.n", true}};
    by_input.limit = 1;
    EXPECT_EQ(read({}, by_input), Texts{"call12999"});
    by_input.limit.reset();
    EXPECT_EQ(read({}, by_input).size(), 3000U);
    by_input.limit = 0;
    EXPECT_TRUE(read({}, by_input).empty());
  });
}

TEST_P(CallStoreContract, MergesPartsAcrossWritesAndFlushes) {
  CallComplete whole = complete("a", seconds(1), seconds(1));
  write({whole.end});
  EXPECT_FALSE(view()->find("a")->has_value());
  flush();
  write({CallRename{"a", "name"}});
  write({whole.start});
  beforeAndAfterAFlush([&] {
    const Result<std::optional<Call>> call = view()->find("a");
    ASSERT_TRUE(call && call->has_value());
    EXPECT_EQ((*call)->output, "1");
    EXPECT_EQ((*call)->display_name, "name");
    EXPECT_EQ((*call)->storageBytes(), 13);
    EXPECT_EQ(view("prj_2")->find("a")->has_value(), false);
    EXPECT_EQ(view("")->find("a")->has_value(), false);
  });
  write({CallDelete{"a"}});
  write({whole});
  beforeAndAfterAFlush([&] { EXPECT_FALSE(view()->find("a")->has_value()); });
}

TEST_P(CallStoreContract, StoresAllPartsOrNone) {
  CallEnd strict = complete("missing", seconds(1), seconds(1)).end;
  strict.start_required = true;
  const Result<void> written =
      store().write("prj_1", {complete("a", seconds(1), seconds(1)), strict});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code(), ErrorCode::kNotFound);
  EXPECT_FALSE(view()->find("a")->has_value());
}

TEST_P(CallStoreContract, CountsCallsAndBytes) {
  CallComplete child = complete("b", seconds(2), seconds(1));
  child.start.parent_id = "a";
  write({complete("a", seconds(1), seconds(1)), child});
  beforeAndAfterAFlush([&] {
    EXPECT_EQ(view()->count({}, std::nullopt, false)->count, 2);
    EXPECT_FALSE(view()->count({}, 2, false)->has_more);
    EXPECT_TRUE(view()->count({}, 1, false)->has_more);
    EXPECT_EQ(view()->count({}, 1, false)->count, 1);
    EXPECT_EQ(view()->count({}, std::nullopt, true)->total_storage_bytes, 26);
    CallQuery only_child;
    only_child.filter.call_ids = {"b"};
    EXPECT_EQ(view()->count(only_child, std::nullopt, true)->total_storage_bytes, 0);
    EXPECT_EQ(*view()->totalBytes(), 26);
    EXPECT_EQ(view()->traceBytes({"trace"})->at("trace"), 26);
    EXPECT_EQ(view()->tracesOf({"b"})->size(), 2U);
  });
}

TEST_P(CallStoreContract, ExecutesQueries) {
  write({complete("a", seconds(1), seconds(1)), complete("b", seconds(2), seconds(3))});
  beforeAndAfterAFlush([&] {
    EXPECT_EQ(read(asked(R"({"$eq":[{"$getField":"inputs.n"},{"$literal":"b"}]})")), Texts{"b"});
    EXPECT_EQ(read(asked(R"({"$gt":[{"$getField":"summary.svc.latency_ms"},{"$literal":1000}]})")),
              Texts{"b"});
  });
  const std::unique_ptr<CallView> calls = view();
  const auto refused = calls->read(asked(R"({"$eq":[{"$getField":"colour"},{"$literal":"b"}]})"),
                                   {}, {CallColumn::kId});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kUnprocessable);
}

TEST_P(CallStoreContract, RemovesExpiredCalls) {
  CallComplete old = complete("old", seconds(1), seconds(1));
  old.start.expire_at = at(seconds(10));
  write({old, complete("kept", seconds(1), seconds(1))});
  flush();
  CallComplete recent = complete("recent", seconds(1), seconds(1));
  recent.start.expire_at = at(seconds(10));
  write({recent});
  EXPECT_EQ(*store().removeExpired(at(seconds(10))), 0);
  EXPECT_EQ(*store().removeExpired(at(seconds(11))), 2);
  EXPECT_EQ(read({}), Texts{"kept"});
}

TEST_P(CallStoreContract, AggregatesByBucket) {
  CallComplete failed = complete("c", seconds(61), milliseconds(40));
  failed.end.exception = "boom";
  write({complete("a", seconds(0), milliseconds(10)), complete("b", seconds(1), milliseconds(20)),
         failed, complete("outside", seconds(120), seconds(1))});
  CallStatsQuery query;
  query.buckets =
      statistics::cutIntoBuckets(at(seconds(0)), at(seconds(120)), 60, statistics::TimeZone());
  query.call_figures = figuresOf({{Metric::kLatency, {Aggregation::kSum, Aggregation::kAvg}, {50}},
                                  {Metric::kErrorCount, {Aggregation::kSum}, {}}});
  beforeAndAfterAFlush([&] {
    const Result<CallStats> stats = view()->stats(query);
    ASSERT_TRUE(stats) << stats.error().message();
    EXPECT_TRUE(stats->usage.empty());
    ASSERT_EQ(stats->calls.size(), 2U);
    EXPECT_EQ(stats->calls[0].count, 2);
    EXPECT_EQ(stats->calls[0].values,
              (std::vector<FigureValue>{std::int64_t{30}, 15.0, 15.0, std::int64_t{0}}));
    EXPECT_EQ(stats->calls[1].bucket, 1U);
    EXPECT_EQ(stats->calls[1].values[3], FigureValue(std::int64_t{1}));
  });
  EXPECT_TRUE(view("")->stats(query)->calls.empty());
}

TEST_P(CallStoreContract, AggregatesCallsOfATimeRange) {
  pricing::Price price;
  price.llm_id = "m";
  price.tokens.prompt = 2;
  const pricing::ProjectPrices prices(
      {std::make_shared<const pricing::PriceTable>(std::vector<pricing::Price>{price})});
  CallComplete failed = complete("c", seconds(61), milliseconds(40));
  failed.end.exception = "boom";
  write({withUsage(complete("a", seconds(0), milliseconds(10)), R"({"m":{"prompt_tokens":10}})"),
         withUsage(complete("b", seconds(1), milliseconds(22)), R"({"m":{"prompt_tokens":5}})"),
         failed, complete("outside", seconds(120), seconds(1))});
  const auto measured = [&](std::string_view measure, seconds from, seconds to) {
    Result<std::optional<double>> value = measureCalls(*view(), measure, at(from), at(to), &prices);
    EXPECT_TRUE(value) << value.error().message();
    return value ? *value : std::nullopt;
  };
  beforeAndAfterAFlush([&] {
    EXPECT_EQ(measured("cost", seconds(0), seconds(120)), 30);
    EXPECT_EQ(measured("cost", seconds(1), seconds(120)), 10);
    EXPECT_EQ(measured("error_rate", seconds(1), seconds(120)), 0.5);
    EXPECT_EQ(measured("error_rate", seconds(0), seconds(60)), 0);
    EXPECT_EQ(measured("latency_ms", seconds(0), seconds(60)), 16);
    for (const std::string_view measure : {"cost", "error_rate", "latency_ms"})
      EXPECT_EQ(measured(measure, seconds(200), seconds(300)), std::nullopt) << measure;
  });
  EXPECT_FALSE(measureCalls(*view(), "mood", at(seconds(0)), at(seconds(1)), &prices));
}

TEST_P(CallStoreContract, AggregatesUsageAndCostByModel) {
  pricing::Price price;
  price.llm_id = "m";
  price.tokens = {2, 3, 0.5, 0.25};
  const pricing::ProjectPrices prices(
      {std::make_shared<const pricing::PriceTable>(std::vector<pricing::Price>{price})});
  write(
      {withUsage(complete("a", seconds(0), seconds(1)),
                 R"({"m":{"prompt_tokens":10,"output_tokens":1,"cache_read_input_tokens":4}})"),
       withUsage(complete("b", seconds(1), seconds(1)),
                 R"({"m":{"input_tokens":2,"total_tokens":"99"},"o/p":{"prompt_tokens":true}})")});
  CallStatsQuery query;
  query.buckets =
      statistics::cutIntoBuckets(at(seconds(0)), at(seconds(60)), 60, statistics::TimeZone());
  query.prices = &prices;
  query.usage_figures =
      figuresOf({{Metric::kInputTokens, {Aggregation::kSum}, {}},
                 {Metric::kTotalTokens, {Aggregation::kMax}, {}},
                 {Metric::kTotalCost, {Aggregation::kSum, Aggregation::kMin}, {}}});
  beforeAndAfterAFlush([&] {
    const Result<CallStats> stats = view()->stats(query);
    ASSERT_TRUE(stats) << stats.error().message();
    ASSERT_EQ(stats->usage.size(), 2U);
    EXPECT_EQ(stats->usage[0].model, "m");
    EXPECT_EQ(stats->usage[0].count, 2);
    EXPECT_EQ(stats->usage[0].values,
              (std::vector<FigureValue>{std::int64_t{12}, std::int64_t{99}, 21.0, 4.0}));
    EXPECT_EQ(stats->usage[1].model, "o/p");
    EXPECT_EQ(stats->usage[1].values,
              (std::vector<FigureValue>{std::int64_t{1}, std::int64_t{1}, 0.0, std::monostate()}));
  });
}

TEST_P(CallStoreContract, PutsCallsIntoTheLongBucketOfADayOf25Hours) {
  write({complete("a", seconds(86'399), seconds(1)), complete("b", seconds(89'999), seconds(1)),
         complete("c", seconds(90'000), seconds(1))});
  CallStatsQuery query;
  query.buckets.start = at(seconds(0));
  query.buckets.end = at(seconds(180'000));
  query.buckets.granularity = seconds(86'400);
  query.buckets.begins = {at(seconds(0)), at(seconds(90'000)), at(seconds(176'400))};
  query.call_figures = figuresOf({MetricRequest()});
  const Result<CallStats> stats = view()->stats(query);
  ASSERT_TRUE(stats);
  ASSERT_EQ(stats->calls.size(), 2U);
  EXPECT_EQ(stats->calls[0].count, 2);
  EXPECT_EQ(stats->calls[1].bucket, 1U);
}

TEST_P(CallStoreContract, GroupsTurnsIntoThreads) {
  CallComplete inside = complete("inside", seconds(1), seconds(50));
  inside.start.thread_id = "t";
  inside.start.turn_id = "a";
  CallStart open = turn("open", "unfinished", seconds(5), seconds(0)).start;
  write({turn("a", "t", seconds(0), seconds(10)), turn("b", "t", seconds(4), seconds(2)), inside,
         turn("c", "u", seconds(20), seconds(1)), open});
  const auto threads = [this](const ThreadQuery& query) {
    const std::unique_ptr<CallView> calls = view();
    Result<std::unique_ptr<ThreadReader>> reader = calls->threads(query);
    EXPECT_TRUE(reader);
    Result<std::vector<Thread>> batch = (*reader)->next();
    EXPECT_TRUE(batch);
    EXPECT_TRUE((*reader)->next()->empty());
    return *std::move(batch);
  };
  beforeAndAfterAFlush([&] {
    const std::vector<Thread> all = threads({});
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].id, "u");
    EXPECT_EQ(all[1].turn_count, 2);
    EXPECT_EQ(all[1].start_time, at(seconds(0)));
    EXPECT_EQ(all[1].last_updated, at(seconds(10)));
    EXPECT_EQ(all[1].first_turn_id, "a");
    EXPECT_EQ(all[1].last_turn_id, "a");
    EXPECT_EQ(all[1].p50_turn_ms, 6000);
    EXPECT_EQ(all[1].p99_turn_ms, 9920);
    ThreadQuery late;
    late.after = at(seconds(0));
    late.thread_ids = {"t"};
    ASSERT_EQ(threads(late).size(), 1U);
    EXPECT_EQ(threads(late)[0].first_turn_id, "b");
  });
}

// NOLINTEND(misc-definitions-in-headers)

}  // namespace spindle::tracing
