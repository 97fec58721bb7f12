// A full disk: writes are rejected and store nothing, reads continue, and writes work again when there is space.
// A limit of the file size simulates the full disk; it needs no privileges.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

import { Project } from "./support/calls.mjs";
import { withServer } from "./support/server.mjs";

const MEBIBYTE = 1 << 20;

/** Limits the size of files that the server may write. */
function limitFiles(server, bytes) {
  execFileSync("prlimit", [`--pid=${server.program.pid}`, `--fsize=${bytes}:unlimited`]);
}

test("a full disk gives 507, loses no data, and writes work again with free space", async () => {
  await withServer({}, async (server) => {
    const project = new Project(server);
    const payload = { inputs: { text: "x".repeat(MEBIBYTE) } };
    await project.complete(payload);
    limitFiles(server, 8 * MEBIBYTE);
    let stored = 1;
    let refusal;
    while (refusal === undefined) {
      assert.ok(stored < 100, "the limit was never reached");
      const start = { project_id: project.id, op_name: "op", started_at: new Date().toISOString(), attributes: {}, ...payload };
      const answer = await project.post("/call/start", { start });
      if (answer.status === 200) stored += 1;
      else refusal = answer;
    }
    assert.equal(refusal.status, 507, refusal.text);
    assert.match(refusal.json.reason, /disk .* full/);
    assert.equal((await project.stats()).count, stored);
    assert.equal((await project.query({ columns: ["inputs"] })).length, stored);
    limitFiles(server, "unlimited");
    await project.complete(payload);
    assert.equal((await project.stats()).count, stored + 1);
    await server.kill();
  });
});
