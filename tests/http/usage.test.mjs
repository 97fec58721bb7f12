// Usage aggregated over traces: /trace/usage and /calls/usage.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Project, expectReason, uuid7 } from "./support/calls.mjs";
import { startServer } from "./support/server.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const NOTHING = {
  requests: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  prompt_tokens_total_cost: null,
  completion_tokens_total_cost: null,
  cache_read_input_tokens_total_cost: null,
  cache_creation_input_tokens_total_cost: null,
};

/** Creates a root call, a child and a grandchild; the child is still running. */
async function makeTrace(project) {
  const report = (usage) => ({ summary: { usage } });
  const [root] = await project.complete(report({ m: { prompt_tokens: 1, completion_tokens: 2, requests: 1 } }));
  const { trace_id } = root;
  const child = await project.start({ trace_id, parent_id: root.id });
  const [grandchild] = await project.complete({
    trace_id,
    parent_id: child.id,
    ...report({ m: { input_tokens: 10, output_tokens: 20, total_tokens: 31 }, n: { prompt_tokens: 5 }, idle: { requests: 0 } }),
  });
  return { root: root.id, child: child.id, grandchild: grandchild.id, trace_id };
}

test("the usage of a call includes its descendants", async () => {
  const project = new Project(server);
  const trace = await makeTrace(project);
  const answer = await project.ok("/trace/usage", {
    project_id: project.id,
    filter: { trace_ids: [trace.trace_id] },
  });
  const below = {
    m: { ...NOTHING, prompt_tokens: 10, completion_tokens: 20, total_tokens: 31 },
    n: { ...NOTHING, prompt_tokens: 5, total_tokens: 5 },
  };
  assert.deepEqual(answer, {
    call_usage: {
      [trace.root]: {
        m: { ...NOTHING, requests: 1, prompt_tokens: 11, completion_tokens: 22, total_tokens: 34 },
        n: below.n,
      },
      [trace.child]: below,
      [trace.grandchild]: below,
    },
    unfinished_call_ids: [trace.child],
  });
});

test("only calls in the requested scope count", async () => {
  const project = new Project(server);
  const trace = await makeTrace(project);
  const answer = await project.ok("/trace/usage", {
    project_id: project.id,
    query: { $expr: { $eq: [{ $getField: "id" }, { $literal: trace.root }] } },
  });
  assert.deepEqual(answer.call_usage, {
    [trace.root]: { m: { ...NOTHING, requests: 1, prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } },
  });
  assert.deepEqual(answer.unfinished_call_ids, []);
  const limited = await project.ok("/trace/usage", { project_id: project.id, limit: 1 });
  assert.equal(Object.keys(limited.call_usage).length, 1);
  assert.deepEqual((await project.ok("/trace/usage", { project_id: project.id, limit: 0 })).call_usage, {});
});

test("/calls/usage counts all descendants in the traces; unknown calls have no usage", async () => {
  const project = new Project(server);
  const trace = await makeTrace(project);
  await makeTrace(project);
  const unknown = uuid7();
  const answer = await project.ok("/calls/usage", { project_id: project.id, call_ids: [trace.child, unknown] });
  assert.deepEqual(Object.keys(answer.call_usage), [trace.child, unknown]);
  assert.equal(answer.call_usage[trace.child].m.total_tokens, 31);
  assert.deepEqual(answer.call_usage[unknown], {});
  assert.deepEqual(answer.unfinished_call_ids, [trace.child]);
  assert.deepEqual(await project.ok("/calls/usage", { project_id: project.id, call_ids: [] }), {
    call_usage: {},
    unfinished_call_ids: [],
  });
});

test("costs use the price at the time of each call, and are 0 without a price", async () => {
  const project = new Project(server);
  const cost = (prompt_token_cost, effective_date) =>
    project.ok("/cost/create", {
      project_id: project.id,
      costs: { m: { prompt_token_cost, completion_token_cost: 1, cache_read_input_token_cost: 0.5, effective_date } },
    });
  await cost(2, "2024-01-01");
  await cost(1000, "2025-01-01");
  const [call] = await project.complete({
    summary: { usage: { m: { prompt_tokens: 10, completion_tokens: 3, cache_read_input_tokens: 4 }, free: { prompt_tokens: 1 } } },
  });
  const { call_usage } = await project.ok("/calls/usage", {
    project_id: project.id,
    call_ids: [call.id],
    include_costs: true,
  });
  const { m, free } = call_usage[call.id];
  assert.equal(m.prompt_tokens_total_cost, 12);
  assert.equal(m.completion_tokens_total_cost, 3);
  assert.equal(m.cache_read_input_tokens_total_cost, 2);
  assert.equal(m.cache_creation_input_tokens_total_cost, 0);
  assert.equal(free.prompt_tokens_total_cost, 0);
});

test("cycles of parent ids are harmless", async () => {
  const project = new Project(server);
  const [a, b, trace_id] = [uuid7(), uuid7(), uuid7()];
  const summary = { usage: { m: { prompt_tokens: 1 } } };
  await project.complete({ id: a, parent_id: b, trace_id, summary }, { id: b, parent_id: a, trace_id, summary });
  const { call_usage } = await project.ok("/calls/usage", { project_id: project.id, call_ids: [a, b] });
  assert.equal(call_usage[a].m.prompt_tokens, 1);
});

test("limits are validated", async () => {
  const project = new Project(server);
  const ask = (path, fields) => project.post(path, { project_id: project.id, ...fields });
  expectReason(await ask("/trace/usage", { limit: -1 }), 400, "Limit must be a positive integer");
  expectReason(await ask("/calls/usage", { call_ids: Array(1001).fill("x") }), 400, /'call_ids'.*Actual length: 1001/);
  assert.equal((await ask("/calls/usage", {})).status, 422);
});
