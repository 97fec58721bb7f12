// Usage of the gateway, run history and feedback in a ClickHouse database that two servers share.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { Project } from "../http/support/calls.mjs";
import { eventually } from "../http/support/deliveries.mjs";
import { addModel, chat } from "../http/support/gateway.mjs";
import { freshName, makeTeam } from "../http/support/people.mjs";
import { makeFolder, removeFolder } from "../http/support/program.mjs";
import { RunProject } from "../http/support/runs.mjs";
import { startScriptedUpstream } from "../http/support/scripted_upstream.mjs";
import { startServer } from "../http/support/server.mjs";
import { startClickHouse } from "./support/clickhouse_server.mjs";
import { startPostgres } from "./support/postgres_server.mjs";

let clickhouse;
let postgres;
let upstream;
let environment;
let folders;
let first;
let second;

const start = (folder) => startServer({ env: environment, dataDir: join(folder, "data") });

before(async () => {
  clickhouse = await startClickHouse();
  postgres = await startPostgres();
  upstream = await startScriptedUpstream();
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
  await Promise.all([clickhouse?.dispose(), postgres?.dispose(), upstream?.close()]);
});

async function requestsOf(server, model) {
  const answer = await server.api("GET", `/api/v1/usage?model=${model}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.json.items[0].requests;
}

async function ask(server, model, headers) {
  const answer = await chat(server, model, {}, { key: first.adminKey, headers });
  assert.equal(answer.status, 200, answer.text);
}

test("another server reports usage after it was forwarded", async () => {
  const model = await addModel(first, [upstream.url]);
  const project = `${(await makeTeam(first)).name}/lab`;
  for (let i = 0; i < 3; ++i) await ask(first, model, { "Compat-Project": project });
  await eventually(() => requestsOf(second, model), (requests) => requests === 3, "3 requests");
});

test("the gateway works while ClickHouse is down; usage of a killed server is forwarded once", async (t) => {
  if (!clickhouse.stop) return t.skip("the ClickHouse server is not ours");
  const model = await addModel(first, [upstream.url]);
  const headers = { "Compat-Project": `${(await makeTeam(first)).name}/lab` };
  await ask(first, model, headers);
  await eventually(() => requestsOf(second, model), (requests) => requests === 1, "1 request");
  await clickhouse.stop();
  for (let i = 0; i < 20; ++i) await ask(first, model, headers);
  await first.kill();
  await clickhouse.start();
  assert.equal(await requestsOf(second, model), 1);
  first = await start(folders[0]);
  for (const server of [first, second])
    await eventually(() => requestsOf(server, model), (requests) => requests === 21, "21 requests");
});

test("both servers log to a run and read its history", async () => {
  const { name } = await makeTeam(first);
  const here = new RunProject(first, name);
  const there = new RunProject(second, name, { key: first.adminKey });
  const { run_id } = await here.start();
  const rows = Array.from({ length: 1_000 }, (_, i) => ({ metrics: { loss: i / 2, word: `w${i % 3}` } }));
  for (const project of [here, there, here, there]) await project.log(run_id, rows);
  await there.log(run_id, rows.slice(0, 500));
  for (const project of [here, there]) {
    assert.equal((await project.get(run_id)).history_line_count, 4_500);
    const { rows: page } = await project.history(run_id, "?min_step=1999&max_step=2001&limit=10");
    assert.deepEqual(page.map(({ _step, loss }) => [_step, loss]), [[1999, 499.5], [2000, 0], [2001, 0.5]]);
  }
});

test("feedback that one server has purged is gone on the other", async () => {
  const project = new Project(first);
  const other = new Project(second, project.id);
  const [call] = await project.complete({ op_name: freshName("op") });
  const svc_ref = `svc:///${project.id}/call/${call.id}`;
  const { id } = await project.ok("/feedback/create", { project_id: project.id, svc_ref, feedback_type: "note", payload: { n: 1 } });
  const found = () => other.ok("/feedback/query", { project_id: project.id, query: { $expr: { $eq: [{ $getField: "payload.n" }, { $literal: 1 }] } } });
  assert.deepEqual((await found()).result.map((row) => row.id), [id]);
  const query = { $expr: { $eq: [{ $getField: "id" }, { $literal: id }] } };
  await project.ok("/feedback/purge", { project_id: project.id, query });
  assert.equal((await found()).total_count, 0);
});
