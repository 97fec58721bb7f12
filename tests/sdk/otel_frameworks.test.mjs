// Real agent frameworks with their standard instrumentation and a scripted model: each trace is a chat with the user
// message, the model's reasoning, the tool and the answer.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { OpenAIAgentsInstrumentation } from "@arizeai/openinference-instrumentation-openai-agents";
import { OpenAIInstrumentation } from "@arizeai/openinference-instrumentation-openai";
import { createOpenAI } from "@ai-sdk/openai";
import * as agents from "@openai/agents";
import { generateText, stepCountIs, tool as aiTool } from "ai";
import OpenAI from "openai";
import { z } from "zod";

import { startServer } from "../http/support/server.mjs";
import { expectConversation, forecast } from "./support/conversation.mjs";
import { Exported } from "./support/otel.mjs";
import { ANSWER, MODEL, QUESTION, startUpstream } from "./support/upstream.mjs";

let server;
let upstream;
before(async () => {
  server = await startServer();
  upstream = await startUpstream();
});
after(async () => {
  await upstream.close();
  await server.dispose();
});

describe("the OpenAI Agents SDK", () => {
  test("is shown as a chat", async () => {
    const exported = new Exported(server);
    const instrumentation = new OpenAIAgentsInstrumentation({ tracerProvider: exported.provider });
    instrumentation.manuallyInstrument(agents);
    agents.setDefaultOpenAIClient(new OpenAI({ apiKey: "none", baseURL: upstream.url }));
    agents.setTracingDisabled(false);
    const weather = new agents.Agent({
      name: "weatherman",
      instructions: "Be brief.",
      model: MODEL,
      tools: [agents.tool({ name: "forecast", description: "The weather.", parameters: z.object({ city: z.string() }), execute: forecast })],
    });
    const { finalOutput } = await agents.run(weather, QUESTION);
    assert.equal(finalOutput, ANSWER);
    instrumentation.uninstrument();
    await exported.end();
    const view = await exported.chat();
    expectConversation(view);
    assert.ok(view.messages.some((message) => message.agent_name === "weatherman"), JSON.stringify(view));
  });
});

describe("the Vercel AI SDK", () => {
  test("is shown as a chat", async () => {
    const exported = new Exported(server, { json: true });
    const provider = createOpenAI({ apiKey: "none", baseURL: upstream.url });
    const { text } = await generateText({
      model: provider(MODEL),
      system: "Be brief.",
      prompt: QUESTION,
      tools: { forecast: aiTool({ description: "The weather.", inputSchema: z.object({ city: z.string() }), execute: forecast }) },
      stopWhen: stepCountIs(3),
      experimental_telemetry: { isEnabled: true, functionId: "weatherman" },
    });
    assert.equal(text, ANSWER);
    await exported.end();
    const view = await exported.chat();
    expectConversation(view);
    assert.equal(view.messages.find((message) => message.type === "agent_start").agent_start.system_instructions, "Be brief.");
  });
});

describe("OpenInference with the OpenAI client", () => {
  test("is shown as a chat", async () => {
    const exported = new Exported(server);
    const instrumentation = new OpenAIInstrumentation({ tracerProvider: exported.provider });
    instrumentation.manuallyInstrument(OpenAI);
    const client = new OpenAI({ apiKey: "none", baseURL: upstream.url });
    const attributes = { "openinference.span.kind": "CHAIN" };
    await exported.tracer.startActiveSpan("weather", { attributes }, async (root) => {
      const messages = [{ role: "user", content: QUESTION }];
      const first = await client.chat.completions.create({ model: MODEL, messages });
      const [wanted] = first.choices[0].message.tool_calls;
      const kind = { "openinference.span.kind": "TOOL", "tool.name": wanted.function.name, "tool.parameters": wanted.function.arguments };
      await exported.tracer.startActiveSpan("forecast", { attributes: kind }, async (span) => {
        const result = forecast(JSON.parse(wanted.function.arguments));
        span.setAttribute("output.value", result);
        span.end();
        messages.push(first.choices[0].message, { role: "tool", tool_call_id: wanted.id, content: result });
      });
      const second = await client.chat.completions.create({ model: MODEL, messages });
      assert.equal(second.choices[0].message.content, ANSWER);
      root.end();
    });
    await exported.end();
    expectConversation(await exported.chat());
  });
});
