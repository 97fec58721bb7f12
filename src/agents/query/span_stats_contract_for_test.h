#pragma once

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "agents/query/span_stats_json.h"
#include "agents/query/span_store_contract_for_test.h"

namespace spindle::agents {

// The contract of a span store: statistics. Include this file once per program.

TEST_P(SpanStoreContract, StatisticsHaveARowForEveryBucket) {
  AgentSpan a = span("t", "a", 10, 1);
  a.input_tokens = 5;
  AgentSpan b = span("t", "b", 700, 3);
  b.input_tokens = 7;
  write({a, b});
  SpanStatsRequest body;
  body.end = at(1200);
  body.metrics = {{"tokens",
                   ValueType::kNumber,
                   {"field", "input_tokens"},
                   {SpanAggregation::kSum, SpanAggregation::kAvg},
                   {50, 99.9}}};
  const std::string text = stats(body);
  EXPECT_NE(text.find(R"("granularity":300,"timezone":"UTC","bucket_type":"time")"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("name":"p99_9_tokens","role":"metric")"), std::string::npos);
  EXPECT_NE(text.find(R"("sum_tokens":5,"avg_tokens":5.0,"p50_tokens":5.0,"p99_9_tokens":5.0)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("sum_tokens":0,"avg_tokens":null,"p50_tokens":null)"), std::string::npos);
}

TEST_P(SpanStoreContract, StatisticsContainTheLargestGroups) {
  for (int i = 0; i < 3; ++i) {
    AgentSpan one = span("t", "a" + std::to_string(i), i, 1);
    one.agent_name = "big";
    write({one});
  }
  AgentSpan small = span("u", "b", 5, 1);
  small.agent_name = "small";
  write({small});
  SpanStatsRequest body;
  body.end = at(60);
  body.granularity = 60;
  body.group_by = {{"field", "agent_name", {}}};
  body.group_limit = 1;
  body.metrics = {{"n", ValueType::kString, {"field", "span_id"}}};
  const std::string text = stats(body);
  EXPECT_NE(text.find(R"("agent_name":"big","count_n":3)"), std::string::npos) << text;
  EXPECT_EQ(text.find("small"), std::string::npos);
}

TEST_P(SpanStoreContract, NumbersFallIntoBins) {
  const std::vector<double> values = {0, 5, 12, 18, 22, 35, 38, 40};
  std::vector<AgentSpan> spans;
  for (std::size_t i = 0; i < values.size(); ++i) {
    AgentSpan one =
        span("t" + std::to_string(i % 2), "s" + std::to_string(i), static_cast<double>(i), 1);
    one.custom.reals["score"] = values[i];
    spans.push_back(one);
  }
  write(spans);
  SpanStatsRequest body;
  body.numeric = NumericBuckets{};
  body.numeric->bins = 4;
  body.numeric->value = ValueRef{"custom_attrs_float", "score"};
  std::string text = stats(body);
  EXPECT_NE(text.find(R"("rows":[{"bucket_index":0,"bucket_min":0.0,"bucket_max":10.0,"count":2},)"
                      R"({"bucket_index":1,"bucket_min":10.0,"bucket_max":20.0,"count":2},)"
                      R"({"bucket_index":2,"bucket_min":20.0,"bucket_max":30.0,"count":1},)"
                      R"({"bucket_index":3,"bucket_min":30.0,"bucket_max":40.0,"count":3}])"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("granularity":null)"), std::string::npos);
  body.numeric->min = 12;
  body.numeric->max = 12;
  text = stats(body);
  EXPECT_NE(
      text.find(R"("rows":[{"bucket_index":0,"bucket_min":12.0,"bucket_max":12.0,"count":1}])"),
      std::string::npos)
      << text;
  body.numeric = NumericBuckets{};
  body.numeric->bins = 2;
  body.numeric->group_by = {{"field", "trace_id", {}}};
  body.numeric->measure = Measure{"spans", SpanAggregation::kCount};
  text = stats(body);
  EXPECT_NE(text.find(R"("bucket_min":4.0,"bucket_max":4.0,"count":2)"), std::string::npos) << text;
  body.numeric = NumericBuckets{};
  body.numeric->value = ValueRef{"custom_attrs_float", "nobody"};
  EXPECT_NE(stats(body).find(R"("rows":[])"), std::string::npos);
}

TEST_P(SpanStoreContract, StatisticsCanFilterConversations) {
  AgentSpan a = span("t1", "a", 1, 1);
  a.conversation_id = "c1";
  AgentSpan b = span("t1", "b", 2, 1);
  AgentSpan c = span("t2", "c", 3, 1);
  c.conversation_id = "c2";
  write({a, b, c});
  SpanStatsRequest body;
  body.end = at(60);
  body.granularity = 60;
  body.metrics = {{"n", ValueType::kString, {"field", "span_id"}}};
  body.group_filters = {{{}, {"spans", SpanAggregation::kCount}, 2.0, std::nullopt}};
  EXPECT_NE(stats(body).find(R"("count_n":2)"), std::string::npos) << stats(body);
}

TEST_P(SpanStoreContract, LongRangesAreRejectedForExpensiveQueriesOnly) {
  SpanStatsRequest body;
  body.end = at(40.0 * 86'400);
  body.metrics = {{"n", ValueType::kString, {"field", "span_id"}}};
  EXPECT_EQ(stats(body).front(), '{');
  body.group_by = {{"field", "agent_name", {}}};
  EXPECT_NE(stats(body).find("31 days"), std::string::npos);
}

TEST_P(SpanStoreContract, BucketsGrowToLimitTheirNumber) {
  SpanStatsRequest body;
  body.metrics = {{"n", ValueType::kString, {"field", "span_id"}}};
  body.end = at(20'000.0 * 86'400);
  EXPECT_NE(stats(body).find(R"("granularity":172800,)"), std::string::npos);
  body.end = at(20'000);
  body.granularity = 1;
  EXPECT_NE(stats(body).find(R"("granularity":2,)"), std::string::npos);
}

TEST_P(SpanStoreContract, EmptyBucketsHaveZeroCountsAndNullExtremes) {
  SpanStatsRequest body;
  body.end = at(60);
  body.granularity = 60;
  body.metrics = {
      {"tokens",
       ValueType::kNumber,
       {"field", "input_tokens"},
       {SpanAggregation::kSum, SpanAggregation::kAvg, SpanAggregation::kMin, SpanAggregation::kMax,
        SpanAggregation::kCount, SpanAggregation::kCountDistinct},
       {90}}};
  const std::string text = stats(body);
  EXPECT_NE(text.find(R"("sum_tokens":0,"avg_tokens":null,"min_tokens":null,"max_tokens":null,)"
                      R"("count_tokens":0,"count_distinct_tokens":0,"p90_tokens":null)"),
            std::string::npos)
      << text;
}

TEST_P(SpanStoreContract, BucketsBeginAtTheMidnightOfTheZone) {
  write({span("t", "a", 10, 1)});
  SpanStatsRequest body;
  body.end = at(86'400);
  body.granularity = 86'400;
  body.timezone = "Europe/Oslo";  // UTC+2 on that day
  body.metrics = {{"n", ValueType::kString, {"field", "span_id"}}};
  const std::string text = stats(body);
  EXPECT_NE(text.find(R"({"timestamp":"2024-10-03T22:00:00Z","count_n":1})"), std::string::npos)
      << text;
  EXPECT_NE(text.find(R"({"timestamp":"2024-10-04T22:00:00Z","count_n":0})"), std::string::npos)
      << text;
}

TEST_P(SpanStoreContract, GroupsTimesBucketsIsLimited) {
  std::vector<AgentSpan> spans;
  for (const auto& [name, count] : {std::pair{"large", 3}, {"middle", 2}, {"small", 1}}) {
    for (int i = 0; i < count; ++i) {
      AgentSpan one = span(name, std::string(name) + std::to_string(i), i, 1);
      one.agent_name = name;
      spans.push_back(one);
    }
  }
  write(spans);
  SpanStatsRequest body;
  body.end = at(3600);
  body.granularity = 1;
  body.group_by = {{"field", "agent_name", {}}};
  body.metrics = {{"n", ValueType::kString, {"field", "span_id"}}};
  // At most 10,000 rows: floor(10000 / (3600 + 1)) groups, each with every bucket.
  const std::string text = stats(body);
  EXPECT_NE(text.find(R"("agent_name":"middle")"), std::string::npos);
  EXPECT_EQ(text.find(R"("agent_name":"small")"), std::string::npos);
  std::size_t rows = 0;
  for (std::size_t found = text.find("\"count_n\":"); found != std::string::npos;
       found = text.find("\"count_n\":", found + 1)) {
    ++rows;
  }
  EXPECT_EQ(rows, 2 * 3600U);
}

TEST_P(SpanStoreContract, NumbersOutsideTheBoundsAreOmitted) {
  std::vector<AgentSpan> spans;
  for (const int value : {0, 5, 12, 18, 22, 35, 38, 40}) {
    AgentSpan one = span("t", "s" + std::to_string(value), value, 1);
    one.custom.integers["score"] = value;
    spans.push_back(one);
  }
  write(spans);
  SpanStatsRequest body;
  body.numeric = NumericBuckets{};
  body.numeric->bins = 2;
  body.numeric->min = 12;
  body.numeric->max = 22;
  body.numeric->value = ValueRef{"custom_attrs_int", "score"};
  EXPECT_NE(stats(body).find(R"("rows":[{"bucket_index":0,"bucket_min":12.0,"bucket_max":17.0,)"
                             R"("count":1},{"bucket_index":1,"bucket_min":17.0,"bucket_max":22.0,)"
                             R"("count":2}])"),
            std::string::npos)
      << stats(body);
}

}  // namespace spindle::agents
