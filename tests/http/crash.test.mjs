// SIGKILL at random moments while users, teams and keys are written: acknowledged writes exist after the restart,
// and revoked keys stay revoked.

import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";

import { expectUnauthenticated } from "./support/expect.mjs";
import { freshName, listAll } from "./support/people.mjs";
import { Program, makeFolder, removeFolder } from "./support/program.mjs";
import { startServer } from "./support/server.mjs";

const ROUNDS = 20;
const WRITERS = 6;

/** The acknowledged writes. */
class Ledger {
  users = [];
  teams = []; // {name, admin}
  keys = []; // {username, key}
  revoked = []; // key texts
  writes = 0; // acknowledged since the beginning of the round

  async write(server) {
    const username = freshName("crash");
    const post = async (path, body, list, entry) => {
      const answer = await server.api("POST", path, { body });
      assert.equal(answer.status, 201, answer.text);
      this.writes += 1;
      list.push(entry(answer.json));
      return answer.json;
    };
    await post("/api/v1/users", { username, email: `${username}@example.test` }, this.users, () => username);
    const team = { name: freshName("crash-team"), admin_username: username };
    await post("/api/v1/teams", team, this.teams, ({ name }) => ({ name, admin: username }));
    const keysOf = `/api/v1/api-keys?owner=${username}`;
    const entry = ({ key }) => ({ username, key });
    await post(keysOf, { name: "kept" }, this.keys, entry);
    const { id, key } = await post(keysOf, { name: "revoked" }, [], entry);
    assert.equal((await server.api("DELETE", `/api/v1/api-keys/${id}`)).status, 204);
    this.writes += 1;
    this.revoked.push(key);
  }

  /** Expects every write acknowledged since `from`, the counts of a ledger. */
  async check(server, from) {
    const users = new Set((await listAll(server, "/api/v1/users")).map((user) => user.username));
    assert.deepEqual(this.users.filter((username) => !users.has(username)), [], "users are lost");
    const teams = new Set((await listAll(server, "/api/v1/teams")).map((team) => team.name));
    assert.deepEqual(this.teams.filter(({ name }) => !teams.has(name)), [], "teams are lost");
    for (const { username, key } of this.keys.slice(from.keys)) {
      const me = await server.api("GET", "/api/v1/me", { key });
      assert.equal(me.status, 200, "a key is lost");
      assert.equal(me.json.username, username);
      const expected = this.teams.filter(({ admin }) => admin === username);
      assert.deepEqual(
        me.json.memberships,
        expected.map(({ name }) => ({ team: name, role: "ADMIN", pending: false })),
      );
    }
    for (const key of this.revoked.slice(from.revoked)) {
      expectUnauthenticated(await server.api("GET", "/api/v1/me", { key }));
    }
  }

  counts() {
    return { keys: this.keys.length, revoked: this.revoked.length };
  }
}

/** Writes until the server is killed. Only a lost connection may end it. */
async function writeUntilKilled(server, ledger) {
  for (;;) {
    try {
      await ledger.write(server);
    } catch (error) {
      if (!["ECONNRESET", "ECONNREFUSED", "EPIPE"].includes(error.code)) throw error;
      return;
    }
  }
}

test(`${ROUNDS} kills lose nothing that was acknowledged`, async () => {
  const folder = makeFolder();
  const dataDir = join(folder, "data");
  const ledger = new Ledger();
  let server = await startServer({ dataDir });
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const from = ledger.counts();
      const killAt = randomInt(1, 120);
      ledger.writes = 0;
      const writers = Promise.all(
        Array.from({ length: WRITERS }, () => writeUntilKilled(server, ledger)),
      );
      // Kills the server during requests of the writers, not between them.
      while (ledger.writes < killAt) await new Promise(setImmediate);
      server.program.signal("SIGKILL");
      await writers;
      const ended = await server.kill();
      assert.equal(ended.signal, "SIGKILL", ended.stderr);
      server = await startServer({ dataDir });
      await ledger.check(server, from);
    }
    await ledger.check(server, { keys: 0, revoked: 0 });
    assert.ok(ledger.users.length >= ROUNDS / 5);
  } finally {
    await server.dispose();
    removeFolder(folder);
  }
});

test("a kill during the first start leaves a usable data folder", async () => {
  const folder = makeFolder();
  const dataDir = join(folder, "data");
  const env = { SPINDLE_ADMIN_API_KEY: undefined };
  try {
    for (let round = 0; round < 10; round += 1) {
      const args = ["serve", "--listen", "127.0.0.1:0", "--data-dir", dataDir];
      const program = new Program(args);
      const delay = randomInt(0, 60);
      await new Promise((resolve) => setTimeout(resolve, delay));
      program.signal("SIGKILL");
      await program.ended;
    }
    const server = await startServer({ dataDir, env });
    assert.equal((await server.api("GET", "/api/v1/me")).status, 200);
    await server.dispose();
  } finally {
    removeFolder(folder);
  }
});
