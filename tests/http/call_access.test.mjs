// Access control of the calls, costs, feedback, queues and settings of a project: outsiders cannot see them,
// viewers cannot change them, and no field of a request gives access to another project.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { Project, at, uuid7 } from "./support/calls.mjs";
import { ProjectClient, expectOk } from "./support/objects.mjs";
import { makeTeam, makeUser } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";
import { checkAccess } from "./support/access_checks.mjs";

const TAGS = ["calls", "costs", "feedback", "annotation queues", "projects"];

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const reads = true;
const post = (path, body = () => ({})) => (id, made) => ["POST", path, { project_id: id, ...body(made, id) }];
const start = (id) => ({ project_id: id, op_name: "op", started_at: at(0), attributes: {}, inputs: {} });
const end = (id, made) => ({ project_id: id, id: made.call, ended_at: at(2), summary: {} });
const complete = (id) => ({ ...start(id), id: uuid7(), trace_id: uuid7(), ended_at: at(1), summary: {} });
const byId = (id) => ({ $expr: { $eq: [{ $getField: "id" }, { $literal: id }] } });
const note = (made) => ({ svc_ref: made.ref, feedback_type: "custom", payload: { a: 1 } });
const range = { start: at(0), end: at(60) };
const millis = { after_ms: Date.parse(at(0)), before_ms: Date.parse(at(60)) };

/** For each operation: its request to a project (method, path, body), and whether it only reads. */
const TABLE = {
  "POST /call/start": { ask: (id) => ["POST", "/call/start", { start: start(id) }] },
  "POST /call/end": { ask: (id, made) => ["POST", "/call/end", { end: end(id, made) }] },
  "POST /call/upsert_batch": {
    ask: (id) => ["POST", "/call/upsert_batch", { batch: [{ mode: "start", req: { start: start(id) } }] }],
  },
  "POST /v2/{entity}/{project}/calls/complete": {
    ask: (id) => ["POST", `/v2/${id}/calls/complete`, { batch: [complete(id)] }],
  },
  "POST /v2/{entity}/{project}/call/start": { ask: (id) => ["POST", `/v2/${id}/call/start`, { start: start(id) }] },
  "POST /v2/{entity}/{project}/call/end": { ask: (id, made) => ["POST", `/v2/${id}/call/end`, { end: end(id, made) }] },
  "POST /call/update": { ask: post("/call/update", (made) => ({ call_id: made.call, display_name: "x" })) },
  "POST /calls/delete": { ask: post("/calls/delete", (made) => ({ call_ids: [made.other] })) },
  "POST /call/read": { reads, ask: post("/call/read", (made) => ({ id: made.call })) },
  "POST /calls/stream_query": { reads, ask: post("/calls/stream_query") },
  "POST /calls/query": { reads, ask: post("/calls/query") },
  "POST /calls/search": { reads, ask: post("/calls/search", () => ({ text: "x" })) },
  "POST /calls/query_stats": { reads, ask: post("/calls/query_stats") },
  "POST /calls/stats": { reads, ask: post("/calls/stats", () => range) },
  "POST /calls/facets": { reads, ask: post("/calls/facets", () => ({ facets: [{ field: "op_name" }] })) },
  "POST /calls/attributes": { reads, ask: post("/calls/attributes") },
  "POST /calls/usage": { reads, ask: post("/calls/usage", (made) => ({ call_ids: [made.call] })) },
  "POST /trace/usage": { reads, ask: post("/trace/usage") },
  "POST /threads/stream_query": { reads, ask: post("/threads/stream_query") },
  "POST /cost/create": {
    ask: post("/cost/create", () => ({ costs: { m: { prompt_token_cost: 1, completion_token_cost: 1 } } })),
  },
  "POST /cost/query": { reads, ask: post("/cost/query") },
  "POST /cost/purge": { ask: post("/cost/purge", (made) => ({ query: byId(made.cost) })) },
  "POST /feedback/create": { ask: post("/feedback/create", note) },
  "POST /feedback/batch/create": {
    ask: (id, made) => ["POST", "/feedback/batch/create", { batch: [{ project_id: id, ...note(made) }] }],
  },
  "POST /feedback/replace": {
    ask: post("/feedback/replace", (made) => ({ feedback_id: made.feedback, ...note(made) })),
  },
  "POST /feedback/purge": { ask: post("/feedback/purge", (made) => ({ query: byId(made.feedback) })) },
  "POST /feedback/query": { reads, ask: post("/feedback/query") },
  "POST /feedback/aggregate": { reads, ask: post("/feedback/aggregate", () => millis) },
  "POST /feedback/stats": {
    reads,
    ask: post("/feedback/stats", () => ({ ...range, metrics: [{ json_path: "a", value_type: "numeric" }] })),
  },
  "POST /feedback/payload_schema": { reads, ask: post("/feedback/payload_schema", () => range) },
  "POST /annotation_queues": { ask: post("/annotation_queues", () => ({ name: "q", scorer_refs: [] })) },
  "POST /annotation_queues/query": { reads, ask: post("/annotation_queues/query") },
  "POST /annotation_queues/stats": { reads, ask: post("/annotation_queues/stats", (made) => ({ queue_ids: [made.queue] })) },
  "GET /annotation_queues/{queue_id}": {
    reads,
    ask: (id, made) => ["GET", `/annotation_queues/${made.queue}?project_id=${encodeURIComponent(id)}`],
  },
  "DELETE /annotation_queues/{queue_id}": {
    ask: (id, made) => ["DELETE", `/annotation_queues/${made.queue}?project_id=${encodeURIComponent(id)}`],
  },
  "PUT /annotation_queues/{queue_id}": {
    ask: (id, made) => ["PUT", `/annotation_queues/${made.queue}`, { project_id: id, name: "new" }],
  },
  "POST /annotation_queues/{queue_id}/items": {
    ask: (id, made) => ["POST", `/annotation_queues/${made.queue}/items`, { project_id: id, call_ids: [made.other], display_fields: [] }],
  },
  "POST /annotation_queues/{queue_id}/items/query": {
    reads,
    ask: (id, made) => ["POST", `/annotation_queues/${made.queue}/items/query`, { project_id: id }],
  },
  "POST /annotation_queues/{queue_id}/items/{item_id}/progress": {
    ask: (id, made) => [
      "POST", `/annotation_queues/${made.queue}/items/${made.item}/progress`,
      { project_id: id, annotation_state: "completed" },
    ],
  },
  "POST /project/stats": { reads, ask: post("/project/stats") },
  "POST /project/ttl_settings/read": { reads, ask: post("/project/ttl_settings/read") },
  "POST /project/ttl_settings/update": { ask: post("/project/ttl_settings/update", () => ({ retention_days: 9000 })) },
};

/** Creates a project that contains data of every kind. */
async function populatedProject() {
  const { name } = await makeTeam(server);
  const project = new Project(server, `${name}/lab`);
  const [call, other] = await project.complete({ output: "secret" }, {});
  const ref = `svc:///${project.id}/call/${call.id}`;
  const { id: feedback } = await project.ok("/feedback/create", { project_id: project.id, ...note({ ref }) });
  const costs = { m: { prompt_token_cost: 1, completion_token_cost: 1 } };
  const [[cost]] = (await project.ok("/cost/create", { project_id: project.id, costs })).ids;
  const { id: queue } = await project.ok("/annotation_queues", { project_id: project.id, name: "q", scorer_refs: [] });
  const items = `/annotation_queues/${queue}/items`;
  await project.ok(items, { project_id: project.id, call_ids: [call.id], display_fields: [] });
  const [{ id: item }] = (await project.ok(`${items}/query`, { project_id: project.id })).items;
  return { team: name, project, made: { call: call.id, other: other.id, ref, feedback, cost, queue, item } };
}

/** Reads all data of a project. */
async function snapshot(project) {
  const looks = ["/calls/stream_query", "/feedback/query", "/cost/query", "/annotation_queues/query", "/project/ttl_settings/read"];
  const answers = await Promise.all(looks.map((path) => project.post(path, { project_id: project.id })));
  return answers.map(({ text }) => text);
}

checkAccess({ server: () => server, tags: TAGS, table: TABLE, populatedProject, snapshot });

describe("access to another project", () => {
  test("by ids, traces and parents of its calls finds nothing", async () => {
    const { made, project } = await populatedProject();
    const { trace_id } = await project.read(made.call);
    const mine = new Project(server);
    await mine.complete({ parent_id: made.call, trace_id });
    assert.equal(await mine.read(made.call), null);
    for (const filter of [{ call_ids: [made.call] }, { trace_ids: [trace_id], call_ids: [made.call] }]) {
      assert.deepEqual(await mine.query({ filter }), []);
      assert.equal((await mine.stats({ filter })).count, 0);
    }
    const { call_usage } = await mine.ok("/calls/usage", { project_id: mine.id, call_ids: [made.call] });
    assert.deepEqual(call_usage[made.call] ?? {}, {});
    assert.equal((await mine.ok("/calls/delete", { project_id: mine.id, call_ids: [made.call] })).num_deleted, 0);
    assert.notEqual(await project.read(made.call), null);
  });

  test("by a reference neither expands nor shows the object", async () => {
    const { team } = await populatedProject();
    const theirs = new ProjectClient(server, `${team}/lab`);
    const digest = expectOk(await theirs.create("model", { name: "hidden" })).digest;
    const ref = `svc:///${team}/lab/object/model:${digest}`;
    const owner = await makeUser(server, "owner");
    const { name } = await makeTeam(server, { admin: owner.username });
    const id = `${name}/mine`;
    const ask = (path, body) => server.api("POST", path, { body, key: owner.key });
    const batch = [{ ...complete(id), inputs: { model: ref } }];
    assert.equal((await ask(`/v2/${id}/calls/complete`, { batch })).status, 200);
    const answer = await ask("/calls/stream_query", { project_id: id, expand_columns: ["inputs.model"] });
    assert.ok(!answer.text.includes("hidden"), answer.text);
    const query = { $expr: { $eq: [{ $getField: "inputs.model.name" }, { $literal: "hidden" }] } };
    const stats = await ask("/calls/query_stats", { project_id: id, query, expand_columns: ["inputs.model"] });
    assert.equal(stats.json.count, 0);
  });

  test("does not apply its prices", async () => {
    await populatedProject(); // has a price for the model `m`
    const mine = new Project(server);
    const [{ id }] = await mine.complete({ summary: { usage: { m: { prompt_tokens: 10 } } } });
    assert.equal((await mine.read(id, { include_costs: true })).summary.svc.costs, undefined);
  });

  test("by one call of a batch rejects the whole batch", async () => {
    const { project } = await populatedProject();
    const owner = await makeUser(server, "owner");
    const { name } = await makeTeam(server, { admin: owner.username });
    const own = complete(`${name}/mine`);
    const batch = [own, complete(project.id)];
    const answer = await server.api("POST", `/v2/${name}/mine/calls/complete`, { body: { batch }, key: owner.key });
    assert.equal(answer.status, 404, answer.text);
    const body = { project_id: `${name}/mine` };
    assert.equal((await server.api("POST", "/calls/query_stats", { body, key: owner.key })).json.count, 0);
  });
});
