#include "agents/ingest/span_to_call.h"

#include "agents/ingest/op_placeholders.h"
#include "agents/ingest/otlp_for_test.h"
#include "agents/store/conventions.h"
#include "json/document.h"
#include "tracing/ingest/payload_for_test.h"

namespace spindle::agents {
namespace {

class SpanToCall : public testing::Test {
 protected:
  tracing::CallComplete callFrom(SpanForTest& span, std::optional<std::string_view> run = {}) {
    const tracing::PayloadPorts ports{projects_, media_};
    const CallContext context{R"({"name":"dump"})", resource_, run};
    Result<tracing::CallPart> part =
        callOf(span.tree(), context, {"acme/lab", "user", {}, Timestamp(), ports});
    EXPECT_TRUE(part) << part.error().message();
    if (!part) return {};
    const auto* whole = std::get_if<tracing::CallComplete>(&*part);
    EXPECT_NE(whole, nullptr);
    return whole == nullptr ? tracing::CallComplete{} : *whole;
  }
  tracing::CallComplete callFrom(const Attributes& attributes) {
    SpanForTest span("chat m", attributes);
    return callFrom(span);
  }
  /// Returns a member of the attributes as JSON text, or an empty string.
  std::string attribute(const Attributes& attributes, std::string_view member) {
    const auto parsed = json::Document::parse(callFrom(attributes).start.attributes);
    const auto& document = std::get<json::Document>(parsed);
    const std::optional<json::Node> found = document.root().find(member);
    return found ? std::string(found->raw()) : "";
  }
  std::string usage(const Attributes& attributes, std::string_view model, std::string_view member) {
    const auto parsed = json::Document::parse(callFrom(attributes).end.summary);
    const json::Node usages = *std::get<json::Document>(parsed).root().find("usage");
    const std::optional<json::Node> of_model = usages.find(model);
    if (!of_model) return "no " + std::string(model);
    return std::string(of_model->find(member)->raw());
  }

  tracing::ProjectsForTest projects_;
  tracing::MediaForTest media_;
  tracing::OtelResourcePtr resource_;
};

TEST_F(SpanToCall, CarriesIdsTimesAndTheDump) {
  SpanForTest span("chat m");
  span.span.parent_span_id = "parent!!";
  const tracing::CallComplete call = callFrom(span);
  EXPECT_EQ(call.start.id, "3031323334353637");
  EXPECT_EQ(call.start.trace_id, "30313233343536373839616263646566");
  EXPECT_EQ(call.start.parent_id, "706172656e742121");
  EXPECT_EQ(call.start.op_name, "chat m");
  EXPECT_EQ(call.start.otel_dump, R"({"name":"dump"})");
  EXPECT_EQ(formatTimestamp(call.start.started_at), "2023-11-14T22:13:20Z");
  EXPECT_EQ(formatTimestamp(call.end.ended_at), "2023-11-14T22:13:21.500000Z");
  EXPECT_EQ(call.start.inputs, "{}");
  EXPECT_EQ(call.end.output, std::nullopt);
  EXPECT_EQ(call.end.summary,
            R"({"svc":{"status":"success","latency_ms":1500,"trace_name":"chat m"},"usage":{}})");
}

TEST_F(SpanToCall, CountsTheResourceThatIsStoredByItself) {
  SpanForTest span("chat m");
  const std::int64_t without = callFrom(span).start.bytes;
  resource_ = tracing::makeOtelResource(R"({"attributes":{}})", 20, Timestamp());
  const tracing::CallComplete call = callFrom(span);
  EXPECT_EQ(call.start.otel_resource, resource_);
  EXPECT_EQ(call.start.bytes, without + 34);  // `, "resource": ` and the resource
}

TEST_F(SpanToCall, TheOpIsSetAfterwards) {
  SpanForTest span("chat m");
  tracing::CallPart part = callFrom(span);
  setOp(part, "svc-internal:///prj/op/chat_m:digest");
  EXPECT_EQ(std::get<tracing::CallComplete>(part).start.op_name,
            "svc-internal:///prj/op/chat_m:digest");
  tracing::CallPart open = std::get<tracing::CallComplete>(part).start;
  setOp(open, "svc-internal:///prj/op/other:digest");
  EXPECT_EQ(std::get<tracing::CallStart>(open).op_name, "svc-internal:///prj/op/other:digest");
}

TEST_F(SpanToCall, InputsAndOutputComeFromTheFirstTruthyKey) {
  const Keys inputs = {"ai.prompt",
                       "gen_ai.prompt",
                       "input.value",
                       "mlflow.spanInputs",
                       "gen_ai.input.messages",
                       "pydantic_ai.all_messages",
                       "traceloop.entity.input",
                       "gcp.vertex.agent.tool_call_args",
                       "gcp.vertex.agent.llm_request"};
  Attributes so_far;
  for (auto at = inputs.rbegin(); at != inputs.rend(); ++at) {
    so_far.emplace_back(*at, R"("x")");
    EXPECT_EQ(callFrom(so_far).start.inputs, "{\"" + std::string(*at) + "\":\"x\"}");
  }
  const Keys outputs = {"gen_ai.completion",
                        "output.value",
                        "gen_ai.output.messages",
                        "mlflow.spanOutputs",
                        "final_result",
                        "gen_ai.content.completion",
                        "traceloop.entity.output",
                        "gcp.vertex.agent.tool_response",
                        "gcp.vertex.agent.llm_response"};
  so_far.clear();
  for (auto at = outputs.rbegin(); at != outputs.rend(); ++at) {
    so_far.emplace_back(*at, R"("x")");
    EXPECT_EQ(callFrom(so_far).end.output, "{\"" + std::string(*at) + "\":\"x\"}");
  }
  EXPECT_EQ(callFrom({{"ai.response.text", R"("t")"}}).end.output,
            R"({"ai.response":{"text":"t"}})");
  EXPECT_EQ(callFrom({{"ai.prompt", R"("")"}, {"input.value", R"("y")"}}).start.inputs,
            R"({"input.value":"y"})");
}

TEST_F(SpanToCall, PlainInputsAndOutputsAreNotWrapped) {
  EXPECT_EQ(callFrom({{"input", R"("{\"q\":1}")"}}).start.inputs, R"({"q":1})");
  EXPECT_EQ(callFrom({{"inputs.q", "1"}}).start.inputs, R"({"q":1})");
  EXPECT_EQ(callFrom({{"input", R"("text")"}}).start.inputs, R"({"input":"text"})");
  EXPECT_EQ(callFrom({{"output", R"("text")"}}).end.output, R"("text")");
  EXPECT_EQ(callFrom({{"outputs", "[1]"}}).end.output, "[1]");
}

TEST_F(SpanToCall, MakesListsOfIndexedMessages) {
  EXPECT_EQ(
      callFrom({{"gen_ai.prompt.0.role", R"("user")"}, {"gen_ai.prompt.0.content", R"("hi")"}})
          .start.inputs,
      R"({"gen_ai.prompt":[{"role":"user","content":"hi"}]})");
}

TEST_F(SpanToCall, ReadsAttributesInOrderOfTheirKeys) {
  struct Case {
    std::string_view member;
    Keys keys;
  };
  for (const Case& each : {
           Case{"system", {"gen_ai.system_instructions", "gen_ai.system", "llm.system"}},
           Case{"kind", {"svc.span.kind", "traceloop.span.kind", "openinference.span.kind"}},
           Case{"model",
                {"gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "ai.model.id"}},
           Case{"provider", {"gen_ai.provider.name", "llm.provider", "ai.model.provider"}},
           Case{"operation_name", {"gen_ai.operation.name"}},
           Case{"response_id", {"gen_ai.response.id"}},
           Case{"agent_name", {"gen_ai.agent.name"}},
           Case{"agent_id", {"gen_ai.agent.id"}},
       }) {
    Attributes so_far;
    std::vector<std::string> values;
    values.reserve(each.keys.size());
    for (auto at = each.keys.rbegin(); at != each.keys.rend(); ++at) {
      values.push_back("\"" + std::string(*at) + "\"");
      so_far.emplace_back(*at, values.back());
      EXPECT_EQ(attribute(so_far, each.member), values.back());
    }
  }
  EXPECT_EQ(attribute({{"gen_ai.response.finish_reasons", R"(["stop"])"}}, "finish_reasons"),
            R"(["stop"])");
  EXPECT_EQ(attribute({{"gen_ai.request.model", R"("m")"}, {"gen_ai.request.top_p", "1"}},
                      "model_parameters"),
            R"({"model":"m","top_p":1})");
  EXPECT_EQ(attribute({{"llm.invocation_parameters", R"("{\"n\":2}")"}}, "model_parameters"),
            R"({"n":2})");
}

TEST_F(SpanToCall, DisplayNameIsShortened) {
  EXPECT_EQ(callFrom(Attributes{}).start.display_name, std::nullopt);
  EXPECT_EQ(callFrom({{"svcp.display_name", R"("shown")"}}).start.display_name, "shown");
  const std::string fits(1023, 'x');
  EXPECT_EQ(callFrom({{"svcp.display_name", '"' + fits + '"'}}).start.display_name, fits);
  const auto cut = callFrom({{"svcp.display_name", '"' + fits + R"(y")"}}).start.display_name;
  ASSERT_TRUE(cut);
  EXPECT_LE(cut->size(), 1024U);
  EXPECT_EQ((*cut)[cut->size() - 5], ':');
}

TEST_F(SpanToCall, UserTagsAreAtTheRootOfAttributes) {
  EXPECT_EQ(callFrom({{"svcp.attributes", R"("{\"team\":\"x\"}")"}, {"gen_ai.system", R"("s")"}})
                .start.attributes,
            R"({"system":"s","team":"x"})");
}

TEST_F(SpanToCall, UnknownAttributesKeepTheWholeTree) {
  EXPECT_EQ(callFrom({{"a.b", "1"}, {"c", R"("d")"}}).start.attributes, R"({"a":{"b":1},"c":"d"})");
  EXPECT_EQ(callFrom({{"a.b", "1"}, {"input", R"("x")"}}).start.attributes, "{}");
}

TEST_F(SpanToCall, CountsUsageByModel) {
  const Attributes both = {{"gen_ai.response.model", R"("m2")"},
                           {"gen_ai.request.model", R"("m1")"},
                           {"gen_ai.usage.input_tokens", "10"},
                           {"gen_ai.usage.output_tokens", "5"},
                           {"gen_ai.usage.cache_creation.input_tokens", "1"},
                           {"gen_ai.usage.cache_read.input_tokens", "0"},
                           {"gen_ai.usage.prompt_tokens_details.cached_tokens", "9"}};
  EXPECT_EQ(usage(both, "m2", "input_tokens"), "10");
  EXPECT_EQ(usage(both, "m2", "output_tokens"), "5");
  EXPECT_EQ(usage(both, "m2", "total_tokens"), "15");
  EXPECT_EQ(usage(both, "m2", "prompt_tokens"), "null");
  EXPECT_EQ(usage(both, "m2", "requests"), "null");
  EXPECT_EQ(usage(both, "m2", "cache_creation_input_tokens"), "1");
  EXPECT_EQ(usage(both, "m2", "cache_read_input_tokens"), "0");
  EXPECT_EQ(usage({{"llm.token_count.prompt", "3"}, {"ai.usage.completionTokens", "4"}}, "usage",
                  "total_tokens"),
            "7");
  EXPECT_EQ(usage({{"gen_ai.usage.prompt_tokens", "3"}, {"llm.usage.total_tokens", "8"}}, "usage",
                  "total_tokens"),
            "8");
  EXPECT_EQ(usage({{"gen_ai.usage.input_tokens", "0"},
                   {"llm.invocation_parameters", R"("{\"model\":\"p\"}")"}},
                  "p", "input_tokens"),
            "0");
}

TEST_F(SpanToCall, SetsThreadsAndTurns) {
  struct Case {
    Attributes attributes;
    std::string_view thread;
    bool turn;
  };
  for (const Case& each : {
           Case{{{"gen_ai.conversation.id", R"("c")"}, {"svcp.thread_id", R"("t")"}}, "c", true},
           Case{{{"gcp.vertex.agent.session_id", R"("s")"}}, "s", true},
           Case{{{"svcp.thread_id", R"("t")"}}, "t", false},
           Case{{{"svcp.thread_id", R"("t")"}, {"svcp.is_turn", "true"}}, "t", true},
           Case{{{"gen_ai.conversation.id", R"("c")"}, {"svcp.is_turn", "false"}}, "c", false},
           Case{{{"svcp.is_turn", "true"}}, "", false},
       }) {
    const tracing::CallComplete call = callFrom(each.attributes);
    EXPECT_EQ(call.start.thread_id.value_or(""), each.thread);
    EXPECT_EQ(call.start.turn_id.has_value(), each.turn);
    EXPECT_EQ(call.start.turn_id.value_or(call.start.id), call.start.id);
  }
}

TEST_F(SpanToCall, SetsRunsOfItsProject) {
  SpanForTest span(
      "x",
      {{"svcp.svc_run_id", R"("r1")"}, {"svcp.svc_run_step", "3"}, {"svcp.svc_run_step_end", "4"}});
  EXPECT_EQ(callFrom(span).start.run_id, "acme/lab/r1");
  EXPECT_EQ(callFrom(span).start.run_step, 3);
  EXPECT_EQ(callFrom(span).end.run_step_end, 4);
  EXPECT_EQ(callFrom(span, "acme/lab/routed").start.run_id, "acme/lab/routed");
  EXPECT_EQ(callFrom({{"svcp.svc_run_id", R"("other/project/r1")"}}).start.run_id, std::nullopt);
}

TEST_F(SpanToCall, UsesTheTimesOfLangfuse) {
  EXPECT_EQ(formatTimestamp(
                callFrom({{"langfuse.startTime", R"("2024-01-02T03:04:05Z")"}}).start.started_at),
            "2024-01-02T03:04:05Z");
  EXPECT_EQ(
      formatTimestamp(callFrom({{"langfuse.startTime", "1700000000250000000"}}).start.started_at),
      "2023-11-14T22:13:20.250000Z");
  EXPECT_EQ(formatTimestamp(callFrom({{"langfuse.endTime", "1700000009.5"}}).end.ended_at),
            "2023-11-14T22:13:29.500000Z");
}

TEST_F(SpanToCall, HasTheExceptionOfAFailedSpan) {
  SpanForTest span("x");
  span.span.status_message = "boom";
  EXPECT_EQ(callFrom(span).end.exception, std::nullopt);
  span.span.status = otlp::StatusCode::kError;
  EXPECT_EQ(callFrom(span).end.exception, "boom");
  EXPECT_NE(callFrom(span).end.summary.find(R"("status":"error")"), std::string::npos);
}

TEST_F(SpanToCall, IsOnlyAStartWhileTheSpanIsOpen) {
  SpanForTest span("x");
  span.span.end_time_unix_nano = 0;
  const tracing::PayloadPorts ports{projects_, media_};
  const Result<tracing::CallPart> part =
      callOf(span.tree(), {"{}"}, {"acme/lab", "user", {}, Timestamp(), ports});
  ASSERT_TRUE(part);
  EXPECT_TRUE(std::holds_alternative<tracing::CallStart>(*part));
}

TEST_F(SpanToCall, RejectsIdsOfOtherLengths) {
  SpanForTest span("x");
  span.span.span_id = "0123";
  const tracing::PayloadPorts ports{projects_, media_};
  EXPECT_FALSE(callOf(span.tree(), {"{}"}, {"acme/lab", "user", {}, Timestamp(), ports}));
}

TEST(ShortenedName, CutsAtADelimiterAndAppendsAHash) {
  EXPECT_EQ(shortenedName("short", 128), "short");
  EXPECT_EQ(shortenedName(std::string(127, 'a'), 128), std::string(127, 'a'));
  const std::string cut = shortenedName(std::string(128, 'a'), 128);
  EXPECT_EQ(cut.size(), 128U);
  EXPECT_EQ(cut.substr(0, 124), std::string(123, 'a') + ":");
  const std::string words = std::string(60, 'a') + "/" + std::string(60, 'b') + "?" + "rest of it";
  const std::string between = shortenedName(words, 128);
  EXPECT_EQ(between.substr(0, between.size() - 5),
            std::string(60, 'a') + "/" + std::string(60, 'b'));
}

TEST(OpPlaceholders, ArePublishedOncePerProjectAndId) {
  int published = 0;
  OpPlaceholders ops([&published](std::string_view, std::string_view id, std::string_view) {
    ++published;
    return Result<std::string>("digest-of-" + std::string(id));
  });
  const Result<std::string> ref = ops.refFor("p1", "Chat GPT/4", "u");
  ASSERT_TRUE(ref);
  EXPECT_EQ(*ref, "svc-trace-internal:///p1/op/chat_gpt_4:digest-of-chat_gpt_4");
  EXPECT_EQ(*ops.refFor("p1", "chat gpt/4", "u"), *ref);
  EXPECT_EQ(published, 1);
  EXPECT_TRUE(ops.refFor("p2", "chat gpt/4", "u"));
  EXPECT_EQ(published, 2);
  EXPECT_EQ(*ops.refFor("p1", "\xE6\x97\xA5", "u"), "svc-trace-internal:///p1/op/op:digest-of-op");
}

}  // namespace
}  // namespace spindle::agents
