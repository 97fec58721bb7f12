// Lists of calls for the console: cursors, previews, only the requested members, and the search for text.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { Project, at } from "./support/calls.mjs";
import { expectMembers, expectViolations } from "./support/expect.mjs";
import { freshName, makeMember, makeTeam, makeUser } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const newest = [{ field: "started_at", direction: "desc" }];

/** Queries a page and resolves with its calls and its cursor. */
async function page(project, fields) {
  const lines = await project.query({ include_cursor: true, ...fields });
  const { next_cursor, ...rest } = lines.pop();
  assert.deepEqual(rest, {}, "the last line contains only the cursor");
  return { calls: lines, next: next_cursor };
}

/** Reads all pages and resolves with the ids. */
async function allPages(project, fields, between = async () => {}) {
  const ids = [];
  for (let cursor = null; ; ) {
    const { calls, next } = await page(project, { ...fields, cursor });
    ids.push(...calls.map(({ id }) => id));
    if (next === null) return ids;
    assert.equal(calls.length, fields.limit);
    cursor = next;
    await between();
  }
}

describe("cursors", () => {
  let project;
  before(async () => {
    project = new Project(server);
    const calls = Array.from({ length: 25 }, (_, i) => ({
      started_at: at(Math.floor(i / 5)),
      ended_at: at(100 - i),
      op_name: i % 2 === 0 ? "even" : "odd",
      inputs: i % 4 === 0 ? {} : { a: i % 3 === 0 ? `text ${i}` : i, long: "x".repeat(500) + i },
    }));
    await project.complete(...calls);
    await project.start({ started_at: at(2) });
  });

  const orders = [
    undefined,
    newest,
    [{ field: "inputs.a", direction: "asc" }],
    [{ field: "inputs.a", direction: "desc" }, { field: "op_name", direction: "asc" }],
    [{ field: "ended_at", direction: "desc" }],
    [{ field: "summary.svc.latency_ms", direction: "asc" }],
    [{ field: "feedback.[svc.note.1].payload.note", direction: "asc" }],
  ];
  for (const sort_by of orders) {
    test(`continue a list by ${JSON.stringify(sort_by)}`, async () => {
      const all = (await project.query({ sort_by })).map(({ id }) => id);
      assert.equal(all.length, 26);
      for (const limit of [1, 7, 13, 26, 100]) {
        assert.deepEqual(await allPages(project, { sort_by, limit }), all, `pages of ${limit}`);
      }
    });
  }

  test("belong to filters and queries", async () => {
    const filter = { op_names: ["even"] };
    const query = { $expr: { $gt: [{ $getField: "inputs.a" }, { $literal: 5 }] } };
    const all = (await project.query({ filter, query, sort_by: newest })).map(({ id }) => id);
    assert.deepEqual(await allPages(project, { filter, query, sort_by: newest, limit: 2 }), all);
    const { next } = await page(project, { filter, query, sort_by: newest, limit: 2 });
    for (const other of [{ query }, { filter }, { filter, query, sort_by: undefined }, { filter: { op_names: ["odd"] }, query }]) {
      const body = { project_id: project.id, sort_by: newest, limit: 2, cursor: next, ...other };
      expectViolations(await project.post("/calls/stream_query", body), ["value_error", "body", "cursor"]);
    }
    const elsewhere = new Project(server);
    await elsewhere.start();
    const foreign = { project_id: elsewhere.id, filter, query, sort_by: newest, limit: 2, cursor: next };
    expectViolations(await project.post("/calls/query", foreign), ["value_error", "body", "cursor"]);
    const more = await page(project, { filter, query, sort_by: newest, limit: 3, columns: ["id"], preview_bytes: 16, cursor: next });
    assert.deepEqual(more.calls.map(({ id }) => id), all.slice(2, 5), "pages may differ in size and form");
  });

  test("neither repeat nor lose calls while others arrive and disappear", async () => {
    const changing = new Project(server);
    const ids = (await changing.complete(...Array.from({ length: 9 }, (_, i) => ({ started_at: at(i) })))).map(({ id }) => id);
    const seen = await allPages(changing, { sort_by: newest, limit: 2 }, () => changing.complete({ started_at: at(1000) }));
    assert.deepEqual(seen, ids.reverse());
  });

  test("are returned in one object by /calls/query", async () => {
    const body = { project_id: project.id, limit: 20, include_cursor: true };
    const first = await project.ok("/calls/query", body);
    expectMembers(first, ["calls", "next_cursor"]);
    const second = await project.ok("/calls/query", { ...body, cursor: first.next_cursor });
    assert.equal(second.calls.length, 6);
    assert.equal(second.next_cursor, null);
    expectMembers(await project.ok("/calls/query", { project_id: project.id, limit: 1 }), ["calls"]);
    const none = await project.ok("/calls/query", { ...body, filter: { op_names: ["none"] } });
    assert.deepEqual(none, { calls: [], next_cursor: null });
  });

  test("that are no cursors are refused", async () => {
    const { next } = await page(project, { limit: 5 });
    const text = Buffer.from(next, "base64url").toString();
    const coded = (changed) => Buffer.from(changed).toString("base64url");
    const head = text.slice(0, text.indexOf("["));
    const hostile = [
      "", "x", "null", next.slice(2), `${next}AAAA`, "../../etc/passwd", "\u0000", "'; DROP TABLE calls; --",
      coded(text.replace("c1:", "c2:")), coded(`${head}[]`), coded(`${head}["n","n"]`), coded(`${head}["i1"]`),
      coded(`${head}["tx","ty"]`), coded(`${head}["i9223372036854775808","tx"]`), coded(`${head}[${'"n",'.repeat(500)}"n"]`),
      coded(`${head}[[["n"]]]`), coded(`${head}{"a":1}`), coded(Buffer.concat([Buffer.from(head), Buffer.from([0xff, 0xfe])])),
      "A".repeat(40_000),
    ];
    for (const cursor of hostile) {
      const answer = await project.post("/calls/stream_query", { project_id: project.id, limit: 5, cursor });
      assert.equal(answer.status, 422, `${cursor.slice(0, 60)}: ${answer.text}`);
    }
    const extreme = coded(`${head}["i-9223372036854775808","tx'; --"]`);
    const answer = await project.post("/calls/stream_query", { project_id: project.id, limit: 5, cursor: extreme });
    assert.equal(answer.status, 200, answer.text);
  });

  test("need a limit and no offset", async () => {
    const ask = (fields) => project.post("/calls/stream_query", { project_id: project.id, include_cursor: true, ...fields });
    for (const limit of [undefined, null, 0, -1, 10_001]) {
      expectViolations(await ask({ limit }), ["value_error", "body", "limit"]);
    }
    const { next } = await page(project, { limit: 5 });
    expectViolations(await ask({ limit: 5, cursor: next, offset: 1 }), ["value_error", "body", "offset"]);
    const { calls } = await page(project, { limit: 5, offset: 3 });
    assert.deepEqual(calls.map(({ id }) => id), (await project.query({ limit: 5, offset: 3 })).map(({ id }) => id));
    expectViolations(await ask({ limit: 5, cursor: 7 }), ["string_type", "body", "cursor"]);
  });
});

describe("previews", () => {
  test("replace large payloads and keep small ones", async () => {
    const project = new Project(server);
    const usage = { m: { prompt_tokens: 3, completion_tokens: 1 } };
    const [call] = await project.complete({
      inputs: { text: "é".repeat(500_000) },
      output: { small: true },
      attributes: { text: "x".repeat(100) },
      exception: `Traceback\n"quoted" ${"y".repeat(1000)}`,
      summary: { long: "z".repeat(5000), usage },
    });
    const [read] = await project.query({ preview_bytes: 64 });
    const whole = await project.read(call.id);
    const text = JSON.stringify(call.inputs);
    assert.equal(read.inputs.bytes, Buffer.byteLength(text));
    assert.ok(text.startsWith(read.inputs.preview));
    assert.equal(Buffer.byteLength(read.inputs.preview), 63, "a character is not cut");
    assert.deepEqual(read.output, { small: true });
    assert.deepEqual(read.attributes, { preview: JSON.stringify(call.attributes).slice(0, 64), bytes: 111 });
    assert.deepEqual(read.exception, { preview: call.exception.slice(0, 64), bytes: call.exception.length });
    assert.equal(read.summary.preview, JSON.stringify(call.summary).slice(0, 64));
    assert.equal(read.summary.bytes, JSON.stringify(call.summary).length);
    assert.deepEqual(read.summary.usage, usage);
    assert.deepEqual(read.summary.svc, whole.summary.svc);
    for (const member of ["id", "op_name", "trace_id", "started_at", "ended_at", "svc_user_id"]) {
      assert.deepEqual(read[member], whole[member], member);
    }
    const [generous] = await project.query({ preview_bytes: 65_536, columns: ["output", "summary", "exception"] });
    assert.deepEqual(generous, { id: call.id, output: call.output, summary: whole.summary, exception: call.exception });
  });

  test("move little data", async () => {
    const project = new Project(server);
    const calls = Array.from({ length: 20 }, () => ({ inputs: { text: "x".repeat(1 << 20) } }));
    for (const call of calls) await project.complete(call);
    const answer = await project.post("/calls/stream_query", { project_id: project.id, preview_bytes: 100 });
    assert.ok(answer.bytes.length < 20 * 1200, `${answer.bytes.length} bytes`);
    assert.equal(answer.text.trim().split("\n").length, 20);
  });

  test("include costs of a summary that is cut", async () => {
    const project = new Project(server);
    await project.ok("/cost/create", { project_id: project.id, costs: { m: { prompt_token_cost: 2, completion_token_cost: 1 } } });
    await project.complete({ summary: { long: "z".repeat(5000), usage: { m: { prompt_tokens: 3 } } } });
    for (const columns of [undefined, ["summary"], ["summary.svc"], []]) {
      const [read] = await project.query({ preview_bytes: 16, include_costs: true, columns });
      assert.equal(read.summary.svc.costs.m.prompt_tokens_total_cost, 6, JSON.stringify(columns));
    }
  });

  test("show references as the reader may see them", async () => {
    const project = new Project(server);
    await project.complete({ inputs: { ref: `svc:///${project.id}/object/x:y`, text: "x".repeat(300) } });
    const [read] = await project.query({ preview_bytes: 200 });
    assert.ok(read.inputs.preview.startsWith(`{"ref":"svc:///${project.id}/object/x:y","text":"xxx`), read.inputs.preview);
    assert.equal(Buffer.byteLength(read.inputs.preview), 200);
  });

  test("have a size from 16 to 65536 bytes and no expanded references", async () => {
    const project = new Project(server);
    await project.start();
    const ask = (fields) => project.post("/calls/stream_query", { project_id: project.id, ...fields });
    expectViolations(await ask({ preview_bytes: 15 }), ["greater_than_equal", "body", "preview_bytes"]);
    expectViolations(await ask({ preview_bytes: 65_537 }), ["less_than_equal", "body", "preview_bytes"]);
    expectViolations(await ask({ preview_bytes: "many" }), ["int_parsing", "body", "preview_bytes"]);
    const expanded = { preview_bytes: 16, expand_columns: ["inputs.a"] };
    expectViolations(await ask(expanded), ["value_error", "body", "return_expanded_column_values"]);
    assert.equal((await ask({ ...expanded, return_expanded_column_values: false })).status, 200);
  });
});

describe("columns", () => {
  let project;
  let call;
  before(async () => {
    project = new Project(server);
    [call] = await project.complete({ inputs: { a: 1 }, output: "x", summary: { b: 2 }, display_name: "name", thread_id: "t" });
  });

  test("are the only members of a list with a cursor or previews", async () => {
    const cases = [
      [[], { id: call.id }],
      [["id"], { id: call.id }],
      [["op_name", "started_at"], { id: call.id, op_name: "op", started_at: "2024-05-01T00:00:00Z" }],
      [["inputs.a", "output"], { id: call.id, inputs: { a: 1 }, output: "x" }],
      [["exception", "parent_id"], { id: call.id, exception: null, parent_id: null }],
      [["trace_id", "thread_id", "project_id"], { id: call.id, project_id: project.id, trace_id: call.trace_id, thread_id: "t" }],
      [["summary.svc.status"], { id: call.id, summary: { svc: { status: "success", display_name: "name", latency_ms: 1000 } } }],
      [["summary"], { id: call.id, summary: { b: 2, svc: { status: "success", display_name: "name", latency_ms: 1000 } } }],
      [["nonsense"], { id: call.id }],
    ];
    for (const [columns, expected] of cases) {
      const { calls } = await page(project, { limit: 1, columns });
      assert.deepEqual(calls, [expected]);
      assert.deepEqual(await project.query({ preview_bytes: 1000, columns }), [expected]);
    }
    const sized = (await page(project, { limit: 1, columns: ["id"], include_storage_size: true, include_total_storage_size: true })).calls[0];
    expectMembers(sized, ["id", "storage_size_bytes", "total_storage_size_bytes"]);
    assert.ok(sized.storage_size_bytes > 0 && sized.total_storage_size_bytes > 0);
    const known = (await page(project, { limit: 1, columns: ["id"], include_usernames: true })).calls[0];
    expectMembers(known, ["id", "svc_username"]);
    const reacted = (await page(project, { limit: 1, columns: ["id"], include_feedback: true })).calls[0];
    assert.deepEqual(reacted.summary.svc.feedback, []);
  });

  test("of other requests change no member", async () => {
    const [whole] = await project.query();
    const [read] = await project.query({ columns: ["inputs"] });
    assert.deepEqual(Object.keys(read), Object.keys(whole));
    assert.deepEqual(read.inputs, { a: 1 });
    assert.deepEqual(read.attributes, {});
    assert.deepEqual(read.summary, { svc: whole.summary.svc });
  });

  test("have the names of the client", async () => {
    const headers = { "x-weave-client-capabilities": "trace_id_on_end" };
    const body = { project_id: project.id, limit: 1, include_cursor: true, columns: ["wb_user_id", "summary.weave"] };
    const { calls } = await project.ok("/calls/query", body, { headers });
    expectMembers(calls[0], ["id", "wb_user_id", "summary"]);
    expectMembers(calls[0].summary, ["weave"]);
  });
});

describe("search", () => {
  let project;
  let calls;
  const search = (fields) => project.ok("/calls/search", { project_id: project.id, ...fields });
  const found = async (fields) => (await search(fields)).calls.map(({ id }) => id);
  before(async () => {
    project = new Project(server);
    calls = await project.complete(
      { started_at: at(1), op_name: "RefundAgent" },
      { started_at: at(2), inputs: { q: `${"x".repeat(300)} Where is my "Refund"? ${"y".repeat(300)}` } },
      { started_at: at(3), output: ["REFUND ÄÖÜ", { ref: `svc:///${project.id}/object/thing:v1` }] },
      { started_at: at(4), output: "nothing" },
    );
  });

  test("finds names, inputs and outputs in letters of either case, newest first", async () => {
    const { calls: hits } = await search({ text: "refund" });
    assert.deepEqual(hits.map(({ id }) => id), [calls[2].id, calls[1].id, calls[0].id]);
    assert.deepEqual(hits.map(({ matches }) => matches.map(({ field }) => field)), [["output"], ["inputs"], ["name"]]);
    for (const { matches: [{ snippet, start, end }] } of hits) {
      assert.equal([...snippet].slice(start, end).join("").toLowerCase(), "refund");
      assert.ok([...snippet].length <= 246);
    }
    expectMembers(hits[0], ["id", "trace_id", "name", "started_at", "matches"]);
    assert.equal(hits[2].name, "RefundAgent");
    assert.equal(hits[0].trace_id, calls[2].trace_id);
    assert.deepEqual(await found({ text: "refund äöü" }), [calls[2].id]);
    assert.deepEqual(await found({ text: 'my "reFUND"?' }), [calls[1].id]);
    assert.deepEqual(await found({ text: "%" }), []);
    assert.deepEqual(await found({ text: "refund_gent" }), []);
  });

  test("shows references as the reader may see them", async () => {
    const [{ matches }] = (await search({ text: "thing:V1" })).calls;
    assert.ok(matches[0].snippet.includes(`svc:///${project.id}/object/thing:v1`), matches[0].snippet);
  });

  test("is bounded by a limit and a time range", async () => {
    assert.deepEqual(await found({ text: "refund", limit: 1 }), [calls[2].id]);
    assert.deepEqual(await found({ text: "refund", since: at(1), until: at(2) }), [calls[0].id]);
    assert.deepEqual(await found({ text: "refund", since: at(2) }), [calls[2].id, calls[1].id]);
    assert.deepEqual(await found({ text: "refund", until: null, since: null, limit: 2 }), [calls[2].id, calls[1].id]);
  });

  test("refuses invalid requests", async () => {
    const ask = (fields) => project.post("/calls/search", { project_id: project.id, ...fields });
    expectViolations(await ask({}), ["missing", "body", "text"]);
    expectViolations(await ask({ text: "" }), ["string_too_short", "body", "text"]);
    expectViolations(await ask({ text: "x".repeat(1001) }), ["string_too_long", "body", "text"]);
    expectViolations(await ask({ text: "x", limit: 0 }), ["greater_than_equal", "body", "limit"]);
    expectViolations(await ask({ text: "x", limit: 101 }), ["less_than_equal", "body", "limit"]);
    assert.equal((await ask({ text: "x", since: "soon" })).status, 422);
  });

  test("shows a viewer the project, and an outsider nothing", async () => {
    const { name: team } = await makeTeam(server);
    const inTeam = new Project(server, `${team}/lab`);
    await inTeam.complete({ op_name: "secret" });
    const viewer = await makeMember(server, team, "VIEWER");
    const outsider = await makeUser(server);
    const body = { project_id: inTeam.id, text: "SECRET" };
    const allowed = await inTeam.post("/calls/search", body, { key: viewer.key });
    assert.equal(allowed.json.calls.length, 1, allowed.text);
    const refused = await inTeam.post("/calls/search", body, { key: outsider.key });
    assert.equal(refused.status, 404, refused.text);
    const unknown = await inTeam.post("/calls/search", { ...body, project_id: `${freshName("team")}/lab` }, { key: outsider.key });
    assert.equal(unknown.status, 404);
  });
});
