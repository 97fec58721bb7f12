#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "agents/query/search_json.h"
#include "agents/query/span_store_contract_for_test.h"

namespace spindle::agents {

// The contract of a span store: agents, custom attributes, search and conversations. Include this
// file once per program.

TEST_P(SpanStoreContract, CustomAttributesAreSortedByFrequency) {
  AgentSpan a = span("t", "a", 1, 1);
  a.custom.strings = {{"x.y", "1"}, {"z", "1"}};
  a.custom.integers = {{"n", 1}};
  AgentSpan b = span("t", "b", 2, 1);
  b.custom.strings = {{"z", "1"}};
  write({a, b});
  const auto all = spans_.readCustomAttributes("prj", {}, 2, 0);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 3U) << "one more tells that there are more";
  EXPECT_EQ(all->at(0).key, "z");
  EXPECT_EQ(all->at(0).span_count, 2);
  EXPECT_EQ(all->at(1).key, "n");
  EXPECT_EQ(all->at(1).type, CustomType::kInt);
  const auto rest = spans_.readCustomAttributes("prj", {}, 2, 2);
  ASSERT_TRUE(rest);
  ASSERT_EQ(rest->size(), 1U);
  EXPECT_EQ(rest->at(0).key, "x.y");
}

TEST_P(SpanStoreContract, AgentsAreCountedByTheSpansThatNameThem) {
  AgentSpan a = agentSpan("t", "a", 1, 2, "bot", "1");
  a.request_model = "m";
  a.input_tokens = 2;
  AgentSpan inherits = span("t", "b", 2, 1);
  inherits.request_model = "m";
  inherits.input_tokens = 3;
  AgentSpan other = agentSpan("u", "c", 5, 1, "bot");
  other.status_code = "ERROR";
  other.ended_at = std::nullopt;
  AgentSpan second = agentSpan("v", "d", 3, 1, "aid");
  write({a, inherits, other, second});
  AgentQuery query;
  query.costs = true;
  Result<AgentRollups> found = spans_.readAgents("prj", query, prices_);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->agents.size(), 2U);
  const AgentRollup& bot = found->agents[0];
  EXPECT_EQ(bot.agent_name, "bot");
  EXPECT_EQ(bot.span_count, 2);
  EXPECT_EQ(bot.invocation_count, 2);
  EXPECT_EQ(bot.total_input_tokens, 2);
  EXPECT_EQ(bot.total_duration_ms, 2000);
  EXPECT_EQ(bot.error_count, 1);
  EXPECT_EQ(bot.first_seen, at(1));
  EXPECT_EQ(bot.last_seen, at(5));
  EXPECT_EQ(bot.total_cost_usd, 5.0);
  EXPECT_FALSE(found->agents[1].total_cost_usd);
  query.versions = true;
  query.agent_name = "bot";
  found = spans_.readAgents("prj", query, prices_);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->agents.size(), 2U);
  EXPECT_EQ(found->agents[0].agent_version, "");
  EXPECT_EQ(found->agents[1].agent_version, "1");
  query = {};
  query.page.sort_by = {{"span_count", false}};
  found = spans_.readAgents("prj", query, prices_);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->agents[0].agent_name, "aid");
  query.page.sort_by = {{"agent_version", false}};
  EXPECT_FALSE(spans_.readAgents("prj", query, prices_));
}

TEST_P(SpanStoreContract, AgentsAreSortedByTheirCounts) {
  // Each agent is first in the order of one field.
  const auto agent = [](const std::string& name, double start) {
    AgentSpan made = span("trace of " + name, "root of " + name, start, 1);
    made.agent_name = name;
    return made;
  };
  AgentSpan invoked = agent("invoked", 3);
  invoked.operation_name = "invoke_agent";
  AgentSpan failed = agent("failed", 4);
  failed.status_code = "ERROR";
  AgentSpan costly = agent("costly", 5);
  costly.input_tokens = 9;
  AgentSpan busy = agent("busy", 6);
  AgentSpan again = busy;
  again.span_id = "again";
  write({agent("first", 1), invoked, failed, costly, busy, again, agent("last", 9)});
  const auto names = [this](std::vector<query::SortKey> keys) {
    AgentQuery query;
    query.page.sort_by = std::move(keys);
    const Result<AgentRollups> found = spans_.readAgents("prj", query, prices_);
    EXPECT_TRUE(found);
    Texts sorted;
    for (const AgentRollup& one : found->agents) sorted.push_back(one.agent_name);
    return sorted;
  };
  EXPECT_EQ(names({}), (Texts{"last", "busy", "costly", "failed", "invoked", "first"}));
  EXPECT_EQ(names({{"last_seen", true}}).front(), "last");
  EXPECT_EQ(names({{"first_seen", false}}).front(), "first");
  EXPECT_EQ(names({{"invocation_count", true}}).front(), "invoked");
  EXPECT_EQ(names({{"span_count", true}}).front(), "busy");
  EXPECT_EQ(names({{"total_input_tokens", true}}).front(), "costly");
  EXPECT_EQ(names({{"error_count", true}}).front(), "failed");
  AgentQuery one;
  one.agent_name = "busy";
  EXPECT_EQ(spans_.readAgents("prj", one, prices_)->agents.size(), 1U);
  one.agent_name = "bus";
  EXPECT_TRUE(spans_.readAgents("prj", one, prices_)->agents.empty());
}

TEST_P(SpanStoreContract, SearchFindsAllMessages) {
  AgentSpan a = span("t1", "a", 1, 1);
  a.conversation_id = "c";
  a.conversation_name = "chat";
  a.agent_name = "bot";
  a.input_messages = {{"user", "Grüße \"an\" 100%", ""}, {"critic", "odd role", ""}};
  a.output_messages = {{"assistant", R"([{"type":"text","content":"yes"}])", ""}};
  a.system_instructions = {"Be kind."};
  AgentSpan tool = span("t2", "b", 2, 1, "execute_tool");
  tool.tool_call_arguments = R"({"city": "Oslo"})";
  tool.tool_call_result = "4 C in Oslo";
  write({a, tool});
  const auto find = [this](const MessageSearchQuery& query) {
    const auto found = spans_.searchMessages("prj", query);
    EXPECT_TRUE(found);
    Texts texts;
    for (const FoundMessage& one : *found) texts.push_back(one.role + ":" + one.span_id);
    return texts;
  };
  for (int flushed = 0; flushed < 2; ++flushed) {
    EXPECT_EQ(find({"Oslo"}), (Texts{"tool_call:b", "tool_result:b"}));
    EXPECT_EQ(find({"Grüße \"an\""}), (Texts{"user:a"}));
    EXPECT_EQ(find({"100%"}), (Texts{"user:a"}));
    EXPECT_TRUE(find({"oslo"}).empty());
    EXPECT_EQ(find({"oSLO", true}), (Texts{"tool_call:b", "tool_result:b"}));
    EXPECT_EQ(find({"GRÜSSE", true}), Texts());
    EXPECT_EQ(find({"GRÜ", true}), (Texts{"user:a"}));
    EXPECT_EQ(find({"\"AN\"", true}), (Texts{"user:a"}));
    EXPECT_EQ(find({"be KIND", true}), (Texts{"system:a"}));
    EXPECT_TRUE(find({"100_"}).empty());
    EXPECT_EQ(find({"odd"}), (Texts{"critic:a"}));
    EXPECT_EQ(find({"\"type\""}), (Texts{"assistant:a"}));
    EXPECT_EQ(find({"Be"}), (Texts{"system:a"}));
    EXPECT_EQ(find({}).size(), 6U);
    MessageSearchQuery tools;
    tools.roles = Texts{"tool"};
    EXPECT_EQ(find(tools).size(), 2U);
    MessageSearchQuery trace;
    trace.trace_id = "t1";
    trace.limit = 2;
    EXPECT_EQ(find(trace).size(), 2U);
    MessageSearchQuery agent;
    agent.agent_name = "bot";
    agent.conversation_id = "c";
    EXPECT_EQ(find(agent).size(), 4U);
    ASSERT_TRUE(tested_->flush());
  }
  const auto found = spans_.searchMessages("prj", {});
  const std::string json = searchJson(*found, true);
  EXPECT_NE(json.find(R"({"conversation_id":"__NO_CONVERSATION__")"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("total_conversations":2)"), std::string::npos);
  EXPECT_EQ(found->front().digest.size(), 32U);
}

TEST_P(SpanStoreContract, SearchFindsTextsThatClientsHaveEscaped) {
  AgentSpan plain = span("t1", "plain", 1, 1);
  plain.input_messages = {{"user", "Grüße an \"Zoë\"", ""}};
  AgentSpan python = span("t2", "python", 2, 1);
  python.input_messages = {
      {"user", R"([{"type":"text","content":"Gr\u00fc\u00dfe an \"Zo\u00eb\" \ud83d\ude00"}])",
       ""}};
  AgentSpan script = span("t3", "script", 3, 1);
  script.tool_call_result = R"({"text":"Grüße an \"Zoë\""})";
  write({plain, python, script});
  const auto find = [this](const MessageSearchQuery& query) {
    const auto found = spans_.searchMessages("prj", query);
    EXPECT_TRUE(found);
    Texts ids;
    for (const FoundMessage& one : *found) ids.push_back(one.span_id);
    std::sort(ids.begin(), ids.end());
    return ids;
  };
  for (int flushed = 0; flushed < 2; ++flushed) {
    EXPECT_EQ(find({"Grüße"}), (Texts{"plain", "python", "script"}));
    EXPECT_EQ(find({"an \"Zoë\""}), (Texts{"plain", "python", "script"}));
    EXPECT_EQ(find({"😀"}), (Texts{"python"}));
    EXPECT_EQ(find({"ZOË", true}), (Texts{"plain", "script"}));
    EXPECT_EQ(find({"GRÜ", true}), (Texts{"plain", "script"}));
    EXPECT_TRUE(find({"Zoe"}).empty());
    ASSERT_TRUE(tested_->flush());
  }
}

TEST_P(SpanStoreContract, ConversationPagesStartAtTheNewestTurn) {
  for (int turn = 0; turn < 3; ++turn) {
    AgentSpan one = span("t" + std::to_string(turn), "s" + std::to_string(turn), turn * 10, 1);
    one.conversation_id = "c";
    write({one});
  }
  Result<Turns> turns = spans_.readTurns("prj", "c", 2, 0);
  ASSERT_TRUE(turns);
  EXPECT_EQ(turns->trace_ids, (Texts{"t1", "t2"}));
  EXPECT_EQ(turns->total, 3);
  turns = spans_.readTurns("prj", "c", 2, 2);
  EXPECT_EQ(turns->trace_ids, (Texts{"t0"}));
  turns = spans_.readTurns("prj", "nobody", 2, 0);
  EXPECT_EQ(turns->total, 0);
}

TEST_P(SpanStoreContract, LongConversationReturnsTheNewestSpans) {
  std::vector<AgentSpan> spans;
  for (int i = 0; i < 205; ++i) {
    spans.push_back(span("t", "s" + std::to_string(1000 + i), i, 1));
    spans.back().conversation_id = "c";
  }
  write(spans);
  const auto found = spans_.readConversationSpans("prj", {"c", "x"}, std::nullopt, std::nullopt);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 200U);
  EXPECT_EQ(found->front().span_id, "s1005");
  EXPECT_EQ(found->back().span_id, "s1204");
  EXPECT_EQ(found->front().duration_ms, 1000);
  const auto window = spans_.readConversationSpans("prj", {"c"}, at(3), at(5));
  EXPECT_EQ(window->size(), 2U);
}

}  // namespace spindle::agents
