// Dry runs of the export of traces: counts, samples, rewards and reasons for exclusion.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { Project, at } from "./support/calls.mjs";
import { freshName, makeMember, makeTeam, makeUser } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const user = (content) => ({ role: "user", content });
const assistant = (content) => ({ role: "assistant", content });
const REWARD = { feedback_type: "quality", path: "value" };
const NOTHING = { failed: 0, no_answer: 0, repeated_trace: 0, no_reward: 0, below_min_reward: 0 };

class Traced extends Project {
  seconds = 0;

  async answer(inputs, output, { score, ...fields } = {}) {
    this.seconds += 1;
    const call = await this.start({ inputs, started_at: at(this.seconds), ...fields });
    await this.end(call.id, { output, ended_at: at(this.seconds + 0.5) });
    if (score !== undefined) {
      await this.ok("/feedback/create", {
        project_id: this.id, svc_ref: `svc:///${this.id}/call/${call.id}`, feedback_type: "quality", payload: { value: score },
      });
    }
    return call;
  }

  dryRun(fields = {}, options = {}) {
    return this.server.api("POST", "/api/v1/trajectories", { body: { project: this.id, dry_run: true, ...fields }, ...options });
  }

  async preview(fields) {
    const answer = await this.dryRun(fields);
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  }
}

test("counts and shows examples, and creates nothing", async () => {
  const traced = new Traced(server);
  const calls = [];
  for (let i = 0; i < 7; ++i) calls.push(await traced.answer({ question: `q${i}` }, `a${i}`));
  await traced.answer({ a: 1 }, { b: 2 });
  const failed = await traced.start({ inputs: { question: "x" }, started_at: at(90) });
  await traced.end(failed.id, { exception: "no", output: "y" });
  const name = freshName("data");
  const preview = await traced.preview({ name });
  assert.deepEqual({ ...preview, samples: preview.samples.length }, {
    dry_run: true, num_matching: 9, num_calls: 9, num_trajectories: 7, num_lines: 7, num_trainable_groups: null,
    num_with_logprobs: 0, truncated: false, excluded: { ...NOTHING, failed: 1, no_answer: 1 }, rewards: null, samples: 5,
  });
  const data = { messages: [user("q0"), assistant("a0")] };
  assert.deepEqual(preview.samples[0], {
    source: { call_id: calls[0].id, trace_id: calls[0].trace_id }, reward: null, bytes: JSON.stringify(data).length, data,
  });
  const collection = await server.api("GET", `/api/v1/projects/${traced.id}/collections/${name}`);
  assert.equal(collection.status, 404);
});

test("shows the rewards of all answers, and why answers are excluded", async () => {
  const traced = new Traced(server);
  for (const score of [1, 1, 0.5, 0, undefined]) await traced.answer({ question: "q" }, "a", { score });
  const preview = await traced.preview({ reward: REWARD, min_reward: 0.5 });
  assert.deepEqual([preview.num_calls, preview.num_trajectories], [5, 3]);
  assert.deepEqual(preview.excluded, { ...NOTHING, no_reward: 1, below_min_reward: 1 });
  assert.deepEqual(preview.rewards, {
    count: 4, min: 0, max: 1, mean: 0.625,
    histogram: [{ from: 0, to: 0, count: 1 }, { from: 0.5, to: 0.5, count: 1 }, { from: 1, to: 1, count: 2 }],
  });
  assert.deepEqual(preview.samples.map(({ reward }) => reward), [1, 1, 0.5]);
});

test("has at most 20 buckets of rewards", async () => {
  const traced = new Traced(server);
  for (let i = 0; i < 25; ++i) await traced.answer({ question: "q" }, { text: "a", score: i }, {});
  await traced.answer({ question: "q" }, "a");
  const { rewards } = await traced.preview({ reward: { path: "output.score" } });
  assert.equal(rewards, null, "objects are no answers");
  const scored = new Traced(server);
  for (let i = 0; i < 25; ++i) await scored.answer({ question: "q" }, "a", { score: i });
  const { histogram } = (await scored.preview({ reward: REWARD })).rewards;
  assert.equal(histogram.length, 20);
  assert.deepEqual([histogram[0].from, histogram.at(-1).to], [0, 24]);
  assert.equal(histogram.reduce((sum, { count }) => sum + count, 0), 25);
});

test("counts groups with a training signal and answers with log probabilities", async () => {
  const traced = new Traced(server);
  const choice = (content, logprobs) => ({ choices: [{ index: 0, finish_reason: "stop", message: assistant(content), ...logprobs }] });
  const tokens = { logprobs: { content: [{ token: "a", bytes: [97], logprob: -1, top_logprobs: [] }] }, token_ids: [1] };
  await traced.answer({ messages: [user("1")] }, choice("a", tokens), { score: 1 });
  await traced.answer({ messages: [user("1")] }, choice("b"), { score: 0 });
  await traced.answer({ messages: [user("2")] }, choice("c"), { score: 1 });
  await traced.answer({ messages: [user("2")] }, choice("d"), { score: 1 });
  const preview = await traced.preview({ format: "rl", reward: REWARD });
  assert.deepEqual([preview.num_trajectories, preview.num_lines, preview.num_trainable_groups], [4, 2, 1]);
  assert.equal(preview.num_with_logprobs, 1);
  assert.equal(preview.samples[0].data.reward, 1);
  assert.ok(Array.isArray(preview.samples[0].data.messages_and_choices));
});

test("counts a trace once", async () => {
  const traced = new Traced(server);
  const root = await traced.answer({ question: "1" }, "one");
  await traced.answer({ question: "2" }, "two", { trace_id: root.trace_id, parent_id: root.id });
  const preview = await traced.preview({ unit: "trace" });
  assert.deepEqual([preview.num_calls, preview.num_trajectories, preview.excluded.repeated_trace], [2, 1, 1]);
});

test("reads as many calls as the limit, and counts all that match", async () => {
  const traced = new Traced(server);
  for (let i = 0; i < 4; ++i) await traced.answer({ question: "q" }, "a", { op_name: i ? "chat" : "other" });
  const preview = await traced.preview({ limit: 2, filter: { op_names: ["chat"] } });
  assert.deepEqual([preview.num_matching, preview.num_calls, preview.num_trajectories, preview.truncated], [3, 2, 2, false]);
});

test("does not return large samples", async () => {
  const traced = new Traced(server);
  await traced.answer({ question: "q" }, "a".repeat(100_000));
  const { samples } = await traced.preview();
  assert.equal(samples[0].data, null);
  assert.ok(samples[0].bytes > 100_000);
});

test("previews agent traces", async () => {
  const traced = new Traced(server);
  const preview = await traced.preview({ source: "agents" });
  assert.deepEqual([preview.num_matching, preview.num_calls, preview.samples], [null, 0, []]);
});

describe("access", () => {
  test("readers may preview; strangers find nothing", async () => {
    const { name: team } = await makeTeam(server);
    const traced = new Traced(server, `${team}/traces`);
    await traced.answer({ question: "q" }, "a");
    assert.ok(traced.id.startsWith(`${team}/`));
    const viewer = await makeMember(server, team, "VIEWER");
    const seen = await traced.dryRun({}, { key: viewer.key });
    assert.equal(seen.status, 200, seen.text);
    assert.equal(seen.json.num_trajectories, 1);
    const exported = await server.api("POST", "/api/v1/trajectories", { key: viewer.key, body: { project: traced.id, name: "data" } });
    assert.equal(exported.status, 403);
    const stranger = await makeUser(server);
    assert.equal((await traced.dryRun({}, { key: stranger.key })).status, 404);
    const other = await makeMember(server, (await makeTeam(server)).name, "ADMIN");
    assert.equal((await traced.dryRun({}, { key: other.key })).status, 404);
    assert.equal((await traced.dryRun({}, { key: null })).status, 401);
  });

  test("a project without traces is empty", async () => {
    const { name: team } = await makeTeam(server);
    const body = { project: `${team}/${freshName("new")}`, dry_run: true };
    const answer = await server.api("POST", "/api/v1/trajectories", { body });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual([answer.json.num_matching, answer.json.num_trajectories], [0, 0]);
    assert.equal((await server.api("GET", `/api/v1/projects/${body.project}`)).status, 404);
  });
});

test("invalid requests are rejected", async () => {
  const traced = new Traced(server);
  for (const fields of [{ dry_run: "perhaps" }, { name: "a/b" }, { min_reward: 1 }, { limit: 0 }, { colour: "red" }]) {
    assert.equal((await traced.dryRun(fields)).status, 422, JSON.stringify(fields));
  }
  const unnamed = await server.api("POST", "/api/v1/trajectories", { body: { project: traced.id } });
  assert.equal(unnamed.status, 422);
  assert.match(unnamed.text, /name is required unless dry_run/);
});
