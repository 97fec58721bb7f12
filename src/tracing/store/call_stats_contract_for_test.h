#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "json/document.h"
#include "pricing/project_prices.h"
#include "tracing/store/call_store_contract_for_test.h"

namespace spindle::tracing {

/// The tests of statistics, facets and attributes that every implementation of CallStore must pass.
class CallStatsContract : public CallStoreContract {
 protected:
  /// A call with usage, with or without the copy of it that ingestion makes: calls of older
  /// releases have none.
  static CallComplete reporting(CallComplete call, const std::string& usage, bool copied) {
    call = withUsage(std::move(call), usage);
    auto parsed = json::Document::parse(call.end.summary);
    if (copied) call.end.usage = reportedUsage(std::get<json::Document>(parsed).root());
    return call;
  }
  static CallComplete named(const std::string& id, const std::string& op, seconds start) {
    CallComplete call = complete(id, start, milliseconds(10));
    call.start.op_name = op;
    return call;
  }
  static CallComplete with(CallComplete call, const std::string& attributes) {
    call.start.attributes = attributes;
    return call;
  }
  static pricing::ProjectPrices pricesOf(
      const std::vector<std::pair<std::string, double>>& models) {
    std::vector<pricing::Price> prices;
    for (const auto& [model, prompt] : models) {
      pricing::Price price;
      price.llm_id = model;
      price.tokens.prompt = prompt;
      prices.push_back(price);
    }
    return pricing::ProjectPrices({std::make_shared<const pricing::PriceTable>(std::move(prices))});
  }
  static CallStatsQuery ofAMinute() {
    CallStatsQuery query;
    query.buckets =
        statistics::cutIntoBuckets(at(seconds(0)), at(seconds(60)), 60, statistics::TimeZone());
    return query;
  }
  CallStats statsOf(const CallStatsQuery& query) {
    Result<CallStats> stats = view()->stats(query);
    EXPECT_TRUE(stats) << stats.error().message();
    return stats ? *std::move(stats) : CallStats();
  }
  std::vector<Facet> facetsOf(const FacetQuery& query) {
    Result<std::vector<Facet>> facets = view()->facets(query);
    EXPECT_TRUE(facets) << facets.error().message();
    return facets ? *std::move(facets) : std::vector<Facet>();
  }
  static FacetQuery facet(const std::string& field, std::int64_t limit = 20) {
    FacetQuery query;
    query.facets = {{field, limit, ""}};
    return query;
  }
};

// NOLINTBEGIN(misc-definitions-in-headers): a test program includes this header in one file.

TEST_P(CallStatsContract, CopiedUsageGivesTheSameStatistics) {
  const pricing::ProjectPrices prices = pricesOf({{"m", 2}, {"n", 3}});
  std::vector<CallPart> parts;
  const std::vector<std::string> usages = {
      R"({"m":{"prompt_tokens":10,"output_tokens":1}})",
      R"({"m":{"input_tokens":"5"},"n":{"prompt_tokens":7,"total_tokens":9}})",
      R"({"unpriced":{"prompt_tokens":true}})", "{}", "null"};
  for (const bool copied : {false, true}) {
    for (std::size_t i = 0; i < usages.size(); ++i) {
      CallComplete call = complete((copied ? "copied" : "plain") + std::to_string(i),
                                   copied ? seconds(60) : seconds(0), seconds(1));
      parts.emplace_back(reporting(std::move(call), usages[i], copied));
    }
  }
  write(std::move(parts));
  CallStatsQuery query;
  query.buckets =
      statistics::cutIntoBuckets(at(seconds(0)), at(seconds(120)), 60, statistics::TimeZone());
  query.prices = &prices;
  const auto usage_of = [&](std::size_t bucket) {
    std::vector<std::pair<std::string, std::vector<FigureValue>>> rows;
    for (const BucketRow& row : statsOf(query).usage) {
      if (row.bucket == bucket) rows.emplace_back(row.model, row.values);
    }
    return rows;
  };
  using Values = std::vector<FigureValue>;
  beforeAndAfterAFlush([&] {
    // Sums and averages of costs are computed from sums of tokens, other figures in each row.
    query.usage_figures = figuresOf(
        {{Metric::kInputTokens, {Aggregation::kSum}, {}},
         {Metric::kTotalTokens, {Aggregation::kSum}, {}},
         {Metric::kTotalCost, {Aggregation::kSum, Aggregation::kAvg, Aggregation::kCount}, {}}});
    ASSERT_EQ(usage_of(0).size(), 3U);
    EXPECT_EQ(usage_of(0)[0].second,
              (Values{std::int64_t{15}, std::int64_t{16}, 30.0, 15.0, std::int64_t{2}}));
    EXPECT_EQ(usage_of(0)[1].second,
              (Values{std::int64_t{7}, std::int64_t{9}, 21.0, 21.0, std::int64_t{1}}));
    EXPECT_EQ(usage_of(0)[2].second,
              (Values{std::int64_t{1}, std::int64_t{1}, 0.0, 0.0, std::int64_t{0}}));
    EXPECT_EQ(usage_of(0), usage_of(1));
    query.usage_figures =
        figuresOf({{Metric::kTotalCost, {Aggregation::kSum, Aggregation::kMax}, {50}}});
    EXPECT_EQ(usage_of(0)[0].second, (Values{30.0, 20.0, 15.0}));
    EXPECT_EQ(usage_of(0), usage_of(1));
  });
}

TEST_P(CallStatsContract, AggregatesTheCallsOfAQuery) {
  CallComplete failed = named("c", "search", seconds(3));
  failed.end.exception = "boom";
  write({with(named("a", "chat", seconds(1)), R"({"tenant":"t1"})"),
         reporting(with(named("b", "chat", seconds(2)), R"({"tenant":"t2"})"),
                   R"({"m":{"prompt_tokens":4}})", true),
         failed});
  const auto count = [&](const std::string& expression) {
    CallStatsQuery query = ofAMinute();
    query.selection = asked(expression);
    query.call_figures = figuresOf({{.metric = Metric::kCallCount}});
    query.usage_figures = figuresOf({{.metric = Metric::kInputTokens}});
    const CallStats stats = statsOf(query);
    return std::pair(stats.calls.empty() ? 0 : stats.calls[0].count,
                     stats.usage.empty() ? 0 : stats.usage[0].count);
  };
  using Counts = std::pair<std::int64_t, std::int64_t>;
  beforeAndAfterAFlush([&] {
    EXPECT_EQ(count(R"({"$eq":[{"$getField":"op_name"},{"$literal":"chat"}]})"), Counts(2, 1));
    EXPECT_EQ(count(R"({"$eq":[{"$getField":"attributes.tenant"},{"$literal":"t2"}]})"),
              Counts(1, 1));
    EXPECT_EQ(count(R"({"$eq":[{"$getField":"summary.svc.status"},{"$literal":"error"}]})"),
              Counts(1, 0));
    EXPECT_EQ(count(R"({"$eq":[{"$getField":"op_name"},{"$literal":"none"}]})"), Counts(0, 0));
  });
  CallStatsQuery unknown = ofAMinute();
  unknown.selection = asked(R"({"$eq":[{"$getField":"mood"},{"$literal":"good"}]})");
  const Result<CallStats> refused = view()->stats(unknown);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kUnprocessable);
}

TEST_P(CallStatsContract, GroupsCallsAndTheirUsage) {
  const pricing::ProjectPrices prices = pricesOf({{"m", 2}, {"n", 3}});
  write({reporting(with(named("a", "chat", seconds(1)), R"({"tenant":"t1"})"),
                   R"({"m":{"prompt_tokens":10}})", true),
         reporting(with(named("b", "chat", seconds(2)), R"({"tenant":"t2"})"),
                   R"({"m":{"prompt_tokens":1},"n":{"prompt_tokens":2}})", true),
         named("c", "search", seconds(3))});
  CallStatsQuery query = ofAMinute();
  query.prices = &prices;
  query.call_figures = figuresOf({{.metric = Metric::kCallCount}});
  using Kind = CallGroup::Kind;
  using Groups = std::vector<CallGroup>;
  using Values = std::vector<FigureValue>;
  beforeAndAfterAFlush([&] {
    query.group_by = "op_name";
    query.usage_figures = figuresOf({{.metric = Metric::kTotalCost}});
    CallStats stats = statsOf(query);
    EXPECT_EQ(stats.groups, (Groups{{Kind::kValue, "chat", 2}, {Kind::kValue, "search", 1}}));
    ASSERT_EQ(stats.calls.size(), 2U);
    EXPECT_EQ(stats.calls[0].group, 0U);
    EXPECT_EQ(stats.calls[0].count, 2);
    EXPECT_EQ(stats.calls[1].group, 1U);
    ASSERT_EQ(stats.usage.size(), 1U);
    EXPECT_EQ(stats.usage[0].count, 3);
    EXPECT_EQ(stats.usage[0].values, Values{28.0});

    query.group_by = "attributes.tenant";
    query.usage_figures =
        figuresOf({{Metric::kTotalCost, {Aggregation::kSum, Aggregation::kMax}, {}}});
    stats = statsOf(query);
    EXPECT_EQ(stats.groups,
              (Groups{{Kind::kValue, "t1", 1}, {Kind::kValue, "t2", 1}, {Kind::kMissing, "", 1}}));
    ASSERT_EQ(stats.usage.size(), 2U);
    EXPECT_EQ(stats.usage[1].group, 1U);
    EXPECT_EQ(stats.usage[1].values, (Values{8.0, 6.0}));

    query.group_by = "model";
    stats = statsOf(query);
    EXPECT_EQ(stats.groups,
              (Groups{{Kind::kValue, "m", 2}, {Kind::kValue, "n", 1}, {Kind::kMissing, "", 1}}));
    EXPECT_EQ(stats.calls.size(), 3U);
    ASSERT_EQ(stats.usage.size(), 2U);
    EXPECT_EQ(stats.usage[0].values, (Values{22.0, 20.0}));
  });
  for (const std::string field : {"mood", "attributes", "input_refs"}) {
    query.group_by = field;
    const Result<CallStats> refused = view()->stats(query);
    ASSERT_FALSE(refused) << field;
    EXPECT_EQ(refused.error().code(), ErrorCode::kUnprocessable);
  }
}

TEST_P(CallStatsContract, PutsRareValuesIntoOneGroup) {
  std::vector<CallPart> parts;
  for (int i = 0; i < 30; ++i) {
    for (int n = 0; n <= 30 - i; ++n) {
      const std::string id = "c" + std::to_string(i) + "-" + std::to_string(n);
      parts.emplace_back(reporting(named(id, "op" + std::to_string(10 + i), seconds(1)),
                                   R"({"m":{"prompt_tokens":1}})", true));
    }
  }
  // Not shown, although it is frequent.
  for (int n = 0; n < 40; ++n)
    parts.emplace_back(named("long" + std::to_string(n), std::string(2000, 'x'), seconds(1)));
  write(std::move(parts));
  CallStatsQuery query = ofAMinute();
  query.group_by = "op_name";
  query.call_figures = figuresOf({{.metric = Metric::kCallCount}});
  query.usage_figures = figuresOf({{.metric = Metric::kInputTokens}});
  beforeAndAfterAFlush([&] {
    const CallStats stats = statsOf(query);
    ASSERT_EQ(stats.groups.size(), kMaxGroups + 1);
    EXPECT_EQ(stats.groups[0], (CallGroup{CallGroup::Kind::kValue, "op10", 31}));
    const std::int64_t rest = 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11;
    EXPECT_EQ(stats.groups.back(), (CallGroup{CallGroup::Kind::kOther, "", rest + 40}));
    ASSERT_EQ(stats.calls.size(), kMaxGroups + 1);
    EXPECT_EQ(stats.calls.back().count, rest + 40);
    EXPECT_EQ(stats.usage.back().count, rest);
  });
}

TEST_P(CallStatsContract, UsageBelowRootsMayBelongToAGroupWithoutCalls) {
  CallComplete child =
      reporting(named("b", "span", seconds(2)), R"({"m":{"prompt_tokens":1}})", true);
  child.start.parent_id = "a";
  child.start.otel_dump = "{}";
  write({named("a", "root", seconds(1)), child});
  CallStatsQuery query = ofAMinute();
  query.selection.filter.trace_roots_only = true;
  query.group_by = "op_name";
  query.call_figures = figuresOf({{.metric = Metric::kCallCount}});
  query.usage_figures = figuresOf({{.metric = Metric::kInputTokens}});
  const CallStats stats = statsOf(query);
  ASSERT_EQ(stats.groups.size(), 2U);
  EXPECT_EQ(stats.groups[1], (CallGroup{CallGroup::Kind::kOther, "", 0}));
  ASSERT_EQ(stats.usage.size(), 1U);
  EXPECT_EQ(stats.usage[0].group, 1U);
}

TEST_P(CallStatsContract, CountsTheValuesOfDimensions) {
  CallComplete failed = with(named("c", "search", seconds(3)), R"({"tenant":5,"deep":{"x":true}})");
  failed.end.exception = "boom";
  failed.start.user_id = "ada";
  CallComplete child = with(named("b", "chat", seconds(2)), R"({"tenant":"t1"})");
  child.start.parent_id = "a";
  write({reporting(with(named("a", "chat", seconds(1)), R"({"tenant":"t1"})"), R"({"m":{},"n":{}})",
                   true),
         reporting(child, R"({"m":{}})", false), failed, CallDelete{"d"}});
  using Values = std::vector<FacetValue>;
  beforeAndAfterAFlush([&] {
    EXPECT_EQ(facetsOf(facet("op_name"))[0], (Facet{{{"chat", 2}, {"search", 1}}, 0, 0, false, 3}));
    EXPECT_EQ(facetsOf(facet("op_name", 1))[0], (Facet{{{"chat", 2}}, 1, 0, false, 3}));
    EXPECT_EQ(facetsOf(facet("status"))[0].values, (Values{{"success", 2}, {"error", 1}}));
    EXPECT_EQ(facetsOf(facet("trace_roots_only"))[0].values, (Values{{"true", 2}, {"false", 1}}));
    EXPECT_EQ(facetsOf(facet("user"))[0], (Facet{{{"ada", 1}}, 0, 2, false, 3}));
    EXPECT_EQ(facetsOf(facet("model"))[0], (Facet{{{"m", 2}, {"n", 1}}, 0, 1, false, 3}));
    EXPECT_EQ(facetsOf(facet("attributes.tenant"))[0].values, (Values{{"t1", 2}, {"5", 1}}));
    EXPECT_EQ(facetsOf(facet("attributes.deep.x"))[0], (Facet{{{"true", 1}}, 0, 2, false, 3}));

    FacetQuery query;
    query.facets = {{"op_name", 20, "se"}, {"attributes.tenant", 20, ""}};
    query.selection = asked(R"({"$and":[{"$eq":[{"$getField":"op_name"},{"$literal":"chat"}]},
        {"$eq":[{"$getField":"attributes.tenant"},{"$literal":"t1"}]}]})");
    query.selection.filter.trace_roots_only = true;
    const std::vector<Facet> facets = facetsOf(query);
    EXPECT_TRUE(facets.at(0).values.empty());
    EXPECT_EQ(facets.at(0).other, 0);
    EXPECT_EQ(facets.at(1).values, (Values{{"t1", 1}}));
  });
  EXPECT_EQ(view("")->facets(facet("op_name"))->at(0), Facet());
  for (const std::string field : {"mood", "output", "output_refs"}) {
    const Result<std::vector<Facet>> refused = view()->facets(facet(field));
    ASSERT_FALSE(refused) << field;
    EXPECT_EQ(refused.error().code(), ErrorCode::kUnprocessable);
  }
}

TEST_P(CallStatsContract, FindsThePathsOfAttributes) {
  write({with(named("a", "chat", seconds(1)),
              R"({"tenant":"t1","deep":{"x":1,"y":[1,2]},"a.b":null})"),
         with(named("b", "chat", seconds(2)), R"({"tenant":5,"deep":{"x":true}})"),
         with(named("c", "chat", seconds(3)), R"({"tenant":"t2"})"), CallDelete{"gone"}});
  using Paths = std::vector<AttributePath>;
  AttributeQuery query;
  beforeAndAfterAFlush([&] {
    const Result<CallAttributes> found = view()->attributes(query);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->paths, (Paths{{"attributes.tenant", "string", 3},
                                   {"attributes.deep.x", "number", 2},
                                   {"attributes.a\\.b", "null", 1},
                                   {"attributes.deep.y", "array", 1}}));
    EXPECT_EQ(found->rows, 3);
    EXPECT_FALSE(found->sampled || found->truncated);
  });
  query.prefix = "attributes.deep";
  query.limit = 1;
  const Result<CallAttributes> some = view()->attributes(query);
  ASSERT_TRUE(some);
  EXPECT_EQ(some->paths, (Paths{{"attributes.deep.x", "number", 2}}));
  EXPECT_TRUE(some->truncated);
}

TEST_P(CallStatsContract, TakesPercentilesOfManyCallsFromASample) {
  constexpr int kMany = 2'000;
  std::vector<CallPart> parts;
  for (int i = 0; i < kMany; ++i) {
    CallComplete call = complete("m" + std::to_string(i), milliseconds(i), milliseconds(i + 1));
    if (i % 4 == 0) call.end.exception = "boom";
    parts.emplace_back(std::move(call));
  }
  for (int i = 0; i < 5; ++i)
    parts.emplace_back(complete("f" + std::to_string(i), seconds(70), milliseconds(100 * (i + 1))));
  write(std::move(parts));
  CallStatsQuery query;
  query.buckets =
      statistics::cutIntoBuckets(at(seconds(0)), at(seconds(120)), 60, statistics::TimeZone());
  query.call_figures = figuresOf({{Metric::kLatency, {Aggregation::kMax}, {50}},
                                  {Metric::kErrorCount, {Aggregation::kSum}, {}},
                                  {Metric::kCallCount, {Aggregation::kSum}, {}}});
  const auto number = [](const FigureValue& value) {
    if (const double* real = std::get_if<double>(&value)) return *real;
    const std::int64_t* whole = std::get_if<std::int64_t>(&value);
    return whole == nullptr ? -1.0 : static_cast<double>(*whole);
  };
  beforeAndAfterAFlush([&] {
    const CallStats exact = statsOf(query);
    EXPECT_FALSE(exact.sampled);
    CallStatsQuery less = query;
    less.sampling = {.max_exact = kMany, .sample = 500, .least = 100};
    const CallStats stats = statsOf(less);
    EXPECT_TRUE(stats.sampled);
    ASSERT_EQ(stats.calls.size(), 2U);
    ASSERT_EQ(exact.calls.size(), 2U);
    EXPECT_EQ(stats.calls[1].values, exact.calls[1].values) << "a small bucket is read completely";
    for (const std::size_t place : {0U, 2U, 3U})
      EXPECT_EQ(stats.calls[0].values[place], exact.calls[0].values[place]) << place;
    EXPECT_EQ(number(exact.calls[0].values[1]), 1'000.5);
    EXPECT_NEAR(number(stats.calls[0].values[1]), 1'000.5, 200);
    EXPECT_NE(stats.calls[0].values[1], exact.calls[0].values[1]) << "all calls were read";
  });
}

TEST_P(CallStatsContract, CountsOnlyTheNewestCallsOfALargeSelection) {
  constexpr int kMany = 2'000;
  std::vector<CallPart> parts;
  for (int i = 0; i < kMany; ++i) {
    CallComplete call = named("m" + std::to_string(i), i < kMany / 2 ? "old" : "new", seconds(i));
    if (i % 20 != 0) call.start.parent_id = "p";
    parts.emplace_back(with(std::move(call), R"({"tenant":"t1"})"));
  }
  write(std::move(parts));
  beforeAndAfterAFlush([&] {
    EXPECT_EQ(facetsOf(facet("op_name"))[0].rows, kMany);
    FacetQuery query = facet("op_name");
    query.of_columns = {.rows = 200, .examined = kMany};
    const Facet newest = facetsOf(query)[0];
    EXPECT_TRUE(newest.sampled);
    EXPECT_GE(newest.rows, 200);
    EXPECT_LE(newest.rows, 400);
    EXPECT_EQ(newest.values, (std::vector<FacetValue>{{"new", newest.rows}}));
    // A selection with few calls is complete while the calls that must be read are within the
    // budget.
    query.selection.filter.trace_roots_only = true;
    const Facet roots = facetsOf(query)[0];
    EXPECT_FALSE(roots.sampled);
    EXPECT_EQ(roots.rows, kMany / 20);
    AttributeQuery attributes;
    attributes.budget = {.rows = 50, .examined = kMany};
    const Result<CallAttributes> found = view()->attributes(attributes);
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->sampled);
    EXPECT_LE(found->rows, 100);
  });
}

// NOLINTEND(misc-definitions-in-headers)

}  // namespace spindle::tracing
