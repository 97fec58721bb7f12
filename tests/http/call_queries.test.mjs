// Queries and counts of calls: test vectors of the query language, filters, order, pages.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Project, at, expectReason, uuid7 } from "./support/calls.mjs";
import { expectViolations } from "./support/expect.mjs";
import { startServer } from "./support/server.mjs";

let server;
let project;
const ids = {}; // the calls of the test vectors, by number

before(async () => {
  server = await startServer();
  project = new Project(server);
  for (const number of [1, 2, 3, 4, 5]) ids[number] = uuid7();
  const start = (number, fields) => project.start({ id: ids[number], started_at: at(number), ...fields });
  await start(1, {
    inputs: { a: 1, b: true, n: null, l: [1, 2], d: { "k.v": 3 }, f: 1.5, s: "x", big: 10 },
  });
  await start(2, { parent_id: ids[1], inputs: { a: "2", s: "" } });
  await start(3, { inputs: { a: 9 } });
  await project.end(ids[4]); // an end without a start
  await start(5, { inputs: { a: 100 } });
  await project.end(ids[1], { ended_at: at(6) });
  await project.end(ids[2], { ended_at: at(7) });
  await project.end(ids[5], { ended_at: at(10) });
});
after(() => server.dispose());

const field = (path) => ({ $getField: path });
const literal = (value) => ({ $literal: value });
const compare = (operator) => (path, value) => ({ [operator]: [field(path), literal(value)] });
const eq = compare("$eq");
const gt = compare("$gt");
const not = (operand) => ({ $not: [operand] });
const convert = (path, to) => ({ $convert: { input: field(path), to } });
const isIn = (path, values) => ({ $in: [field(path), values.map(literal)] });
const contains = (path, substr, case_insensitive = false) => ({
  $contains: { input: field(path), substr: literal(substr), case_insensitive },
});

async function numbers(request) {
  const found = await project.query(request);
  return found.map(({ id }) => Number(Object.keys(ids).find((number) => ids[number] === id)));
}

const VECTORS = [
  ["inputs.a = 1", eq("inputs.a", 1), [1]],
  ['inputs.a = "1"', eq("inputs.a", "1"), [1]],
  ["inputs.a = 2, stored as a text", eq("inputs.a", 2), [2]],
  ["inputs.a > 5", gt("inputs.a", 5), [3, 5]],
  ["inputs.a > 5.0", gt("inputs.a", 5.5), [3, 5]],
  ['inputs.a > "5", in the order of texts', gt("inputs.a", "5"), [3]],
  ["inputs.b = true", eq("inputs.b", true), [1]],
  ['inputs.b = "true"', eq("inputs.b", "true"), [1]],
  ["inputs.b = 1", eq("inputs.b", 1), []],
  ["inputs.n = null", eq("inputs.n", null), []],
  ["inputs.missing = null", eq("inputs.missing", null), []],
  ['inputs.missing = ""', eq("inputs.missing", ""), [1, 2, 3, 5]],
  ['not(inputs.missing = "zz")', not(eq("inputs.missing", "zz")), [1, 2, 3, 5]],
  ["parent_id = null", eq("parent_id", null), [1, 3, 5]],
  ["not(parent_id = null)", not(eq("parent_id", null)), [2]],
  ["ended_at = null", eq("ended_at", null), [3]],
  ["inputs.l.0 = 1", eq("inputs.l.0", 1), [1]],
  ["inputs.d.k\\.v = 3", eq("inputs.d.k\\.v", 3), [1]],
  ['inputs.d = {"k.v":3}', eq("inputs.d", '{"k.v":3}'), [1]],
  ["convert(inputs.f,int) = 1", { $eq: [convert("inputs.f", "int"), literal(1)] }, []],
  ["convert(inputs.f,double) = 1.5", { $eq: [convert("inputs.f", "double"), literal(1.5)] }, [1]],
  ["convert(inputs.missing,exists) = true", { $eq: [convert("inputs.missing", "exists"), literal(true)] }, [1, 2, 3, 5]],
  ['contains(inputs.s,"X")', contains("inputs.s", "X"), []],
  ["the same without regard to case", contains("inputs.s", "X", true), [1]],
  ["inputs.a in [1,9]", isIn("inputs.a", [1, 9]), [1, 3]],
  ['inputs.a in [1,"9"]', isIn("inputs.a", [1, "9"]), [3]],
  ['inputs.a in ["1","9"]', isIn("inputs.a", ["1", "9"]), [1, 3]],
  ["size(inputs.s) > 0", { $gt: [{ $size: field("inputs.s") }, literal(0)] }, [1]],
  ["inputs.a > inputs.big", { $gt: [field("inputs.a"), field("inputs.big")] }, [2, 3, 5]],
  ["started_at > unix seconds", gt("started_at", Date.parse(at(2)) / 1000), [3, 5]],
  ["started_at > a text", gt("started_at", at(2)), [3, 5]],
  ["started_at > a day", gt("started_at", "2024-04-30"), [1, 2, 3, 5]],
  ["status", eq("summary.svc.status", "running"), [3]],
  ["another status", eq("summary.svc.status", "success"), [1, 2, 5]],
  ["a status that no call here has", eq("summary.svc.status", "error"), []],
  ["a status that there is not", eq("summary.svc.status", "asleep"), []],
  ["not a status", not(eq("summary.svc.status", "success")), [3]],
  ["one of some statuses", isIn("summary.svc.status", ["running", "error"]), [3]],
  ["statuses in the order of texts", gt("summary.svc.status", "running"), [1, 2, 5]],
  ["latency", gt("summary.svc.latency_ms", 4999), [1, 2, 5]],
  ["a longer latency", gt("summary.svc.latency_ms", 5000), []],
  ["trace name", eq("summary.svc.trace_name", "op"), [1, 2, 3, 5]],
  ["and, or", { $and: [gt("inputs.a", 0), { $or: [eq("inputs.a", 9), eq("inputs.a", 100)] }] }, [3, 5]],
];

for (const [name, expression, expected] of VECTORS) {
  test(`query: ${name}`, async () => {
    const query = { $expr: expression };
    assert.deepEqual(await numbers({ query }), expected);
    assert.equal((await project.stats({ query })).count, expected.length);
  });
}

const ORDERS = [
  ["inputs.a", "asc", [1, 2, 3, 5]],
  ["inputs.a", "desc", [5, 3, 2, 1]],
  ["ended_at", "desc", [5, 2, 1, 3]],
  ["ended_at", "asc", [1, 2, 5, 3]],
  ["started_at", "desc", [5, 3, 2, 1]],
];

for (const [path, direction, expected] of ORDERS) {
  test(`order: ${path} ${direction}`, async () => {
    assert.deepEqual(await numbers({ sort_by: [{ field: path, direction }] }), expected);
    const limited = { sort_by: [{ field: path, direction }], limit: 2, offset: 1 };
    assert.deepEqual(await numbers(limited), expected.slice(1, 3));
  });
}

test("the default order is by start time, also across pages", async () => {
  assert.deepEqual(await numbers({}), [1, 2, 3, 5]);
  assert.deepEqual(await numbers({ limit: 2 }), [1, 2]);
  assert.deepEqual(await numbers({ limit: 2, offset: 3 }), [5]);
  assert.deepEqual(await numbers({ limit: 0 }), []);
  assert.deepEqual((await numbers({ sort_by: [] })).sort(), [1, 2, 3, 5]);
  expectReason(await project.post("/calls/stream_query", { project_id: project.id, limit: -1 }), 400, "Limit must be a positive integer");
  expectReason(await project.post("/calls/stream_query", { project_id: project.id, offset: -1 }), 400, "Offset must be a positive integer");
});

test("statistics return the count and whether more calls exist", async () => {
  const total_storage_size_bytes = null;
  assert.deepEqual(await project.stats(), { count: 4, has_more: false, total_storage_size_bytes });
  for (const limit of [1, 2, 3]) {
    assert.deepEqual(await project.stats({ limit }), { count: limit, has_more: true, total_storage_size_bytes });
  }
  for (const limit of [4, 10]) {
    assert.deepEqual(await project.stats({ limit }), { count: 4, has_more: false, total_storage_size_bytes });
  }
  const query = { $expr: gt("inputs.a", 5) };
  assert.deepEqual(await project.stats({ query, limit: 1 }), { count: 1, has_more: true, total_storage_size_bytes });
  for (const limit of [0, -1]) {
    const answer = await project.post("/calls/query_stats", { project_id: project.id, limit });
    expectReason(answer, 400, "Limit must be a positive integer");
  }
});

test("filters", async () => {
  const filtered = (filter) => numbers({ filter });
  assert.deepEqual(await filtered({ call_ids: [ids[1], ids[5]] }), [1, 5]);
  assert.deepEqual(await filtered({ parent_ids: [ids[1]] }), [2]);
  assert.deepEqual(await filtered({ trace_roots_only: true }), [1, 3, 5]);
  assert.deepEqual(await filtered({ trace_roots_only: false }), [1, 2, 3, 5]);
  assert.deepEqual(await filtered({ op_names: ["op"] }), [1, 2, 3, 5]);
  assert.deepEqual(await filtered({ op_names: ["other"] }), []);
  assert.deepEqual(await filtered({ op_names: [] }), [1, 2, 3, 5]);
  assert.deepEqual(await filtered({ thread_ids: [] }), []);
  assert.deepEqual(await filtered({ turn_ids: [] }), []);
  assert.deepEqual(await filtered({ thread_ids: null, op_names: null }), [1, 2, 3, 5]);
  const me = (await project.read(ids[1])).svc_user_id;
  assert.deepEqual(await filtered({ svc_user_ids: [me] }), [1, 2, 3, 5]);
  assert.deepEqual(await filtered({ svc_user_ids: ["someone"] }), []);
  const call_ids = Array.from({ length: 1001 }, () => "x");
  expectReason(
    await project.post("/calls/query_stats", { project_id: project.id, filter: { call_ids } }), 400,
    "Parameter: 'call_ids' request length is greater than max length (1000). Actual length: 1001",
  );
});

test("references are found in inputs and outputs, and by every version of an op", async () => {
  const traced = new Project(server);
  const [{ id: first }, { id: second }] = await traced.complete(
    { op_name: `svc:///${traced.id}/op/f:v1digest`, inputs: { m: `svc:///${traced.id}/object/model:abc` }, started_at: at(0) },
    { op_name: `svc:///${traced.id}/op/f:v2digest`, output: [`svc:///${traced.id}/object/model:def`], started_at: at(1) },
  );
  const found = async (filter) => (await traced.query({ filter })).map(({ id }) => id);
  assert.deepEqual(await found({ op_names: [`svc:///${traced.id}/op/f:*`] }), [first, second]);
  assert.deepEqual(await found({ op_names: [`svc:///${traced.id}/op/f:v2digest`] }), [second]);
  assert.deepEqual(await found({ input_refs: [`svc:///${traced.id}/object/model:abc`] }), [first]);
  assert.deepEqual(await found({ input_refs: [`svc:///${traced.id}/object/model:*`] }), [first]);
  assert.deepEqual(await found({ output_refs: [`svc:///${traced.id}/object/model:def`] }), [second]);
  const call = await traced.read(first);
  assert.equal(call.op_name, `svc:///${traced.id}/op/f:v1digest`);
  assert.deepEqual(call.inputs, { m: `svc:///${traced.id}/object/model:abc` });
  assert.equal(call.summary.svc.trace_name, "f");
  const query = { $expr: eq("op_name", `svc:///${traced.id}/op/f:v1digest`) };
  assert.deepEqual((await traced.query({ query })).map(({ id }) => id), [first]);
});

test("an invalid query is rejected with a reason", async () => {
  const ask = (expression) => project.post("/calls/query_stats", { project_id: project.id, query: { $expr: expression } });
  expectReason(await ask(eq("nonsense", 1)), 422, /^Field nonsense is not allowed/);
  expectReason(await ask(eq("summary.svc.other", 1)), 422, "Summary field 'other' is not allowed. Supported fields are: latency_ms, status, trace_name");
  expectReason(await ask({ $and: [] }), 400, "Empty AND operation");
  expectReason(await ask({ $or: [] }), 400, "Empty OR operation");
  expectReason(await ask(contains("inputs.s", 5)), 403, /./);
  const sorted = { project_id: project.id, sort_by: [{ field: "nonsense", direction: "asc" }] };
  expectReason(await project.post("/calls/stream_query", sorted), 422, /nonsense/);
  expectViolations(
    await project.post("/calls/stream_query", { project_id: project.id, sort_by: [{ field: "id", direction: "up" }] }),
    ["literal_error", "body", "sort_by", 0, "direction"],
  );
  expectViolations(
    await project.post("/calls/query_stats", { project_id: project.id, query: { $expr: eq("id", 1), more: 1 } }),
    ["extra_forbidden", "body", "query", "more"],
  );
  expectViolations(
    await project.post("/calls/query_stats", { project_id: project.id, filter: { op_names: [1] } }),
    ["string_type", "body", "filter", "op_names", 0],
  );
  expectViolations(await project.post("/calls/query_stats", {}), ["missing", "body", "project_id"]);
});

test("a project without writes is empty", async () => {
  const fresh = new Project(server);
  assert.deepEqual(await fresh.query(), []);
  assert.deepEqual(await fresh.stats(), { count: 0, has_more: false, total_storage_size_bytes: null });
  assert.equal(await fresh.read(uuid7()), null);
  const query = { $expr: eq("nonsense", 1) };
  expectReason(await fresh.post("/calls/query_stats", { project_id: fresh.id, query }), 422, /^Field nonsense/);
});

test("paging returns every call once, in both directions", async () => {
  const many = new Project(server);
  const batch = Array.from({ length: 900 }, (_, i) => ({ started_at: at(i % 300), inputs: { i } }));
  for (let i = 0; i < batch.length; i += 300) await many.complete(...batch.slice(i, i + 300));
  for (const direction of ["asc", "desc"]) {
    const sort_by = [{ field: "started_at", direction }];
    const seen = [];
    for (let offset = 0; offset < 1000; offset += 128) {
      seen.push(...(await many.query({ sort_by, limit: 128, offset, columns: ["inputs"] })));
    }
    assert.equal(new Set(seen.map(({ id }) => id)).size, 900);
    const times = seen.map(({ started_at }) => started_at);
    const sorted = [...times].sort();
    assert.deepEqual(times, direction === "asc" ? sorted : sorted.reverse());
  }
  const { calls } = await many.ok("/calls/query", { project_id: many.id, limit: 3 });
  assert.equal(calls.length, 3);
  assert.deepEqual(await many.ok("/calls/query", { project_id: new Project(server).id }), { calls: [] });
});
