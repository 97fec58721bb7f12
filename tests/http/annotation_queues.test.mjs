// Annotation queues.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { Project, at, expectReason, uuid7 } from "./support/calls.mjs";
import { expectMembers, expectTimestamp } from "./support/expect.mjs";
import { makeMember, makeUser } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

class Queues extends Project {
  async make(fields = {}) {
    const { id } = await this.ok("/annotation_queues", {
      project_id: this.id,
      name: "review",
      scorer_refs: [],
      ...fields,
    });
    return id;
  }
  async list(fields = {}) {
    const answer = await this.post("/annotation_queues/query", { project_id: this.id, ...fields });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers["content-type"], "application/jsonl");
    return answer.text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  }
  one(method, queue, body) {
    const query = body === undefined ? `?project_id=${encodeURIComponent(this.id)}` : "";
    return this.server.api(method, `/annotation_queues/${queue}${query}`, { body });
  }
  add(queue, call_ids, options) {
    const body = { project_id: this.id, call_ids, display_fields: ["inputs.a", "output"] };
    return this.post(`/annotation_queues/${queue}/items`, body, options);
  }
  async items(queue, fields = {}) {
    const body = { project_id: this.id, ...fields };
    return (await this.ok(`/annotation_queues/${queue}/items/query`, body)).items;
  }
  progress(queue, item, annotation_state, options) {
    const body = { project_id: this.id, annotation_state };
    return this.post(`/annotation_queues/${queue}/items/${item}/progress`, body, options);
  }
  async queueStats(...queue_ids) {
    return (await this.ok("/annotation_queues/stats", { project_id: this.id, queue_ids })).stats;
  }
}

describe("queues", () => {
  test("are created, read, changed and deleted", async () => {
    const project = new Queues(server);
    const ref = `svc:///${project.id}/object/scorer:abc`;
    const id = await project.make({ name: "first", scorer_refs: [ref, "plain"] });
    const { queue } = (await project.one("GET", id)).json;
    expectMembers(queue, [
      "id", "project_id", "name", "description", "scorer_refs", "created_at", "created_by", "updated_at", "deleted_at",
    ]);
    assert.deepEqual([queue.id, queue.project_id, queue.name, queue.description], [id, project.id, "first", ""]);
    assert.deepEqual(queue.scorer_refs, [ref, "plain"]);
    assert.equal(queue.deleted_at, null);
    expectTimestamp(queue.created_at);

    const same = await project.one("PUT", id, { project_id: project.id, name: null });
    assert.deepEqual(same.json.queue, queue);
    const changed = await project.one("PUT", id, { project_id: project.id, description: "better", scorer_refs: [] });
    assert.equal(changed.json.queue.name, "first");
    assert.equal(changed.json.queue.description, "better");
    assert.deepEqual(changed.json.queue.scorer_refs, []);

    const deleted = await project.one("DELETE", id);
    assert.equal(deleted.status, 200, deleted.text);
    expectTimestamp(deleted.json.queue.deleted_at);
    for (const answer of [
      await project.one("GET", id),
      await project.one("DELETE", id),
      await project.one("PUT", id, { project_id: project.id, name: "x" }),
      await project.add(id, []),
      await project.one("GET", uuid7()),
    ]) {
      expectReason(answer, 404, /not found/);
    }
    assert.deepEqual(await project.list(), []);
  });

  test("are found by a substring of their name, and sorted", async () => {
    const project = new Queues(server);
    for (const name of ["Alpha one", "beta", "ALPHA two"]) await project.make({ name });
    const names = async (fields) => (await project.list(fields)).map(({ name }) => name);
    assert.deepEqual(await names(), ["ALPHA two", "beta", "Alpha one"]);
    assert.deepEqual(await names({ name: "alpha" }), ["ALPHA two", "Alpha one"]);
    assert.deepEqual(await names({ name: "%" }), []);
    assert.deepEqual(await names({ sort_by: [{ field: "name", direction: "asc" }] }), ["ALPHA two", "Alpha one", "beta"]);
    assert.deepEqual(await names({ limit: 1, offset: 1 }), ["beta"]);
    const ask = (fields) => project.post("/annotation_queues/query", { project_id: project.id, ...fields });
    expectReason(await ask({ sort_by: [{ field: "colour", direction: "asc" }] }), 400, /Unsupported sort field/);
    expectReason(await ask({ limit: -1 }), 400, "Limit must be a positive integer");
  });

  test("need a name and scorers, and a project in the query", async () => {
    const project = new Queues(server);
    const answer = await project.post("/annotation_queues", { project_id: project.id });
    assert.equal(answer.status, 422);
    assert.deepEqual(answer.json.detail.map(({ loc }) => loc.at(-1)).sort(), ["name", "scorer_refs"]);
    assert.equal((await server.api("GET", `/annotation_queues/${uuid7()}`)).status, 422);
  });

  test("of a project that does not exist yet are an empty list", async () => {
    const project = new Queues(server);
    assert.deepEqual(await project.list(), []);
    expectReason(await project.one("GET", uuid7()), 404, /not found/);
  });
});

describe("items", () => {
  test("are calls, each once; unknown calls are skipped", async () => {
    const project = new Queues(server);
    const queue = await project.make();
    const [first] = await project.complete({ op_name: "a", started_at: at(5), ended_at: at(6) });
    const second = await project.start({ op_name: "b" });
    assert.deepEqual((await project.add(queue, [first.id, uuid7(), first.id])).json, { added_count: 1, duplicates: 0 });
    assert.deepEqual((await project.add(queue, [second.id, first.id])).json, { added_count: 1, duplicates: 1 });
    const items = await project.items(queue, { include_position: true });
    assert.deepEqual(items.map(({ call_id, position_in_queue }) => [call_id, position_in_queue]), [
      [first.id, 1],
      [second.id, 2],
    ]);
    expectMembers(items[0], [
      "id", "project_id", "queue_id", "call_id", "call_started_at", "call_ended_at", "call_op_name", "call_trace_id",
      "display_fields", "added_by", "annotation_state", "annotator_user_id", "created_at", "created_by", "updated_at",
      "deleted_at", "position_in_queue",
    ]);
    const { call_started_at, call_ended_at, call_op_name, call_trace_id, display_fields, annotation_state } = items[0];
    assert.deepEqual(
      [call_started_at, call_ended_at, call_op_name, call_trace_id],
      ["2024-05-01T00:00:05Z", "2024-05-01T00:00:06Z", "a", first.trace_id],
    );
    assert.deepEqual(display_fields, ["inputs.a", "output"]);
    assert.equal(annotation_state, "unstarted");
    assert.equal(items[0].added_by, items[0].created_by);
    assert.equal(items[1].call_ended_at, null);
    assert.equal((await project.items(queue))[0].position_in_queue, null);
  });

  test("are filtered, sorted and paged; the position refers to the whole queue", async () => {
    const project = new Queues(server);
    const queue = await project.make();
    const calls = await project.complete({ op_name: "a" }, { op_name: "b" }, { op_name: "a" });
    await project.add(queue, calls.map(({ id }) => id));
    const all = await project.items(queue);
    await project.progress(queue, all[1].id, "completed");
    const found = async (filter, more = {}) =>
      (await project.items(queue, { filter, include_position: true, ...more })).map((item) => item.position_in_queue);
    assert.deepEqual(await found({ call_op_name: "a" }), [1, 3]);
    assert.deepEqual(await found({ id: all[2].id }), [3]);
    assert.deepEqual(await found({ call_id: calls[1].id }), [2]);
    assert.deepEqual(await found({ call_trace_id: calls[0].trace_id }), [1]);
    assert.deepEqual(await found({ added_by: "nobody" }), []);
    assert.deepEqual(await found({ annotation_states: ["completed", "skipped"] }), [2]);
    assert.deepEqual(await found({ annotation_states: ["unstarted"] }), [1, 3]);
    assert.deepEqual(await found(null, { sort_by: [{ field: "call_op_name", direction: "desc" }] }), [2, 1, 3]);
    assert.deepEqual(await found(null, { limit: 1, offset: 1 }), [2]);
    const ask = (fields) => project.post(`/annotation_queues/${queue}/items/query`, { project_id: project.id, ...fields });
    expectReason(await ask({ sort_by: [{ field: "colour", direction: "asc" }] }), 400, /Unsupported sort field/);
    assert.equal((await ask({ filter: { annotation_states: ["done"] } })).status, 422);
    const unknown = { project_id: project.id };
    expectReason(await project.post(`/annotation_queues/${uuid7()}/items/query`, unknown), 404, /not found/);
  });

  test("remain when their queue is deleted", async () => {
    const project = new Queues(server);
    const queue = await project.make();
    const [call] = await project.complete({});
    await project.add(queue, [call.id]);
    await project.one("DELETE", queue);
    assert.equal((await project.items(queue)).length, 1);
  });

  test("are included in queries of calls on request", async () => {
    const project = new Queues(server);
    const queue = await project.make();
    const calls = await project.complete({}, {});
    const inQueue = (id) => ({ query: { $expr: { $eq: [{ $getField: "annotation_queue_items.queue_id" }, { $literal: id }] } } });
    assert.deepEqual(await project.query(inQueue(queue)), []);
    await project.add(queue, [calls[1].id]);
    assert.deepEqual((await project.query(inQueue(queue))).map(({ id }) => id), [calls[1].id]);
    assert.deepEqual(await project.query(inQueue(uuid7())), []);
    assert.equal((await project.stats(inQueue(queue))).count, 1);
  });
});

describe("progress", () => {
  async function anItem(project) {
    const queue = await project.make();
    const [call] = await project.complete({});
    await project.add(queue, [call.id]);
    const [item] = await project.items(queue);
    return { queue, item: item.id };
  }

  for (const [path, last] of [
    [[], "in_progress"],
    [[], "completed"],
    [[], "skipped"],
    [["in_progress"], "completed"],
    [["in_progress"], "skipped"],
    [["in_progress"], "in_progress"],
    [["completed"], "completed"],
    [["skipped"], "skipped"],
  ]) {
    test(`goes ${["unstarted", ...path, last].join(" → ")}`, async () => {
      const project = new Queues(server);
      const { queue, item } = await anItem(project);
      for (const state of path) await project.progress(queue, item, state);
      const answer = await project.progress(queue, item, last);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.json.item.annotation_state, last);
      assert.equal((await project.items(queue))[0].annotation_state, last);
      assert.equal(answer.json.item.annotator_user_id, answer.json.item.created_by);
    });
  }

  for (const [path, last] of [
    [["completed"], "in_progress"],
    [["completed"], "skipped"],
    [["skipped"], "completed"],
    [["skipped"], "in_progress"],
    [[], "unstarted"],
    [[], "finished"],
  ]) {
    test(`does not go ${["unstarted", ...path, last].join(" → ")}`, async () => {
      const project = new Queues(server);
      const { queue, item } = await anItem(project);
      for (const state of path) await project.progress(queue, item, state);
      expectReason(await project.progress(queue, item, last), 400, /state/);
    });
  }

  test("of an unknown item is rejected", async () => {
    const project = new Queues(server);
    const { queue, item } = await anItem(project);
    expectReason(await project.progress(queue, uuid7(), "completed"), 400, /not found/);
    expectReason(await project.progress(uuid7(), item, "completed"), 404, /not found/);
  });

  test("is stored per annotator; an item is done when one annotator is done", async () => {
    const project = new Queues(server);
    const { queue, item } = await anItem(project);
    const other = await makeMember(server, project.entity, "MEMBER");
    await project.progress(queue, item, "completed");
    const answer = await project.progress(queue, item, "in_progress", { key: other.key });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.item.annotator_user_id, other.id);
    const empty = await project.make();
    assert.deepEqual(await project.queueStats(queue, empty), [
      { queue_id: queue, total_items: 1, completed_items: 1 },
      { queue_id: empty, total_items: 0, completed_items: 0 },
    ]);
  });
});

test("outsiders cannot read queues, viewers cannot change them", async () => {
  const project = new Queues(server);
  const queue = await project.make();
  const [call] = await project.complete({});
  await project.add(queue, [call.id]);
  const outsider = await makeUser(server, "outsider");
  const viewer = await makeMember(server, project.entity, "VIEWER");
  const list = { project_id: project.id };
  for (const [path, body] of [
    ["/annotation_queues", { ...list, name: "x", scorer_refs: [] }],
    ["/annotation_queues/query", list],
    ["/annotation_queues/stats", { ...list, queue_ids: [queue] }],
    [`/annotation_queues/${queue}/items`, { ...list, call_ids: [], display_fields: [] }],
    [`/annotation_queues/${queue}/items/query`, list],
  ]) {
    assert.equal((await project.post(path, body, { key: outsider.key })).status, 404, path);
    const writes = path === "/annotation_queues" || path.endsWith("/items");
    assert.equal((await project.post(path, body, { key: viewer.key })).status, writes ? 403 : 200, path);
  }
  // The id of a queue gives no access from another project.
  const elsewhere = new Queues(server);
  await elsewhere.make();
  expectReason(await elsewhere.one("GET", queue), 404, /not found/);
  expectReason(await elsewhere.post(`/annotation_queues/${queue}/items/query`, { project_id: elsewhere.id }), 404, /not found/);
  assert.deepEqual(await elsewhere.queueStats(queue), [{ queue_id: queue, total_items: 0, completed_items: 0 }]);
});
