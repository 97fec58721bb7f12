// SIGKILL at random moments while calls are written: every acknowledged call exists after the restart, complete
// and once.

import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";

import { Project, at, uuid7 } from "./support/calls.mjs";
import { freshName } from "./support/people.mjs";
import { makeFolder, removeFolder } from "./support/program.mjs";
import { startServer } from "./support/server.mjs";
import { within } from "./support/time_limits.mjs";

const ROUNDS = 20;
const WRITERS = 4;

/** The acknowledged calls by id, each with its expected content. */
class Ledger {
  calls = new Map();
  deleted = new Set();
  acknowledged = 0;

  constructor(name) {
    this.name = name;
  }

  /** Writes complete calls, calls in two parts, a rename and a deletion. Records each after its acknowledgement. */
  async write(project) {
    const whole = Array.from({ length: 20 }, (_, i) => ({ inputs: { i }, output: `out ${i}` }));
    for (const call of await project.complete(...whole)) this.calls.set(call.id, { output: call.output, name: null });
    this.acknowledged += 1;
    const id = uuid7();
    if (randomInt(2) === 0) {
      await project.start({ id, inputs: { parts: 2 } });
      this.calls.set(id, { output: null, name: null });
      await project.end(id, { output: "ended" });
    } else {
      await project.end(id, { output: "ended" });
      await project.start({ id, inputs: { parts: 2 } });
    }
    this.calls.set(id, { output: "ended", name: null });
    await project.ok("/call/update", { project_id: project.id, call_id: id, display_name: "named" });
    this.calls.set(id, { output: "ended", name: "named" });
    const [doomed] = await project.complete({ started_at: at(7) });
    this.calls.set(doomed.id, { output: null, name: null });
    this.deleting = doomed.id;
    await project.ok("/calls/delete", { project_id: project.id, call_ids: [doomed.id] });
    this.calls.delete(doomed.id);
    this.deleted.add(doomed.id);
  }

  async check(server) {
    const project = new Project(server, this.name);
    const seen = new Map();
    for (const call of await project.query({ columns: ["inputs", "output", "display_name"] })) {
      assert.ok(!seen.has(call.id), `${call.id} is duplicated`);
      seen.set(call.id, call);
    }
    for (const [id, { output, name }] of this.calls) {
      const call = seen.get(id);
      if (call === undefined && id === this.deleting) {
        this.calls.delete(id); // deleted, but the response was lost
        continue;
      }
      assert.ok(call, `${id} was acknowledged and is lost`);
      // A write in flight at the kill is complete or absent, never partial.
      if (output !== null) assert.equal(call.output, output);
      if (name !== null) assert.equal(call.display_name, name);
    }
    for (const id of this.deleted) assert.ok(!seen.has(id), `${id} was deleted and is back`);
    assert.equal((await project.stats()).count, seen.size);
  }
}

test("acknowledged calls survive twenty kills", within(240_000), async () => {
  const folder = makeFolder();
  const dataDir = join(folder, "data");
  const ledgers = Array.from({ length: WRITERS }, () => new Ledger(`${freshName("team")}/calls`));
  let server;
  try {
    for (let round = 0; round < ROUNDS; ++round) {
      server = await startServer({ dataDir, args: ["--traces-recent", "1MiB"] });
      for (const ledger of ledgers) await ledger.check(server);
      let running = true;
      const writers = ledgers.map(async (ledger) => {
        const project = new Project(server, ledger.name);
        while (running) {
          try {
            await ledger.write(project);
          } catch (error) {
            if (running) throw error;
          }
        }
      });
      const before = ledgers.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
      const target = before + randomInt(4, 40);
      while (ledgers.reduce((sum, { acknowledged }) => sum + acknowledged, 0) < target) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      running = false;
      await server.kill();
      await Promise.all(writers);
    }
    server = await startServer({ dataDir });
    for (const ledger of ledgers) await ledger.check(server);
  } finally {
    await server?.kill();
    removeFolder(folder);
  }
});
