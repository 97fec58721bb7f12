// SIGKILL at random moments while runs log: every acknowledged row exists once after the restart, and rows sent
// again with the same offset are not duplicated.

import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";

import { freshName, listAll } from "./support/people.mjs";
import { makeFolder, removeFolder } from "./support/program.mjs";
import { RunProject } from "./support/runs.mjs";
import { startServer } from "./support/server.mjs";
import { within } from "./support/time_limits.mjs";

const ROUNDS = 12;
const SIZES = [1, 7, 300, 1000];

/** A client of one run. Records its acknowledged rows, and continues at the server's offset. */
class Logger {
  acknowledged = 0;

  constructor(run, size) {
    this.run = run;
    this.size = size;
  }

  async log(project) {
    const offset = this.acknowledged;
    // Every row contains its line number; the steps have gaps.
    const rows = Array.from({ length: this.size }, (_, i) => ({
      step: (offset + i) * 2,
      metrics: { line: offset + i, [`k${(offset + i) % 3}`]: 1 },
    }));
    const answer = await project.log(this.run, rows, { offset });
    assert.equal(answer.accepted + answer.ignored, rows.length);
    this.acknowledged = offset + rows.length;
    assert.ok(answer.history_line_count >= this.acknowledged);
  }

  async check(server, project) {
    const { history_line_count: lines, last_step } = await project.get(this.run);
    assert.ok(lines >= this.acknowledged, `${this.acknowledged} were acknowledged, ${lines} are stored`);
    assert.ok(lines <= this.acknowledged + this.size);
    const all = await listAll(server, `${project.path}/${this.run}/history?keys=line`, { limit: 1000 });
    assert.deepEqual(all.map(({ line }) => line), Array.from({ length: lines }, (_, i) => i));
    if (lines > 0) assert.equal(last_step, (lines - 1) * 2);
    const { items } = await project.ok("GET", `/${this.run}/history/samples?keys=line,k0,k1,k2&samples=10000`);
    const count = (key) => items.find((item) => item.key === key).count;
    assert.equal(count("line"), lines);
    assert.equal(count("k0") + count("k1") + count("k2"), lines);
  }
}

/** Runs all loggers and kills the server some responses after each logger has had one. */
async function killAmongWrites(server, project, loggers) {
  let running = true;
  let answers = 0;
  const heard = new Set();
  const wanted = loggers.length + randomInt(0, 40);
  const writers = loggers.map(async (logger) => {
    while (running) {
      try {
        await logger.log(project);
      } catch (error) {
        if (running) throw error;
        return;
      }
      answers += 1;
      heard.add(logger);
      if (running && answers >= wanted && heard.size === loggers.length) {
        running = false;
        await server.kill();
      }
    }
  });
  await Promise.all(writers);
}

test("acknowledged rows survive twelve kills, once each", within(240_000), async () => {
  const folder = makeFolder();
  const dataDir = join(folder, "data");
  const team = freshName("team");
  const loggers = SIZES.map((size, i) => new Logger(`run-${i}`, size));
  let server;
  try {
    for (let round = 0; round < ROUNDS; ++round) {
      server = await startServer({ dataDir, args: ["--traces-recent", "1MiB"] });
      const project = new RunProject(server, team);
      for (const logger of loggers) {
        await project.ok("POST", "", { body: { run_id: logger.run, resume: "allow" } });
        await logger.check(server, project);
      }
      await killAmongWrites(server, project, loggers);
    }
    server = await startServer({ dataDir });
    const project = new RunProject(server, team);
    for (const logger of loggers) await logger.check(server, project);
  } finally {
    await server?.kill();
    removeFolder(folder);
  }
});
