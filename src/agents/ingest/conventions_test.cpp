#include "agents/store/conventions.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agents/ingest/framework_messages.h"
#include "agents/ingest/otlp_for_test.h"
#include "agents/ingest/span_to_row.h"

namespace spindle::agents {
namespace {

std::string rolesAndContents(const std::vector<SpanMessage>& messages) {
  std::string text;
  for (const SpanMessage& message : messages) text += message.role + ":" + message.content + "|";
  return text;
}

void expectTokens(const AgentSpan& span,
                  std::int64_t input,
                  std::int64_t output,
                  std::int64_t cache_read,
                  std::int64_t cache_creation) {
  EXPECT_EQ(span.input_tokens, input) << span.span_name;
  EXPECT_EQ(span.output_tokens, output) << span.span_name;
  EXPECT_EQ(span.cache_read_input_tokens, cache_read) << span.span_name;
  EXPECT_EQ(span.cache_creation_input_tokens, cache_creation) << span.span_name;
}

TEST(Conventions, RecogniseTheSpanNamesOfFrameworks) {
  struct Case {
    std::string_view name;
    Attributes attributes;
    std::string_view operation;
  };
  for (const Case& each : {
           Case{"x", {{"openinference.span.kind", R"("AGENT")"}}, "invoke_agent"},
           Case{"x", {{"openinference.span.kind", R"("LLM")"}}, "chat"},
           Case{"x", {{"openinference.span.kind", R"("TOOL")"}}, "execute_tool"},
           Case{"x", {{"openinference.span.kind", R"("RETRIEVER")"}}, "retrieval"},
           Case{"x", {{"openinference.span.kind", R"("EMBEDDING")"}}, "embeddings"},
           Case{"x", {{"openinference.span.kind", R"("CHAIN")"}}, "invoke_agent"},
           Case{"x", {{"traceloop.span.kind", R"("agent")"}}, "invoke_agent"},
           Case{"x", {{"traceloop.span.kind", R"("tool")"}}, "execute_tool"},
           Case{"x", {{"traceloop.span.kind", R"("workflow")"}}, "invoke_agent"},
           Case{"x", {{"langsmith.span.kind", R"("llm")"}}, "chat"},
           Case{"openai.chat", {{"llm.request.type", R"("chat")"}}, "chat"},
       }) {
    EXPECT_EQ(rowFrom(each.name, each.attributes).operation_name, each.operation) << each.name;
  }
  const std::map<std::string_view, std::vector<std::string_view>> names_of_operations = {
      {"invoke_agent",
       {"ai.generateText", "ai.streamText", "agent_run [planner]", "agent run",
        "claude_code.interaction"}},
      {"chat",
       {"ai.generateText.doGenerate", "ai.streamText.doStream", "call_llm",
        "claude_code.llm_request"}},
      {"execute_tool", {"ai.toolCall", "running tool", "claude_code.tool"}},
      {"", {"GET /"}}};
  for (const auto& [operation, names] : names_of_operations) {
    for (const std::string_view name : names) {
      EXPECT_EQ(rowFrom(name, {}).operation_name, operation) << name;
    }
  }
  const Attributes chain = {{"openinference.span.kind", R"("CHAIN")"}};
  EXPECT_EQ(rowFrom("x", chain, false).operation_name, "");
}

TEST(Conventions, UnderstandOpenInference) {
  const AgentSpan model =
      rowFrom("ChatCompletion",
              {{"openinference.span.kind", R"("LLM")"},
               {"llm.model_name", R"("gpt-x")"},
               {"llm.provider", R"("OpenAI")"},
               {"llm.input_messages.0.message.role", R"("user")"},
               {"llm.input_messages.0.message.contents.0.message_content.type", R"("text")"},
               {"llm.input_messages.0.message.contents.0.message_content.text", R"("Weather?")"},
               {"llm.output_messages.0.message.role", R"("assistant")"},
               {"llm.output_messages.0.message.content", R"("Cold.")"},
               {"llm.token_count.prompt", "5"},
               {"llm.token_count.completion", "6"},
               {"llm.token_count.prompt_details.cache_read", "1"},
               {"llm.token_count.prompt_details.cache_write", "2"},
               {"llm.token_count.completion_details.reasoning", "3"},
               {"llm.tools.0.tool.json_schema", R"("{\"name\":\"f\"}")"},
               {"session.id", R"("s1")"}});
  EXPECT_EQ(model.request_model, "gpt-x");
  EXPECT_EQ(model.provider_name, "openai");
  EXPECT_EQ(rolesAndContents(model.input_messages),
            R"(user:[{"type": "text", "text": "Weather?"}]|)");
  EXPECT_EQ(rolesAndContents(model.output_messages), "assistant:Cold.|");
  expectTokens(model, 5, 6, 1, 2);
  EXPECT_EQ(model.reasoning_tokens, 3);
  EXPECT_EQ(model.conversation_id, "s1");
  EXPECT_EQ(model.tool_definitions, R"([{"tool": {"json_schema": {"name": "f"}}}])");

  const AgentSpan tool = rowFrom("forecast", {{"openinference.span.kind", R"("TOOL")"},
                                              {"tool.name", R"("forecast")"},
                                              {"tool.id", R"("c1")"},
                                              {"tool.parameters", R"("{\"city\":\"Oslo\"}")"},
                                              {"output.value", R"("4 C")"}});
  EXPECT_EQ(tool.tool_name, "forecast");
  EXPECT_EQ(tool.tool_call_id, "c1");
  EXPECT_EQ(tool.tool_call_arguments, R"({"city": "Oslo"})");
  EXPECT_EQ(tool.tool_call_result, "4 C");
  EXPECT_TRUE(tool.input_messages.empty());

  const AgentSpan agent =
      rowFrom("run", {{"openinference.span.kind", R"("AGENT")"},
                      {"agent.name", R"("planner")"},
                      {"input.value", R"("hi")"},
                      {"output.value", R"({"messages":[{"role":"assistant","content":"yo"}]})"}});
  EXPECT_EQ(agent.agent_name, "planner");
  EXPECT_EQ(rolesAndContents(agent.input_messages), "user:hi|");
  EXPECT_EQ(rolesAndContents(agent.output_messages), "assistant:yo|");
}

TEST(Conventions, UnderstandTheVercelAiSdk) {
  const AgentSpan outer = rowFrom(
      "ai.generateText", {{"ai.prompt", R"("{\"system\":\"Be brief.\",\"prompt\":\"hi\"}")"},
                          {"ai.response.text", R"("hello")"},
                          {"ai.telemetry.functionId", R"("helper")"}});
  EXPECT_EQ(outer.agent_name, "helper");
  EXPECT_EQ(rolesAndContents(outer.input_messages), "user:hi|");
  EXPECT_EQ(rolesAndContents(outer.output_messages), "assistant:hello|");
  EXPECT_EQ(outer.system_instructions, std::vector<std::string>{"Be brief."});
  const AgentSpan inner =
      rowFrom("ai.generateText.doGenerate",
              {{"ai.prompt.messages",
                R"("[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}]")"},
               {"ai.response.text", R"("hello")"},
               {"ai.response.reasoning", R"("thought")"},
               {"ai.model.id", R"("gpt-x")"},
               {"ai.model.provider", R"("openai.chat")"},
               {"ai.usage.promptTokens", "3"},
               {"ai.usage.completionTokens", "4"}},
              false);
  EXPECT_EQ(rolesAndContents(inner.input_messages), R"(user:[{"type": "text", "text": "hi"}]|)");
  EXPECT_EQ(inner.reasoning_content, "thought");
  EXPECT_EQ(inner.request_model, "gpt-x");
  EXPECT_EQ(inner.input_tokens, 3);
  EXPECT_EQ(inner.output_tokens, 4);
  const AgentSpan tool = rowFrom("ai.toolCall", {{"ai.toolCall.name", R"("f")"},
                                                 {"ai.toolCall.id", R"("c1")"},
                                                 {"ai.toolCall.args", R"("{\"a\":1}")"},
                                                 {"ai.toolCall.result", R"("\"ok\"")"}});
  EXPECT_EQ(tool.tool_name, "f");
  EXPECT_EQ(tool.tool_call_arguments, R"({"a": 1})");
  EXPECT_EQ(tool.tool_call_result, "\"ok\"");
}

TEST(Conventions, UnderstandGoogleAdk) {
  const AgentSpan model =
      rowFrom("call_llm",
              {{"gen_ai.system", R"("gcp.vertex.agent")"},
               {"gcp.vertex.agent.llm_request",
                R"("{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"hi\"}]}],\"config\":)"
                R"({\"system_instruction\":\"Be brief.\"}}")"},
               {"gcp.vertex.agent.llm_response",
                R"("{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"hello\"}]}}")"},
               {"gcp.vertex.agent.session_id", R"("s1")"}},
              false);
  EXPECT_EQ(rolesAndContents(model.input_messages), R"(user:[{"text": "hi"}]|)");
  EXPECT_EQ(rolesAndContents(model.output_messages), R"(assistant:[{"text": "hello"}]|)");
  EXPECT_EQ(model.system_instructions, std::vector<std::string>{"Be brief."});
  EXPECT_EQ(model.conversation_id, "s1");
  const AgentSpan tool = rowFrom("execute_tool f", {{"gcp.vertex.agent.tool_call_args", R"("{}")"},
                                                    {"gcp.vertex.agent.tool_response", R"("r")"}});
  EXPECT_EQ(tool.tool_call_arguments, "{}");
  EXPECT_EQ(tool.tool_call_result, "r");
  EXPECT_EQ(rowFrom("agent_run [planner]", {}).agent_name, "planner");
  EXPECT_EQ(rowFrom("invoke_agent a", {{"gen_ai.usage.experimental.reasoning_tokens", "2"}})
                .reasoning_tokens,
            2);
}

TEST(Conventions, UnderstandPydanticAi) {
  const AgentSpan chat = rowFrom(
      "chat m", {{"gen_ai.output.messages",
                  R"("[{\"role\":\"assistant\",\"parts\":[{\"type\":\"thinking\",\"content\":)"
                  R"(\"hm\"},{\"type\":\"text\",\"content\":\"yes\"}]}]")"}});
  EXPECT_EQ(chat.reasoning_content, "hm");
  const AgentSpan run =
      rowFrom("invoke_agent a",
              {{"pydantic_ai.all_messages",
                R"("[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"q\"}]}]")"},
               {"final_result", R"("yes")"}});
  EXPECT_EQ(rolesAndContents(run.input_messages), R"(user:[{"type": "text", "content": "q"}]|)");
  EXPECT_EQ(rolesAndContents(run.output_messages), "assistant:yes|");
  const AgentSpan tool = rowFrom("running tool", {{"gen_ai.tool.name", R"("f")"},
                                                  {"tool_arguments", R"("{\"a\":1}")"},
                                                  {"tool_response", R"("r")"}});
  EXPECT_EQ(tool.tool_call_arguments, R"({"a": 1})");
  EXPECT_EQ(tool.tool_call_result, "r");
  EXPECT_EQ(rowFrom("agent run", {{"agent_name", R"("p")"}}).agent_name, "p");
}

TEST(Conventions, UnderstandClaudeCode) {
  const AgentSpan model = rowFrom("claude_code.llm_request", {{"model", R"("claude")"},
                                                              {"input_tokens", "1"},
                                                              {"output_tokens", "2"},
                                                              {"cache_read_tokens", "3"},
                                                              {"cache_creation_tokens", "4"}});
  EXPECT_EQ(model.request_model, "claude");
  expectTokens(model, 1, 2, 3, 4);
  const AgentSpan tool =
      rowFrom("claude_code.tool", {{"tool_name", R"("Bash")"}, {"tool_use_id", R"("t1")"}});
  EXPECT_EQ(tool.tool_name, "Bash");
  EXPECT_EQ(tool.tool_call_id, "t1");
  EXPECT_EQ(rolesAndContents(
                rowFrom("claude_code.interaction", {{"user_prompt", R"("hi")"}}).input_messages),
            "user:hi|");
}

TEST(Conventions, UnderstandOpenLlmetryOldAndNew) {
  const AgentSpan old = rowFrom("openai.chat", {{"llm.request.type", R"("chat")"},
                                                {"gen_ai.usage.prompt_tokens", "3"},
                                                {"gen_ai.usage.completion_tokens", "4"},
                                                {"gen_ai.usage.cache_read_input_tokens", "1"},
                                                {"gen_ai.usage.cache_creation_input_tokens", "2"}});
  expectTokens(old, 3, 4, 1, 2);
  const AgentSpan tool = rowFrom("f.tool", {{"traceloop.span.kind", R"("tool")"},
                                            {"traceloop.entity.name", R"("f")"},
                                            {"traceloop.entity.input", R"("{\"a\":1}")"},
                                            {"traceloop.entity.output", R"("r")"}});
  EXPECT_EQ(tool.tool_name, "f");
  EXPECT_EQ(tool.tool_call_arguments, R"({"a": 1})");
  EXPECT_EQ(tool.tool_call_result, "r");
  const AgentSpan agent = rowFrom(
      "p.agent",
      {{"traceloop.span.kind", R"("agent")"},
       {"traceloop.entity.name", R"("p")"},
       {"traceloop.entity.input", R"("{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}")"}});
  EXPECT_EQ(agent.agent_name, "p");
  EXPECT_EQ(rolesAndContents(agent.input_messages), "user:hi|");
}

TEST(Conventions, UnderstandLangSmith) {
  const AgentSpan row = rowFrom(
      "ChatOpenAI",
      {{"langsmith.span.kind", R"("LLM")"},
       {"langsmith.trace.session_id", R"("s")"},
       {"gen_ai.prompt",
        R"("{\"messages\":[[{\"lc\":1,\"id\":[\"langchain\",\"HumanMessage\"],\"kwargs\":)"
        R"({\"content\":\"hi\",\"type\":\"human\"}}]]}")"},
       {"gen_ai.completion",
        R"("{\"generations\":[[{\"text\":\"yo\",\"message\":{\"kwargs\":{\"content\":\"yo\",)"
        R"(\"type\":\"ai\"}}}]]}")"}});
  EXPECT_EQ(rolesAndContents(row.input_messages), "user:hi|");
  EXPECT_EQ(rolesAndContents(row.output_messages), "assistant:yo|");
  EXPECT_EQ(row.conversation_id, "s");
}

TEST(Conventions, FindReasoningNextToTheText) {
  const AgentSpan row =
      rowFrom("x", {{"openinference.span.kind", R"("LLM")"},
                    {"output.value", R"("{\"choices\":[{\"message\":{\"role\":\"assistant\",)"
                                     R"(\"reasoning_content\":\"hm\",\"content\":\"ok\"}}]}")"}});
  EXPECT_EQ(row.reasoning_content, "hm");
  EXPECT_EQ(rolesAndContents(row.output_messages), "assistant:ok|");
}

TEST(Conventions, FindReasoningInTheAnswersOfOpenAi) {
  const AgentSpan row =
      rowFrom("response",
              {{"openinference.span.kind", R"("LLM")"},
               {"output.value", R"("{\"output\":[{\"type\":\"reasoning\",\"summary\":[{\"type\":)"
                                R"(\"summary_text\",\"text\":\"one\"},{\"text\":\"two\"}]}]}")"}});
  EXPECT_EQ(row.reasoning_content, "one\ntwo");
  EXPECT_EQ(rowFrom("weatherman", {{"openinference.span.kind", R"("AGENT")"},
                                   {"graph.node.id", R"("weatherman")"}})
                .agent_name,
            "weatherman");
}

TEST(Conventions, DoNotChangeConformingSpans) {
  struct Case {
    std::string_view emitter;
    std::string_view name;
    Attributes attributes;
    std::string_view operation;
    std::string_view agent;
    std::string_view tool;
  };
  for (const Case& each : {
           Case{"vendor's SDK", "invoke_agent X", {}, "invoke_agent", "X", ""},
           Case{"vendor's SDK",
                "assistant_text",
                {{"gen_ai.operation.name", R"("assistant_text")"}},
                "assistant_text",
                "",
                ""},
           Case{"OpenAI Agents by its processor",
                "Handoff",
                {{"svc.openai_agents.handoff.from_agent", R"("a")"}},
                "",
                "",
                ""},
           Case{"OpenAI Agents by OpenLLMetry",
                "a → b.handoff",
                {{"gen_ai.operation.name", R"("handoff")"}},
                "handoff",
                "",
                ""},
           Case{"OpenAI Agents by OpenLLMetry",
                "look.tool",
                {{"gen_ai.operation.name", R"("execute_tool")"},
                 {"gen_ai.tool.name", R"("look")"},
                 {"traceloop.span.kind", R"("tool")"}},
                "execute_tool",
                "",
                "look"},
           Case{"Google ADK",
                "invoke_workflow w",
                {{"gen_ai.operation.name", R"("invoke_workflow")"}},
                "invoke_workflow",
                "",
                ""},
           Case{"Google ADK", "generate_content m", {}, "generate_content", "", ""},
           Case{"Vercel AI SDK",
                "step",
                {{"gen_ai.operation.name", R"("agent_step")"}},
                "agent_step",
                "",
                ""},
           Case{"OpenLLMetry",
                "execute_task n",
                {{"gen_ai.operation.name", R"("execute_task")"}},
                "execute_task",
                "",
                ""},
           Case{"pydantic-ai",
                "running tool",
                {{"gen_ai.tool.name", R"("look")"}, {"tool_arguments", R"("{}")"}},
                "execute_tool",
                "",
                "look"},
       }) {
    const AgentSpan row = rowFrom(each.name, each.attributes, false);
    EXPECT_EQ(row.operation_name, each.operation) << each.emitter << ": " << each.name;
    EXPECT_EQ(row.agent_name, each.agent) << each.emitter << ": " << each.name;
    EXPECT_EQ(row.tool_name, each.tool) << each.emitter << ": " << each.name;
  }
}

TEST(Conventions, ReadIndexedMessagesWhoseFirstAreMissing) {
  const AgentSpan row = rowFrom("response", {{"openinference.span.kind", R"("LLM")"},
                                             {"llm.input_messages.10.message.role", R"("tool")"},
                                             {"llm.input_messages.10.message.content", R"("4 C")"},
                                             {"llm.input_messages.2.message.role", R"("user")"},
                                             {"llm.input_messages.2.message.content", R"("hi")"}});
  ASSERT_EQ(row.input_messages.size(), 2U);
  EXPECT_EQ(row.input_messages[0].role, "user");
  EXPECT_EQ(row.input_messages[0].content, "hi");
  EXPECT_EQ(row.input_messages[1].role, "tool");
  EXPECT_EQ(row.input_messages[1].content, "4 C");
}

TEST(Conventions, FindTheRolesOfResponseItems) {
  const AgentSpan row =
      rowFrom("response",
              {{"openinference.span.kind", R"("LLM")"},
               {"input.value",
                R"([{"role":"user","content":"hi"},{"type":"reasoning","summary":[{"text":"hm"}]},)"
                R"({"type":"function_call","name":"f","arguments":"{}"},)"
                R"({"type":"function_call_output","call_id":"c","output":"4 C"}])"}});
  ASSERT_EQ(row.input_messages.size(), 2U);
  EXPECT_EQ(row.input_messages[0].role, "user");
  EXPECT_EQ(row.input_messages[1].role, "tool");
  EXPECT_EQ(row.input_messages[1].content, "4 C");
}

TEST(Conventions, DistinguishToolArgumentsFromTheirSchema) {
  const std::string schema =
      R"({"type":"object","properties":{"city":{"type":"string"}},"required":["city"]})";
  const AgentSpan row = rowFrom("forecast", {{"openinference.span.kind", R"("TOOL")"},
                                             {"tool.name", R"("forecast")"},
                                             {"tool.parameters", schema},
                                             {"input.value", R"({"city":"Oslo"})"}});
  EXPECT_EQ(row.tool_call_arguments, R"({"city": "Oslo"})");
  EXPECT_EQ(rowFrom("forecast", {{"openinference.span.kind", R"("TOOL")"},
                                 {"tool.parameters", R"({"city":"Oslo"})"}})
                .tool_call_arguments,
            R"({"city": "Oslo"})");
}

TEST(Conventions, GiveNoMessagesForOtherValues) {
  EXPECT_EQ(rolesAndContents(rowFrom("x", {{"input.value", R"({"a":{"b":1}})"}}).input_messages),
            "");
  EXPECT_EQ(rolesAndContents(rowFrom("x", {{"input.value", R"("step")"}}, false).input_messages),
            "");
}

}  // namespace
}  // namespace spindle::agents
