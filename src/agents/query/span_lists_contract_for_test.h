#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "agents/query/span_store_contract_for_test.h"
#include "agents/query/span_view_json.h"

namespace spindle::agents {

// The contract of a span store: lists. Include this file once per program.

TEST_P(SpanStoreContract, SpansComeNewestFirstAndInPages) {
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
    ASSERT_TRUE(tested_->flush());
  }
}

TEST_P(SpanStoreContract, SpansThatWereSentTwiceDoNotShortenThePage) {
  std::vector<AgentSpan> spans;
  for (int i = 0; i < 40; ++i) spans.push_back(span("t", "s" + std::to_string(100 + i), i, 1));
  write(spans);
  ASSERT_TRUE(tested_->flush());
  write({spans.begin() + 20, spans.end()});
  SpanQuery page;
  page.page.limit = 25;
  EXPECT_EQ(list(page).size(), 25U);
  EXPECT_EQ(total_, 40);
}

TEST_P(SpanStoreContract, FieldsHaveShortNamesAndThoseOfTheirAttributes) {
  AgentSpan one = span("t", "a", 1, 2);
  one.agent_name = "bot";
  setTokens(one, {.input = 5, .output = 2, .reasoning = 1});
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

TEST_P(SpanStoreContract, CustomAttributesAreTypedByWhatTheyAreComparedWith) {
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
    ASSERT_TRUE(tested_->flush());
  }
  EXPECT_NE(refusal(R"({"$eq":[{"$getField":"x"},{"$getField":"y"}]})"), "");
}

TEST_P(SpanStoreContract, InvalidQueriesAreRejected) {
  EXPECT_NE(refusal(R"({"$gt":[{"$getField":"input_tokens"},{"$literal":null}]})"), "");
  EXPECT_NE(refusal(R"({"$in":[{"$getField":"agent_name"},[{"$literal":null}]]})"), "");
  EXPECT_NE(refusal(R"({"$in":[{"$getField":"agent_name"},[]]})"), "");
  EXPECT_NE(refusal(R"({"$in":[{"$getField":"agent_name"},[{"$literal":"a"},{"$literal":1}]]})"),
            "");
  EXPECT_NE(refusal(R"({"$and":[]})"), "");
  EXPECT_NE(refusal(R"({"$or":[]})"), "");
  SpanQuery sorted;
  sorted.page.sort_by = {{"input_messages", true}};
  EXPECT_FALSE(spans_.listSpans("prj", sorted, prices_));
}

TEST_P(SpanStoreContract, SpansInheritTheAgentAndTheConversationOfTheirTrace) {
  AgentSpan root = agentSpan("t", "root", 1, 9, "lead", "2");
  root.agent_id = "id-1";
  root.conversation_id = "conv";
  AgentSpan sub = agentSpan("t", "sub", 3, 2, "sub");
  write({root, span("t", "plain", 2, 1), sub});
  Result<SpanList> found = spans_.listSpans("prj", SpanQuery(), prices_);
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

TEST_P(SpanStoreContract, IdentityIsFoundUpToAnHourOutsideTheWindow) {
  const auto lender = [](const std::string& trace, double start) {
    return agentSpan(trace, "lender of " + trace, start, 1, "lead of " + trace);
  };
  write({lender("near", 10'000 - 3600), span("near", "a", 10'000, 1), lender("far", 10'000 - 3601),
         span("far", "b", 10'000, 1)});
  SpanQuery window;
  window.filter.started_after = at(10'000);
  Result<SpanList> found = spans_.listSpans("prj", window, prices_);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->spans.size(), 2U);
  for (const ListedSpan& one : found->spans)
    EXPECT_EQ(one.span.agent_name, one.span.span_id == "a" ? "lead of near" : "");
}

TEST_P(SpanStoreContract, CostsAreThoseOfTheModelThatAnswered) {
  AgentSpan one = span("t", "a", 1, 1);
  one.request_model = "x";
  one.response_model = "m";
  setTokens(one, {.input = 10, .output = 3, .cache_creation = 2, .cache_read = 4});
  AgentSpan unpriced = span("t", "b", 2, 1);
  unpriced.request_model = "nobody";
  unpriced.input_tokens = 5;
  write({one, unpriced});
  SpanQuery span_query;
  span_query.costs = true;
  span_query.page.sort_by = {{"total_cost_usd", true}};
  const Result<SpanList> found = spans_.listSpans("prj", span_query, prices_);
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

TEST_P(SpanStoreContract, ListsContainEveryColumn) {
  AgentSpan one = span("t", "a", 1, 1);
  one.custom.strings = {{"x", "1"}, {"y", "2"}};
  one.input_messages = {{"user", "hi", ""}};
  write({one});
  SpanQuery span_query;
  span_query.custom_columns = {{"custom_attrs_string", "y"}};
  Result<SpanList> found = spans_.listSpans("prj", span_query, prices_);
  ASSERT_TRUE(found);
  std::string text = spanListJson(*found, span_query, "e/p", wire::Spelling::kNeutral);
  EXPECT_NE(text.find(R"("project_id":"e/p","trace_id":"t")"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("input_messages":[])"), std::string::npos);
  EXPECT_NE(text.find(R"("raw_span_dump":null)"), std::string::npos);
  EXPECT_NE(text.find(R"("custom_attrs_string":{"y":"2"})"), std::string::npos);
  EXPECT_NE(text.find(R"("eval_trial_index":null)"), std::string::npos);
  EXPECT_NE(text.find(R"("total_cost_usd":null)"), std::string::npos);
  span_query.details = true;
  found = spans_.listSpans("prj", span_query, prices_);
  text = spanListJson(*found, span_query, "e/p", wire::Spelling::kNeutral);
  EXPECT_NE(text.find(R"("input_messages":[{"role":"user")"), std::string::npos);
}

TEST_P(SpanStoreContract, DetailsContainDumpsWithResources) {
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
    const Result<SpanList> found = spans_.listSpans("prj", span_query, prices_);
    ASSERT_TRUE(found);
    ASSERT_EQ(found->spans.size(), 2U);
    EXPECT_EQ(found->spans[0].span.raw_span_dump, inside.raw_span_dump);
    EXPECT_EQ(found->spans[1].span.raw_span_dump, R"({"n":2,"resource":{"apart":true}})");
    ASSERT_TRUE(tested_->flush());
  }
}

TEST_P(SpanStoreContract, DetailsWithTooManyLargeResourcesAreRejected) {
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
  const Result<SpanList> refused = spans_.listSpans("prj", span_query, prices_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
  span_query.page.limit = 10;
  EXPECT_TRUE(spans_.listSpans("prj", span_query, prices_));
}

}  // namespace spindle::agents
