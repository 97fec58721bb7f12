// The standard OpenTelemetry exporters in both encodings, with manually created spans.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { SpanKind, SpanStatusCode, context, trace } from "@opentelemetry/api";

import { startServer } from "../http/support/server.mjs";
import { Exported } from "./support/otel.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const text = (content) => [{ type: "text", content }];

/** Creates the spans of an agent that requests a model once and fails in a tool. */
function act(exported) {
  const { tracer } = exported;
  const at = (second) => [1_714_521_600 + second, 0];
  const agent = tracer.startSpan("invoke_agent planner", { startTime: at(0), attributes: { "gen_ai.operation.name": "invoke_agent" } });
  const inside = trace.setSpan(context.active(), agent);
  const chat = tracer.startSpan("chat m", {
    kind: SpanKind.CLIENT,
    startTime: at(1),
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "m",
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.usage.input_tokens": 3,
      "gen_ai.input.messages": JSON.stringify([{ role: "user", parts: text("Hi") }]),
      "gen_ai.output.messages": JSON.stringify([{ role: "assistant", parts: text("Hello") }]),
    },
  }, inside);
  chat.end(at(2));
  const tool = tracer.startSpan("execute_tool f", { startTime: at(3), attributes: { "gen_ai.operation.name": "execute_tool" } }, inside);
  tool.recordException(new Error("broken"));
  tool.setStatus({ code: SpanStatusCode.ERROR });
  tool.end(at(4));
  agent.end(at(5));
}

for (const json of [false, true]) {
  for (const routed of ["header", "resource"]) {
    describe(`the ${json ? "JSON" : "Protocol Buffers"} exporter, project by ${routed}`, () => {
      test("gives a trace as a chat and as calls", async () => {
        const exported = new Exported(server, { json, routed });
        act(exported);
        await exported.end();
        const { messages, agent_name: agent, total_input_tokens: tokens } = await exported.chat();
        assert.equal(agent, "planner");
        assert.equal(tokens, 3);
        assert.deepEqual(messages.map((message) => message.type), ["user_message", "agent_start", "assistant_message", "tool_call"]);
        assert.equal(messages[2].assistant_message.text, "Hello");
        assert.equal(messages[3].status_code, "ERROR");
        const calls = await exported.calls();
        assert.equal(calls.length, 3);
        const chat = calls.find((call) => call.op_name.includes("/op/chat_m:"));
        assert.equal(chat.attributes.otel_span.kind, "CLIENT");
        assert.equal(chat.attributes.otel_span.resource.attributes.service.name, "otel-test");
        assert.equal(chat.summary.usage.m.input_tokens, 3);
      });
    });
  }
}

describe("the paths of the two views", () => {
  test("accept the base endpoint of an exporter, which appends /v1/traces", async () => {
    for (const [path, calls] of [["/otel/v1/traces", 3], ["/agents/otel/v1/traces", 0]]) {
      const exported = new Exported(server, { path });
      act(exported);
      await exported.end();
      assert.equal((await exported.calls()).length, calls);
      assert.ok((await exported.chat()).messages.length > 0);
    }
  });
});
