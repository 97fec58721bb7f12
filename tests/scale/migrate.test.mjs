// `spindle migrate` from a data folder to PostgreSQL, ClickHouse and S3 and back: with kills, beside a server that serves
// reads, and with every wrong use of ClickHouse. The digests of all stores, an export of the calls and the answers of
// the servers are equal on every side. SPINDLE_TEST_CALLS is the number of calls.

import assert from "node:assert/strict";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { eventually } from "../http/support/deliveries.mjs";
import { freshName, makeTeam } from "../http/support/people.mjs";
import { Program, makeFolder, removeFolder, runSpindle } from "../http/support/program.mjs";
import { ADMIN_KEY, startServer } from "../http/support/server.mjs";
import { startClickHouse } from "./support/clickhouse_server.mjs";
import { MovedData } from "./support/moved_data.mjs";
import { startPostgres } from "./support/postgres_server.mjs";
import { startS3 } from "./support/s3_server.mjs";

const CALLS = Number(process.env.SPINDLE_TEST_CALLS ?? 20_000);
const STORES = ["metadata", "files", "traces"];

let base;
let postgres;
let clickhouse;
let s3;
let environment;

before(async () => {
  base = makeFolder();
  [postgres, clickhouse, s3] = await Promise.all([startPostgres(), startClickHouse(), startS3()]);
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = s3.environment("");
  environment = {
    SPINDLE_ADMIN_API_KEY: ADMIN_KEY, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,
    SPINDLE_TRACES_CLICKHOUSE_PASSWORD: clickhouse.password,
  };
});

after(async () => {
  await Promise.all([postgres?.dispose(), clickhouse?.dispose(), s3?.dispose()]);
  removeFolder(base);
});

const text = (value) => JSON.stringify(value);

/** Writes a settings file. Each of `lines` is a line of TOML. */
function settingsFile(name, ...lines) {
  const file = join(base, `${name}.toml`);
  writeFileSync(file, [...lines, ""].join("\n"));
  return file;
}

const storage = async (name) => ["[storage]", `data_dir = ${text(join(base, name))}`, `metadata = ${text(await postgres.createDatabase(name))}`];

function bucket(name) {
  const places = s3.environment(`${name}/`);
  return [
    "[files]", 'store = "s3"', `s3_endpoint = ${text(places.SPINDLE_FILES_S3_ENDPOINT)}`,
    `s3_bucket = ${text(places.SPINDLE_FILES_S3_BUCKET)}`, `s3_prefix = ${text(`${name}/`)}`,
  ];
}

function tracesIn(database, url = clickhouse.url) {
  return [
    "[traces]", 'store = "clickhouse"', `clickhouse_url = ${text(url)}`, `clickhouse_user = ${text(clickhouse.user)}`,
    `clickhouse_database = ${text(database)}`,
  ];
}

const newDatabase = async () => (await clickhouse.newDatabase()).SPINDLE_TRACES_CLICKHOUSE_DATABASE;

const start = (from, to, ...more) => new Program(["migrate", "--from", from, "--to", to, ...more], { env: environment });

async function migrate(from, to, ...more) {
  const began = Date.now();
  const ended = await runSpindle(["migrate", "--from", from, "--to", to, "--json", ...more], { env: environment });
  assert.equal(ended.code, 0, ended.stdout + ended.stderr);
  const report = JSON.parse(ended.stdout);
  assert.ok(report.finished, ended.stdout);
  const stores = Object.fromEntries(report.stores.map(({ store, items, digest }) => [store, { items, digest }]));
  return { stores, notes: report.notes, seconds: (Date.now() - began) / 1000, stderr: ended.stderr };
}

async function expectRefused(from, to, pattern, { env = environment } = {}) {
  const ended = await runSpindle(["migrate", "--from", from, "--to", to], { env });
  assert.equal(ended.code, 1, ended.stdout + ended.stderr);
  assert.match(ended.stderr, pattern);
  assert.ok(!ended.stderr.includes(clickhouse.password), ended.stderr);
}

async function withServerOn(options, work) {
  const server = await startServer(options);
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

const onFile = (name, file) => ({ dataDir: join(base, name), args: ["--config", file], env: environment });

/** Starts a move and kills it when the target has `rows` calls, or at a line of its output. */
async function kill(from, to, database, { rows, line }) {
  const program = start(from, to);
  if (line) {
    await program.waitForLine(line);
  } else {
    await program.waitForLine(/copying traces/);
    const count = async () => Number(await clickhouse.query("SELECT count() FROM calls", database));
    await eventually(count, (found) => found >= rows, "no rows are copied");
  }
  program.signal("SIGKILL");
  const ended = await program.ended;
  assert.equal(ended.signal, "SIGKILL", ended.stderr);
}

test(`${CALLS} calls, spans, feedback, runs, usage and artifacts move over and back`, async (t) => {
  const source = join(base, "source");
  const data = await withServerOn({ dataDir: source }, (server) => MovedData.fill(server, CALLS));
  const database = await newDatabase();
  const file = settingsFile("over", ...(await storage("over")), ...bucket("over"), ...tracesIn(database));

  // Kills at several moments; the source serves reads meanwhile.
  const { digest, answers, over, reads } = await withServerOn({ dataDir: source, args: ["--read-only"] }, async (server) => {
    const digest = await data.exported(server);
    const answers = await data.answers(server);
    await kill(source, file, database, { line: /copying metadata/ });
    await kill(source, file, database, { line: /copying files/ });
    for (const part of [0.01, 0.3, 0.6]) await kill(source, file, database, { rows: Math.ceil(CALLS * part) });
    const refused = await runSpindle(["serve", "--listen", "127.0.0.1:0", "--config", file], { env: environment });
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /has not finished. Run the same `spindle migrate` command again/);
    await kill(source, file, database, { line: /comparing traces/ });
    const moving = migrate(source, file);
    let isMoving = true;
    const ended = moving.finally(() => { isMoving = false; });
    let reads = 0;
    do {
      assert.equal(await data.answers(server), answers);
      reads += 1;
    } while (isMoving);
    return { digest, answers, over: await ended, reads };
  });
  t.diagnostic(`over: ${over.seconds.toFixed(1)} s after the kills, ${reads} times all answers of the source meanwhile`);
  for (const store of STORES) t.diagnostic(`${store}: ${over.stores[store].items} with digest ${over.stores[store].digest}`);
  assert.ok(over.stores.traces.items > CALLS + 100);
  assert.ok(over.stores.files.items > 10);

  const back = join(base, "back");
  const returned = await migrate(file, back);
  t.diagnostic(`back: ${returned.seconds.toFixed(1)} s, ${Math.round(returned.stores.traces.items / returned.seconds)} rows/s with the comparison`);
  assert.deepEqual(returned.stores, over.stores);

  // A move without interruption, for its duration.
  const again = settingsFile("again", ...(await storage("again")), ...bucket("again"), ...tracesIn(await newDatabase()));
  const whole = await migrate(source, again);
  t.diagnostic(`over again: ${whole.seconds.toFixed(1)} s, ${Math.round(whole.stores.traces.items / whole.seconds)} rows/s with the comparison`);
  assert.deepEqual(whole.stores, over.stores);

  t.diagnostic(`SHA-256 of the export of ${CALLS} calls: ${digest}`);
  for (const [name, options] of [["back", { dataDir: back }], ["over", onFile("over", file)]]) {
    await withServerOn(options, async (server) => {
      assert.equal(await data.exported(server), digest, name);
      assert.equal(await data.answers(server), answers, name);
      await data.continueOn(server);
    });
  }
});

test("only the traces move to ClickHouse, in the same data folder", async () => {
  const metadata = await storage("same");
  const before = settingsFile("same_before", ...metadata);
  const data = await withServerOn(onFile("same", before), (server) => MovedData.fill(server, 2000));
  const database = await newDatabase();
  const later = settingsFile("same_later", ...metadata, ...tracesIn(database));
  const answers = await withServerOn({ ...onFile("same", before), args: ["--config", before, "--read-only"] }, async (server) => data.answers(server));
  await kill(before, later, database, { rows: 500 });
  // Nothing but the mark of the database tells that the move is not complete.
  const fresh = settingsFile("same_fresh", ...(await storage("same_fresh")), ...tracesIn(database));
  const refused = await runSpindle(["serve", "--listen", "127.0.0.1:0", "--config", fresh], { env: environment });
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /has not finished. Run the same `spindle migrate` command again/);
  const other = join(base, "other");
  await withServerOn({ dataDir: other }, (server) => makeTeam(server));
  const target = settingsFile("same_other", ...(await storage("same_other")), ...tracesIn(database));
  await expectRefused(other, target, /contains an unfinished move \(.*choose another database/);
  const moved = await migrate(before, later);
  assert.deepEqual(Object.keys(moved.stores), ["traces"]);
  assert.match(moved.notes.join("\n"), /Move the folder .*traces away/);
  renameSync(join(base, "same", "traces"), join(base, "old-traces"));
  await withServerOn(onFile("same", later), async (server) => {
    assert.equal(await data.answers(server), answers);
    await data.continueOn(server);
  });
});

test("a ClickHouse database that cannot be used is explained", async () => {
  const source = join(base, "small");
  await withServerOn({ dataDir: source }, (server) => makeTeam(server));
  const side = async (...lines) => {
    const name = freshName("side");
    return settingsFile(name, ...(await storage(name)), ...lines);
  };
  const database = await newDatabase();
  await expectRefused(source, await side(...tracesIn(database, "http://127.0.0.1:1")), /cannot use the ClickHouse database .* at http:\/\/127.0.0.1:1: /);
  const wrong = { ...environment, SPINDLE_TRACES_CLICKHOUSE_PASSWORD: "another-password" };
  await expectRefused(source, await side(...tracesIn(database)), /cannot use the ClickHouse database .*password/, { env: wrong });
  await expectRefused(source, await side(...tracesIn("no_such_database")), /cannot use the ClickHouse database "no_such_database"/);

  const used = await side(...tracesIn(database));
  const server = await startServer({ args: ["--config", used], env: environment });
  await server.dispose();
  await clickhouse.query("INSERT INTO calls (project_id, id, version, presence) VALUES ('theirs', 'a', 1, 1)", database);
  await expectRefused(source, await side(...tracesIn(database)), /ClickHouse database already contains data: choose an empty one/);
  await clickhouse.query("TRUNCATE TABLE calls", database);
  await clickhouse.query("INSERT INTO spindle_migrations VALUES ('tracing', 99, 'later', 'x', now64(6))", database);
  await expectRefused(source, await side(...tracesIn(database)), /changed by a newer version of Spindle/);
});
