#include "agents/chat/chat_projection.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "agents/chat/chat_for_test.h"
#include "agents/chat/chat_tree.h"
#include "agents/query/span_time_for_test.h"
#include "agents/store/message_content.h"

namespace spindle::agents {
namespace {

using std::chrono::milliseconds;

AgentSpan span(const std::string& id,
               const std::string& operation,
               double start,
               double end,
               const std::string& parent = "") {
  AgentSpan made;
  made.trace_id = "t";
  made.span_id = id;
  made.parent_span_id = parent;
  made.span_name = operation + " " + id;
  made.operation_name = operation;
  made.started_at = at(start);
  made.ended_at = at(end);
  made.status_code = "OK";
  return made;
}

AgentSpan chat(const std::string& id,
               double start,
               double end,
               const std::string& asked,
               const std::string& said,
               const std::string& parent = "") {
  AgentSpan made = span(id, "chat", start, end, parent);
  if (!asked.empty()) made.input_messages = {{"user", asked, ""}};
  if (!said.empty()) made.output_messages = {{"assistant", said, ""}};
  return made;
}

Chat project(const std::vector<AgentSpan>& spans) {
  return projectChat(spans, std::vector<std::optional<pricing::Cost>>(spans.size()));
}

/// Returns `type(text or name)` of each message.
Texts told(const Chat& chat) {
  Texts texts;
  for (const ChatMessage& message : chat.messages) {
    texts.push_back(std::string(typeOf(message)) + "(" +
                    std::visit(PayloadText{}, message.payload) + ")");
  }
  return texts;
}
Texts told(const std::vector<AgentSpan>& spans) { return told(project(spans)); }

const AssistantMessage& assistant(const Chat& chat, std::size_t at) {
  return std::get<AssistantMessage>(chat.messages.at(at).payload);
}

TEST(ChatProjection, WorkedExamplesMatchExactly) {
  const std::vector<ChatExample> examples = chatExamples();
  ASSERT_EQ(examples.size(), 7U);
  for (const ChatExample& example : examples)
    EXPECT_EQ(shortForm(project(example.spans)), example.chat) << example.name;
}

TEST(ChatProjection, ATraceWithoutSpansIsEmpty) {
  const Chat chat = project({});
  EXPECT_FALSE(chat.root);
  EXPECT_TRUE(chat.messages.empty());
}

TEST(ChatProjection, AFullTurnShowsEachKindOnce) {
  AgentSpan agent = span("a", "invoke_agent", 0, 9);
  agent.agent_name = "bot";
  agent.compaction_summary = "old";
  AgentSpan tool = span("b", "execute_tool", 2, 3, "a");
  EXPECT_EQ(told({agent, chat("c", 1, 2, "hi", "", "a"), tool, chat("d", 4, 5, "", "yo", "a")}),
            (Texts{"agent_start(-)", "context_compacted(old)", "user_message(hi)", "tool_call(b)",
                   "assistant_message(yo)"}));
}

TEST(ChatProjection, AnAgentsAnswerHasTheTokensAndCostsOfAllBelowIt) {
  AgentSpan agent = span("a", "invoke_agent", 0, 9);
  agent.output_messages = {{"assistant", "done", ""}};
  agent.input_tokens = 1;
  AgentSpan tool = span("b", "execute_tool", 1, 2, "a");
  tool.input_tokens = 2;
  AgentSpan deep = span("c", "execute_tool", 1, 2, "b");
  deep.output_tokens = 3;
  deep.reasoning_content = "deep thought";
  const std::vector<std::optional<pricing::Cost>> costs = {
      std::nullopt, pricing::Cost{1, 2, 0.5, 0.25}, pricing::Cost{1, 0, 0, 0}};
  const Chat chat = projectChat({agent, tool, deep}, costs);
  const AssistantMessage& answer = assistant(chat, chat.messages.size() - 1);
  EXPECT_EQ(answer.input_tokens, 3);
  EXPECT_EQ(answer.output_tokens, 3);
  EXPECT_EQ(answer.input_cost_usd, 2.0);
  EXPECT_EQ(answer.output_cost_usd, 2.0);
  EXPECT_EQ(answer.total_cost_usd, 4.75);
  EXPECT_EQ(answer.reasoning_content, "deep thought");
  EXPECT_EQ(chat.total_cost_usd, 4.75);
}

TEST(ChatProjection, WithoutPricesThereAreNoCosts) {
  const Chat chat = project({agents::chat("a", 0, 1, "hi", "yo")});
  EXPECT_FALSE(chat.total_cost_usd);
  EXPECT_FALSE(assistant(chat, 1).total_cost_usd);
}

TEST(ChatProjection, AnAgentsIdIsItsLabelWhenItHasNoName) {
  AgentSpan agent = span("a", "invoke_agent", 0, 9);
  agent.agent_id = "agent-7";
  const Chat chat = project({agent, agents::chat("b", 1, 2, "hi", "yo", "a")});
  for (const ChatMessage& message : chat.messages) {
    EXPECT_EQ(message.agent_name, message.span_id ? "agent-7" : "User");
  }
}

TEST(ChatProjection, AgentStartNeedsAModelInstructionsToolsOrALabel) {
  AgentSpan model = span("a", "invoke_agent", 0, 1);
  model.request_model = "m";
  EXPECT_EQ(told({model}), (Texts{"agent_start(-)"}));
  AgentSpan instructed = span("a", "invoke_agent", 0, 1);
  instructed.system_instructions = {"Be kind.", "Be brief."};
  EXPECT_EQ(told({instructed}), (Texts{"agent_start(Be kind.\nBe brief.)"}));
  AgentSpan tools = span("a", "invoke_agent", 0, 1);
  tools.tool_definitions = "[]";
  EXPECT_EQ(told({tools}), (Texts{"agent_start(-)"}));
  EXPECT_TRUE(told({span("a", "invoke_agent", 0, 1)}).empty());
}

TEST(ChatProjection, ModelInstructionsAreShownWhenTheyChange) {
  AgentSpan first = chat("a", 0, 1, "one", "A");
  first.system_instructions = {"Be kind."};
  AgentSpan same = chat("b", 2, 3, "two", "B");
  same.system_instructions = {"Be kind."};
  AgentSpan other = chat("c", 4, 5, "three", "C");
  other.system_instructions = {"Be terse."};
  EXPECT_EQ(told({first, same, other}),
            (Texts{"user_message(one)", "agent_start(Be kind.)", "assistant_message(A)",
                   "user_message(two)", "assistant_message(B)", "agent_start(Be terse.)",
                   "user_message(three)", "assistant_message(C)"}));
}

TEST(ChatProjection, InstructionsCompleteOnlyAnAgentStartOfTheSameAgent) {
  AgentSpan agent = span("a", "invoke_agent", 0, 9);
  agent.agent_name = "bot";
  AgentSpan own = chat("b", 1, 2, "", "A", "a");
  own.system_instructions = {"Be kind."};
  EXPECT_EQ(told({agent, own}), (Texts{"agent_start(Be kind.)", "assistant_message(A)"}));
  own.agent_name = "other";
  EXPECT_EQ(told({agent, own}),
            (Texts{"agent_start(-)", "agent_start(Be kind.)", "assistant_message(A)"}));
}

TEST(ChatProjection, SpansWithoutAStartComeLast) {
  AgentSpan unknown = chat("a", 0, 1, "", "late");
  unknown.started_at = Timestamp();
  const Chat chat = project({unknown, agents::chat("b", 5, 6, "", "early")});
  EXPECT_EQ(told(chat), (Texts{"assistant_message(early)", "assistant_message(late)"}));
  EXPECT_FALSE(chat.messages.back().started_at);
}

TEST(ChatProjection, LastEndedOfSeveralRootsRepresentsTheTrace) {
  const Chat chat = project({agents::chat("a", 0, 9, "", "x"), agents::chat("b", 1, 9, "", "y"),
                             agents::chat("c", 2, 3, "", "z")});
  EXPECT_EQ(chat.root->name, "chat b");
  EXPECT_EQ(chat.root->duration_ms, 8000);
}

TEST(ChatProjection, AnAnswerThatIsMirroredUpwardsIsShownOnce) {
  AgentSpan agent = span("a", "invoke_agent", 0, 9);
  agent.output_messages = {{"assistant", "in other words", ""}};
  EXPECT_EQ(told({agent, chat("b", 1, 2, "hi", "yo", "a")}),
            (Texts{"user_message(hi)", "assistant_message(yo)"}));
}

TEST(ChatProjection, TheTextOfAChildIsKeptWhenItDiffers) {
  AgentSpan parent = chat("a", 0, 9, "hi", "whole");
  AgentSpan child = span("b", "assistant_text", 1, 2, "a");
  child.output_messages = {{"assistant", "part", ""}};
  EXPECT_EQ(told({parent, child}),
            (Texts{"user_message(hi)", "assistant_message(part)", "assistant_message(whole)"}));
}

TEST(ChatProjection, MissingDataOfATranscriptIsTakenFromItsModelSpan) {
  AgentSpan parent = chat("a", 0, 9, "hi", "same");
  parent.request_model = "m";
  parent.input_tokens = 7;
  parent.agent_version = "2";
  parent.reasoning_content = "why";
  parent.content_refs = {"svc-trace-internal:///p/object/x:D1"};
  parent.output_messages = {
      {"assistant", R"([{"type":"text","content":"same"},{"type":"uri","uri":"x:D1"}])", ""}};
  AgentSpan child = span("b", "assistant_text", 1, 1, "a");
  child.output_messages = {{"assistant", "same", ""}};
  child.output_tokens = 3;
  const Chat chat = project({parent, child});
  EXPECT_EQ(told(chat), (Texts{"user_message(hi)", "assistant_message(same)"}));
  const ChatMessage& message = chat.messages.back();
  EXPECT_EQ(message.span_id, "b");
  EXPECT_EQ(message.started_at, at(1));
  EXPECT_EQ(message.agent_version, "2");
  const AssistantMessage& said = assistant(chat, 1);
  EXPECT_EQ(said.model, "m");
  EXPECT_EQ(said.reasoning_content, "why");
  EXPECT_EQ(said.input_tokens, 7);
  EXPECT_EQ(said.output_tokens, 3);
  EXPECT_EQ(said.duration_ms, 9000);
  EXPECT_EQ(said.content_refs, parent.content_refs);
}

TEST(ChatProjection, AnAsynchronouslyStartedAgentIsATool) {
  AgentSpan agent = span("a", "invoke_agent", 0, 1);
  agent.output_messages = {
      {"assistant", R"({"isAsync":true,"status":"async_launched","agentId":"w"})", ""}};
  const Chat chat = project({agent});
  ASSERT_EQ(told(chat), (Texts{"tool_call(Start a)"}));
  EXPECT_FALSE(std::get<ToolCall>(chat.messages[0].payload).tool_arguments);
  for (const std::string text :
       {R"({"isAsync":false,"status":"async_launched","agentId":"w"})",
        R"({"isAsync":true,"status":"done","agentId":"w"})",
        R"({"isAsync":true,"status":"async_launched","agentId":7})", R"({"isAsync")"}) {
    agent.output_messages = {{"assistant", text, ""}};
    EXPECT_EQ(told({agent}), (Texts{"assistant_message(" + text + ")"}));
  }
}

TEST(ChatProjection, ReasoningIsNotTextAndPrecedesItsToolCall) {
  AgentSpan thinker = chat("a", 0, 1, "hi", "");
  thinker.output_messages = {
      {"assistant", R"([{"type":"reasoning","content":"look"},{"type":"tool_call"}])", ""}};
  thinker.reasoning_content = "look";
  EXPECT_EQ(told({thinker, span("b", "execute_tool", 2, 3)}),
            (Texts{"user_message(hi)", "assistant_message(~look)", "tool_call(b)"}));
}

TEST(ChatProjection, ASpanThatOnlyRequestsAToolIsNotShown) {
  AgentSpan step = chat("a", 0, 1, "hi", "");
  step.output_messages = {{"assistant", R"([{"type":"tool_call","name":"x"}])", ""}};
  EXPECT_EQ(told({step}), (Texts{"user_message(hi)"}));
}

TEST(ChatProjection, AFailureIsShownWithoutText) {
  AgentSpan failed = chat("a", 0, 1, "hi", "");
  failed.status_code = "ERROR";
  EXPECT_EQ(told({failed}), (Texts{"user_message(hi)", "assistant_message(~)"}));
}

TEST(ChatProjection, SubAgentsAreShownAtTheirStart) {
  AgentSpan lead = span("a", "invoke_agent", 0, 9);
  lead.agent_name = "lead";
  AgentSpan sub = span("b", "invoke_agent", 3, 5, "a");
  sub.agent_name = "sub";
  EXPECT_EQ(told({lead, chat("c", 1, 2, "hi", "plan", "a"), sub, chat("d", 4, 5, "", "found", "b"),
                  chat("e", 6, 7, "", "answer", "a")}),
            (Texts{"user_message(hi)", "agent_start(-)", "assistant_message(plan)",
                   "agent_start(-)", "assistant_message(found)", "assistant_message(answer)"}));
}

TEST(ChatProjection, SystemMessagesAreNeverPrompts) {
  AgentSpan model = chat("a", 0, 1, "", "A");
  model.input_messages = {{"system", "rules", ""}};
  EXPECT_EQ(told({model}), (Texts{"assistant_message(A)"}));
  AgentSpan agent = span("a", "invoke_agent", 0, 1);
  agent.input_messages = {{"system", "rules", ""}, {"assistant", "earlier", ""}};
  EXPECT_TRUE(told({agent}).empty());
}

TEST(ChatProjection, UnknownRolesAreUsers) {
  AgentSpan model = chat("a", 0, 1, "", "A");
  model.input_messages = {{"", "one", ""}, {"human", "two", ""}};
  EXPECT_EQ(told({model}),
            (Texts{"user_message(one)", "user_message(two)", "assistant_message(A)"}));
  AgentSpan agent = span("a", "invoke_agent", 0, 1);
  agent.input_messages = {{"user", "named", ""}, {"human", "unnamed", ""}};
  EXPECT_EQ(told({agent}), (Texts{"user_message(named)"}));
}

TEST(ChatProjection, ANotificationIsAlwaysATool) {
  const std::string text = " <task-notification>done</task-notification>\n";
  AgentSpan model = chat("a", 0, 1, text, "A");
  EXPECT_EQ(told({model}), (Texts{"tool_call(Task notification)", "assistant_message(A)"}));
  AgentSpan agent = span("a", "invoke_agent", 0, 9);
  agent.input_messages = {{"user", "go", ""}, {"user", text, ""}};
  EXPECT_EQ(told({agent, chat("b", 1, 2, "", "A", "a")}),
            (Texts{"user_message(go)", "tool_call(Task notification)", "assistant_message(A)"}));
  AgentSpan two = chat("a", 0, 1, text + text, "A");
  EXPECT_EQ(told({two}).size(), 2U);
  EXPECT_EQ(std::string(typeOf(project({two}).messages[0])), "user_message");
}

TEST(ChatProjection, RealtimeTurnsOfOneTraceFollowEachOther) {
  std::vector<AgentSpan> spans;
  std::vector<SpanMessage> history;
  for (int turn = 0; turn < 3; ++turn) {
    const std::string number = std::to_string(turn);
    AgentSpan one = chat("s" + number, turn * 2, turn * 2 + 1, "", "a" + number);
    history.push_back({"user", "u" + number, ""});
    one.input_messages = history;
    history.push_back({"assistant", "a" + number, ""});
    spans.push_back(one);
  }
  EXPECT_EQ(told(spans),
            (Texts{"user_message(u0)", "assistant_message(a0)", "user_message(u1)",
                   "assistant_message(a1)", "user_message(u2)", "assistant_message(a2)"}));
}

TEST(ChatProjection, EqualStartsAreSortedByLaterEndThenId) {
  EXPECT_EQ(told({chat("b", 0, 1, "", "short"), chat("c", 0, 5, "", "long"),
                  chat("a", 0, 1, "", "short too")}),
            (Texts{"assistant_message(long)", "assistant_message(short too)",
                   "assistant_message(short)"}));
}

TEST(ChatProjection, SpansBelowTheDeepestLevelAreNotShown) {
  std::vector<AgentSpan> spans;
  for (int depth = 0; depth <= kChatDepth + 5; ++depth) {
    const std::string id = "s" + std::to_string(depth);
    spans.push_back(span(id, "execute_tool", depth, depth + 1,
                         depth == 0 ? "" : "s" + std::to_string(depth - 1)));
  }
  EXPECT_EQ(told(spans).size(), static_cast<std::size_t>(kChatDepth) + 1);
}

TEST(ChatProjection, CyclesOfParentsAreShownOnce) {
  EXPECT_EQ(told({span("a", "execute_tool", 0, 1, "b"), span("b", "execute_tool", 1, 2, "a"),
                  span("c", "execute_tool", 2, 3, "c")})
                .size(),
            3U);
}

TEST(ChatProjection, TimeIsLinearInTheLengthOfTheTrace) {
  std::vector<AgentSpan> spans{span("root", "invoke_agent", 0, 1e5)};
  for (int i = 0; i < 10'000; ++i)
    spans.push_back(chat("s" + std::to_string(i), i, i + 1, "q" + std::to_string(i), "a", "root"));
  EXPECT_EQ(told(spans).size(), 20'000U);
}

SpanMessage parts(const std::string& role, const std::string& json) { return {role, json, ""}; }

TEST(ChatContent, TextConsistsOfTextParts) {
  EXPECT_EQ(textOf(parts("user", "plain")), "plain");
  EXPECT_EQ(textOf(parts("user", "[broken")), "[broken");
  EXPECT_EQ(textOf(parts("user", R"(["a",{"type":"text","content":"b"},{"text":"c"},)"
                                 R"({"type":"reasoning","content":"no"},)"
                                 R"({"type":"thinking","content":"no"},)"
                                 R"({"type":"uri","uri":"x"},{"type":"blob","content":"no"},)"
                                 R"({"type":"file","text":"no"},{"type":"tool_call"},7])")),
            "a\nb\nc");
}

const Texts span_refs = {"svc-trace-internal:///P/object/a:D1",
                         "svc-trace-internal:///P/object/b:D2"};

TEST(ChatContent, MediaBelongToTheMessageThatNamesThem) {
  for (const std::string type : {"uri", "blob", "file"}) {
    EXPECT_EQ(
        refsOf(parts("user", R"([{"type":")" + type + R"(","uri":"svc:///e/p/object/b:D2"}])"),
               span_refs),
        (Texts{span_refs[1]}));
  }
  EXPECT_TRUE(refsOf(parts("user", R"([{"type":"text","uri":"x:D1"}])"), span_refs).empty());
  EXPECT_TRUE(refsOf(parts("user", "no media"), span_refs).empty());
  EXPECT_TRUE(refsOf(parts("user", R"([{"type":"uri","uri":"x:D9"}])"), span_refs).empty());
}

TEST(ChatContent, ReferencesInsideAMessageAreFoundOnceAndToADepthOfEight) {
  const std::string ref = "svc-trace-internal:///P/object/x:D";
  EXPECT_EQ(refsOf(parts("user", ref), {}), (Texts{ref}));
  EXPECT_EQ(
      refsOf(parts("user", R"([{"image_url":{"url":")" + ref + R"("}},")" + ref + R"("])"), {}),
      (Texts{ref}));
  EXPECT_EQ(refsOf(parts("user", R"([{"content":"{\"deep\":\")" + ref + R"(\"}"}])"), {}),
            (Texts{ref}));
  const auto nested = [&ref](int depth) {
    return std::string(static_cast<std::size_t>(depth), '[') + '"' + ref + '"' +
           std::string(static_cast<std::size_t>(depth), ']');
  };
  EXPECT_EQ(refsOf(parts("user", nested(7)), {}).size(), 1U);
  EXPECT_TRUE(refsOf(parts("user", nested(8)), {}).empty());
}

TEST(ChatProjection, MediaFollowTheRoleOfTheirMessage) {
  const std::string media = R"([{"type":"uri","uri":"svc:///e/p/object/a:D1"}])";
  AgentSpan model = chat("a", 0, 1, "", "");
  model.content_refs = span_refs;
  // From a user, in the input of a model.
  model.input_messages = {parts("user", media)};
  EXPECT_EQ(std::get<UserMessage>(project({model}).messages.at(0).payload).content_refs,
            (Texts{span_refs[0]}));
  // From an earlier answer of the model itself.
  model.input_messages = {parts("assistant", media), {"user", "hi", ""}};
  EXPECT_TRUE(std::get<UserMessage>(project({model}).messages.at(0).payload).content_refs.empty());
  // From the current answer of the model.
  model.output_messages = {parts("assistant", R"([{"text":"see"},)" + media.substr(1))};
  EXPECT_EQ(assistant(project({model}), 1).content_refs, (Texts{span_refs[0]}));
  // From a user, although the message is in the output.
  model.output_messages = {parts("user", media), {"assistant", "see", ""}};
  EXPECT_TRUE(assistant(project({model}), 1).content_refs.empty());
  // A tool has all references of its span.
  AgentSpan tool = span("b", "execute_tool", 0, 1);
  tool.content_refs = span_refs;
  EXPECT_EQ(std::get<ToolCall>(project({tool}).messages.at(0).payload).content_refs, span_refs);
}

}  // namespace
}  // namespace spindle::agents
