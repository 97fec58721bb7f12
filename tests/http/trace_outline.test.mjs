// Outlines of traces: all steps in columns, from calls and from agent spans.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { AgentProject, spanId } from "./support/agent_spans.mjs";
import { Project, at, uuid7 } from "./support/calls.mjs";
import { expectMembers, expectViolations } from "./support/expect.mjs";
import { newSpanId, newTraceId, request, send, span } from "./support/otlp.mjs";
import { makeMember, makeTeam, makeUser } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const outline = (project, trace_id, fields = {}) =>
  project.ok("/trace/outline", { project_id: project.id, trace_id, ...fields });

test("a trace of calls", async () => {
  const project = new Project(server);
  await project.ok("/cost/create", { project_id: project.id, costs: { m: { prompt_token_cost: 0.5, completion_token_cost: 1 } } });
  const trace_id = uuid7();
  const usage = { m: { prompt_tokens: 4, completion_tokens: 3 } };
  const [root] = await project.complete({ trace_id, op_name: "plan", started_at: at(0), ended_at: at(9), summary: { usage } });
  const child = (fields) => project.complete({ trace_id, parent_id: root.id, ...fields }).then(([call]) => call);
  const model = await child({ started_at: at(1.5), ended_at: at(2), op_name: "ask", summary: { usage } });
  const failed = await child({ started_at: at(3), ended_at: at(4), display_name: "Search", exception: "boom", attributes: { kind: "tool" } });
  const open = await project.start({ trace_id, parent_id: uuid7(), started_at: at(5), op_name: "plan" });
  await project.complete({ op_name: "other trace" });
  assert.deepEqual(await outline(project, trace_id), {
    trace_id,
    count: 4,
    truncated: false,
    t0: "2024-05-01T00:00:00Z",
    names: ["plan", "ask", "Search"],
    columns: {
      id: [root.id, model.id, failed.id, open.id],
      parent: [-1, 0, 0, -1],
      name: [0, 1, 2, 0],
      kind: ["call", "model", "tool", "call"],
      source: ["call", "call", "call", "call"],
      started_at: [0, 1_500_000, 3_000_000, 5_000_000],
      ended_at: [9_000_000, 2_000_000, 4_000_000, null],
      status: ["ok", "ok", "error", "running"],
      tokens: [7, 7, null, null],
      cost: [5, 5, null, null],
    },
  });
});

test("a trace of agent spans", async () => {
  const project = new AgentProject(server);
  const trace = await project.send([
    { id: "a", name: "invoke_agent bot", t: [0, 9], attrs: { OP: "invoke_agent" } },
    { id: "b", parent: "a", name: "chat m", t: [1, 2], attrs: { OP: "chat", "gen_ai.request.model": "m", "gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 3 } },
    { id: "c", parent: "b", name: "execute_tool f", t: [2, 3], status: "ERROR", attrs: { OP: "execute_tool" } },
  ]);
  const { columns, names, count } = await outline(project, trace);
  assert.equal(count, 3);
  assert.deepEqual(names, ["invoke_agent bot", "chat m", "execute_tool f"]);
  assert.deepEqual(columns.id, ["a", "b", "c"].map(spanId));
  assert.deepEqual(columns.parent, [-1, 0, 1]);
  assert.deepEqual(columns.kind, ["agent", "model", "tool"]);
  assert.deepEqual(columns.source, ["span", "span", "span"]);
  assert.deepEqual(columns.status, ["ok", "ok", "error"]);
  assert.deepEqual(columns.tokens, [null, 10, null]);
});

test("a trace whose spans are calls too lists every step once", async () => {
  const project = new AgentProject(server);
  const traceId = newTraceId();
  const [root, child] = [newSpanId(), newSpanId()];
  const body = request([
    {},
    span("agent", { "gen_ai.operation.name": "invoke_agent" }, { traceId, spanId: root, start: 0, end: 5 }),
    span("step", {}, { traceId, spanId: child, parent: root, start: 1, end: 2 }),
  ]);
  const sent = await send(server, "/v1/traces", body, { project: project.id });
  assert.equal(sent.status, 200, sent.text);
  const { columns } = await outline(project, traceId);
  assert.deepEqual(columns.id, [root, child]);
  assert.deepEqual(columns.source, ["both", "both"]);
  assert.deepEqual(columns.kind, ["agent", "call"]);
  assert.deepEqual(columns.parent, [-1, 0]);
});

test("the oldest steps of a long trace, in little data", async () => {
  const project = new Project(server);
  const trace_id = uuid7();
  const root = uuid7();
  const calls = Array.from({ length: 3000 }, (_, i) => ({
    id: i === 0 ? root : uuid7(),
    trace_id,
    ...(i === 0 ? {} : { parent_id: root }),
    started_at: at(i),
    ended_at: at(i + 1),
    inputs: { text: "x".repeat(200) },
  }));
  for (let i = 0; i < calls.length; i += 500) await project.complete(...calls.slice(i, i + 500));
  const whole = await project.post("/trace/outline", { project_id: project.id, trace_id });
  assert.equal(whole.json.count, 3000);
  assert.ok(whole.bytes.length < 3000 * 120, `${whole.bytes.length} bytes`);
  const cut = await outline(project, trace_id, { limit: 10 });
  assert.equal(cut.count, 10);
  assert.equal(cut.truncated, true);
  assert.deepEqual(cut.columns.id, calls.slice(0, 10).map(({ id }) => id));
});

test("an unknown trace has no steps", async () => {
  const project = new Project(server);
  await project.start();
  const { count, truncated, t0, names, columns } = await outline(project, "nothing'; --");
  assert.deepEqual({ count, truncated, t0, names }, { count: 0, truncated: false, t0: null, names: [] });
  expectMembers(columns, ["id", "parent", "name", "kind", "source", "started_at", "ended_at", "status", "tokens", "cost"]);
});

test("invalid requests are refused", async () => {
  const project = new Project(server);
  const ask = (fields) => project.post("/trace/outline", { project_id: project.id, ...fields });
  expectViolations(await ask({}), ["missing", "body", "trace_id"]);
  expectViolations(await ask({ trace_id: 7 }), ["string_type", "body", "trace_id"]);
  expectViolations(await ask({ trace_id: "t", limit: 0 }), ["greater_than_equal", "body", "limit"]);
  expectViolations(await ask({ trace_id: "t", limit: 50_001 }), ["less_than_equal", "body", "limit"]);
});

test("viewers see the trace, outsiders nothing", async () => {
  const { name: team } = await makeTeam(server);
  const project = new Project(server, `${team}/lab`);
  const call = await project.start();
  const viewer = await makeMember(server, team, "VIEWER");
  const outsider = await makeUser(server);
  const body = { project_id: project.id, trace_id: call.trace_id };
  assert.equal((await project.post("/trace/outline", body, { key: viewer.key })).json.count, 1);
  assert.equal((await project.post("/trace/outline", body, { key: outsider.key })).status, 404);
  assert.equal((await project.post("/trace/outline", body, { key: null })).status, 401);
});
