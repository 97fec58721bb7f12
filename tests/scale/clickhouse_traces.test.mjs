// Traces in a ClickHouse database that two servers with one PostgreSQL database share.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { Project, at, uuid7 } from "../http/support/calls.mjs";
import { makeFolder, removeFolder, runSpindle } from "../http/support/program.mjs";
import { startServer } from "../http/support/server.mjs";
import { startClickHouse } from "./support/clickhouse_server.mjs";
import { startPostgres } from "./support/postgres_server.mjs";

let clickhouse;
let postgres;
let environment;
let folders;
let first;
let second;

const start = (folder, env = environment) => startServer({ env, dataDir: join(folder, "data") });
const here = (server, { id }) => new Project(server, id);

before(async () => {
  clickhouse = await startClickHouse();
  postgres = await startPostgres();
  environment = {
    ...(await clickhouse.newDatabase()),
    SPINDLE_METADATA: postgres.uri,
    SPINDLE_SECRET_KEY: randomBytes(32).toString("hex"),
  };
  folders = [makeFolder(), makeFolder()];
  first = await start(folders[0]);
  second = await start(folders[1]);
});

after(async () => {
  await Promise.all([first?.dispose(), second?.dispose()]);
  for (const folder of folders ?? []) removeFolder(folder);
  await Promise.all([clickhouse?.dispose(), postgres?.dispose()]);
});

/** Starts a server that must refuse to start, and returns its message. */
async function refusal(more, prepare = () => {}) {
  const folder = makeFolder();
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  prepare(data);
  const env = { ...environment, SPINDLE_METADATA: "sqlite", ...more };
  const ended = await runSpindle(["serve", "--listen", "127.0.0.1:0", "--data-dir", data], { env });
  removeFolder(folder);
  assert.notEqual(ended.code, 0);
  assert.ok(!ended.stderr.includes(clickhouse.password || "no password"));
  return ended.stderr;
}

test("another server reads what one has written", async () => {
  const project = new Project(first);
  const calls = await project.complete({ op_name: "a" }, { op_name: "b" });
  for (const { id, op_name } of calls) assert.equal((await here(second, project).read(id)).op_name, op_name);
});

test("starts and ends that meet on different servers are both kept", async () => {
  const project = new Project(first);
  const other = here(second, project);
  const ids = Array.from({ length: 40 }, () => uuid7());
  await Promise.all(
    ids.flatMap((id, i) => [
      project.start({ id, trace_id: id, inputs: { number: i } }),
      other.end(id, { output: i, ended_at: at(i + 1) }),
    ]),
  );
  for (const [i, id] of ids.entries()) {
    const call = await other.read(id);
    assert.equal(call.inputs.number, i);
    assert.equal(call.output, i);
  }
});

test("a kill loses no acknowledged call", async () => {
  const project = new Project(first);
  const acknowledged = [];
  const write = async (i) => {
    const id = uuid7();
    const answer = await project
      .post("/call/start", { start: { project_id: project.id, id, trace_id: id, op_name: `op${i}`, started_at: at(i), attributes: {}, inputs: {} } })
      .catch(() => undefined);
    if (answer?.status === 200) acknowledged.push(id);
  };
  let killed;
  for (let i = 0; i < 100 && !killed; i += 10) {
    await Promise.all(Array.from({ length: 10 }, (_, j) => write(i + j)));
    if (acknowledged.length >= 40) killed = Promise.all([write(100), first.kill()]);
  }
  await killed;
  for (const id of acknowledged) await here(second, project).read(id);
  first = await start(folders[0]);
  for (const id of acknowledged) await here(first, project).read(id);
});

test("statistics, facets and fields of feedback work", async () => {
  const project = new Project(first);
  const summary = { usage: { gpt: { prompt_tokens: 10, completion_tokens: 5 } } };
  const [good] = await project.complete({ op_name: "a", summary }, { op_name: "a" }, { op_name: "b" });
  const svc_ref = `svc:///${project.id}/call/${good.id}`;
  await project.ok("/feedback/create", { project_id: project.id, svc_ref, feedback_type: "note", payload: { note: "fine" } });
  const query = {
    $expr: { $eq: [{ $getField: "feedback.[note].payload.note" }, { $literal: "fine" }] },
  };
  const found = await project.ok("/calls/query_stats", { project_id: project.id, query });
  assert.equal(found.count, 1);
  const facets = await project.ok("/calls/facets", { project_id: project.id, facets: [{ field: "op_name" }] });
  assert.deepEqual(facets.facets[0].values.map(({ value, count }) => [value, count]), [["a", 2], ["b", 1]]);
});

test("while ClickHouse is down, requests get 503 with Retry-After; then the server recovers", async (t) => {
  if (!clickhouse.stop) return t.skip("the ClickHouse server is not ours");
  const project = new Project(first);
  const [kept] = await project.complete({ op_name: "before" });
  await clickhouse.stop();
  const id = uuid7();
  const startCall = () =>
    project.post("/call/start", { start: { project_id: project.id, id, trace_id: id, op_name: "op", started_at: at(0), attributes: {}, inputs: {} } });
  for (const answer of [await startCall(), await project.post("/calls/stream_query", { project_id: project.id })]) {
    assert.equal(answer.status, 503, answer.text);
    assert.match(answer.headers["retry-after"], /^\d+$/);
    assert.doesNotMatch(answer.text, /127\.0\.0\.1/);
  }
  const stopped = await refusal({});
  assert.match(stopped, /cannot use the ClickHouse database .*not available/);
  await clickhouse.start();
  assert.equal((await startCall()).status, 200);
  assert.equal((await project.read(kept.id)).op_name, "before");
});

test("a server refuses to start with wrong settings and says why", async () => {
  if (clickhouse.password) {
    assert.match(await refusal({ SPINDLE_TRACES_CLICKHOUSE_PASSWORD: "wrong" }), /refuses the user or the password/);
  }
  assert.match(await refusal({ SPINDLE_TRACES_CLICKHOUSE_DATABASE: "no_such_database" }), /database .* does not exist/);
  assert.match(await refusal({ SPINDLE_TRACES_CLICKHOUSE_URL: "http://127.0.0.1:1" }), /not available/);
  assert.match(await refusal({ SPINDLE_TRACES_CLICKHOUSE_CLUSTER: "a-b" }), /name of the ClickHouse cluster/);
  const used = await refusal({}, (data) => {
    mkdirSync(join(data, "traces"));
    writeFileSync(join(data, "traces", "traces.duckdb"), "x");
    writeFileSync(join(data, "metadata.sqlite"), "");
  });
  assert.match(used, /metadata|traces/);
  const newer = await clickhouse.newDatabase();
  const database = newer.SPINDLE_TRACES_CLICKHOUSE_DATABASE;
  const folder = makeFolder();
  await (await start(folder, { ...environment, ...newer, SPINDLE_METADATA: "sqlite" })).dispose();
  removeFolder(folder);
  await clickhouse.query(
    "INSERT INTO spindle_migrations (area, version, name, digest, applied_at) VALUES ('tracing', 99, 'later', 'x', now64(6))",
    database,
  );
  assert.match(await refusal(newer), /changed by a newer version of Spindle \(tracing has step 99/);
});

test("spindle doctor checks ClickHouse", async () => {
  const folder = makeFolder();
  const doctor = async (more) => {
    const { stdout } = await runSpindle(["doctor", "--json", "--data-dir", join(folder, "data")], {
      env: { ...environment, ...more },
    });
    return JSON.parse(stdout).checks.find(({ check }) => check === "clickhouse");
  };
  const usable = await doctor({});
  assert.equal(usable.verdict, "ok", usable.message);
  assert.match(usable.message, /version \d+\.\d+, a table was created, written, read and dropped/);
  const nowhere = await doctor({ SPINDLE_TRACES_CLICKHOUSE_URL: "http://127.0.0.1:1" });
  assert.equal(nowhere.verdict, "failure");
  assert.match(nowhere.message, /not available/);
  removeFolder(folder);
});

test("a backup leaves the traces out and says so", async () => {
  const folder = makeFolder();
  const env = { ...(await clickhouse.newDatabase()), SPINDLE_METADATA: "sqlite" };
  const server = await startServer({ env, dataDir: join(folder, "data") });
  try {
    await new Project(server).complete({ op_name: "kept" });
    const taken = await server.cli("backup", join(folder, "backups"));
    assert.equal(taken.code, 0, taken.stderr);
    assert.match(taken.stdout, /contains no calls, spans, feedback, run history and usage: they are in ClickHouse/);
    const verified = await server.cli("verify", join(folder, "backups"));
    assert.equal(verified.code, 0, verified.stdout);
  } finally {
    await server.dispose();
    removeFolder(folder);
  }
});
