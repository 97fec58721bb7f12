// A full disk for metadata: a write is rejected with 507 and changes nothing, reads continue, and writes work again
// when there is space. A limit of the file size simulates the full disk; it needs no privileges.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { freshName } from "./support/people.mjs";
import { withServer } from "./support/server.mjs";

/** Limits the size of files that the server may write. */
function limitFiles(server, bytes) {
  execFileSync("prlimit", [`--pid=${server.program.pid}`, `--fsize=${bytes}:unlimited`]);
}

test("a full disk gives 507 for metadata writes, which store nothing; writes work again with free space", async () => {
  await withServer({}, async (server) => {
    const create = (name) => server.api("POST", "/api/v1/teams", { body: { name } });
    assert.equal((await create(freshName("team"))).status, 201);
    limitFiles(server, statSync(join(server.dataDir, "metadata.sqlite-wal")).size + 64 * 1024);
    let refused;
    let name;
    for (let i = 0; refused === undefined; i += 1) {
      assert.ok(i < 1000, "the limit was never reached");
      name = freshName("team");
      const answer = await create(name);
      if (answer.status !== 201) refused = answer;
    }
    assert.equal(refused.status, 507, refused.text);
    assert.match(refused.json.detail, /full/);
    assert.equal((await server.api("GET", "/api/v1/me")).status, 200);
    assert.equal((await server.api("GET", `/api/v1/teams/${name}`)).status, 404);
    limitFiles(server, "unlimited");
    assert.equal((await create(name)).status, 201);
  });
});
