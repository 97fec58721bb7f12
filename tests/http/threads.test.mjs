// Conversations: /threads/stream_query.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Project, at, expectReason, uuid7 } from "./support/calls.mjs";
import { startServer } from "./support/server.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

async function threads(project, fields = {}) {
  const answer = await project.post("/threads/stream_query", { project_id: project.id, ...fields });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers["content-type"], "application/jsonl");
  return answer.text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
}

/** Returns a turn: a call whose turn_id is its own id. */
const turn = (thread_id, seconds, took, id = uuid7()) => ({
  id,
  turn_id: id,
  thread_id,
  started_at: at(seconds),
  ended_at: at(seconds + took),
});

const ids = (list) => list.map(({ thread_id }) => thread_id);

test("turns are grouped; calls inside a turn do not count", async () => {
  const project = new Project(server);
  const turns = [turn("t", 0, 10), turn("t", 5, 1), turn("t", 8, 1)];
  await project.complete(...turns);
  await project.complete({ thread_id: "t", turn_id: turns[0].id, parent_id: turns[0].id });
  assert.deepEqual(await threads(project), [
    {
      thread_id: "t",
      turn_count: 3,
      start_time: "2024-05-01T00:00:00Z",
      last_updated: "2024-05-01T00:00:10Z",
      first_turn_id: turns[0].id,
      last_turn_id: turns[0].id,
      p50_turn_duration_ms: 1000,
      p99_turn_duration_ms: 9820,
    },
  ]);
});

test("a thread without an ended turn is omitted", async () => {
  const project = new Project(server);
  const id = uuid7();
  await project.start({ id, turn_id: id, thread_id: "open" });
  assert.deepEqual(await threads(project), []);
  await project.complete(turn("open", 0, 1));
  assert.equal((await threads(project))[0].turn_count, 2);
});

test("calls without a thread id are no turns", async () => {
  const project = new Project(server);
  const id = uuid7();
  await project.complete({ ...turn("", 0, 1) }, { id, turn_id: id });
  assert.deepEqual(await threads(project), []);
});

test("the default order is last updated first; other orders are supported", async () => {
  const project = new Project(server);
  await project.complete(turn("a", 0, 9), turn("b", 1, 1), turn("b", 2, 2), turn("c", 2, 3));
  assert.deepEqual(ids(await threads(project)), ["a", "c", "b"]);
  const by = async (field, direction) => ids(await threads(project, { sort_by: [{ field, direction }] }));
  assert.deepEqual(await by("thread_id", "asc"), ["a", "b", "c"]);
  assert.deepEqual(await by("turn_count", "desc"), ["b", "a", "c"]);
  assert.deepEqual(await by("start_time", "desc"), ["c", "b", "a"]);
  assert.deepEqual(await by("p50_turn_duration_ms", "asc"), ["b", "c", "a"]);
  assert.deepEqual(await by("p99_turn_duration_ms", "desc"), ["a", "c", "b"]);
  assert.deepEqual(ids(await threads(project, { limit: 1, offset: 1 })), ["c"]);
  assert.deepEqual(await threads(project, { limit: 0 }), []);
});

test("time limits are exclusive and apply to turns", async () => {
  const project = new Project(server);
  await project.complete(turn("a", 0, 1), turn("a", 10, 1), turn("b", 20, 1));
  const filtered = (filter) => threads(project, { filter });
  assert.deepEqual(ids(await filtered({ after_datetime: at(0) })), ["b", "a"]);
  assert.equal((await filtered({ after_datetime: at(0) }))[1].turn_count, 1);
  assert.deepEqual(ids(await filtered({ before_datetime: at(20) })), ["a"]);
  assert.deepEqual(ids(await filtered({ thread_ids: ["b", "none"] })), ["b"]);
  assert.deepEqual(ids(await filtered({ thread_ids: [] })), ["b", "a"]);
});

test("invalid queries are rejected", async () => {
  const project = new Project(server);
  const ask = (fields) => project.post("/threads/stream_query", { project_id: project.id, ...fields });
  expectReason(await ask({ sort_by: [{ field: "colour", direction: "asc" }] }), 400, /^Unsupported sort field: colour/);
  expectReason(await ask({ limit: -1 }), 400, "Limit must be a positive integer");
  expectReason(await ask({ offset: -1 }), 400, "Offset must be a positive integer");
  assert.equal((await ask({ sort_by: [{ field: "thread_id", direction: "up" }] })).status, 422);
});

test("deleted turns and other projects are not included", async () => {
  const project = new Project(server);
  const [gone] = await project.complete(turn("t", 0, 1));
  await project.ok("/calls/delete", { project_id: project.id, call_ids: [gone.id] });
  assert.deepEqual(await threads(project), []);
  await new Project(server).complete(turn("t", 0, 1));
  assert.deepEqual(await threads(project), []);
});
