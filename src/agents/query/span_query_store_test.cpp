#include "agents/query/span_query_store.h"

#include <string>

#include <gtest/gtest.h>

#include "agents/query/span_query_for_test.h"
#include "agents/query/span_view_json.h"

namespace spindle::agents {
namespace {

TEST_F(SpanQueryTest, SpansComeNewestFirstAndInPages) {
  write({span("t", "a", 1, 1), span("t", "b", 2, 1), span("t", "c", 2, 1), span("t", "d", 3, 1)});
  for (int flushed = 0; flushed < 2; ++flushed) {
    EXPECT_EQ(list(SpanQuery()), (Texts{"d", "c", "b", "a"}));
    EXPECT_EQ(total_, 4);
    SpanQuery page;
    page.page = {{}, 2, 1};
    EXPECT_EQ(list(page), (Texts{"c", "b"}));
    SpanQuery oldest;
    oldest.page.sort_by = {{"started_at", false}};
    EXPECT_EQ(list(oldest), (Texts{"a", "b", "c", "d"}));
    SpanQuery window;
    window.filter.started_after = at(2);
    window.filter.started_before = at(3);
    EXPECT_EQ(list(window), (Texts{"c", "b"}));
    SpanQuery none;
    none.page.limit = 0;
    EXPECT_TRUE(list(none).empty());
    EXPECT_EQ(total_, 4);
    ASSERT_TRUE(store_->flush());
  }
}

TEST_F(SpanQueryTest, FieldsHaveShortNamesAndThoseOfTheirAttributes) {
  AgentSpan one = span("t", "a", 1, 2);
  one.agent_name = "bot";
  one.input_tokens = 5;
  one.output_tokens = 2;
  one.reasoning_tokens = 1;
  one.eval_run_id = "run";
  one.eval_trial_index = 0;
  one.parent_call_id = "call";
  one.error_type = "Timeout";
  write({one, span("u", "b", 2, 1)});
  for (const std::string name :
       {"agent_name", "agent.name", "gen_ai.agent.name", "svc.agent.name"}) {
    EXPECT_EQ(list(is(name, R"("bot")")), (Texts{"a"})) << name;
  }
  EXPECT_EQ(list(is("usage.input_tokens", "5")), (Texts{"a"}));
  EXPECT_EQ(list(is("total_tokens", "8")), (Texts{"a"}));
  EXPECT_EQ(list(R"({"$gt":[{"$getField":"duration_ms"},{"$literal":1500}]})"), (Texts{"a"}));
  EXPECT_EQ(list(is("eval.run_id", R"("run")")), (Texts{"a"}));
  EXPECT_EQ(list(is("eval_trial_index", "0")), (Texts{"a"}));
  EXPECT_EQ(list(is("eval_trial_index", "null")), (Texts{"b"}));
  EXPECT_EQ(list(is("parent_call.id", R"("call")")), (Texts{"a"}));
  EXPECT_EQ(list(is("error.type", R"("Timeout")")), (Texts{"a"}));
}

TEST_F(SpanQueryTest, CustomAttributesAreTypedByWhatTheyAreComparedWith) {
  AgentSpan one = span("t", "a", 1, 1);
  one.custom.strings["team.name"] = "red";
  one.custom.integers["retries"] = 3;
  one.custom.reals["score"] = 0.5;
  one.custom.booleans["cached"] = true;
  write({one, span("t", "b", 2, 1)});
  for (int flushed = 0; flushed < 2; ++flushed) {
    EXPECT_EQ(list(is("team.name", R"("red")")), (Texts{"a"}));
    EXPECT_EQ(list(is("retries", "3")), (Texts{"a"}));
    EXPECT_EQ(list(is("score", "0.5")), (Texts{"a"}));
    EXPECT_EQ(list(is("cached", "true")), (Texts{"a"}));
    EXPECT_EQ(list(is("custom_attrs_int.retries", "3")), (Texts{"a"}));
    EXPECT_EQ(list(is("custom_attrs_string.team.name", "null")), (Texts{"b"}));
    EXPECT_EQ(list(R"({"$in":[{"$getField":"team.name"},[{"$literal":"red"}]]})"), (Texts{"a"}));
    ASSERT_TRUE(store_->flush());
  }
  EXPECT_NE(refusal(R"({"$eq":[{"$getField":"x"},{"$getField":"y"}]})"), "");
}

TEST_F(SpanQueryTest, InvalidQueriesAreRejected) {
  EXPECT_NE(refusal(R"({"$gt":[{"$getField":"input_tokens"},{"$literal":null}]})"), "");
  EXPECT_NE(refusal(R"({"$in":[{"$getField":"agent_name"},[{"$literal":null}]]})"), "");
  EXPECT_NE(refusal(R"({"$in":[{"$getField":"agent_name"},[]]})"), "");
  EXPECT_NE(refusal(R"({"$in":[{"$getField":"agent_name"},[{"$literal":"a"},{"$literal":1}]]})"),
            "");
  EXPECT_NE(refusal(R"({"$and":[]})"), "");
  EXPECT_NE(refusal(R"({"$or":[]})"), "");
  SpanQuery sorted;
  sorted.page.sort_by = {{"input_messages", true}};
  EXPECT_FALSE(listSpans(ports(), "prj", sorted));
}

TEST_F(SpanQueryTest, SpansInheritTheAgentAndTheConversationOfTheirTrace) {
  AgentSpan root = span("t", "root", 1, 9, "invoke_agent");
  root.agent_name = "lead";
  root.agent_version = "2";
  root.agent_id = "id-1";
  root.conversation_id = "conv";
  AgentSpan sub = span("t", "sub", 3, 2, "invoke_agent");
  sub.agent_name = "sub";
  write({root, span("t", "plain", 2, 1), sub});
  Result<SpanList> found = listSpans(ports(), "prj", SpanQuery());
  ASSERT_TRUE(found);
  const AgentSpan& inherited = found->spans[1].span;
  EXPECT_EQ(inherited.agent_name, "lead");
  EXPECT_EQ(inherited.agent_version, "2");
  EXPECT_EQ(inherited.agent_id, "id-1");
  EXPECT_EQ(inherited.conversation_id, "conv");
  const AgentSpan& own = found->spans[0].span;
  EXPECT_EQ(own.agent_name, "sub");
  EXPECT_EQ(own.agent_version, "");
  EXPECT_EQ(own.conversation_id, "conv");
  EXPECT_EQ(list(is("agent_name", R"("lead")")), (Texts{"root", "plain"}));
  EXPECT_EQ(list(is("conversation_id", R"("conv")")), (Texts{"root", "plain", "sub"}));
  SpanQuery window;
  window.filter.started_after = at(2);
  window.filter.query = queryOf(is("agent_name", R"("lead")"));
  EXPECT_EQ(list(window), (Texts{"plain"}));
}

TEST_F(SpanQueryTest, IdentityIsFoundUpToAnHourOutsideTheWindow) {
  const auto lender = [](const std::string& trace, double start) {
    AgentSpan made = span(trace, "lender of " + trace, start, 1, "invoke_agent");
    made.agent_name = "lead of " + trace;
    return made;
  };
  write({lender("near", 10'000 - 3600), span("near", "a", 10'000, 1), lender("far", 10'000 - 3601),
         span("far", "b", 10'000, 1)});
  SpanQuery window;
  window.filter.started_after = at(10'000);
  Result<SpanList> found = listSpans(ports(), "prj", window);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->spans.size(), 2U);
  for (const ListedSpan& one : found->spans)
    EXPECT_EQ(one.span.agent_name, one.span.span_id == "a" ? "lead of near" : "");
}

TEST_F(SpanQueryTest, CostsAreThoseOfTheModelThatAnswered) {
  AgentSpan one = span("t", "a", 1, 1);
  one.request_model = "x";
  one.response_model = "m";
  one.input_tokens = 10;
  one.cache_read_input_tokens = 4;
  one.cache_creation_input_tokens = 2;
  one.output_tokens = 3;
  AgentSpan unpriced = span("t", "b", 2, 1);
  unpriced.request_model = "nobody";
  unpriced.input_tokens = 5;
  write({one, unpriced});
  SpanQuery span_query;
  span_query.costs = true;
  span_query.page.sort_by = {{"total_cost_usd", true}};
  const Result<SpanList> found = listSpans(ports(), "prj", span_query);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->spans[0].span.span_id, "a");
  EXPECT_EQ(found->spans[0].cost->prompt, 4);
  EXPECT_EQ(found->spans[0].cost->completion, 6);
  EXPECT_EQ(found->spans[0].cost->total(), 4 + 6 + 2 + 0.5);
  EXPECT_FALSE(found->spans[1].cost);
  span_query.page.sort_by.clear();
  span_query.group_by = {{"field", "span_id", {}}};
  const SpanGroups grouped = groups(span_query);
  EXPECT_EQ(firstKeys(grouped), (Texts{"b", "a"}));
  EXPECT_FALSE(grouped.groups[0].costs[0]);
  EXPECT_EQ(grouped.groups[1].costs[0], 12.5);
  EXPECT_EQ(grouped.groups[1].costs[1], 4);
}

TEST_F(SpanQueryTest, GroupsAddUpTheirSpans) {
  AgentSpan a = span("t1", "a", 1, 1, "invoke_agent");
  a.agent_name = "bot";
  a.agent_version = "1";
  a.provider_name = "openai";
  a.request_model = "m";
  a.conversation_id = "c1";
  a.conversation_name = "first";
  a.input_tokens = 3;
  a.output_tokens = 2;
  AgentSpan b = span("t1", "b", 2, 2);
  b.status_code = "ERROR";
  b.reasoning_tokens = 7;
  AgentSpan c = span("t2", "c", 5, 1);
  c.conversation_id = "c2";
  AgentSpan open = span("t3", "d", 6, 1);
  open.ended_at = std::nullopt;
  write({a, b, c, open});
  SpanQuery span_query;
  span_query.group_by = {{"column", "conversation_id", {}}};
  SpanGroups found = groups(span_query);
  EXPECT_EQ(firstKeys(found), (Texts{"", "c2", "c1"}));
  const SpanGroup& first = found.groups[2];
  EXPECT_EQ(first.counts, (std::vector<std::int64_t>{2, 1, 1, 3, 0, 0, 2, 7, 3000, 1}));
  EXPECT_EQ(first.names[0], (Texts{"bot"}));
  EXPECT_EQ(first.names[1], (Texts{"1"}));
  EXPECT_EQ(first.names[4], (Texts{"first"}));
  EXPECT_EQ(first.first_seen, at(1));
  EXPECT_EQ(first.last_seen, at(2));
  EXPECT_EQ(found.groups[0].counts[8], 0);
  span_query.group_by = {{"field", "trace_id", "trace"}};
  span_query.page = {{{"trace", false}}, 2, 0};
  found = groups(span_query);
  EXPECT_EQ(firstKeys(found), (Texts{"t1", "t2"}));
  EXPECT_EQ(found.total, 3);
}

TEST_F(SpanQueryTest, GroupsCanBeOfACustomAttribute) {
  AgentSpan a = span("t", "a", 1, 1);
  a.custom.strings["team"] = "red";
  write({a, span("t", "b", 2, 1)});
  SpanQuery span_query;
  span_query.group_by = {{"custom_attrs_string", "team", {}}};
  EXPECT_EQ(firstKeys(groups(span_query)), (Texts{"-", "red"}));
}

TEST_F(SpanQueryTest, MeasuresAndBoundsApplyToEachGroup) {
  AgentSpan a = span("t1", "a", 1, 1);
  a.input_tokens = 5;
  a.custom.booleans["ok"] = true;
  AgentSpan b = span("t1", "b", 2, 3);
  b.input_tokens = 7;
  b.custom.booleans["ok"] = false;
  AgentSpan c = span("t2", "c", 3, 1);
  c.status_code = "ERROR";
  write({a, b, c});
  SpanQuery span_query;
  span_query.group_by = {{"field", "trace_id", {}}};
  const ValueRef tokens{"field", "usage.input_tokens"};
  span_query.measures = {
      {"tokens", SpanAggregation::kSum, tokens},
      {"mean", SpanAggregation::kAvg, tokens},
      {"spans", SpanAggregation::kCount},
      {"errors", SpanAggregation::kCountTrue, ValueRef{"derived", "is_error"}},
      {"good", SpanAggregation::kCountTrue, ValueRef{"custom_attrs_bool", "ok"}},
      {"bad", SpanAggregation::kCountFalse, ValueRef{"custom_attrs_bool", "ok"}},
      {"ids", SpanAggregation::kCountDistinct, ValueRef{"field", "span_id"}},
      {"last", SpanAggregation::kMax, ValueRef{"field", "started_at"}},
      {"long", SpanAggregation::kCount, std::nullopt, std::nullopt,
       queryOf(R"({"$gt":[{"$getField":"duration_ms"},{"$literal":2000}]})")},
  };
  SpanGroups found = groups(span_query);
  ASSERT_EQ(firstKeys(found), (Texts{"t1", "t2"}));
  const std::vector<Cell> expected = {
      std::int64_t{12}, 6.0,   std::int64_t{2}, std::int64_t{0}, std::int64_t{1}, std::int64_t{1},
      std::int64_t{2},  at(2), std::int64_t{1}};
  EXPECT_EQ(found.groups[0].metrics, expected);

  span_query.group_filters = {{{}, span_query.measures[0], 1.0, std::nullopt}};
  found = groups(span_query);
  EXPECT_EQ(firstKeys(found), (Texts{"t1"}));
  EXPECT_EQ(found.total, 1);
  span_query.group_filters = {{{}, span_query.measures[7], at(3), std::nullopt}};
  EXPECT_EQ(firstKeys(groups(span_query)), (Texts{"t2"}));
}

TEST_F(SpanQueryTest, InvalidGroupQueriesAreRejected) {
  const auto refused = [this](SpanQuery span_query) {
    return !groupSpans(ports(), "prj", span_query).has_value();
  };
  SpanQuery span_query;
  span_query.group_by = {{"field", "input_messages", {}}};
  EXPECT_TRUE(refused(span_query));
  span_query.group_by = {{"field", "trace_id", "not-a-name"}};
  EXPECT_TRUE(refused(span_query));
  span_query.group_by = {{"field", "trace_id", "x"}, {"field", "span_id", "x"}};
  EXPECT_TRUE(refused(span_query));
  span_query.group_by = {{"field", "trace_id", {}}};
  span_query.measures = {{"span_count", SpanAggregation::kCount}};
  EXPECT_TRUE(refused(span_query));
  span_query.measures = {{"a", SpanAggregation::kSum}};
  EXPECT_TRUE(refused(span_query));
  span_query.measures = {{"a", SpanAggregation::kSum, ValueRef{"field", "span_id"}}};
  EXPECT_TRUE(refused(span_query));
  span_query.measures = {{"a", SpanAggregation::kCount, ValueRef{"derived", "nothing"}}};
  EXPECT_TRUE(refused(span_query));
  span_query.measures.clear();
  span_query.page.sort_by = {{"nothing", true}};
  EXPECT_TRUE(refused(span_query));
}

TEST_F(SpanQueryTest, DistributionsHaveBinsAndTopValues) {
  std::vector<AgentSpan> spans;
  const std::vector<double> values = {0, 5, 12, 18, 22, 35, 38, 40};
  for (std::size_t i = 0; i < values.size(); ++i) {
    AgentSpan one = span("t", "s" + std::to_string(i), static_cast<double>(i), 1);
    one.custom.reals["score"] = values[i];
    one.custom.strings["team"] = i < 5 ? "red" : i < 7 ? "blue" : "green";
    spans.push_back(one);
  }
  spans.push_back(span("t", "none", 20, 1));
  write(spans);
  SpanQuery span_query;
  span_query.group_by = {{"field", "trace_id", {}}};
  span_query.distributions = {{"scores", {"custom_attrs_float", "score"}, 4, 5},
                              {"teams", {"custom_attrs_string", "team"}, 12, 2}};
  const SpanGroups found = groups(span_query);
  ASSERT_EQ(found.groups.size(), 1U);
  const DistributionItem& scores = found.groups[0].distributions[0];
  EXPECT_EQ(scores.total, 9);
  EXPECT_EQ(scores.present, 8);
  std::vector<std::int64_t> counts;
  for (const DistributionBin& bin : scores.bins) counts.push_back(bin.count);
  EXPECT_EQ(counts, (std::vector<std::int64_t>{2, 2, 1, 3}));
  const DistributionItem& teams = found.groups[0].distributions[1];
  ASSERT_EQ(teams.values.size(), 2U);
  EXPECT_EQ(teams.values[0].value, "red");
  EXPECT_EQ(teams.values[0].count, 5);
  EXPECT_EQ(teams.other, 1);
}

TEST_F(SpanQueryTest, DistributionsTruncateLongTextsAndUseOneBinForEqualNumbers) {
  std::vector<AgentSpan> spans;
  for (const std::string_view id : {"a", "b"}) {
    AgentSpan one = span("t", std::string(id), 1, 1);
    one.custom.strings["long"] = std::string(300, 'x');
    one.custom.integers["same"] = 7;
    one.custom.booleans["yes"] = id == "a";
    spans.push_back(one);
  }
  write(spans);
  SpanQuery span_query;
  span_query.group_by = {{"field", "trace_id", {}}};
  span_query.distributions = {{"long", {"custom_attrs_string", "long"}},
                              {"same", {"custom_attrs_int", "same"}},
                              {"yes", {"custom_attrs_bool", "yes"}}};
  const SpanGroups found = groups(span_query);
  ASSERT_EQ(found.groups.size(), 1U);
  const std::vector<DistributionItem>& items = found.groups[0].distributions;
  ASSERT_EQ(items[0].values.size(), 1U);
  EXPECT_EQ(items[0].values[0].value, std::string(256, 'x'));
  EXPECT_EQ(items[0].values[0].count, 2);
  ASSERT_EQ(items[1].bins.size(), 1U);
  EXPECT_EQ(items[1].bins[0].count, 2);
  ASSERT_EQ(items[2].values.size(), 2U);
  EXPECT_EQ(items[2].values[0].value, "false");
  EXPECT_EQ(items[2].values[1].value, "true");
}

TEST(Aggregations, AcceptOnlyFittingTypes) {
  struct Row {
    SpanAggregation aggregation;
    std::string types;  ///< n, s, b, d
  };
  for (const auto& [aggregation, types] :
       std::vector<Row>{{SpanAggregation::kSum, "n"},
                        {SpanAggregation::kAvg, "n"},
                        {SpanAggregation::kMin, "nd"},
                        {SpanAggregation::kMax, "nd"},
                        {SpanAggregation::kCount, "nsbd"},
                        {SpanAggregation::kCountDistinct, "nsbd"},
                        {SpanAggregation::kCountTrue, "b"},
                        {SpanAggregation::kCountFalse, "b"}}) {
    std::string fitting;
    if (fits(aggregation, ValueType::kNumber)) fitting += 'n';
    if (fits(aggregation, ValueType::kString)) fitting += 's';
    if (fits(aggregation, ValueType::kBoolean)) fitting += 'b';
    if (fits(aggregation, ValueType::kDateTime)) fitting += 'd';
    EXPECT_EQ(fitting, types) << nameOf(aggregation);
  }
}

TEST_F(SpanQueryTest, ConversationsHaveFirstAndLastMessages) {
  AgentSpan a = span("t", "a", 1, 1);
  a.conversation_id = "c";
  a.input_messages = {{"system", "rules", ""},
                      {"user", R"({"ctx":1} [2] hello {"x":{"y":"}"}} there)", ""}};
  a.output_messages = {{"assistant", "hi", ""}};
  AgentSpan b = span("t", "b", 2, 5);
  b.conversation_id = "c";
  b.input_messages = {{"user", "later", ""}};
  b.output_messages = {{"assistant", std::string(300, 'x'), ""}};
  AgentSpan d = span("u", "d", 2, 1);
  d.conversation_id = "only json";
  d.input_messages = {{"user", R"({"a":1})", ""}};
  write({a, b, d});
  SpanQuery span_query;
  span_query.group_by = {{"column", "conversation_id", {}}};
  span_query.page.sort_by = {{"conversation_id", false}};
  SpanGroups found = groups(span_query);
  ASSERT_EQ(found.groups.size(), 2U);
  EXPECT_EQ(found.groups[0].first_message->text, "hello [JSON] there");
  EXPECT_EQ(found.groups[0].first_message->role, "user");
  EXPECT_EQ(found.groups[0].last_message->text, std::string(280, 'x') + "…");
  EXPECT_FALSE(found.groups[1].first_message);
  span_query.group_by = {{"field", "conversation_id", {}}};
  found = groups(span_query);
  EXPECT_FALSE(found.groups[0].first_message);
}

TEST_F(SpanQueryTest, SignalsOfAConversationMayComeFromSeveralFeedbacks) {
  AgentSpan a = span("t1", "a", 1, 1);
  a.conversation_id = "c1";
  AgentSpan b = span("t2", "b", 2, 1);
  b.conversation_id = "c2";
  write({a, b});
  const auto said = [](const std::string& id, const std::string& kind, const std::string& target) {
    feedback::Feedback one;
    one.id = id;
    one.target_kind = kind;
    one.target_id = target;
    one.feedback_type = "svc.agent_user_feedback";
    return one;
  };
  feedback::Feedback tagged = said("1", "agent_conversation", "c1");
  tagged.scorer_tags = {"good", "fast"};
  feedback::Feedback rated = said("2", "agent_turn", "t1");
  rated.scorer_ratings = R"({"quality":0.9})";
  feedback::Feedback other = said("3", "agent_conversation", "c2");
  other.scorer_tags = {"good"};
  ASSERT_TRUE(feedback_.add({{"prj", tagged}, {"prj", rated}, {"prj", other}}));
  SpanQuery span_query;
  span_query.group_by = {{"column", "conversation_id", {}}};
  span_query.signals.tags = {"good", "unknown"};
  EXPECT_EQ(groups(span_query).total, 2);
  span_query.signals.ratings = {{"quality", "gte", 0.5}};
  const SpanGroups found = groups(span_query);
  EXPECT_EQ(firstKeys(found), (Texts{"c1"}));
  EXPECT_EQ(found.total, 1);
  span_query.signals.ratings = {{"quality", "gt", 0.9}};
  EXPECT_EQ(groups(span_query).total, 0);
}

TEST_F(SpanQueryTest, ListsContainEveryColumn) {
  AgentSpan one = span("t", "a", 1, 1);
  one.custom.strings = {{"x", "1"}, {"y", "2"}};
  one.input_messages = {{"user", "hi", ""}};
  write({one});
  SpanQuery span_query;
  span_query.custom_columns = {{"custom_attrs_string", "y"}};
  Result<SpanList> found = listSpans(ports(), "prj", span_query);
  ASSERT_TRUE(found);
  std::string text = spanListJson(*found, span_query, "e/p", wire::Spelling::kNeutral);
  EXPECT_NE(text.find(R"("project_id":"e/p","trace_id":"t")"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("input_messages":[])"), std::string::npos);
  EXPECT_NE(text.find(R"("raw_span_dump":null)"), std::string::npos);
  EXPECT_NE(text.find(R"("custom_attrs_string":{"y":"2"})"), std::string::npos);
  EXPECT_NE(text.find(R"("eval_trial_index":null)"), std::string::npos);
  EXPECT_NE(text.find(R"("total_cost_usd":null)"), std::string::npos);
  span_query.details = true;
  found = listSpans(ports(), "prj", span_query);
  text = spanListJson(*found, span_query, "e/p", wire::Spelling::kNeutral);
  EXPECT_NE(text.find(R"("input_messages":[{"role":"user")"), std::string::npos);
}

TEST_F(SpanQueryTest, DetailsContainDumpsWithResources) {
  AgentSpan inside = span("t", "a", 1, 1);
  inside.raw_span_dump = R"({"n":1,"resource":{"inside":true}})";
  AgentSpan apart = span("t", "b", 2, 1);
  apart.raw_span_dump = R"({"n":2})";
  apart.resource = tracing::makeOtelResource(R"({"apart":true})", 0, at(1));
  apart.resource_digest = apart.resource->digest;
  write({inside, apart});
  for (int flushed = 0; flushed < 2; ++flushed) {
    SpanQuery span_query;
    span_query.page.sort_by = {{"started_at", false}};
    span_query.details = true;
    const Result<SpanList> found = listSpans(ports(), "prj", span_query);
    ASSERT_TRUE(found);
    ASSERT_EQ(found->spans.size(), 2U);
    EXPECT_EQ(found->spans[0].span.raw_span_dump, inside.raw_span_dump);
    EXPECT_EQ(found->spans[1].span.raw_span_dump, R"({"n":2,"resource":{"apart":true}})");
    ASSERT_TRUE(store_->flush());
  }
}

TEST_F(SpanQueryTest, DetailsWithTooManyLargeResourcesAreRejected) {
  AgentSpan large = span("t", "a", 1, 1);
  large.raw_span_dump = R"({"n":1})";
  large.resource =
      tracing::makeOtelResource(R"({"x":")" + std::string(4 << 20, 'x') + R"("})", 0, at(1));
  large.resource_digest = large.resource->digest;
  std::vector<AgentSpan> spans;
  for (int i = 0; i < 40; ++i) {
    spans.push_back(large);
    spans.back().span_id = std::to_string(i);
  }
  write(std::move(spans));
  SpanQuery span_query;
  span_query.details = true;
  const Result<SpanList> refused = listSpans(ports(), "prj", span_query);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
  span_query.page.limit = 10;
  EXPECT_TRUE(listSpans(ports(), "prj", span_query));
}

}  // namespace
}  // namespace spindle::agents
