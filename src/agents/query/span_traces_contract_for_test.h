#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "agents/query/span_store_contract_for_test.h"
#include "agents/store/span_column.h"

namespace spindle::agents {

// The contract of a span store: writes, traces and turns. Include this file once per program.

TEST_P(SpanStoreContract, ATraceIsReadOldestFirstWithoutOthers) {
  write({span("t1", "b", 5, 1), span("t1", "a", 1, 1), span("t2", "c", 2, 1)});
  write({span("t1", "d", 3, 1)}, "prj_2");
  for (int flushed = 0; flushed < 2; ++flushed) {
    EXPECT_EQ(idsOf(trace("t1")), (Texts{"a", "b"}));
    EXPECT_EQ(idsOf(trace("t1", "prj_2")), (Texts{"d"}));
    EXPECT_TRUE(trace("t3").empty());
    EXPECT_TRUE(trace("t1", "prj_3").empty());
    ASSERT_TRUE(tested_->flush());
  }
}

TEST_P(SpanStoreContract, ATraceIsOutlinedOldestFirst) {
  AgentSpan root = span("t1", "a", 1, 9);
  root.operation_name = "invoke_agent";
  root.parent_call_id = "call";
  AgentSpan model = span("t1", "b", 2, 1);
  model.parent_span_id = "a";
  model.span_name = "chat m";
  model.request_model = "m";
  model.response_model = "m-1";
  model.status_code = "ERROR";
  model.input_tokens = 7;
  model.output_tokens = 3;
  model.cache_read_input_tokens = 2;
  AgentSpan open = span("t1", "c", 3, 1);
  open.request_model = "m";
  open.ended_at = std::nullopt;
  write({open, model, root, span("t2", "d", 1, 1)});
  for (int flushed = 0; flushed < 2; ++flushed) {
    const Result<std::vector<OutlinedSpan>> outline = spans_.readOutline("prj", "t1", 10);
    ASSERT_TRUE(outline);
    ASSERT_EQ(outline->size(), 3U);
    EXPECT_EQ((*outline)[0].span_id, "a");
    EXPECT_EQ((*outline)[0].operation_name, "invoke_agent");
    EXPECT_EQ((*outline)[0].parent_call_id, "call");
    EXPECT_EQ((*outline)[0].ended_at, at(10));
    EXPECT_EQ((*outline)[1].parent_span_id, "a");
    EXPECT_EQ((*outline)[1].span_name, "chat m");
    EXPECT_EQ((*outline)[1].model, "m-1");
    EXPECT_EQ((*outline)[1].status_code, "ERROR");
    EXPECT_EQ((*outline)[1].input_tokens, 7);
    EXPECT_EQ((*outline)[1].output_tokens, 3);
    EXPECT_EQ((*outline)[1].cache_read_input_tokens, 2);
    EXPECT_EQ((*outline)[2].started_at, at(3));
    EXPECT_EQ((*outline)[2].ended_at, std::nullopt);
    EXPECT_EQ((*outline)[2].model, "m");
    EXPECT_EQ(spans_.readOutline("prj", "t1", 2)->size(), 2U);
    EXPECT_TRUE(spans_.readOutline("prj", "t3", 2)->empty());
    EXPECT_TRUE(spans_.readOutline("prj_2", "t1", 2)->empty());
    ASSERT_TRUE(tested_->flush());
  }
}

TEST_P(SpanStoreContract, ARepeatedSpanReplacesTheOldOne) {
  AgentSpan open = span("t1", "a", 1, 1);
  open.ended_at = std::nullopt;
  write({open});
  ASSERT_TRUE(tested_->flush());
  write({span("t1", "a", 1, 1)});
  for (int flushed = 0; flushed < 2; ++flushed) {
    ASSERT_EQ(trace("t1").size(), 1U);
    EXPECT_EQ(trace("t1").front().ended_at, at(2));
    ASSERT_TRUE(tested_->flush());
  }
}

TEST_P(SpanStoreContract, SpansWithOneIdInTwoTracesAreDistinct) {
  write({span("t1", "a", 1, 1), span("t2", "a", 1, 1)});
  ASSERT_TRUE(tested_->flush());
  write({span("t2", "a", 2, 1)});
  EXPECT_EQ(trace("t1").front().started_at, at(1));
  EXPECT_EQ(trace("t2").front().started_at, at(2));
}

TEST_P(SpanStoreContract, ExpiredSpansAreRemovedBeforeAndAfterAFlush) {
  const auto expiring = [](const std::string& id, std::optional<Timestamp> when) {
    AgentSpan made = span("t1", id, 1, 1);
    made.expire_at = when;
    return made;
  };
  // In the future, because a store may also compare with the time of its server.
  const auto later = [](int seconds) { return at(1'500'000'000.0 + seconds); };
  write({expiring("old", later(100)), expiring("kept", std::nullopt)});
  ASSERT_TRUE(tested_->flush());
  write({expiring("recent", later(150)), expiring("later", later(300))});
  const Result<std::int64_t> none = spans_.removeExpired(later(100));
  ASSERT_TRUE(none);
  EXPECT_EQ(*none, 0);
  const Result<std::int64_t> removed = spans_.removeExpired(later(200));
  ASSERT_TRUE(removed);
  EXPECT_EQ(*removed, 2);
  Texts left = idsOf(trace("t1"));
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left, (Texts{"kept", "later"}));
}

TEST_P(SpanStoreContract, ChatColumnsRoundTrip) {
  AgentSpan given = span("t1", "a", 1, 1);
  given.parent_span_id = "p";
  given.operation_name = "chat";
  given.provider_name = "openai";
  given.agent_name = "planner";
  given.agent_id = "agent-1";
  given.agent_version = "3";
  given.status_code = "ERROR";
  given.request_model = "m";
  given.response_model = "m-1";
  setTokens(given,
            {.input = 50, .output = 12, .reasoning = 5, .cache_creation = 2, .cache_read = 3});
  given.reasoning_content = "because";
  given.conversation_id = "c1";
  given.tool_name = "look";
  given.tool_call_arguments = R"({"city": "Oslo"})";
  given.tool_call_result = "4";
  given.tool_definitions = "[]";
  given.input_messages = {{"user", "wie geht’s?", ""}};
  given.output_messages = {{"assistant", R"([{"type":"text"}])", "stop"}};
  given.system_instructions = {"Be brief.", "Be kind."};
  given.compaction_summary = "old";
  given.compaction_items_before = 40;
  given.compaction_items_after = 6;
  given.content_refs = {"svc-trace-internal:///p/object/x:y"};
  given.svc_user_id = "user";
  write({given});
  for (int flushed = 0; flushed < 2; ++flushed) {
    const std::vector<AgentSpan> spans = trace("t1");
    ASSERT_EQ(spans.size(), 1U);
    const AgentSpan& read = spans.front();
    for (const SpanColumn* column : spanColumnsFor(kChat)) {
      if (const auto* text = std::get_if<std::string AgentSpan::*>(&column->member)) {
        EXPECT_EQ(read.**text, given.**text) << column->name.text();
      } else if (const auto* number = std::get_if<std::int64_t AgentSpan::*>(&column->member)) {
        EXPECT_EQ(read.**number, given.**number) << column->name.text();
      }
    }
    EXPECT_EQ(read.started_at, given.started_at);
    EXPECT_EQ(read.ended_at, given.ended_at);
    EXPECT_EQ(read.system_instructions, given.system_instructions);
    EXPECT_EQ(read.content_refs, given.content_refs);
    ASSERT_EQ(read.input_messages.size(), 1U);
    EXPECT_EQ(read.input_messages.front().content, "wie geht’s?");
    ASSERT_EQ(read.output_messages.size(), 1U);
    EXPECT_EQ(read.output_messages.front().finish_reason, "stop");
    ASSERT_TRUE(tested_->flush());
  }
}

TEST_P(SpanStoreContract, AnEndedTurnKeepsItsNumberWhenItIsSentAgain) {
  AgentSpan open = span("t1", "open", 1, 1);
  open.ended_at = std::nullopt;
  AgentSpan child = span("t1", "child", 2, 1);
  child.parent_span_id = "open";
  write({span("t2", "first", 9, 1), open, child, span("t3", "second", 3, 1)});
  ASSERT_TRUE(tested_->flush());
  write({span("t2", "first", 9, 2), span("t1", "open", 1, 1)});
  const Result<std::vector<EndedTurn>> turns = spans_.endedTurns("prj", 0, 10);
  ASSERT_TRUE(turns);
  EXPECT_EQ(idsOf(*turns), (Texts{"first", "second", "open"}));
  const Result<std::vector<EndedTurn>> later = spans_.endedTurns("prj", turns->front().number, 1);
  ASSERT_TRUE(later);
  EXPECT_EQ(idsOf(*later), (Texts{"second"}));
  const Result<Texts> projects = spans_.projects();
  ASSERT_TRUE(projects);
  EXPECT_EQ(*projects, (Texts{"prj"}));
}

TEST_P(SpanStoreContract, TracesMatchByAnyOfTheirSpans) {
  AgentSpan late = span("t1", "late", 8, 1);
  late.tool_name = "look";
  AgentSpan early = span("t2", "early", 2, 1);
  early.tool_name = "look";
  write({span("t1", "a", 1, 1), late, early, span("t3", "b", 3, 1)});
  SpanFilter filter;
  filter.query = queryOf(is("tool_name", R"("look")"));
  const Result<Texts> all = spans_.readMatchedTraces("prj", filter, 10);
  ASSERT_TRUE(all);
  EXPECT_EQ(*all, (Texts{"t2", "t1"}));
  const Result<Texts> first = spans_.readMatchedTraces("prj", filter, 1);
  ASSERT_TRUE(first);
  EXPECT_EQ(*first, (Texts{"t2"}));
}

TEST_P(SpanStoreContract, TheLastSpanDecidesTheNumberOfATrace) {
  AgentSpan first = span("t1", "a", 1, 1);
  first.custom.reals = {{"score", 0.5}};
  AgentSpan last = span("t1", "b", 2, 1);
  last.custom.integers = {{"score", 2}};
  AgentSpan text = span("t2", "c", 3, 1);
  text.custom.strings = {{"score", "7"}};
  write({last, first, text});
  const auto numbers = spans_.readTraceNumbers("prj", {"t1", "t2"}, "score");
  ASSERT_TRUE(numbers);
  EXPECT_EQ(numbers->size(), 1U);
  EXPECT_EQ(numbers->at("t1"), 2);
}

}  // namespace spindle::agents
