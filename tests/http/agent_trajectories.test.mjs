// Export of agent traces as training data: as conversations, selected by queries, with rewards from feedback.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { AgentProject, spanId } from "./support/agent_spans.mjs";
import { exportedBy } from "./support/training.mjs";
import { PATHS, newTraceId, request, send, span } from "./support/otlp.mjs";
import { freshName } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const text = (content) => ({ type: "text", content });
const told = { type: "tool_call_response", id: "c1", response: "empty" };
const TOOLS = [{ type: "function", name: "look", description: "Look there.", parameters: { type: "object" } }];

/** Returns the spans of an agent that calls a tool and answers, as instrumented clients send them. */
function trace(question, answer, { attributes = {}, conversation, place = "home" } = {}) {
  const called = { type: "tool_call", id: "c1", name: "look", arguments: { at: place } };
  const chat = (id, t, input, output) => ({
    id, parent: "root", name: "chat m", t,
    attrs: {
      OP: "chat",
      "gen_ai.request.model": "m",
      "gen_ai.system_instructions": [text("Be brief.")],
      "gen_ai.input.messages": input,
      "gen_ai.output.messages": [{ role: "assistant", parts: output, finish_reason: "stop" }],
    },
  });
  const asked = { role: "user", parts: [text(question)] };
  return [
    {
      id: "root", name: "invoke_agent finder", t: [0, 9],
      attrs: {
        OP: "invoke_agent", "gen_ai.agent.name": "finder", "gen_ai.tool.definitions": TOOLS,
        ...(conversation ? { "gen_ai.conversation.id": conversation } : {}), ...attributes,
      },
    },
    chat("m1", [1, 2], [asked], [called]),
    {
      id: "tool", parent: "root", name: "execute_tool look", t: [3, 4],
      attrs: { OP: "execute_tool", "gen_ai.tool.name": "look", "gen_ai.tool.call.result": "empty" },
    },
    chat("m2", [5, 6], [asked, { role: "assistant", parts: [called] }, { role: "tool", parts: [told] }], [text(answer)]),
  ];
}

/** The exported conversation of such a trace. */
const conversation = (question) => [
  { role: "system", content: "Be brief." },
  { role: "user", content: question },
  {
    role: "assistant", content: null,
    tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: '{"at":"home"}' } }],
  },
  { role: "tool", tool_call_id: "c1", content: "empty" },
];
const tools = [{ type: "function", function: { name: "look", description: "Look there.", parameters: { type: "object" } } }];
const assistant = (content) => ({ role: "assistant", content });

/** A project with agent traces. */
class Agents extends AgentProject {
  addScore(target, value, fields = {}) {
    return this.ok("/feedback/create", {
      project_id: this.id, svc_ref: `svc:///${this.id}/${target}`, feedback_type: "quality", payload: { value }, ...fields,
    });
  }

  exported(fields) {
    return exportedBy(this, { source: "agents", ...fields });
  }

  /** Returns the last answers of the exported trajectories. */
  async answers(fields) {
    return (await this.exported(fields)).lines.map(({ messages }) => messages.at(-1).content);
  }
}

describe("traces of agents", () => {
  test("are exported as conversations with their tools", async () => {
    const agents = new Agents(server);
    await agents.send(trace("Where?", "Gone."));
    const { lines, num_calls, num_trajectories, metadata } = await agents.exported();
    assert.deepEqual(lines, [{ messages: [...conversation("Where?"), assistant("Gone.")], tools }]);
    assert.deepEqual([num_calls, num_trajectories], [1, 1]);
    assert.equal(metadata.kind, "sft");
  });

  test("with the same prompt form a group, with the rewards of spans, traces and conversations", async () => {
    const agents = new Agents(server);
    const first = await agents.send(trace("Where?", "Gone."));
    const second = await agents.send(trace("Where?", "Here.", { conversation: "talk" }));
    const third = await agents.send(trace("When?", "Now."));
    await agents.send(trace("When?", "Never."));
    await agents.addScore(`agent_turn/${first}`, 0);
    await agents.addScore(`agent_turn/${first}`, 1);
    await agents.addScore("agent_conversation/talk", false);
    await agents.addScore(`agent_span/${spanId("m2")}`, 0.5);
    const reward = { feedback_type: "quality", path: "value" };
    const { lines, num_calls } = await agents.exported({ format: "rl", reward });
    assert.equal(num_calls, 4);
    const all = lines.flatMap(({ trajectories }) => trajectories);
    // Span ids repeat in these traces, so feedback on one span applies to all traces except the first.
    const rewardOf = new Map(all.map(({ reward, metadata }) => [metadata.trace_id, reward]));
    assert.equal(rewardOf.get(first), 1, "the newest of the trace itself");
    assert.equal(rewardOf.get(second), 0.5);
    assert.equal(rewardOf.get(third), 0.5);
    assert.deepEqual(lines.map(({ trajectories }) => trajectories.length).sort(), [2, 2]);
    const one = all.find(({ metadata }) => metadata.trace_id === second);
    assert.deepEqual(one, {
      messages_and_choices: [...conversation("Where?"), assistant("Here.")],
      tools,
      reward: 0.5,
      metadata: { trace_id: second, conversation_id: "talk" },
    });
  });

  test("with the same prompt form a group even if their tool calls differ", async () => {
    const agents = new Agents(server);
    for (const place of ["home", "home", "school", "work"]) await agents.send(trace("Where?", "Gone.", { place }));
    await agents.send(trace("When?", "Now."));
    const { lines } = await agents.exported({ format: "rl" });
    assert.deepEqual(lines.map(({ trajectories }) => trajectories.length).sort(), [1, 4]);
  });

  test("are selected by queries of spans, attributes and rewards", async () => {
    const agents = new Agents(server);
    await agents.send(trace("1", "one", { attributes: { score: 1, team: "a" } }));
    await agents.send(trace("2", "two", { attributes: { score: 0.25, team: "b" } }));
    const rated = await agents.send(trace("3", "three", { attributes: { team: "a" } }));
    const query = { $expr: { $eq: [{ $getField: "custom_attrs_string.team" }, { $literal: "a" }] } };
    const sorted = async (fields) => (await agents.answers(fields)).sort();
    assert.deepEqual(await sorted({}), ["one", "three", "two"]);
    assert.deepEqual(await sorted({ query }), ["one", "three"]);
    assert.deepEqual(await sorted({ reward: { path: "attributes.score" } }), ["one", "two"]);
    assert.deepEqual(await sorted({ reward: { path: "attributes.score" }, min_reward: 0.5 }), ["one"]);
    assert.equal((await agents.answers({ limit: 1 })).length, 1);
    await agents.addScore(`agent_turn/${rated}`, 0, {
      feedback_type: "svc.agent_user_feedback", payload: {}, scorer_tags: ["good"], scorer_ratings: { quality: 0.75 },
    });
    for (const path of ["scorer_tags.good", "scorer_ratings.quality"]) {
      const reward = { feedback_type: "svc.agent_user_feedback", path };
      assert.deepEqual(await sorted({ reward, min_reward: 0.5 }), ["three"], path);
    }
  });

  test("can be exported by the command", async () => {
    const agents = new Agents(server);
    await agents.send(trace("Where?", "Gone.", { attributes: { score: 1 } }));
    const name = freshName("data");
    const { code, stdout, stderr } = await server.cli(
      "trajectories", "export", agents.id, name, "--source", "agents", "--reward", "attributes.score", "--min-reward", "1",
    );
    assert.equal(code, 0, stderr);
    assert.match(stdout, /traces: 1, trajectories: 1, lines: 1\n/);
    assert.match(stdout, new RegExp(`svc-artifact:///${agents.id}/${name}:v0`));
  });

  test("without training data are rejected, and so are options that apply to calls only", async () => {
    const agents = new Agents(server);
    const body = (fields) => ({ project: agents.id, name: "data", source: "agents", ...fields });
    const ask = async (fields) => agents.post("/api/v1/trajectories", body(fields));
    await agents.send([trace("Where?", "Gone.")[2]]);
    assert.match((await ask({})).text, /None of the 1 traces has an answer of a model/);
    await agents.send(trace("Where?", "Gone."));
    assert.match((await ask({ reward: { path: "attributes.score" } })).json.detail[0].msg,
      /Of 2 traces 1 have an answer of a model, but none has a reward: a number at "attributes.score"/);
    assert.equal((await ask({ filter: { op_names: ["x"] } })).status, 422);
    assert.equal((await ask({ unit: "call" })).status, 422);
    assert.equal((await ask({ source: "spans" })).status, 422);
    const query = { $expr: { $eq: [{ $getField: "a" }, { $getField: "b" }] } };
    assert.ok((await ask({ query })).status >= 400);
  });
});

test("calls from OpenTelemetry exporters are exported as examples", async () => {
  const agents = new Agents(server);
  const [, , , last] = trace("Where?", "Gone.");
  const attributes = Object.fromEntries(
    Object.entries(last.attrs).map(([name, value]) => [
      name === "OP" ? "gen_ai.operation.name" : name,
      typeof value === "object" ? JSON.stringify(value) : value,
    ]),
  );
  const spans = [span("chat m", attributes, { traceId: newTraceId(), spanId: spanId("m2"), start: 0, end: 1, status: { code: 1 } })];
  const answer = await send(server, PATHS.calls, request([{}, ...spans]), { project: agents.id });
  assert.equal(answer.status, 200, answer.text);
  const { lines } = await exportedBy(agents, {});
  assert.deepEqual(lines, [{ messages: [...conversation("Where?").slice(1), assistant("Gone.")] }]);
});
