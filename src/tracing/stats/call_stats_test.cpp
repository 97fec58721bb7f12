#include "tracing/stats/call_stats.h"

#include <string>

#include <gtest/gtest.h>

#include "statistics/utc_for_test.h"
#include "tracing/stats/call_stats_json.h"

namespace spindle::tracing {
namespace {

using namespace std::chrono_literals;

Buckets cut(std::chrono::microseconds range, std::optional<std::int64_t> granularity = {}) {
  const Timestamp start = statistics::utc("2024-05-01");
  return statistics::cutIntoBuckets(start, start + range, granularity, statistics::TimeZone());
}

TEST(Figures, AreNamedByAggregationAndMetric) {
  MetricRequest request;
  request.metric = Metric::kLatency;
  request.aggregations = {Aggregation::kSum,        Aggregation::kAvg,   Aggregation::kMin,
                          Aggregation::kMax,        Aggregation::kCount, Aggregation::kCountTrue,
                          Aggregation::kCountFalse, Aggregation::kSum};
  request.percentiles = {50, 99.9, 50.0, 100};
  std::string keys;
  for (const Figure& figure : figuresOf({request, request})) keys += figure.key + " ";
  EXPECT_EQ(keys,
            "sum_latency_ms avg_latency_ms min_latency_ms max_latency_ms count_latency_ms "
            "count_true_latency_ms count_false_latency_ms p50_latency_ms p99.9_latency_ms "
            "p100_latency_ms ");
}

Figure figureOf(Metric metric, std::optional<Aggregation> aggregation) {
  return {"key", metric, aggregation, 50};
}

TEST(Figures, AreZeroOrNullInEmptyBuckets) {
  for (const Aggregation zero : {Aggregation::kSum, Aggregation::kAvg, Aggregation::kCount,
                                 Aggregation::kCountTrue, Aggregation::kCountFalse}) {
    const FigureValue value = valueOf(figureOf(Metric::kLatency, zero), std::nullopt);
    EXPECT_FALSE(std::holds_alternative<std::monostate>(value));
  }
  for (const auto& none :
       {figureOf(Metric::kLatency, Aggregation::kMin),
        figureOf(Metric::kLatency, Aggregation::kMax), figureOf(Metric::kLatency, std::nullopt)}) {
    EXPECT_TRUE(std::holds_alternative<std::monostate>(valueOf(none, std::nullopt)));
  }
}

TEST(Figures, AreIntegersForCounts) {
  EXPECT_EQ(valueOf(figureOf(Metric::kInputTokens, Aggregation::kSum), 12.0),
            FigureValue(std::int64_t{12}));
  EXPECT_EQ(valueOf(figureOf(Metric::kInputTokens, Aggregation::kAvg), 12.0), FigureValue(12.0));
  EXPECT_EQ(valueOf(figureOf(Metric::kTotalCost, Aggregation::kSum), 12.5), FigureValue(12.5));
  EXPECT_EQ(valueOf(figureOf(Metric::kTotalCost, Aggregation::kCount), 2.0),
            FigureValue(std::int64_t{2}));
  EXPECT_EQ(valueOf(figureOf(Metric::kInputTokens, Aggregation::kSum), 1e300),
            FigureValue(std::int64_t{9'200'000'000'000'000'000}));
}

TEST(EmptyBuckets, AreInsertedForEveryModel) {
  const Buckets buckets = cut(1h, 1800);
  const std::vector<Figure> figures =
      figuresOf({{Metric::kInputTokens, {Aggregation::kSum}, {50}}});
  const std::vector<BucketRow> rows = {{0, "b", 2, {std::int64_t{7}, 3.5}},
                                       {1, "a", 1, {std::int64_t{1}, 1.0}}};
  const Result<std::vector<BucketRow>> all =
      withEmptyBuckets(rows, buckets, figures, Series::kModels);
  ASSERT_TRUE(all);
  EXPECT_EQ(bucketsJson(*all, buckets, figures, Series::kModels),
            R"([{"timestamp":"2024-05-01T00:00:00Z","model":"a","sum_input_tokens":0,)"
            R"("p50_input_tokens":null,"count":0},)"
            R"({"timestamp":"2024-05-01T00:00:00Z","model":"b","sum_input_tokens":7,)"
            R"("p50_input_tokens":3.5,"count":2},)"
            R"({"timestamp":"2024-05-01T00:30:00Z","model":"a","sum_input_tokens":1,)"
            R"("p50_input_tokens":1.0,"count":1},)"
            R"({"timestamp":"2024-05-01T00:30:00Z","model":"b","sum_input_tokens":0,)"
            R"("p50_input_tokens":null,"count":0}])");
}

TEST(EmptyBuckets, NeedAModelButNoCall) {
  const Buckets buckets = cut(1h);
  const std::vector<Figure> figures = figuresOf({MetricRequest()});
  EXPECT_EQ(withEmptyBuckets({}, buckets, figures, Series::kNone)->size(), 12U);
  EXPECT_TRUE(withEmptyBuckets({}, buckets, figures, Series::kModels)->empty());
}

TEST(EmptyBuckets, AreRejectedWhenTooMany) {
  const Buckets buckets = cut(10'000s, 1);
  std::vector<BucketRow> rows;
  rows.reserve(26);
  for (int i = 0; i < 26; ++i)
    rows.push_back({0, std::string(1, static_cast<char>('a' + i)), 1, {}});
  const Result<std::vector<BucketRow>> all = withEmptyBuckets(rows, buckets, {}, Series::kModels);
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().code(), ErrorCode::kInvalidArgument);
}

TEST(EmptyBuckets, AreInsertedForEveryGroup) {
  const Buckets buckets = cut(1h, 1800);
  const std::vector<Figure> figures = figuresOf({{.metric = Metric::kCallCount}});
  const std::vector<BucketRow> rows = {{1, "", 2, {std::int64_t{2}}, 1}};
  const Result<std::vector<BucketRow>> all =
      withEmptyBuckets(rows, buckets, figures, Series::kGroups, 3);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 6U);
  using Kind = CallGroup::Kind;
  const std::string json = bucketsJson(*all, buckets, figures, Series::kGroups,
                                       {{Kind::kValue, "a", 1}, {Kind::kMissing}, {Kind::kOther}});
  EXPECT_NE(json.find(R"("group":"a","group_kind":"value","sum_call_count":0,"count":0})"),
            std::string::npos);
  EXPECT_NE(json.find(R"(T00:30:00Z","group":null,"group_kind":"missing","sum_call_count":2,)"),
            std::string::npos);
  EXPECT_NE(json.find(R"("group":null,"group_kind":"other")"), std::string::npos);
}

}  // namespace
}  // namespace spindle::tracing
