#include "agents/ingest/span_to_row.h"

#include <limits>

#include "agents/ingest/otlp_for_test.h"
#include "agents/ingest/span_to_row_custom.h"
#include "agents/store/conventions.h"

namespace spindle::agents {
namespace {

std::string shown(const std::vector<SpanMessage>& messages) {
  std::string text;
  for (const SpanMessage& message : messages) {
    text += message.role + ":" + message.content;
    if (!message.finish_reason.empty()) text += "(" + message.finish_reason + ")";
    text += "|";
  }
  return text;
}

TEST(SpanToRow, CarriesIdentityTimesAndStatus) {
  SpanForTest span("chat m");
  span.span.parent_span_id = "parent!!";
  span.span.kind = otlp::SpanKind::kClient;
  const AgentSpan row = rowFrom(span);
  EXPECT_EQ(row.trace_id, "30313233343536373839616263646566");
  EXPECT_EQ(row.span_id, "3031323334353637");
  EXPECT_EQ(row.parent_span_id, "706172656e742121");
  EXPECT_EQ(row.span_kind, "CLIENT");
  EXPECT_EQ(row.status_code, "UNSET");
  EXPECT_EQ(formatTimestamp(row.started_at), "2023-11-14T22:13:20Z");
  EXPECT_EQ(formatTimestamp(*row.ended_at), "2023-11-14T22:13:21.500000Z");
  span.span.end_time_unix_nano = 0;
  EXPECT_EQ(rowFrom(span).ended_at, std::nullopt);
}

TEST(SpanToRow, EveryTextColumnIsReadFromEachKeyInOrder) {
  for (const auto& rule : conventions().texts) {
    for (const std::string_view key : rule.keys) {
      const AgentSpan row = rowFrom("x", {{key, R"("text")"}});
      EXPECT_EQ(row.*rule.column, "text") << key;
    }
    if (rule.keys.size() < 2) continue;
    const AgentSpan row = rowFrom("x", {{rule.keys[1], R"("json")"}, {rule.keys[0], R"("text")"}});
    EXPECT_EQ(row.*rule.column, "text") << rule.keys[0];
  }
}

TEST(SpanToRow, EveryNumberIsReadFromEachKey) {
  for (const auto& rule : conventions().counts) {
    for (const Keys* keys : {&rule.keys, &rule.others}) {
      for (const std::string_view key : *keys)
        EXPECT_EQ(rowFrom("x", {{key, "7"}}).*rule.column, 7) << key;
    }
  }
  for (const auto& rule : conventions().reals) {
    for (const std::string_view key : rule.keys)
      EXPECT_EQ(rowFrom("x", {{key, "0.5"}}).*rule.column, 0.5) << key;
  }
  for (const auto& rule : conventions().text_lists) {
    for (const std::string_view key : rule.keys) {
      EXPECT_EQ((rowFrom("x", {{key, R"(["a","b"])"}}).*rule.column),
                (std::vector<std::string>{"a", "b"}))
          << key;
      EXPECT_EQ((rowFrom("x", {{key, R"("a")"}}).*rule.column), std::vector<std::string>{"a"});
    }
  }
}

TEST(SpanToRow, TheFirstPresentKeyWinsWhateverItsValue) {
  EXPECT_EQ(rowFrom("x", {{"svc.agent.name", R"("")"}, {"gen_ai.agent.name", R"("a")"}}).agent_name,
            "");
  EXPECT_EQ(rowFrom("x", {{"gen_ai.usage.cache_read.input_tokens", "0"},
                          {"prompt_tokens_details.cached_tokens", "9"},
                          {"cache_read_tokens", "8"}})
                .cache_read_input_tokens,
            0);
  EXPECT_EQ(rowFrom("x", {{"svc.agent.name", "null"}, {"gen_ai.agent.name", R"("a")"}}).agent_name,
            "a");
}

TEST(SpanToRow, ConvertsAsPythonDoes) {
  EXPECT_EQ(rowFrom("x", {{"gen_ai.agent.id", "5"}}).agent_id, "5");
  EXPECT_EQ(rowFrom("x", {{"gen_ai.agent.id", "true"}}).agent_id, "True");
  EXPECT_EQ(rowFrom("x", {{"gen_ai.agent.id", "0"}}).agent_id, "");
  EXPECT_EQ(rowFrom("x", {{"gen_ai.agent.id", "1.5"}}).agent_id, "1.5");
  EXPECT_EQ(rowFrom("x", {{"gen_ai.usage.input_tokens", R"(" 12 ")"}}).input_tokens, 12);
  EXPECT_EQ(rowFrom("x", {{"gen_ai.usage.input_tokens", "3.9"}}).input_tokens, 3);
  EXPECT_EQ(rowFrom("x", {{"gen_ai.usage.input_tokens", R"("3.9")"}}).input_tokens, 0);
  EXPECT_EQ(rowFrom("x", {{"gen_ai.usage.input_tokens", R"("x")"}}).input_tokens, 0);
  EXPECT_EQ(rowFrom("x", {{"gen_ai.usage.input_tokens", "-4"}}).input_tokens, 0);
  EXPECT_EQ(rowFrom("x", {{"gen_ai.request.temperature", R"("0.25")"}}).request_temperature, 0.25);
  EXPECT_EQ(rowFrom("x", {{"gen_ai.request.temperature", "[1]"}}).request_temperature, 0);
}

TEST(SpanToRow, DistinguishesTrialIndexZeroFromNone) {
  EXPECT_EQ(rowFrom("x", {}).eval_trial_index, std::nullopt);
  EXPECT_EQ(rowFrom("x", {{"svc.eval.trial_index", "0"}}).eval_trial_index, 0);
}

TEST(SpanToRow, FindsTheOperationInTheNameOfTheSpan) {
  for (const std::string_view operation :
       {"chat", "invoke_agent", "execute_tool", "generate_content", "text_completion", "embeddings",
        "create_agent", "retrieval"}) {
    EXPECT_EQ(rowFrom(std::string(operation) + " x", {}).operation_name, operation);
  }
  EXPECT_EQ(rowFrom("Chatter", {}).operation_name, "chat");
  EXPECT_EQ(rowFrom("a chat", {}).operation_name, "");
  EXPECT_EQ(rowFrom("chat", {{"gen_ai.operation.name", R"("handoff")"}}).operation_name, "handoff");
}

TEST(SpanToRow, FindsTheAgentInTheNameOfTheSpan) {
  EXPECT_EQ(rowFrom("Invoke_Agent  planner ", {}).agent_name, "planner");
  EXPECT_EQ(rowFrom("invoke_agent p", {{"agent.name", R"("q")"}}).agent_name, "p");
  EXPECT_EQ(rowFrom("invoke_agent p", {{"gen_ai.agent.name", R"("r")"}}).agent_name, "r");
  EXPECT_EQ(rowFrom("invoke_agent", {}).agent_name, "");
}

TEST(SpanToRow, WritesProvidersInLowerCase) {
  EXPECT_EQ(rowFrom("x", {{"gen_ai.provider.name", R"("OpenAI")"}}).provider_name, "openai");
  EXPECT_EQ(rowFrom("x", {{"gen_ai.system", R"("A")"}, {"svc.system", R"("B")"}}).provider_name,
            "b");
}

TEST(SpanToRow, AFailedSpanUsesTheLastException) {
  SpanForTest span("x");
  span.addEvent("exception", {{"exception.type", R"("First")"}, {"exception.message", R"("1")"}});
  span.addEvent("exception", {{"exception.message", R"("second")"}});
  span.addEvent("exception", {{"exception.message", R"("")"}});
  EXPECT_EQ(rowFrom(span).status_message, "");
  EXPECT_EQ(rowFrom(span).error_type, "");
  span.span.status = otlp::StatusCode::kError;
  EXPECT_EQ(rowFrom(span).status_message, "second");
  EXPECT_EQ(rowFrom(span).error_type, "");
  span.add("error.type", R"("Mine")");
  span.span.status_message = "own";
  EXPECT_EQ(rowFrom(span).status_message, "own");
  EXPECT_EQ(rowFrom(span).error_type, "Mine");
}

TEST(SpanToRow, NormalizesMessagesOfEveryShape) {
  struct Case {
    std::string_view raw;
    std::string_view messages;
  };
  for (const Case& each : {
           Case{R"("hi")", "user:hi|"},
           Case{R"({"role":"system","content":"s"})", "system:s|"},
           Case{R"([{"content":"no role"}])", "user:no role|"},
           Case{R"(["a",{"role":"assistant","content":"b","finish_reason":"stop"},5])",
                "user:a|assistant:b(stop)|"},
           Case{R"([{"role":"user","parts":[{"type":"text","content":"é"}]}])",
                R"(user:[{"type": "text", "content": "\u00e9"}]|)"},
           Case{R"([{"role":"user","content":[{"type":"image_url"}]}])",
                R"(user:[{"type": "image_url"}]|)"},
           Case{R"([{"role":"assistant","content":null,"tool_calls":[1]}])", "assistant:|"},
           Case{R"([{"role":"user","content":{"a":1},"finish_reason":7}])", "user:|"},
       }) {
    const AgentSpan row = rowFrom("chat", {{"gen_ai.input.messages", each.raw}});
    EXPECT_EQ(shown(row.input_messages), each.messages) << each.raw;
  }
  EXPECT_EQ(shown(rowFrom("x", {{"gen_ai.output.messages", R"("hi")"}}).output_messages),
            "assistant:hi|");
  // A map without a role is not a message, and attributes of other frameworks do not apply to an
  // intermediate step.
  EXPECT_EQ(
      shown(rowFrom("execute_tool", {{"gen_ai.prompt", R"({"content":"x"})"}}).input_messages), "");
}

TEST(SpanToRow, ReadsMessagesFromTheirKeysInOrder) {
  const Attributes inputs = {{"gen_ai.prompt", R"("4")"},
                             {"svc.prompt", R"("3")"},
                             {"gen_ai.input.messages", R"("2")"},
                             {"svc.input.messages", R"("1")"}};
  for (std::size_t count = 1; count <= inputs.size(); ++count) {
    const Attributes some(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(count));
    EXPECT_EQ(rowFrom("chat", some).input_messages.at(0).content, std::to_string(5 - count));
  }
  SpanForTest span("chat");
  span.addEvent("gen_ai.content.completion", {{"gen_ai.completion", R"("event")"}});
  EXPECT_EQ(shown(rowFrom(span).output_messages), "assistant:event|");
  span.add("gen_ai.completion", R"("old")");
  EXPECT_EQ(shown(rowFrom(span).output_messages), "assistant:old|");
  span.add("gen_ai.output.messages", R"("new")");
  EXPECT_EQ(shown(rowFrom(span).output_messages), "assistant:new|");
}

TEST(SpanToRow, ReadsIndexedPromptsAndCompletions) {
  const AgentSpan row =
      rowFrom("openai.chat", {{"gen_ai.prompt.0.role", R"("system")"},
                              {"gen_ai.prompt.0.content", R"("be brief")"},
                              {"gen_ai.prompt.1.content", R"("hi")"},
                              {"gen_ai.completion.0.content", R"("hello")"},
                              {"gen_ai.completion.0.finish_reason", R"("stop")"}});
  EXPECT_EQ(shown(row.input_messages), "system:be brief|user:hi|");
  EXPECT_EQ(shown(row.output_messages), "assistant:hello(stop)|");
}

TEST(SpanToRow, ReadsInstructionsOfEveryShape) {
  const auto read = [](std::string_view raw) {
    return rowFrom("chat", {{"gen_ai.system_instructions", raw}}).system_instructions;
  };
  EXPECT_EQ(read(R"("plain")"), std::vector<std::string>{"plain"});
  EXPECT_EQ(read(R"([{"type":"text","content":"a"},{"text":"b"},"c"])"),
            (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(read(R"({"content":"lone"})").empty());
}

TEST(SpanToRow, JoinsReasoningPartsOfTheOutputOnly) {
  const AgentSpan row =
      rowFrom("chat", {{"gen_ai.output.messages",
                        R"([{"role":"assistant","parts":[{"type":"reasoning","content":"one"},)"
                        R"({"type":"text","content":"t"},{"type":"reasoning","content":"two"}]}])"},
                       {"svc.reasoning_content", R"("never copied")"},
                       {"gen_ai.input.messages",
                        R"([{"role":"user","parts":[{"type":"reasoning","content":"x"}]}])"}});
  EXPECT_EQ(row.reasoning_content, "one\ntwo");
  EXPECT_TRUE(row.custom.strings.empty());
}

TEST(SpanToRow, WritesJsonColumnsAsPythonDoes) {
  SpanForTest span("execute_tool f", {{"gen_ai.tool.definitions", R"([{"name":"forecast"}])"}});
  span.addEvent("gen_ai.tool.input", {{"gen_ai.tool.call.arguments", R"({"c":4})"}});
  span.addEvent("gen_ai.tool.output", {{"gen_ai.tool.call.result", R"("plain")"}});
  AgentSpan row = rowFrom(span);
  EXPECT_EQ(row.tool_definitions, R"([{"name": "forecast"}])");
  EXPECT_EQ(row.tool_call_arguments, R"({"c": 4})");
  EXPECT_EQ(row.tool_call_result, "plain");
  span.add("gen_ai.tool.call.arguments", R"("{\"city\":\"Oslo\"}")");
  row = rowFrom(span);
  EXPECT_EQ(row.tool_call_arguments, R"({"city": "Oslo"})");
}

TEST(SpanToRow, RejectsAnUnknownOutputType) {
  for (const std::string_view good :
       {R"("")", R"("text")", R"("json")", R"("image")", R"("speech")"})
    EXPECT_TRUE(rowOf(SpanForTest("x", {{"gen_ai.output.type", good}}).tree()));
  SpanForTest bad("x", {{"gen_ai.output.type", R"("video")"}});
  const Result<AgentSpan> row = rowOf(bad.tree());
  ASSERT_FALSE(row);
  EXPECT_EQ(row.error().message(), "ValidationError");
}

TEST(CustomAttributes, AreAttributesWithoutAColumnByTypeAndDottedKey) {
  const AgentSpan row = rowFrom("chat", {{"a.b", "true"},
                                         {"a.c", "5"},
                                         {"a.d", "1.5"},
                                         {"a.e", R"("t")"},
                                         {"a.f", "[1,{\"x\":\"y\"}]"},
                                         {"a.g", "null"},
                                         {"a.h", R"("")"},
                                         {"gen_ai.request.model", R"("m")"},
                                         {"gen_ai.request.unknown", R"("kept")"},
                                         {"gen_ai.tool.call.arguments", R"("{\"city\":\"Oslo\"}")"},
                                         {"gen_ai.prompt", R"("kept too")"},
                                         {"gen_ai.completion", R"("not kept")"}});
  EXPECT_EQ(row.custom.booleans, (std::map<std::string, bool>{{"a.b", true}}));
  EXPECT_EQ(row.custom.integers, (std::map<std::string, std::int64_t>{{"a.c", 5}}));
  EXPECT_EQ(row.custom.reals, (std::map<std::string, double>{{"a.d", 1.5}}));
  EXPECT_EQ(row.custom.strings,
            (std::map<std::string, std::string>{{"a.e", "t"},
                                                {"a.f", R"([1, {"x": "y"}])"},
                                                {"gen_ai.prompt", "kept too"},
                                                {"gen_ai.request.unknown", "kept"},
                                                {"gen_ai.tool.call.arguments.city", "Oslo"}}));
}

TEST(CustomAttributes, OmitNonFiniteNumbers) {
  SpanForTest span("x");
  span.span.attributes.push_back({"nan", otlp::Value(std::numeric_limits<double>::quiet_NaN())});
  span.span.attributes.push_back({"inf", otlp::Value(std::numeric_limits<double>::infinity())});
  EXPECT_TRUE(rowFrom(span).custom.reals.empty());
}

TEST(CustomAttributes, AreLimitedInNumber) {
  SpanForTest span("x");
  for (std::size_t i = 0; i < kMaxCustomAttributes + 5; ++i) {
    span.span.attributes.push_back(
        {span.texts.keep("k" + std::to_string(i)), otlp::Value(std::int64_t{1})});
  }
  EXPECT_EQ(rowFrom(span).custom.integers.size(), kMaxCustomAttributes);
}

TEST(CustomAttributes, AreTruncated) {
  SpanForTest span("x");
  const std::string whole(kMaxCustomText, 'a');
  const std::string more(kMaxCustomText + 1, 'b');
  span.span.attributes = {{"whole", otlp::Value(std::string_view(whole))},
                          {"more", otlp::Value(std::string_view(more))}};
  const AgentSpan row = rowFrom(span);
  EXPECT_EQ(row.custom.strings.at("whole"), whole);
  const std::string& cut = row.custom.strings.at("more");
  EXPECT_EQ(cut.size(), kMaxCustomText);
  EXPECT_TRUE(cut.ends_with("b...[truncated from 262145 chars]"));
}

}  // namespace
}  // namespace spindle::agents
