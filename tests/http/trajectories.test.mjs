// Export of traced calls as training data: selection, format and rewards.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { Project, at } from "./support/calls.mjs";
import { freshName, makeMember, makeTeam, makeUser } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";
import { ScriptedTrainer, TrainingClient, addBaseModel, exportedBy } from "./support/training.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const user = (content) => ({ role: "user", content });
const assistant = (content) => ({ role: "assistant", content });
const completion = (content) => ({
  id: "chatcmpl-1",
  choices: [{ index: 0, finish_reason: "stop", message: assistant(content), token_ids: [1, 2] }],
  prompt_token_ids: [3],
});

/** A project with traced model answers. */
class Traced extends Project {
  seconds = 0;

  /** Creates a traced answer; `score` becomes feedback of type `quality`. */
  async answer(inputs, output, { score, ...fields } = {}) {
    this.seconds += 1;
    const call = await this.start({ inputs, started_at: at(this.seconds), ...fields });
    await this.end(call.id, { output, ended_at: at(this.seconds + 0.5) });
    if (score !== undefined) await this.addScore(call.id, score);
    return call;
  }

  addScore(id, value) {
    return this.ok("/feedback/create", {
      project_id: this.id,
      svc_ref: `svc:///${this.id}/call/${id}`,
      feedback_type: "quality",
      payload: { value },
    });
  }

  exported(fields) {
    return exportedBy(this, fields);
  }
}

describe("examples", () => {
  test("are model answers with their tools; other calls are skipped", async () => {
    const traced = new Traced(server);
    const tools = [{ type: "function", function: { name: "f" } }];
    await traced.answer({ model: "m", messages: [user("1")], tools }, completion("one"));
    await traced.answer({ messages: [user("2")] }, assistant("two"));
    await traced.answer({ question: "3" }, "three");
    await traced.answer({ a: 1 }, { b: 2 });
    const failed = await traced.start({ inputs: { question: "4" }, started_at: at(9) });
    await traced.end(failed.id, { exception: "no", output: "four" });
    const { lines, metadata, num_calls, num_trajectories } = await traced.exported();
    assert.deepEqual(lines, [
      { messages: [user("1"), assistant("one")], tools },
      { messages: [user("2"), assistant("two")] },
      { messages: [user("3"), assistant("three")] },
    ]);
    assert.deepEqual([num_calls, num_trajectories], [5, 3]);
    assert.deepEqual(metadata, { format: "jsonl", kind: "sft", num_trajectories: 3, project: traced.id });
  });

  test("are selected by filter, query and reward", async () => {
    const traced = new Traced(server);
    await traced.answer({ question: "1" }, "one", { op_name: "chat", score: 1 });
    await traced.answer({ question: "2" }, "two", { op_name: "chat", score: 0.2 });
    await traced.answer({ question: "3" }, "three", { op_name: "chat" });
    await traced.answer({ question: "4" }, "four", { op_name: "other", score: true });
    const answers = async (fields) =>
      (await traced.exported(fields)).lines.map(({ messages }) => messages.at(-1).content);
    const reward = { feedback_type: "quality", path: "value" };
    assert.deepEqual(await answers({ filter: { op_names: ["chat"] } }), ["one", "two", "three"]);
    assert.deepEqual(await answers({ reward }), ["one", "two", "four"]);
    assert.deepEqual(await answers({ reward, min_reward: 0.5 }), ["one", "four"]);
    const query = { $expr: { $eq: [{ $getField: "inputs.question" }, { $literal: "3" }] } };
    assert.deepEqual(await answers({ query }), ["three"]);
    assert.deepEqual(await answers({ limit: 2 }), ["one", "two"]);
  });

  test("are found by the name of their op, in every version", async () => {
    const traced = new Traced(server);
    const ref = (name, version) => `svc:///${traced.id}/op/${name}:${version}`;
    await traced.answer({ question: "1" }, "one", { op_name: "ask" });
    await traced.answer({ question: "2" }, "two", { op_name: ref("ask", "v1digest") });
    await traced.answer({ question: "3" }, "three", { op_name: ref("ask", "v2digest") });
    await traced.answer({ question: "4" }, "four", { op_name: ref("asking", "v1digest") });
    await traced.answer({ question: "5" }, "five", { op_name: ref("chat_m", "v1digest") });
    const answers = async (...op_names) =>
      (await traced.exported({ filter: { op_names } })).lines.map(({ messages }) => messages.at(-1).content);
    assert.deepEqual(await answers("ask"), ["one", "two", "three"]);
    assert.deepEqual(await answers("ask", "asking"), ["one", "two", "three", "four"]);
    assert.deepEqual(await answers("Chat m"), ["five"], "the span name of exporters");
    assert.deepEqual(await answers(ref("ask", "v1digest")), ["two"]);
    assert.deepEqual(await answers(ref("ask", "*")), ["two", "three"]);
    const lines = await traced.post("/calls/stream_query", { project_id: traced.id, filter: { op_names: ["ask"] } });
    assert.equal(lines.text.trim().split("\n").length, 1, "call queries still use exact names");
    const { stdout, code, stderr } = await server.cli("trajectories", "export", traced.id, freshName("data"), "--op", "ask");
    assert.equal(code, 0, stderr);
    assert.match(stdout, /calls: 3, trajectories: 3, lines: 3\n/);
  });

  test("are found in arguments that are complete requests, and use the first of several choices", async () => {
    const traced = new Traced(server);
    const { choices, ...rest } = completion("a");
    const output = { ...rest, choices: [...choices, { ...choices[0], index: 1, message: assistant("b") }] };
    await traced.answer({ arg0: { messages: [user("1")] } }, output);
    const { lines } = await traced.exported();
    assert.deepEqual(lines, [{ messages: [user("1"), assistant("a")] }]);
  });

  test("of traces occur once per trace, with any call filter", async () => {
    const traced = new Traced(server);
    for (const text of ["1", "2"]) {
      const root = await traced.start({ inputs: { task: 1, more: 2 }, started_at: at(traced.seconds) });
      const inside = { trace_id: root.trace_id, parent_id: root.id };
      await traced.answer({ messages: [user(text)] }, completion("b"), inside);
      const last = { messages: [user(text), assistant("b"), user("c")] };
      await traced.answer(last, completion("d"), { ...inside, score: 1 });
      await traced.end(root.id, { output: { done: true }, ended_at: at(traced.seconds + 1) });
      await traced.addScore(root.id, 0);
    }
    const line = (text) => ({ messages: [user(text), assistant("b"), user("c"), assistant("d")] });
    const { lines, num_calls } = await traced.exported({ unit: "trace" });
    assert.deepEqual(lines, [line("1"), line("2")]);
    assert.equal(num_calls, 6);
    const reward = { feedback_type: "quality", path: "value" };
    const { lines: groups } = await traced.exported({ unit: "trace", format: "rl", group_by: "trace", reward });
    assert.deepEqual(groups.map(({ trajectories }) => trajectories.map((one) => one.reward)), [[0], [0]], "reward of the first call that has one");
  });

  test("of traces are their last answers", async () => {
    const traced = new Traced(server);
    const root = await traced.start({ op_name: "agent", inputs: { task: 1, more: 2 }, started_at: at(0) });
    const inside = { trace_id: root.trace_id, parent_id: root.id };
    await traced.answer({ messages: [user("a")] }, completion("b"), inside);
    await traced.answer({ messages: [user("a"), assistant("b"), user("c")] }, completion("d"), inside);
    await traced.end(root.id, { output: { done: true }, ended_at: at(50) });
    await traced.addScore(root.id, 1);
    const { lines } = await traced.exported({
      unit: "trace",
      filter: { trace_roots_only: true },
      reward: { feedback_type: "quality", path: "value" },
    });
    assert.deepEqual(lines, [{ messages: [user("a"), assistant("b"), user("c"), assistant("d")] }]);
  });

  test("that do not exist are rejected", async () => {
    const traced = new Traced(server);
    await traced.answer({ a: 1 }, { b: 2 });
    const send = (fields) =>
      traced.post("/api/v1/trajectories", { project: traced.id, name: "data", ...fields });
    assert.equal((await send({})).status, 422);
    assert.equal((await send({ colour: "red" })).status, 422);
    assert.equal((await send({ name: "a/b" })).status, 422);
    assert.equal((await send({ query: { $expr: { $nonsense: [] } } })).status, 422);
    assert.equal((await send({ reward: { feedback_type: "quality" } })).json.detail[0].loc.join("."), "body.reward.path");
    assert.match((await send({ min_reward: 1 })).text, /min_reward needs reward/);
    assert.match((await send({})).text, /None of the 1 calls is an answer of a model/);
    await traced.answer({ question: "1" }, "one", { score: 0.5 });
    const reward = { feedback_type: "quality", path: "value" };
    assert.match((await send({ reward: { ...reward, path: "no" } })).json.detail[0].msg,
      /Of 2 calls 1 are answers of a model, but none has a reward: a number at "no" in feedback of type "quality"/);
    assert.match((await send({ reward, min_reward: 0.75 })).text, /but no reward is as high as min_reward/);
  });

  test("of a project that does not exist create nothing", async () => {
    const [team, project] = [freshName("team"), freshName("typo")];
    const answer = await server.api("POST", "/api/v1/trajectories", { body: { project: `${team}/${project}`, name: "data" } });
    assert.equal(answer.status, 422, answer.text);
    assert.match(answer.text, /There is no project/);
    assert.equal((await server.api("GET", `/api/v1/teams/${team}`)).status, 404);
    const { name } = await makeTeam(server);
    const member = await makeMember(server, name, "MEMBER");
    const asked = { key: member.key, body: { project: `${name}/${project}`, name: "data" } };
    assert.equal((await server.api("POST", "/api/v1/trajectories", asked)).status, 422);
    assert.equal((await server.api("GET", `/api/v1/projects/${name}/${project}`)).status, 404);
    const outsider = await makeUser(server);
    assert.equal((await server.api("POST", "/api/v1/trajectories", { ...asked, key: outsider.key })).status, 404);
  });
});

describe("the command", () => {
  const run = (traced, ...options) => server.cli("trajectories", "export", traced.id, "data", ...options);

  test("names the invalid option", async () => {
    const traced = new Traced(server);
    for (const [options, why] of [
      [["--query", "notjson"], /^spindle: --query: this is not valid JSON: /],
      [["--reward", "output", "--min-reward", '1,"limit":2'], /^spindle: --min-reward: expected a number/],
      [["--min-reward", "1"], /^spindle: --min-reward requires --reward/],
      [["--feedback", "quality"], /^spindle: --feedback requires --reward/],
    ]) {
      const { code, stderr } = await run(traced, ...options);
      assert.equal(code, 2, stderr);
      assert.match(stderr, why);
    }
  });

  test("prints only the message of the server", async () => {
    const traced = new Traced(server);
    assert.match((await run(traced)).stderr, /^spindle: There is no project /);
    await traced.answer({ a: 1 }, { b: 2 });
    assert.match((await run(traced)).stderr, /^spindle: None of the 1 calls is an answer of a model\n$/);
    assert.match((await run(traced, "--limit", "0")).stderr, /^spindle: limit: Input should be greater/);
  });
});

describe("groups", () => {
  test("contain answers to the same prompt, with choices and rewards", async () => {
    const traced = new Traced(server);
    const ask = (text) => ({ messages: [user(text)] });
    const first = await traced.answer(ask("1"), completion("a"), { score: 1 });
    await traced.answer(ask("2"), completion("b"), { score: 0.5 });
    await traced.answer(ask("1"), completion("c"), { score: false });
    const { lines, num_lines, metadata } = await traced.exported({
      format: "rl",
      reward: { feedback_type: "quality", path: "value" },
    });
    assert.equal(num_lines, 2);
    assert.deepEqual([metadata.kind, metadata.num_groups], ["rl", 2]);
    assert.deepEqual(lines.map(({ trajectories }) => trajectories.map(({ reward }) => reward)), [[1, 0], [0.5]]);
    assert.deepEqual(lines[0].trajectories[0], {
      messages_and_choices: [
        user("1"),
        { ...completion("a").choices[0], prompt_token_ids: [3] },
      ],
      reward: 1,
      metadata: { call_id: first.id, trace_id: first.trace_id },
    });
  });

  test("contain every choice of a completion, each with its own reward if available", async () => {
    const traced = new Traced(server);
    const { choices, ...rest } = completion("a");
    const more = ["a", "b", "c"].map((text, index) => ({ ...choices[0], index, message: assistant(text) }));
    const ask = { messages: [user("1")] };
    await traced.answer(ask, { ...rest, choices: more }, { attributes: { score: 0.5, each: [1, 0, true] } });
    await traced.answer(ask, completion("d"), { attributes: { score: 1, each: [0.25] } });
    const group = async (path) => {
      const { lines, num_trajectories } = await traced.exported({ format: "rl", reward: { path } });
      assert.deepEqual([lines.length, num_trajectories], [1, 4]);
      const said = ({ messages_and_choices: all }) => all.at(-1).message.content;
      return lines[0].trajectories.map((one) => [said(one), one.reward]);
    };
    assert.deepEqual(await group("attributes.score"), [["a", 0.5], ["b", 0.5], ["c", 0.5], ["d", 1]]);
    assert.deepEqual(await group("attributes.each"), [["a", 1], ["b", 0], ["c", 1], ["d", 0.25]]);
  });

  test("are formed by prompt, ignoring later tool calls", async () => {
    const traced = new Traced(server);
    const calls = (city) => ({
      role: "assistant", content: null,
      tool_calls: [{ id: "1", type: "function", function: { name: "forecast", arguments: JSON.stringify({ city }) } }],
    });
    const told = { role: "tool", tool_call_id: "1", content: "4 C" };
    const attempt = async (question, city) => {
      const asked = [user("Hello"), assistant("Hello!"), user(question)];
      const root = await traced.start({ op_name: "agent", inputs: { a: 1, b: 2 }, started_at: at(traced.seconds) });
      const inside = { trace_id: root.trace_id, parent_id: root.id };
      await traced.answer({ messages: asked }, { ...completion(""), choices: [{ index: 0, finish_reason: "tool_calls", message: calls(city) }] }, inside);
      const more = [...asked, calls(city), told];
      await traced.answer({ messages: more }, completion("Which day?"), inside);
      await traced.answer({ messages: [...more, assistant("Which day?"), user(city)] }, completion("Cold."), { ...inside, op_name: "last" });
      await traced.end(root.id, { output: { done: true }, ended_at: at(traced.seconds + 1) });
    };
    for (const city of ["Oslo", "Oslo", "Rome", "Bern"]) await attempt("Weather?", city);
    await attempt("Trains?", "Oslo");
    const sizes = async (fields) =>
      (await traced.exported({ format: "rl", ...fields })).lines.map(({ trajectories }) => trajectories.length);
    assert.deepEqual(await sizes({ unit: "trace" }), [4, 1], "by the first messages of the trace");
    assert.deepEqual(await sizes({ filter: { op_names: ["op"] } }), [8, 2], "prompts end before the first tool call");
  });

  test("can consist of traces, with rewards from call members", async () => {
    const traced = new Traced(server);
    const trace = await traced.answer({ question: "1" }, "one", { attributes: { score: 2 } });
    await traced.answer({ question: "2" }, "two", { trace_id: trace.trace_id, attributes: { score: 3 } });
    const { lines } = await traced.exported({
      format: "rl",
      group_by: "trace",
      reward: { path: "attributes.score" },
    });
    assert.deepEqual(lines.map(({ trajectories }) => trajectories.map(({ reward }) => reward)), [[2, 3]]);
  });
});

test("exported data is accepted by training, also by command", async () => {
  const traced = new Traced(server);
  await traced.answer({ messages: [user("1")] }, completion("one"), { score: 1 });
  const name = freshName("data");
  const { code, stdout, stderr } = await server.cli(
    "trajectories", "export", traced.id, name, "--feedback", "quality", "--reward", "value", "--min-reward", "1", "--json",
  );
  assert.equal(code, 0, stderr);
  const { artifact } = JSON.parse(stdout);
  const client = new TrainingClient(server);
  const base_model = await addBaseModel(server);
  const model = await client.register({ entity: traced.entity, project: traced.project, name: "solver", base_model });
  const job = await client.sft(model, artifact);
  const listed = await server.cli("train", "ls", traced.id, "--json");
  assert.equal(JSON.parse(listed.stdout).id, job.id);
  const held = await new ScriptedTrainer(server).lease();
  const line = { messages: [user("1"), assistant("one")] };
  assert.deepEqual(JSON.parse((await held.ok("GET", "/data")).text), line);
  const shown = await server.cli("train", "show", job.id);
  assert.equal(JSON.parse(shown.stdout).data_url, artifact);
  const cancelled = await server.cli("train", "cancel", job.id);
  assert.match(cancelled.stdout, /is CANCELLED/);
  assert.equal((await held.post("/heartbeat", {})).cancel, true);
});
