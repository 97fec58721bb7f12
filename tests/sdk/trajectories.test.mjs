// Export of traces of the real Node SDK as training data.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import OpenAI from "openai";

import { Project } from "../http/support/calls.mjs";
import { freshName } from "../http/support/people.mjs";
import { startServer } from "../http/support/server.mjs";
import { exportedBy } from "../http/support/training.mjs";
import { trace, weave } from "./support/sdk.mjs";
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

test("ops are found by name, and model requests in their arguments", async () => {
  const traced = await trace(server);
  const ask = weave.op(async function ask(question) { return `${question}!`; });
  const reply = weave.op(async function reply({ messages }) { return { role: "assistant", content: messages[0].content }; });
  const client = weave.wrapOpenAI(new OpenAI({ apiKey: "none", baseURL: upstream.url }));
  await ask("Who?");
  await reply({ messages: [{ role: "user", content: "Hello" }] });
  const result = { role: "tool", tool_call_id: "1", content: "4 C" };
  const called = { role: "assistant", content: null, tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: "{}" } }] };
  await client.chat.completions.create({ model: MODEL, messages: [{ role: "user", content: QUESTION }, called, result] });
  await traced.calls();
  const exported = new Project(server, traced.project);
  const messages = async (op) => {
    const { lines } = await exportedBy(exported, { filter: { op_names: [op] } });
    return lines.map((line) => line.messages.map(({ role, content }) => `${role}: ${content}`));
  };
  assert.deepEqual(await messages("ask"), [["user: Who?", "assistant: Who?!"]]);
  assert.deepEqual(await messages("reply"), [["user: Hello", "assistant: Hello"]]);
  const [asked, , , answered] = (await messages("openai.chat.completions.create"))[0];
  assert.deepEqual([asked, answered], [`user: ${QUESTION}`, `assistant: ${ANSWER}`]);
  const { code, stdout, stderr } = await server.cli("trajectories", "export", traced.project, freshName("data"), "--op", "ask");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /calls: 1, trajectories: 1, lines: 1/);
});
