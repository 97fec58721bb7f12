// Traced calls become training data: which calls, in which form, with which rewards.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { Project, at } from "./support/calls.mjs";
import { freshName } from "./support/people.mjs";
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

/** A project with traced answers. */
class Traced extends Project {
  seconds = 0;

  /** An answer; `score` becomes feedback of type `quality`. */
  async answer(inputs, output, { score, ...fields } = {}) {
    this.seconds += 1;
    const call = await this.start({ inputs, started_at: at(this.seconds), ...fields });
    await this.end(call.id, { output, ended_at: at(this.seconds + 0.5) });
    if (score !== undefined) await this.judge(call.id, score);
    return call;
  }

  judge(id, value) {
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
  test("are the answers of models, with their tools; other calls are passed over", async () => {
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

  test("are chosen by filter, query and reward", async () => {
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

  test("of traces are their last answers", async () => {
    const traced = new Traced(server);
    const root = await traced.start({ op_name: "agent", inputs: { task: 1, more: 2 }, started_at: at(0) });
    const inside = { trace_id: root.trace_id, parent_id: root.id };
    await traced.answer({ messages: [user("a")] }, completion("b"), inside);
    await traced.answer({ messages: [user("a"), assistant("b"), user("c")] }, completion("d"), inside);
    await traced.end(root.id, { output: { done: true }, ended_at: at(50) });
    await traced.judge(root.id, 1);
    const { lines } = await traced.exported({
      unit: "trace",
      filter: { trace_roots_only: true },
      reward: { feedback_type: "quality", path: "value" },
    });
    assert.deepEqual(lines, [{ messages: [user("a"), assistant("b"), user("c"), assistant("d")] }]);
  });

  test("that do not exist are refused", async () => {
    const traced = new Traced(server);
    await traced.answer({ a: 1 }, { b: 2 });
    const send = (fields) =>
      traced.post("/api/v1/trajectories", { project: traced.id, name: "data", ...fields });
    assert.equal((await send({})).status, 422);
    assert.equal((await send({ colour: "red" })).status, 422);
    assert.equal((await send({ name: "a/b" })).status, 422);
    assert.equal((await send({ query: { $expr: { $nonsense: [] } } })).status, 422);
  });
});

describe("groups", () => {
  test("gather answers to the same question, with choices and rewards", async () => {
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

  test("may be traces, and rewards may stand in calls", async () => {
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

test("what was exported is trained on, also by command", async () => {
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
