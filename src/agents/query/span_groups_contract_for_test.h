#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "agents/query/span_store_contract_for_test.h"
#include "feedback/feedback.h"

namespace spindle::agents {

// The contract of a span store: groups. Include this file once per program.

TEST_P(SpanStoreContract, GroupsAddUpTheirSpans) {
  AgentSpan a = agentSpan("t1", "a", 1, 1, "bot", "1");
  a.provider_name = "openai";
  a.request_model = "m";
  a.conversation_id = "c1";
  a.conversation_name = "first";
  setTokens(a, {.input = 3, .output = 2});
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

TEST_P(SpanStoreContract, GroupsCanBeOfACustomAttribute) {
  AgentSpan a = span("t", "a", 1, 1);
  a.custom.strings["team"] = "red";
  write({a, span("t", "b", 2, 1)});
  SpanQuery span_query;
  span_query.group_by = {{"custom_attrs_string", "team", {}}};
  EXPECT_EQ(firstKeys(groups(span_query)), (Texts{"-", "red"}));
}

TEST_P(SpanStoreContract, MeasuresAndBoundsApplyToEachGroup) {
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

TEST_P(SpanStoreContract, InvalidGroupQueriesAreRejected) {
  const auto refused = [this](const SpanQuery& span_query) {
    return !spans_.groupSpans("prj", span_query, prices_).has_value();
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

TEST_P(SpanStoreContract, DistributionsHaveBinsAndTopValues) {
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

TEST_P(SpanStoreContract, DistributionsTruncateLongTextsAndUseOneBinForEqualNumbers) {
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

TEST_P(SpanStoreContract, ConversationsHaveFirstAndLastMessages) {
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

TEST_P(SpanStoreContract, SignalsOfAConversationMayComeFromSeveralFeedbacks) {
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
  ASSERT_TRUE(tested_->feedback().add({{"prj", tagged}, {"prj", rated}, {"prj", other}}));
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

}  // namespace spindle::agents
