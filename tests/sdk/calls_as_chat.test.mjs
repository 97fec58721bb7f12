// Model clients traced by the real Node SDK, which sends calls instead of spans: the trace is still shown as a
// chat.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import OpenAI from "openai";

import { startServer } from "../http/support/server.mjs";
import { expectConversation, forecast } from "./support/conversation.mjs";
import { opName, trace, weave } from "./support/sdk.mjs";
import { ANSWER, MODEL, QUESTION, THOUGHT, startUpstream } from "./support/upstream.mjs";

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

const wrapped = () => weave.wrapOpenAI(new OpenAI({ apiKey: "none", baseURL: upstream.url }));
const tracedForecast = () => weave.op(forecast, { name: "forecast", parameterNames: "useParam0Object" });
const instructions = "Be brief.";

/** Returns the only trace of the project as a chat. */
async function chatOf(traced) {
  const traces = new Set((await traced.calls()).map((call) => call.trace_id));
  assert.equal(traces.size, 1);
  return (await traced.post("/agents/traces/chat", { trace_id: [...traces][0] })).json;
}

/** Sends a prompt, runs `tool` and sends its result, through the chat API. */
async function talk(client, tool) {
  const messages = [{ role: "system", content: instructions }, { role: "user", content: QUESTION }];
  const tools = [{ type: "function", function: { name: "forecast", parameters: { type: "object" } } }];
  const first = await client.chat.completions.create({ model: MODEL, messages, tools });
  const [wanted] = first.choices[0].message.tool_calls;
  const result = await tool(JSON.parse(wanted.function.arguments));
  messages.push(first.choices[0].message, { role: "tool", tool_call_id: wanted.id, content: result });
  const second = await client.chat.completions.create({ model: MODEL, messages, tools });
  return second.choices[0].message.content;
}

const cardOf = (view) => view.messages.find((message) => message.type === "agent_start");

describe("the SDK's wrapped OpenAI client", () => {
  test("records chat completions and a traced tool as a chat", async () => {
    const traced = await trace(server);
    const agent = weave.op((question) => talk(wrapped(), tracedForecast(), question), { name: "weatherman" });
    assert.equal(await agent(QUESTION), ANSWER);
    const view = await chatOf(traced);
    expectConversation(view);
    assert.equal(view.root_span_name, "weatherman");
    assert.equal(cardOf(view).agent_start.system_instructions, instructions);
    assert.equal(view.total_input_tokens, 100);
    assert.equal(view.total_output_tokens, 24);
    assert.ok((await traced.calls()).some((call) => opName(call).startsWith("openai.")));
  });

  test("records an untraced tool with the result that the model received", async () => {
    const traced = await trace(server);
    const agent = weave.op(() => talk(wrapped(), forecast), { name: "weatherman" });
    assert.equal(await agent(), ANSWER);
    expectConversation(await chatOf(traced));
  });

  test("records the Responses API as a chat", async () => {
    const traced = await trace(server);
    const client = wrapped();
    const agent = weave.op(
      async () => {
        const input = [{ role: "user", content: QUESTION }];
        const first = await client.responses.create({ model: MODEL, instructions, input });
        const wanted = first.output.find((item) => item.type === "function_call");
        const output = await tracedForecast()(JSON.parse(wanted.arguments));
        input.push(...first.output, { type: "function_call_output", call_id: wanted.call_id, output });
        const second = await client.responses.create({ model: MODEL, instructions, input });
        return second.output[0].content[0].text;
      },
      { name: "weatherman" },
    );
    assert.equal(await agent(), ANSWER);
    const view = await chatOf(traced);
    expectConversation(view);
    assert.equal(cardOf(view).agent_start.system_instructions, instructions);
  });
});

describe("the format of Anthropic messages", () => {
  const usage = { input_tokens: 50, output_tokens: 12 };
  const reply = (content, stop_reason) => ({ id: "msg_1", type: "message", role: "assistant", model: MODEL, content, stop_reason, usage });

  /** Returns the response of the service behind that client. */
  function answerTo({ messages }) {
    const answered = messages.some(({ content }) => Array.isArray(content) && content.some((part) => part.type === "tool_result"));
    if (answered) return reply([{ type: "text", text: ANSWER }], "end_turn");
    return reply(
      [
        { type: "thinking", thinking: THOUGHT, signature: "s" },
        { type: "tool_use", id: "c1", name: "forecast", input: { city: "Oslo" } },
      ],
      "tool_use",
    );
  }

  test("is shown as a chat", async () => {
    const traced = await trace(server);
    const create = weave.op(async (request) => answerTo(request), {
      name: "anthropic.messages.create",
      parameterNames: "useParam0Object",
    });
    const agent = weave.op(
      async () => {
        const messages = [{ role: "user", content: QUESTION }];
        const request = () => ({ model: MODEL, max_tokens: 100, system: instructions, messages: [...messages] });
        const first = await create(request());
        const wanted = first.content.find((part) => part.type === "tool_use");
        const content = await tracedForecast()(wanted.input);
        messages.push({ role: "assistant", content: first.content });
        messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: wanted.id, content }] });
        return (await create(request())).content[0].text;
      },
      { name: "weatherman" },
    );
    assert.equal(await agent(), ANSWER);
    const view = await chatOf(traced);
    expectConversation(view);
    assert.equal(cardOf(view).agent_start.system_instructions, instructions);
    assert.equal(view.total_input_tokens, 100);
  });
});
