// SIGKILL at random moments during bulk jobs: they continue after each restart; no call is lost and none is processed
// twice.

import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";

import { BulkProject } from "./support/bulk_jobs.mjs";
import { freshName } from "./support/people.mjs";
import { makeFolder, removeFolder } from "./support/program.mjs";
import { startServer } from "./support/server.mjs";
import { within } from "./support/time_limits.mjs";

const CALLS = 3000;
const KILLS = 6;
const byOp = (name) => ({ query: { $expr: { $eq: [{ $getField: "op_name" }, { $literal: name }] } } });
const FINAL = ["succeeded", "failed", "cancelled"];

/** Writes `count` calls of an op and returns their ids. */
async function write(project, op_name, count) {
  const ids = [];
  for (let first = 0; first < count; first += 500) {
    const calls = Array.from({ length: Math.min(500, count - first) }, (_, i) => ({
      op_name, inputs: { n: first + i, target: "x" }, output: "x",
    }));
    for (const { id } of await project.complete(...calls)) ids.push(id);
  }
  return ids;
}

test("bulk jobs survive kills: nothing lost, nothing doubled", within(300_000), async () => {
  const folder = makeFolder();
  const start = () => startServer({ dataDir: join(folder, "data"), args: ["--traces-recent", "1MiB"] });
  const names = ["delete", "queue", "dataset", "score"].map((what) => [what, `${freshName(what)}/bulk`]);
  let server = await start();
  try {
    // One team for each action: jobs of one team run one after the other.
    const places = Object.fromEntries(names.map(([what, name]) => [what, { name, project: new BulkProject(server, name) }]));
    const kept = await write(places.delete.project, "keep", 500);
    await write(places.delete.project, "doomed", CALLS);
    const queued = await write(places.queue.project, "op", CALLS);
    await write(places.dataset.project, "op", 1500);
    await write(places.score.project, "op", 200);
    const queue_id = await places.queue.project.queue();
    const scoring = places.score.project;
    const { digest } = await scoring.ok("/obj/create", {
      obj: { project_id: scoring.id, object_id: "exact", val: { kind: "exact_match" } },
    });
    const parameters = { scorer_refs: [`svc:///${scoring.id}/object/exact:${digest}`] };
    const bodies = {
      delete: { action: "delete", ...byOp("doomed"), expected_count: CALLS },
      queue: { action: "add_to_queue", filter: {}, parameters: { queue_id } },
      dataset: { action: "add_to_dataset", filter: {}, parameters: { dataset: "picked", columns: { n: "inputs.n" } } },
      score: { action: "score", filter: {}, parameters },
    };
    for (const [what] of names) places[what].id = (await places[what].project.begin(bodies[what])).id;

    for (let kill = 0; kill < KILLS; ++kill) {
      // Kill at some progress of some job that still runs; the last ones may have ended.
      const open = [];
      for (const [what] of names) {
        const job = await places[what].project.job(places[what].id);
        if (!FINAL.includes(job.state)) open.push([what, job]);
      }
      if (open.length === 0) break;
      const [what, { done }] = open[randomInt(open.length)];
      const target = done + randomInt(1, 600);
      while (true) {
        const job = await places[what].project.job(places[what].id);
        if (job.done >= target || FINAL.includes(job.state) || randomInt(40) === 0) break;
      }
      await server.kill();
      server = await start();
      for (const [each, name] of names) places[each].project = new BulkProject(server, name);
    }

    const totals = { delete: CALLS, queue: CALLS, dataset: 1500, score: 200 };
    for (const [what] of names) {
      const job = await places[what].project.ended(places[what].id);
      assert.deepEqual([what, job.state, job.total, job.done, job.failed], [what, "succeeded", totals[what], totals[what], 0], job.error);
    }
    const left = await places.delete.project.query({ columns: ["id"] });
    assert.deepEqual(left.map(({ id }) => id).sort(), [...kept].sort());
    const items = await places.queue.project.items(queue_id);
    assert.equal(items.length, CALLS);
    assert.deepEqual(new Set(items.map(({ call_id }) => call_id)), new Set(queued));
    const { rows, version } = await places.dataset.project.dataset("picked");
    assert.equal(version, 0, "one version");
    assert.deepEqual(rows.map(({ n }) => n).sort((a, b) => a - b), Array.from({ length: 1500 }, (_, n) => n));
    const { result } = await places.score.project.ok("/feedback/query", { project_id: places.score.project.id, fields: ["svc_ref"] });
    assert.equal(result.length, 200);
    assert.equal(new Set(result.map(({ svc_ref }) => svc_ref)).size, 200);
  } finally {
    await server.kill();
    removeFolder(folder);
  }
});

test("a stopped server releases its bulk job, and the next server continues it", within(120_000), async () => {
  const folder = makeFolder();
  const start = () => startServer({ dataDir: join(folder, "data") });
  const name = `${freshName("team")}/stop`;
  let server = await start();
  try {
    let project = new BulkProject(server, name);
    await write(project, "op", CALLS);
    const { id } = await project.begin({ action: "delete", filter: {} });
    assert.equal((await server.stop()).code, 0);
    server = await start();
    project = new BulkProject(server, name);
    const job = await project.ended(id);
    assert.deepEqual([job.state, job.done], ["succeeded", CALLS]);
    assert.equal((await project.stats()).count, 0);
  } finally {
    await server.kill();
    removeFolder(folder);
  }
});
