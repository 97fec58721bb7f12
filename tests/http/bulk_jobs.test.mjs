// Actions on many calls as jobs: /api/v1/projects/{team}/{project}/bulk-jobs.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { uuid7 } from "./support/calls.mjs";
import { BulkProject } from "./support/bulk_jobs.mjs";
import { expectMembers, expectTimestamp, expectViolations } from "./support/expect.mjs";
import { addMember, makeMember, makeTeam, makeUser } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const byOp = (name) => ({ query: { $expr: { $eq: [{ $getField: "op_name" }, { $literal: name }] } } });
const calls = (count, op_name, more = {}) => Array.from({ length: count }, (_, n) => ({ op_name, inputs: { n }, output: n, ...more }));
const count = async (project) => (await project.stats()).count;

describe("delete", () => {
  test("deletes the calls of a query with their descendants", async () => {
    const project = new BulkProject(server);
    await project.complete(...calls(30, "keep"));
    const doomed = await project.complete(...calls(25, "doomed"));
    await project.complete({ op_name: "child", parent_id: doomed[0].id, trace_id: doomed[0].trace_id });
    const made = await project.begin({ action: "delete", ...byOp("doomed"), expected_count: 25 });
    expectMembers(made, [
      "id", "action", "state", "cancel_requested", "total", "done", "failed", "error", "parameters", "created_by",
      "created_at", "updated_at", "finished_at",
    ]);
    assert.deepEqual([made.action, made.done, made.failed, made.error], ["delete", 0, 0, null]);
    expectTimestamp(made.created_at);
    const job = await project.ended(made.id);
    assert.deepEqual([job.state, job.total, job.done, job.failed], ["succeeded", 25, 25, 0]);
    expectTimestamp(job.finished_at);
    assert.equal(await count(project), 30);
    const { items } = (await server.api("GET", "/api/v1/audit?limit=50")).json;
    const entry = items.find(({ action, project: name }) => action === "calls.delete" && name === project.id.split("/")[1]);
    assert.deepEqual([entry.actor.id, entry.actor.username, entry.details], [made.created_by, "admin", { requested: "25", count: "26" }]);
  });

  test("by ids ignores unknown ones, and counts each once", async () => {
    const project = new BulkProject(server);
    const [a, b] = await project.complete(...calls(3, "op"));
    const job = await project.run({ action: "delete", call_ids: [a.id, b.id, a.id, uuid7()], expected_count: 2 });
    assert.deepEqual([job.state, job.total, job.done], ["succeeded", 2, 2]);
    assert.equal(await count(project), 1);
  });

  test("of all calls needs an explicit empty filter", async () => {
    const project = new BulkProject(server);
    await project.complete(...calls(3, "op"));
    expectViolations(await project.request({ action: "delete" }), ["value_error", "body"]);
    const job = await project.run({ action: "delete", filter: {} });
    assert.deepEqual([job.state, job.total], ["succeeded", 3]);
    assert.equal(await count(project), 0);
  });

  test("does nothing if the number of calls is another one", async () => {
    const project = new BulkProject(server);
    await project.complete(...calls(3, "op"));
    const refused = await project.request({ action: "delete", filter: {}, expected_count: 2 });
    assert.equal(refused.status, 409, refused.text);
    assert.equal(refused.json.count, 3);
    assert.equal(await count(project), 3);
    const { items } = (await server.api("GET", project.path())).json;
    assert.deepEqual(items, []);
  });
});

describe("add_to_queue", () => {
  test("adds each call once, also in a second job", async () => {
    const project = new BulkProject(server);
    await project.complete(...calls(12, "a"), ...calls(3, "b"));
    const queue_id = await project.queue();
    const body = { action: "add_to_queue", ...byOp("a"), parameters: { queue_id, display_fields: ["inputs.n"] } };
    for (let round = 0; round < 2; ++round) {
      const job = await project.run(body);
      assert.deepEqual([job.state, job.total, job.done, job.failed], ["succeeded", 12, 12, 0]);
    }
    const items = await project.items(queue_id);
    assert.equal(items.length, 12);
    assert.deepEqual(items[0].display_fields, ["inputs.n"]);
  });

  test("is refused for an unknown queue, and fails if the queue is deleted", async () => {
    const project = new BulkProject(server);
    await project.complete(...calls(2, "a"));
    const other = new BulkProject(server);
    await other.complete({});
    const foreign = await other.queue();
    for (const queue_id of ["none", foreign]) {
      const answer = await project.request({ action: "add_to_queue", filter: {}, parameters: { queue_id } });
      assert.equal(answer.status, 404, answer.text);
    }
  });
});

describe("add_to_dataset", () => {
  test("creates a dataset, and later adds to it in one version", async () => {
    const project = new BulkProject(server);
    await project.complete(...calls(5, "a"), ...calls(2, "b"));
    const parameters = { dataset: "picked", columns: { question: "inputs.n", answer: "output", call: "ref" } };
    const first = await project.run({ action: "add_to_dataset", ...byOp("a"), parameters });
    assert.deepEqual([first.state, first.done, first.failed], ["succeeded", 5, 0]);
    const made = await project.dataset("picked");
    assert.equal(made.version, 0);
    assert.deepEqual(made.rows.map(({ question, answer }) => [question, answer]), [0, 1, 2, 3, 4].map((n) => [n, n]));
    assert.match(made.rows[0].call, new RegExp(`^svc:///${project.id}/call/`));
    await project.run({ action: "add_to_dataset", ...byOp("b"), parameters });
    const changed = await project.dataset("picked");
    assert.equal(changed.version, 1);
    assert.equal(changed.rows.length, 7);
    assert.deepEqual(changed.rows.slice(0, 5), made.rows);
  });

  test("takes inputs and output by default", async () => {
    const project = new BulkProject(server);
    await project.complete({ inputs: { q: "?" }, output: { a: "!" } });
    await project.run({ action: "add_to_dataset", filter: {}, parameters: { dataset: "all" } });
    assert.deepEqual((await project.dataset("all")).rows, [{ inputs: { q: "?" }, output: { a: "!" } }]);
  });

  test("is refused for other objects, names and paths", async () => {
    const project = new BulkProject(server);
    await project.complete({});
    await project.ok("/obj/create", { obj: { project_id: project.id, object_id: "thing", val: { a: 1 } } });
    for (const [parameters, status] of [
      [{ dataset: "thing" }, 422],
      [{ dataset: "bad name/" }, 422],
      [{ dataset: "x", columns: { a: "mood" } }, 422],
      [{ dataset: "x", columns: {} }, 422],
      [{ dataset: "x", more: 1 }, 422],
      [{}, 422],
    ]) {
      const answer = await project.request({ action: "add_to_dataset", filter: {}, parameters });
      assert.equal(answer.status, status, `${JSON.stringify(parameters)}: ${answer.text}`);
    }
  });
});

describe("score", () => {
  test("adds feedback of the scorers to each call", async () => {
    const project = new BulkProject(server);
    await project.complete(...calls(3, "a", { inputs: { target: "x" }, output: "x" }), ...calls(2, "b"));
    const { digest } = await project.ok("/obj/create", {
      obj: { project_id: project.id, object_id: "exact", val: { kind: "exact_match" } },
    });
    const scorer = `svc:///${project.id}/object/exact:${digest}`;
    const job = await project.run({ action: "score", ...byOp("a"), parameters: { scorer_refs: [scorer] } });
    assert.deepEqual([job.state, job.done, job.failed], ["succeeded", 3, 0]);
    const { result } = await project.ok("/feedback/query", { project_id: project.id });
    assert.equal(result.length, 3);
    assert.equal(new Set(result.map(({ svc_ref }) => svc_ref)).size, 3);
    const unknown = await project.request({ action: "score", filter: {}, parameters: { scorer_refs: [`${scorer}x`] } });
    assert.equal(unknown.status, 404, unknown.text);
  });
});

describe("a job", () => {
  test("is listed newest first, in pages, and only in its project", async () => {
    const project = new BulkProject(server);
    const [{ id }] = await project.complete({});
    const made = [];
    for (let i = 0; i < 3; ++i) made.unshift((await project.run({ action: "delete", call_ids: [id] })).id);
    const page = (await server.api("GET", project.path("?limit=2"))).json;
    assert.deepEqual(page.items.map((job) => job.id), made.slice(0, 2));
    const rest = (await server.api("GET", project.path(`?limit=2&cursor=${page.next_cursor}`))).json;
    assert.deepEqual([rest.items.map((job) => job.id), rest.next_cursor], [made.slice(2), null]);
    const other = new BulkProject(server);
    await other.complete({});
    assert.equal((await server.api("GET", other.path(`/${made[0]}`))).status, 404);
    assert.equal((await other.cancel(made[0])).status, 404);
  });

  test("that has ended stays so when it is cancelled", async () => {
    const project = new BulkProject(server);
    const [{ id }] = await project.complete({});
    const job = await project.run({ action: "delete", call_ids: [id] });
    const answer = await project.cancel(job.id);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.json, job);
  });

  test("is refused for invalid bodies", async () => {
    const project = new BulkProject(server);
    const [{ id }] = await project.complete({});
    for (const body of [
      { action: "explode", filter: {} },
      { action: "delete", filter: {}, call_ids: [id] },
      { action: "delete", call_ids: [] },
      { action: "delete", call_ids: Array(10_001).fill(id) },
      { action: "delete", query: { $expr: 1 } },
      { action: "delete", query: { $expr: { $eq: [{ $getField: "mood" }, { $literal: 1 }] } } },
      { action: "delete", filter: { trace_ids: "x" } },
      { action: "delete", filter: {}, expected_count: -1 },
      { action: "delete", filter: {}, parameters: { more: 1 } },
      { action: "delete", filter: {}, surprise: true },
    ]) {
      const answer = await project.request(body);
      assert.equal(answer.status, 422, `${JSON.stringify(body).slice(0, 200)}: ${answer.text.slice(0, 200)}`);
    }
    assert.equal(await count(project), 1);
  });
});

describe("access", () => {
  async function populated() {
    const { name } = await makeTeam(server);
    const project = new BulkProject(server, `${name}/lab`);
    await project.complete(...calls(3, "op"));
    const job = await project.run({ action: "delete", call_ids: [uuid7()] });
    return { team: name, project, job };
  }
  const routes = ({ project, job }) => [
    ["POST", project.path(), { action: "delete", filter: {} }, 202],
    ["GET", project.path(), undefined, 200],
    ["GET", project.path(`/${job.id}`), undefined, 200],
    ["POST", project.path(`/${job.id}/cancel`), undefined, 200],
  ];

  test("is 401 without a key, 404 for strangers, 403 for changes of viewers", async () => {
    const place = await populated();
    const stranger = await makeUser(server, "stranger");
    await makeTeam(server, { admin: stranger.username });
    const viewer = await makeMember(server, place.team, "VIEWER");
    for (const [method, path, body] of routes(place)) {
      assert.equal((await server.api(method, path, { body, key: null })).status, 401);
      const hidden = await server.api(method, path, { body, key: stranger.key });
      const missing = await server.api(method, path.replace("/lab/", "/none/"), { body, key: stranger.key });
      assert.deepEqual([hidden.status, hidden.text], [404, missing.text]);
      assert.equal((await server.api(method, path, { body, key: viewer.key })).status, method === "GET" ? 200 : 403);
    }
    assert.equal(await count(place.project), 3);
  });

  test("is allowed for members", async () => {
    const place = await populated();
    const member = await makeMember(server, place.team, "MEMBER");
    for (const [method, path, body, status] of routes(place)) {
      assert.equal((await server.api(method, path, { body, key: member.key })).status, status);
    }
  });

  test("that is lost before the job runs stops the job", async () => {
    const place = await populated();
    const { project, team } = place;
    const member = await makeMember(server, team, "MEMBER");
    // A long job of the team keeps the next one in the queue.
    await project.complete(...calls(900, "long"));
    const queue_id = await project.queue();
    const first = await project.begin({ action: "add_to_queue", ...byOp("long"), parameters: { queue_id } });
    const second = await project.begin({ action: "delete", ...byOp("op") }, { key: member.key });
    await addMember(server, team, member.username, "VIEWER");
    await project.ended(first.id);
    const job = await project.ended(second.id);
    // The job may have run before the change: then it has succeeded completely.
    if (job.state === "failed") {
      assert.equal(job.error, "The user who started this job may no longer change the project.");
      assert.equal(job.done, 0);
    } else {
      assert.equal(job.state, "succeeded");
    }
  });
});

test("a team has at most ten unfinished jobs", async () => {
  const { name } = await makeTeam(server);
  const project = new BulkProject(server, `${name}/lab`);
  await project.complete(...calls(1000, "op"));
  await project.complete(...calls(1000, "op"));
  const queue_id = await project.queue();
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => project.request({ action: "add_to_queue", filter: {}, parameters: { queue_id } })),
  );
  const refused = answers.filter(({ status }) => status !== 202);
  assert.ok(refused.length > 0, "some were refused");
  for (const answer of refused) {
    assert.equal(answer.status, 429, answer.text);
    assert.match(answer.json.detail, /unfinished bulk jobs/);
  }
  const { items } = (await server.api("GET", project.path("?limit=200"))).json;
  assert.equal(items.length, 30 - refused.length);
  // Cancelled ones end, the others succeed; the queue has every call once.
  const [newest] = items;
  await project.cancel(newest.id);
  for (const { id } of items) {
    const job = await project.ended(id);
    assert.ok(["succeeded", "cancelled"].includes(job.state), job.state);
  }
  assert.equal((await project.items(queue_id)).length, 2000);
});
