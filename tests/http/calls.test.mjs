// The call API: parts in any order, validation, redaction, and the members of responses.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Project, at, expectReason, uuid7 } from "./support/calls.mjs";
import { expectMembers, expectViolations } from "./support/expect.mjs";
import { startServer } from "./support/server.mjs";

let server;
before(async () => {
  server = await startServer();
});
after(() => server.dispose());

const MEMBERS = [
  "id", "project_id", "op_name", "display_name", "trace_id", "parent_id", "thread_id", "turn_id",
  "started_at", "attributes", "inputs", "ended_at", "exception", "output", "summary", "svc_user_id",
  "svc_run_id", "svc_run_step", "svc_run_step_end", "deleted_at", "expire_at",
  "storage_size_bytes", "total_storage_size_bytes",
];

test("a running call has every member and a status", async () => {
  const project = new Project(server);
  const { id, trace_id } = await project.start({ op_name: "op_a", inputs: { a: 1 } });
  const call = await project.read(id);
  expectMembers(call, MEMBERS);
  assert.equal(call.project_id, project.id);
  assert.equal(call.trace_id, trace_id);
  assert.equal(call.started_at, "2024-05-01T00:00:00Z");
  assert.equal(call.ended_at, null);
  assert.deepEqual(call.inputs, { a: 1 });
  assert.deepEqual(call.summary, { svc: { status: "running", trace_name: "op_a" } });
  assert.equal(typeof call.svc_user_id, "string");
});

test("a start without ids gets two different ones", async () => {
  const project = new Project(server);
  const start = { project_id: project.id, op_name: "op", started_at: at(0), attributes: {}, inputs: {} };
  const { id, trace_id } = await project.ok("/call/start", { start });
  for (const text of [id, trace_id]) assert.match(text, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
  assert.notEqual(id, trace_id);
  assert.equal((await project.read(id)).trace_id, trace_id);
});

test("an ended call has a latency, and an exception makes it an error", async () => {
  const project = new Project(server);
  const good = await project.start();
  await project.end(good.id, { ended_at: "2024-05-01T00:00:01.234567Z", output: [1, "two"] });
  const call = await project.read(good.id);
  assert.deepEqual(call.output, [1, "two"]);
  assert.deepEqual(call.summary, { svc: { status: "success", trace_name: "op", latency_ms: 1234 } });
  const bad = await project.start();
  await project.end(bad.id, { exception: "boom" });
  assert.equal((await project.read(bad.id)).summary.svc.status, "error");
  const above = await project.start();
  await project.end(above.id, { summary: { status_counts: { error: 2, success: 1 } } });
  const summary = (await project.read(above.id)).summary;
  assert.equal(summary.svc.status, "descendant_error");
  assert.deepEqual(summary.status_counts, { error: 2, success: 1 });
  const shown = { success: good.id, error: bad.id, descendant_error: above.id };
  for (const [status, id] of Object.entries(shown)) {
    const expression = { $eq: [{ $getField: "summary.svc.status" }, { $literal: status }] };
    const found = await project.query({ query: { $expr: expression } });
    assert.deepEqual(found.map((call) => call.id), [id], status);
  }
});

test("update, end, start and delete merge in any order", async () => {
  const project = new Project(server);
  const id = uuid7();
  await project.ok("/call/update", { project_id: project.id, call_id: id, display_name: "mine" });
  assert.equal(await project.read(id), null);
  await project.end(id, { output: "out" });
  assert.equal(await project.read(id), null, "an end alone is invisible");
  assert.equal((await project.stats()).count, 0);
  await project.start({ id, op_name: "late" });
  const call = await project.read(id);
  assert.equal(call.display_name, "mine");
  assert.equal(call.output, "out");
  assert.deepEqual(call.summary.svc, { status: "success", display_name: "mine", latency_ms: 1000 });
  assert.deepEqual(await project.ok("/calls/delete", { project_id: project.id, call_ids: [id] }), {
    num_deleted: 1,
  });
  assert.equal(await project.read(id), null);
  await project.start({ id });
  await project.end(id);
  assert.equal(await project.read(id), null, "a deletion is final");
  assert.deepEqual(await project.query(), []);
});

test("repeated parts: the first start, the last end, no null over an output", async () => {
  const project = new Project(server);
  const { id } = await project.start({ inputs: { n: 1 }, op_name: "first" });
  await project.start({ id, inputs: { n: 2 }, op_name: "second", thread_id: "t" });
  await project.end(id, { output: "kept" });
  await project.end(id, { output: null, ended_at: at(5) });
  const call = await project.read(id);
  assert.deepEqual(call.inputs, { n: 1 });
  assert.equal(call.op_name, "first");
  assert.equal(call.output, "kept");
  assert.equal(call.ended_at, "2024-05-01T00:00:05Z");
  assert.equal((await project.stats()).count, 1);
});

test("complete calls: the last write wins", async () => {
  const project = new Project(server);
  const [{ id, trace_id }] = await project.complete({ output: 1 });
  await project.complete({ id, trace_id, output: 2 });
  assert.equal((await project.read(id)).output, 2);
  assert.equal((await project.stats()).count, 1);
});

test("the last display name wins, and an empty one removes it", async () => {
  const project = new Project(server);
  const [{ id }] = await project.complete({ display_name: "a" });
  const rename = (display_name) =>
    project.ok("/call/update", { project_id: project.id, call_id: id, display_name });
  await rename("b");
  await rename("c");
  assert.equal((await project.read(id)).display_name, "c");
  await rename("");
  const call = await project.read(id);
  assert.equal(call.display_name, null);
  assert.equal(call.summary.svc.trace_name, "op");
  const answer = await project.post("/call/update", { project_id: project.id, call_id: id });
  expectReason(answer, 400, "One of [display_name] is required for call update");
});

test("a v2 end needs a start, and finds it with any start time", async () => {
  const project = new Project(server);
  const path = `/v2/${project.id}/call/end`;
  const id = uuid7();
  const end = { project_id: project.id, id, ended_at: at(1), summary: {} };
  expectReason(
    await project.post(path, { end }), 404,
    `Cannot end call ${id}: no start found in project ${project.id}`,
  );
  const start = {
    project_id: project.id, id, trace_id: uuid7(), op_name: "eager", started_at: at(0),
    attributes: {}, inputs: {},
  };
  const started = await project.ok(`/v2/${project.id}/call/start`, { start });
  assert.deepEqual(started, { id, trace_id: start.trace_id });
  assert.deepEqual(await project.ok(path, { end: { ...end, started_at: at(99), output: 1 } }), {});
  assert.deepEqual(await project.ok(path, { end: { ...end, output: 2 } }), {});
  assert.equal((await project.read(id)).output, 2);
});

test("a batch of starts and ends returns results in its order", async () => {
  const project = new Project(server);
  const start = (id) => ({
    mode: "start",
    req: { start: { project_id: project.id, id, trace_id: id, op_name: "op", started_at: at(0), attributes: {}, inputs: {} } },
  });
  const end = (id) => ({ mode: "end", req: { end: { project_id: project.id, id, ended_at: at(1), summary: {} } } });
  const [a, b] = [uuid7(), uuid7()];
  const { res } = await project.ok("/call/upsert_batch", { batch: [end(b), start(a), end(a), start(b)] });
  assert.deepEqual(res, [{}, { id: a, trace_id: a }, {}, { id: b, trace_id: b }]);
  assert.equal((await project.stats()).count, 2);
  for (const id of [a, b]) assert.equal((await project.read(id)).summary.svc.status, "success");
  const odd = { ...start(uuid7()), mode: "middle" };
  expectReason(await project.post("/call/upsert_batch", { batch: [odd] }), 400, "Invalid mode");
});

test("one invalid item rejects the whole batch", async () => {
  const project = new Project(server);
  const good = { project_id: project.id, id: uuid7(), trace_id: uuid7(), op_name: "op", started_at: at(0), attributes: {}, inputs: {} };
  const { op_name, ...bad } = { ...good, id: uuid7() };
  const batch = [good, bad].map((start) => ({ mode: "start", req: { start } }));
  const answer = await project.post("/call/upsert_batch", { batch });
  assert.equal(answer.status, 422);
  const locs = answer.json.detail.map(({ loc }) => loc);
  assert.ok(
    locs.some((loc) => JSON.stringify(loc) === '["body","batch",1,"CallBatchStartMode","req","start","op_name"]'),
    answer.text,
  );
  assert.equal(await project.read(good.id), null);
});

test("identifiers and lengths are checked", async () => {
  const project = new Project(server);
  const refuse = async (fields, reason) => {
    const start = { project_id: project.id, op_name: "op", started_at: at(0), attributes: {}, inputs: {}, ...fields };
    expectReason(await project.post("/call/start", { start }), 400, reason);
  };
  await refuse({ id: "no-uuid" }, "Invalid UUID: no-uuid");
  const upper = uuid7().toUpperCase();
  await refuse({ id: upper }, `Invalid UUID: ${upper}`);
  await refuse({ parent_id: "x" }, "Invalid UUID: x");
  await refuse({ trace_id: "0123456789abcdef" }, "Invalid UUID: 0123456789abcdef");
  const long = "x".repeat(129);
  await refuse({ op_name: long }, `String too long: ${long}. Max length is 128`);
  const name = "n".repeat(1025);
  await refuse({ display_name: name }, `String too long: ${name}. Max length is 1024`);
  await refuse({ svc_run_step: -1 }, /svc_run_step/);
  await project.start({ id: "0123456789abcdef", trace_id: "0123456789abcdef0123456789abcdef" });
  await project.start({ op_name: "é".repeat(128) });
});

test("summaries accept any members, but usage and status counts have types", async () => {
  const project = new Project(server);
  const [call] = await project.complete({ summary: { usage: { m: { prompt_tokens: 3, extra: { x: 1 } } }, mine: [1] } });
  const { summary } = await project.read(call.id);
  assert.deepEqual(summary.usage, { m: { prompt_tokens: 3, extra: { x: 1 } } });
  assert.deepEqual(summary.mine, [1]);
  const end = (summary) => ({ end: { project_id: project.id, id: uuid7(), ended_at: at(1), summary } });
  expectViolations(
    await project.post("/call/end", end({ usage: { m: { prompt_tokens: 1.5 } } })),
    ["int_from_float", "body", "end", "summary", "usage", "m", "prompt_tokens"],
  );
  expectViolations(
    await project.post("/call/end", end({ status_counts: { odd: 1 } })),
    ["enum", "body", "end", "summary", "status_counts", "odd", "[key]"],
  );
});

test("credentials are redacted", async () => {
  const project = new Project(server);
  const { id } = await project.start({
    inputs: { api_key: "sk-1", nested: [{ "OpenAI-API-Key": "sk-2", authorization: "x", keys: "shown" }], empty: { apikey: "" } },
    attributes: { headers: { AuthToken: "t", other: "o" } },
  });
  const call = await project.read(id);
  assert.deepEqual(call.inputs, {
    api_key: "REDACTED",
    nested: [{ "OpenAI-API-Key": "REDACTED", authorization: "REDACTED", keys: "shown" }],
    empty: { apikey: "" },
  });
  assert.deepEqual(call.attributes, { headers: { AuthToken: "REDACTED", other: "o" } });
});

test("a row that is too large loses its largest column, and nesting is limited", async () => {
  const project = new Project(server);
  const { id } = await project.start({ inputs: { big: "x".repeat(4 << 20) }, attributes: { small: 1 } });
  const call = await project.read(id);
  assert.deepEqual(call.inputs, { _svc: { error: "<EXCEEDS_LIMITS>" } });
  assert.deepEqual(call.attributes, { small: 1 });
  const nested = (depth) => JSON.parse(`{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`);
  await project.start({ inputs: nested(200) });
  const start = { project_id: project.id, op_name: "op", started_at: at(0), attributes: {}, inputs: nested(201) };
  expectReason(await project.post("/call/start", { start }), 413, "Request too large");
});

test("an OpenTelemetry dump is part of the attributes", async () => {
  const project = new Project(server);
  const { id } = await project.start({ attributes: { a: 1 }, otel_dump: { span: { name: "n" } } });
  assert.deepEqual((await project.read(id)).attributes, { a: 1, otel_span: { span: { name: "n" } } });
});

test("deleting a call deletes its descendants", async () => {
  const project = new Project(server);
  const trace_id = uuid7();
  const [root, child, grandchild, other] = await project.complete({ trace_id }, { trace_id }, { trace_id }, {});
  await project.complete({ ...child, parent_id: root.id }, { ...grandchild, parent_id: child.id });
  const unknown = uuid7();
  const { num_deleted } = await project.ok("/calls/delete", { project_id: project.id, call_ids: [root.id, unknown] });
  assert.equal(num_deleted, 4);
  assert.deepEqual((await project.query()).map(({ id }) => id), [other.id]);
  const none = await project.ok("/calls/delete", { project_id: project.id, call_ids: [uuid7()] });
  assert.equal(none.num_deleted, 0);
  const many = Array.from({ length: 1001 }, uuid7);
  expectReason(await project.post("/calls/delete", { project_id: project.id, call_ids: many }), 413, "Request too large");
});

test("columns select the returned members", async () => {
  const project = new Project(server);
  await project.complete({ inputs: { a: 1 }, attributes: { b: 2 }, output: "o", display_name: "d", summary: { x: 1 } });
  const [inputs] = await project.query({ columns: ["inputs.a"] });
  expectMembers(inputs, MEMBERS);
  assert.deepEqual(inputs.inputs, { a: 1 });
  assert.deepEqual(inputs.attributes, {});
  assert.equal(inputs.output, null);
  assert.equal(inputs.display_name, null);
  assert.equal(inputs.ended_at, null);
  assert.deepEqual(inputs.summary, { svc: { status: "success", display_name: "d", latency_ms: 1000 } });
  const [summary] = await project.query({ columns: ["summary_dump"] });
  assert.equal(summary.summary.x, 1);
  assert.equal(summary.display_name, "d");
  assert.equal(summary.ended_at, "2024-05-01T00:00:01Z");
});

test("sizes are those of the payloads in Python's JSON format", async () => {
  const project = new Project(server);
  const trace_id = uuid7();
  const payloads = { attributes: { a: [1, 2] }, inputs: { "é": "x\n" }, output: "out", summary: {} };
  const [root] = await project.complete({ trace_id, ...payloads });
  await project.complete({ trace_id, parent_id: root.id, ...payloads });
  const size = '{"a": [1, 2]}'.length + '{"\\u00e9": "x\\n"}'.length + '"out"'.length + "{}".length;
  const [first, second] = await project.query({ include_storage_size: true, include_total_storage_size: true });
  for (const call of [first, second]) assert.equal(call.storage_size_bytes, size);
  assert.equal(first.total_storage_size_bytes, 2 * size);
  assert.equal(second.total_storage_size_bytes, null);
  assert.deepEqual(await project.stats({ include_total_storage_size: true }), {
    count: 2, has_more: false, total_storage_size_bytes: 2 * size,
  });
});

test("a start has required members", async () => {
  const project = new Project(server);
  expectViolations(
    await project.post("/call/start", { start: { project_id: project.id } }),
    ["missing", "body", "start", "op_name"], ["missing", "body", "start", "started_at"],
    ["missing", "body", "start", "attributes"], ["missing", "body", "start", "inputs"],
  );
  expectViolations(await project.post("/call/start", {}), ["missing", "body", "start"]);
  expectReason(
    await server.api("POST", "/call/read", { body: { project_id: "noslash", id: "x" } }), 400, /project_id/,
  );
});

test("a run name without a project belongs to the project of the call", async () => {
  const project = new Project(server);
  const [a, b] = await project.complete({ svc_run_id: "r1", svc_run_step: 3, svc_run_step_end: 4 }, { svc_run_id: "other/p/r2" });
  const call = await project.read(a.id);
  assert.equal(call.svc_run_id, `${project.id}/r1`);
  assert.equal(call.svc_run_step, 3);
  assert.equal(call.svc_run_step_end, 4);
  const ids = async (svc_run_ids) => (await project.query({ filter: { svc_run_ids } })).map(({ id }) => id);
  assert.deepEqual(await ids(["r1"]), [a.id]);
  assert.deepEqual(await ids([`${project.id}/r1`]), [a.id]);
  assert.deepEqual(await ids(["other/p/r2"]), [b.id]);
});

test("retention sets the expiry of new calls", async () => {
  const project = new Project(server);
  const [before_] = await project.complete({});
  await project.ok("/project/ttl_settings/update", { project_id: project.id, retention_days: 7 });
  const future = new Date(Date.now()).toISOString();
  const [kept] = await project.complete({ started_at: future, ended_at: future });
  assert.equal((await project.read(before_.id)).expire_at, null);
  const call = await project.read(kept.id);
  assert.equal(Date.parse(call.expire_at) - Date.parse(call.started_at), 7 * 24 * 3600 * 1000);
});
