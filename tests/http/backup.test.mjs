// `spindle backup`, `restore` and `verify`: online, incremental, under load and with kills. Every valid backup
// point restores to a clean folder that contains everything acknowledged before the backup began.

import assert from "node:assert/strict";
import { randomBytes, randomInt } from "node:crypto";
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { Load, rounds, whileWriting } from "./support/backup_load.mjs";
import { expectError } from "./support/expect.mjs";
import { makeTeam, makeUser } from "./support/people.mjs";
import { Program, filesIn, makeFolder, removeFolder, runSpindle } from "./support/program.mjs";
import { ADMIN_KEY, startServer } from "./support/server.mjs";
import { within } from "./support/time_limits.mjs";

const ENV = { SPINDLE_ADMIN_API_KEY: ADMIN_KEY };

async function succeed(program) {
  const ended = await program;
  assert.equal(ended.code, 0, ended.stderr + ended.stdout);
  return ended;
}

const spindle = (...args) => runSpindle(args, { env: ENV });
/** Backs up the data folder and resolves with the JSON output. */
async function backup(dataDir, folder, ...args) {
  return JSON.parse((await succeed(spindle("backup", folder, "--json", "--data-dir", dataDir, ...args))).stdout);
}
async function points(folder) {
  return JSON.parse((await succeed(spindle("backup", folder, "--list", "--json"))).stdout);
}
const verify = (folder) => spindle("verify", folder, "--json");
async function expectClean(folder) {
  const ended = await verify(folder);
  assert.equal(ended.code, 0, ended.stdout + ended.stderr);
  assert.deepEqual(JSON.parse(ended.stdout).problems, []);
}

/** Restores a backup point to a new folder and checks it with `verify` and through a server. */
async function expectRestores(backups, point, load, base) {
  const dataDir = join(base, `restored-${point}`);
  await succeed(spindle("restore", backups, "--point", point, "--data-dir", dataDir));
  await expectClean(dataDir);
  const server = await startServer({ dataDir });
  try {
    await load.check(server);
    assert.equal((await server.stop()).code, 0);
  } finally {
    await server.kill();
  }
  rmSync(dataDir, { recursive: true });
}

async function expectLoads(backups, point, loads, base) {
  const all = { check: async (server) => { for (const load of loads) await load.check(server); } };
  await expectRestores(backups, point, all, base);
}

async function newLoads(server, count) {
  const loads = [];
  for (let i = 0; i < count; ++i) {
    const load = new Load((await makeTeam(server)).name);
    await load.prepare(server);
    loads.push(load);
  }
  return loads;
}

describe("under load", () => {
  let base;
  before(() => { base = makeFolder(); });
  after(() => removeFolder(base));

  test("every backup contains all data acknowledged before it began", within(300_000), async () => {
    const backups = join(base, "backups");
    const server = await startServer({ dataDir: join(base, "data"), args: ["--traces-recent", "1MiB"] });
    try {
      const loads = await newLoads(server, 2);
      const taken = [];
      await whileWriting(server, loads, async () => {
        for (let i = 0; i < 3; ++i) {
          await rounds(loads, 4);
          const known = loads.map((load) => load.snapshot());
          const { point, online } = await backup(server.dataDir, backups);
          assert.ok(online);
          taken.push({ point, known });
        }
        await rounds(loads, 1); // writers continue after the backup
      });
      await expectClean(backups);
      assert.equal((await points(backups)).length, 3);
      for (const { point, known } of taken) await expectLoads(backups, point, known, base);
    } finally {
      await server.kill();
    }
  });

  test("kills of the backup and of the server leave earlier backup points intact", within(300_000), async () => {
    const backups = join(base, "killed-backups");
    const dataDir = join(base, "killed-data");
    let server = await startServer({ dataDir, args: ["--traces-recent", "1MiB"] });
    const taken = [];
    try {
      const loads = await newLoads(server, 2);
      for (let round = 0; round < 6; ++round) {
        await whileWriting(server, loads, async (stop) => {
          await rounds(loads, 2);
          const known = loads.map((load) => load.snapshot());
          const program = new Program(["backup", backups, "--json", "--data-dir", dataDir], { env: ENV });
          // The backup is killed after some number of output lines, or the server is killed during the backup.
          const victim = ["none", "backup", "server"][round % 3];
          if (victim !== "none") {
            await program.waitForLine([/flushing/, /copying traces/, /copying metadata/, /copying files/][randomInt(4)]).catch(() => {});
            if (victim === "backup") program.signal("SIGKILL");
            else {
              stop();
              await server.kill();
            }
          }
          const ended = await program.ended;
          if (victim === "none") assert.equal(ended.code, 0, ended.stderr);
          if (ended.code === 0) taken.push({ point: JSON.parse(ended.stdout).point, known });
        });
        if (!server.program.running) server = await startServer({ dataDir, args: ["--traces-recent", "1MiB"] });
        for (const load of loads) await load.check(server);
      }
      const listed = (await points(backups)).map(({ point }) => point);
      for (const { point } of taken) assert.ok(listed.includes(point), point);
      assert.ok(taken.length >= 2);
      await expectClean(backups);
      for (const { point, known } of taken) await expectLoads(backups, point, known, base);
      // The hold of a killed client blocks the next backup no longer than its lease.
      await server.kill();
      await backup(dataDir, backups);
    } finally {
      await server.kill();
    }
  });
});

describe("one folder", () => {
  let base;
  let server;
  let load;
  let backups;
  before(async () => {
    base = makeFolder();
    backups = join(base, "backups");
    server = await startServer({ dataDir: join(base, "data") });
    [load] = await newLoads(server, 1);
    for (let i = 0; i < 10; ++i) await load.write(server);
  });
  after(async () => {
    await server.kill();
    removeFolder(base);
  });

  test("a second backup writes far fewer bytes", async () => {
    await load.projects(server).artifacts.put("net", { weights: randomBytes(12 << 20) });
    const first = await backup(server.dataDir, backups);
    assert.ok(first.bytes_written > 12 << 20, `${first.bytes_written}`);
    await load.write(server);
    const second = await backup(server.dataDir, backups);
    assert.equal(second.blobs, first.blobs + 1);
    assert.ok(second.bytes_written < first.bytes_written / 4, `${second.bytes_written} of ${first.bytes_written}`);
    assert.equal(second.bytes_written + second.bytes_reused >= second.bytes, true);
    // Between these two only the server itself has written.
    const third = await backup(server.dataDir, backups);
    assert.ok(third.bytes_written < second.bytes_written, `${third.bytes_written} of ${second.bytes_written}`);
    await expectClean(backups);
    assert.equal(statSync(backups).mode & 0o777, 0o700);
  });

  test("a backup without a server works, and --keep removes older points", async () => {
    const known = load.snapshot();
    await server.kill();
    const { online, pruned_points, point } = await backup(server.dataDir, backups, "--keep", "1");
    assert.equal(online, false);
    assert.ok(pruned_points >= 1);
    assert.deepEqual((await points(backups)).map((each) => each.point), [point]);
    await expectClean(backups);
    await expectRestores(backups, point, known, base);
    await expectClean(server.dataDir);
    server = await startServer({ dataDir: server.dataDir });
  });

  test("the folder of a running server is verified as far as possible and rejected as a restore target", async () => {
    const ended = await verify(server.dataDir);
    assert.equal(ended.code, 0, ended.stdout);
    assert.match(JSON.parse(ended.stdout).notes.join("\n"), /traces were not checked/);
    const refused = await spindle("restore", backups, "--replace", "--data-dir", server.dataDir);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /a server \(process \d+\) has the data folder .* open/);
    await load.check(server);
  });

  test("restore into a folder with content needs --replace", async () => {
    const dataDir = join(base, "taken");
    await succeed(spindle("restore", backups, "--data-dir", dataDir));
    writeFileSync(join(dataDir, "mine"), "precious");
    const refused = await spindle("restore", backups, "--data-dir", dataDir);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /is not empty/);
    const ended = await succeed(spindle("restore", backups, "--replace", "--data-dir", dataDir));
    const [, aside] = /The previous content of the data folder is in (.*)\.\n/.exec(ended.stdout);
    assert.equal(readFileSync(join(aside, "mine"), "utf8"), "precious");
    assert.ok(!existsSync(join(dataDir, "mine")));
  });

  test("verify finds flipped bytes and missing files, and restore rejects them", async () => {
    const victims = filesIn(backups).filter((name) => name.startsWith("objects/") || name.endsWith(".manifest"));
    const chosen = [...victims.filter((name) => name.endsWith(".manifest")), ...victims.filter(() => randomInt(victims.length) < 6)];
    for (const name of chosen) {
      const path = join(backups, name);
      const bytes = readFileSync(path);
      const flipped = Buffer.from(bytes);
      flipped[randomInt(bytes.length)] ^= 1 << randomInt(8);
      for (const [how, damage] of [["flipped", () => writeFileSync(path, flipped)], ["removed", () => rmSync(path)]]) {
        damage();
        const found = await verify(backups);
        assert.equal(found.code, 1, `${name} ${how}: ${found.stdout}`);
        assert.ok(JSON.parse(found.stdout).problems.length >= 1);
        const refused = await spindle("restore", backups, "--data-dir", join(base, "never"));
        assert.equal(refused.code, 1, `${name} ${how}`);
        assert.ok(!existsSync(join(base, "never")), `${name} ${how}`);
        writeFileSync(path, bytes, { mode: 0o600 });
      }
    }
    await expectClean(backups);
  });

  test("folders that are no backup or data folder are rejected with advice", async () => {
    const other = makeFolder();
    writeFileSync(join(other, "letter"), "dear");
    const cases = [
      [["backup", other, "--data-dir", server.dataDir], /neither empty nor a backup folder/],
      [["backup", join(server.dataDir, "inside"), "--data-dir", server.dataDir], /inside the data folder/],
      [["backup", join(base, "b2"), "--data-dir", join(base, "nothing")], /does not exist: set --data-dir/],
      [["backup", join(base, "b2"), "--without-metadata", "--data-dir", server.dataDir], /not on PostgreSQL/],
      [["restore", other, "--data-dir", join(base, "never")], /is not a backup folder/],
      [["restore", backups, "--point", "../../x", "--data-dir", join(base, "never")], /there is no backup point/],
      [["verify", join(base, "nothing")], /neither a data folder nor a backup folder/],
    ];
    for (const [args, message] of cases) {
      const ended = await spindle(...args);
      assert.equal(ended.code, 1, args.join(" "));
      assert.match(ended.stderr, message);
    }
    removeFolder(other);
  });

  test("metadata on PostgreSQL is rejected with advice", async () => {
    const ended = await runSpindle(["backup", join(base, "b3"), "--data-dir", server.dataDir], {
      env: { ...ENV, SPINDLE_METADATA: "postgres://nobody@localhost/none" },
    });
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, /pg_dump/);
    assert.match(ended.stderr, /--without-metadata/);
    assert.ok(!existsSync(join(base, "b3")));
  });

  test("only administrators create holds, one at a time", async () => {
    const { key } = await makeUser(server);
    const path = "/api/v1/backup/holds";
    expectError(await server.api("POST", path, { key }), 403, "forbidden");
    const held = await server.api("POST", path);
    assert.equal(held.status, 201, held.text);
    assert.equal((await server.api("POST", path)).status, 409);
    assert.equal((await spindle("backup", backups, "--data-dir", server.dataDir)).code, 1);
    const { id } = held.json;
    const mark = await server.api("POST", `${path}/${id}/mark`);
    assert.ok(mark.json.files.some(({ name }) => name === "traces.duckdb"));
    assert.equal((await server.api("POST", `${path}/${id}/renew`)).status, 200);
    assert.equal((await server.api("DELETE", `${path}/${id}`)).status, 204);
    expectError(await server.api("DELETE", `${path}/${id}`), 404, "not_found");
    await backup(server.dataDir, backups);
  });

  test("secrets can be excluded", async () => {
    const folder = join(base, "public");
    const { point } = await backup(server.dataDir, folder, "--without-secrets");
    const dataDir = join(base, "keyless");
    await succeed(spindle("restore", folder, "--point", point, "--data-dir", dataDir));
    assert.ok(!readdirSync(dataDir).includes("secret-key"));
    const refused = await spindle("serve", "--data-dir", dataDir, "--listen", "127.0.0.1:0");
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /secret-key is missing/);
  });
});
