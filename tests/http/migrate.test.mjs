// `spindle migrate`: from a data folder to PostgreSQL and back, beside a read-only server, with kills and with
// every wrong use. What was acknowledged before the move is on the target, and exports are equal.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { startPostgres } from "../scale/support/postgres_server.mjs";
import { Load } from "./support/backup_load.mjs";
import { freshName, makeTeam } from "./support/people.mjs";
import { BINARY, Program, makeFolder, removeFolder, runSpindle } from "./support/program.mjs";
import { ADMIN_KEY, startServer } from "./support/server.mjs";
import { within } from "./support/time_limits.mjs";

const ENV = { SPINDLE_ADMIN_API_KEY: ADMIN_KEY };
const ROUNDS = 4;
// Lines of the command at which it is killed. The last run is not killed.
const KILLED_AT = [/copying metadata/, /comparing metadata/, /copying files/, /checking files/, /copying traces/, /comparing traces/];

let base;
let postgres;
let source; // a data folder whose server is stopped
let load;

before(async () => {
  base = makeFolder();
  postgres = await startPostgres();
  source = join(base, "source");
  const server = await startServer({ dataDir: source, args: ["--traces-recent", "1MiB"] });
  try {
    load = new Load((await makeTeam(server)).name);
    await load.prepare(server);
    for (let i = 0; i < ROUNDS; i += 1) await load.write(server);
    const { calls } = load.projects(server);
    const [deleted] = await calls.complete({ inputs: {}, output: "deleted" });
    await calls.ok("/calls/delete", { project_id: calls.id, call_ids: [deleted.id] });
  } finally {
    await server.stop();
  }
});

after(async () => {
  await postgres?.dispose();
  removeFolder(base);
});

/** Writes a settings file of a deployment on a new PostgreSQL database. */
async function cluster(name, more = "") {
  const file = join(base, `${name}.toml`);
  const folder = join(base, name);
  const uri = await postgres.createDatabase(name);
  writeFileSync(file, `[storage]\ndata_dir = ${JSON.stringify(folder)}\nmetadata = ${JSON.stringify(uri)}\n${more}`);
  return { file, folder, uri };
}

const migrate = (from, to, ...more) => runSpindle(["migrate", "--from", from, "--to", to, "--json", ...more], { env: ENV });

async function expectMoved(from, to, ...more) {
  const ended = await migrate(from, to, ...more);
  assert.equal(ended.code, 0, ended.stdout + ended.stderr);
  const report = JSON.parse(ended.stdout);
  assert.ok(report.finished, ended.stdout);
  for (const store of report.stores) assert.deepEqual(store.differences, []);
  return Object.fromEntries(report.stores.map((store) => [store.store, store]));
}

async function expectRefused(from, to, pattern, ...more) {
  const ended = await migrate(from, to, ...more);
  assert.equal(ended.code, 1, ended.stdout + ended.stderr);
  assert.match(ended.stderr + ended.stdout, pattern);
  assert.ok(!(ended.stderr + ended.stdout).includes("password"), ended.stderr);
}

/** Returns the SHA-256 of the exported calls of the project of the load. */
async function exported(server) {
  const folder = join(base, freshName("export"));
  const ended = await server.cli("traces", "export", "--project", `${load.team}/traces`, "--output", folder);
  assert.equal(ended.code, 0, ended.stderr);
  const hash = createHash("sha256");
  for (const name of readdirSync(folder).sort()) {
    if (/^calls/.test(name)) hash.update(readFileSync(join(folder, name)));
  }
  return hash.digest("hex");
}

async function withServerOn(options, work) {
  const server = await startServer(options);
  try {
    return await work(server);
  } finally {
    await server.kill();
  }
}

const onCluster = ({ folder, uri }) => ({ dataDir: folder, env: { SPINDLE_METADATA: uri } });

test("a data folder moves to PostgreSQL and back while its server serves reads", within(240_000), async () => {
  const target = await cluster("over");
  const back = join(base, "back");
  const writing = await startServer({ dataDir: source });
  await expectRefused(source, target.file, /accepts writes.*--read-only/);
  await writing.stop();

  const { moved, before: digest } = await withServerOn({ dataDir: source, args: ["--read-only"] }, async (server) => {
    const before = await exported(server);
    const answer = await server.api("POST", "/api/v1/teams", { body: { name: freshName("team") } });
    assert.equal(answer.status, 503, answer.text);
    assert.equal(answer.headers["retry-after"], "30");
    assert.match(answer.json.detail, /read-only while its data is being moved/);
    const started = await server.api("POST", "/call/start", { body: {} });
    assert.equal(started.status, 503, started.text);
    const moving = expectMoved(source, target.file);
    await load.check(server); // reads during the move
    const moved = await moving;
    await load.check(server);
    return { moved, before };
  });
  assert.ok(moved.metadata.items > 50);
  assert.ok(moved.files.items >= ROUNDS);
  assert.ok(moved.traces.items >= ROUNDS * 15);

  const returned = await expectMoved(target.file, back);
  for (const store of ["metadata", "files", "traces"]) assert.equal(returned[store].digest, moved[store].digest, store);

  await withServerOn(onCluster(target), async (server) => {
    await load.check(server);
    assert.equal(await exported(server), digest);
    const later = new Load(load.team); // the target continues: automatic numbers, aliases, history
    await later.prepare(server);
    await later.write(server);
    await later.check(server);
  });
  await withServerOn({ dataDir: back }, async (server) => {
    await load.check(server);
    assert.equal(await exported(server), digest);
    await new Load(load.team).prepare(server);
  });
  await withServerOn({ dataDir: source }, (server) => load.check(server));
});

test("a move that is killed at any step continues", within(300_000), async () => {
  const target = await cluster("killed");
  for (const [run, line] of KILLED_AT.entries()) {
    // Only the first run and the end of a move write this record: no later run ends before it is killed.
    const unlock = run > 0 ? await postgres.lock("killed", "storage_move") : async () => {};
    const program = new Program(["migrate", "--from", source, "--to", target.file], { env: ENV });
    await program.waitForLine(line);
    program.signal("SIGKILL");
    const ended = await program.ended;
    await unlock();
    assert.equal(ended.signal, "SIGKILL");
    const server = await runSpindle(["serve", "--listen", "127.0.0.1:0", "--data-dir", target.folder], {
      env: { ...ENV, SPINDLE_METADATA: target.uri },
    });
    assert.notEqual(server.code, 0);
    assert.match(server.stderr, /has not finished. Run the same `spindle migrate` command again/);
  }
  await expectMoved(source, target.file);
  await withServerOn(onCluster(target), (server) => load.check(server));
});

test("stores are moved one by one", within(240_000), async () => {
  const target = await cluster("parts");
  for (const store of ["files", "traces"]) {
    const ended = await migrate(source, target.file, "--only", store);
    assert.equal(ended.code, 0, ended.stderr);
    const report = JSON.parse(ended.stdout);
    assert.ok(!report.finished);
    assert.match(report.notes.join("\n"), /without --only/);
    assert.deepEqual(report.stores.map((each) => each.store), [store]);
  }
  await expectMoved(source, target.file);
  await withServerOn(onCluster(target), (server) => load.check(server));
});

test("a target with other data, and the same place, are refused", within(240_000), async () => {
  const used = await cluster("used");
  await withServerOn(onCluster(used), (server) => makeTeam(server));
  await expectRefused(source, used.file, /secret key|already contains/);
  rmSync(used.folder, { recursive: true });
  await expectRefused(source, used.file, /already contains a deployment: choose an empty database/);
  await expectRefused(source, source, /have the same stores: there is nothing to move/);
  const foreign = await cluster("foreign");
  await postgres.run("foreign", "CREATE TABLE theirs (id BIGINT PRIMARY KEY)");
  await expectRefused(source, foreign.file, /already contains data: choose an empty database/);
});

test("a different secret key is refused", within(120_000), async () => {
  const target = await cluster("keyed", `secret_key = "${"k".repeat(40)}"\n`);
  await expectRefused(source, target.file, /different secret keys/);
});

test("an unfinished move continues only from its source, or starts over", within(240_000), async () => {
  const target = await cluster("again");
  const first = await migrate(source, target.file, "--only", "metadata");
  assert.equal(first.code, 0, first.stderr);
  const other = join(base, "other");
  await withServerOn({ dataDir: other }, (server) => makeTeam(server));
  rmSync(join(target.folder, "secret-key"));
  await expectRefused(other, target.file, /contains an unfinished move from .*source/);
  rmSync(join(target.folder, "secret-key"));
  // A row that the source does not have is named, and removed by starting over.
  await postgres.run("again", "INSERT INTO quotas (name, amount) VALUES ('stray', 1)");
  const differs = await migrate(source, target.file);
  assert.equal(differs.code, 1, differs.stderr);
  const report = JSON.parse(differs.stdout);
  assert.ok(!report.finished);
  const { differences } = report.stores.find((each) => each.store === "metadata");
  assert.match(differences.join("\n"), /table quotas: 1 rows differ[^]*\(stray\) exists only in the target/);
  await expectMoved(source, target.file, "--start-over");
});

test("wrong sides are explained", within(120_000), async () => {
  const target = await cluster("wrong");
  await expectRefused(join(base, "missing"), target.file, /does not exist/);
  await expectRefused(source, join(base, "missing.toml"), /cannot read/);
  const typo = join(base, "typo.toml");
  writeFileSync(typo, "[storage]\nmetadat = \"x\"\n");
  await expectRefused(source, typo, /metadat/);
  const unreachable = join(base, "unreachable.toml");
  writeFileSync(unreachable, `[storage]\ndata_dir = ${JSON.stringify(join(base, "u"))}\nmetadata = "postgresql://me:password@127.0.0.1:1/x"\n`);
  await expectRefused(source, unreachable, /PostgreSQL/);
  const same = join(base, "same.toml");
  writeFileSync(same, `[storage]\ndata_dir = ${JSON.stringify(source)}\nmetadata = ${JSON.stringify(target.uri)}\n`);
  await expectRefused(source, same, /--only files: both sides have the same files/, "--only", "files");
});

test("a full disk stops the move, which continues with free space", within(240_000), async () => {
  const back = join(base, "full");
  const limited = new Program(["-c", 'ulimit -f 400 && exec "$@"', "sh", BINARY, "migrate", "--from", source, "--to", back], {
    env: ENV, binary: "/bin/sh",
  });
  const ended = await limited.ended;
  assert.equal(ended.code, 1, ended.stdout + ended.stderr);
  assert.match(ended.stderr, /full|space/);
  await expectMoved(source, back);
  await withServerOn({ dataDir: back }, (server) => load.check(server));
});
