// The storage size and retention of a project.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Project, expectReason } from "./support/calls.mjs";
import { startServer } from "./support/server.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

test("the size of a project includes calls, objects, tables and files", async () => {
  const project = new Project(server);
  const sizes = (fields = {}) => project.ok("/project/stats", { project_id: project.id, ...fields });
  assert.deepEqual(await sizes(), {
    trace_storage_size_bytes: 0,
    objects_storage_size_bytes: 0,
    tables_storage_size_bytes: 0,
    files_storage_size_bytes: 0,
  });
  await project.complete({ inputs: { a: 1 } }, {});
  const { total_storage_size_bytes } = await project.stats({ include_total_storage_size: true });
  assert.ok(total_storage_size_bytes > 0);
  assert.equal((await sizes()).trace_storage_size_bytes, total_storage_size_bytes);
  assert.equal((await sizes({ include_trace_storage_size: false })).trace_storage_size_bytes, 0);
  await project.ok("/table/create", { table: { project_id: project.id, rows: [{ a: 1 }] } });
  assert.ok((await sizes()).tables_storage_size_bytes > 0);
  const none = {
    include_trace_storage_size: false,
    include_object_storage_size: false,
    include_table_storage_size: false,
    include_file_storage_size: false,
  };
  expectReason(await project.post("/project/stats", { project_id: project.id, ...none }), 400, /At least one/);
});

test("retention applies to calls written afterwards", async () => {
  const project = new Project(server);
  const read = () => project.ok("/project/ttl_settings/read", { project_id: project.id });
  const update = (fields) => project.post("/project/ttl_settings/update", { project_id: project.id, ...fields });
  assert.deepEqual(await read(), { retention_days: null });
  const started_at = new Date(Date.now() - 1000).toISOString();
  const before = await project.start({ started_at });
  assert.deepEqual((await update({ retention_days: 2 })).json, { retention_days: 2 });
  assert.deepEqual(await read(), { retention_days: 2 });
  const kept = await project.start({ started_at });
  const days = (Date.parse((await project.read(kept.id)).expire_at) - Date.parse(started_at)) / 86_400_000;
  assert.equal(days, 2);
  assert.equal((await project.read(before.id)).expire_at, null);
  expectReason(await update({ retention_days: 0 }), 400, /at least 1/);
  assert.deepEqual((await update({})).json, { retention_days: null });
  assert.deepEqual(await read(), { retention_days: null });
});
