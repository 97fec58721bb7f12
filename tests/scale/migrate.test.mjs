// `spindle migrate` with many calls, runs and artifacts: a data folder to PostgreSQL and S3 and back. The digests of
// all stores and of an export of the calls are equal on every side. SPINDLE_TEST_CALLS is the number of calls.

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { createReadStream, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { ArtifactProject } from "../http/support/artifacts.mjs";
import { Project } from "../http/support/calls.mjs";
import { freshName, makeTeam } from "../http/support/people.mjs";
import { Program, makeFolder, removeFolder, runSpindle } from "../http/support/program.mjs";
import { RunProject } from "../http/support/runs.mjs";
import { ADMIN_KEY, startServer } from "../http/support/server.mjs";
import { startPostgres } from "./support/postgres_server.mjs";
import { startS3 } from "./support/s3_server.mjs";

const CALLS = Number(process.env.SPINDLE_TEST_CALLS ?? 20_000);
const BATCH = 1000;
const ARTIFACTS = 12;
const RUNS = 4;
const LINES = 500;
const KILLS = 4;

let base;
let postgres;
let s3;
let environment;
let team;
let source;

before(async () => {
  base = makeFolder();
  [postgres, s3] = await Promise.all([startPostgres(), startS3()]);
  environment = { SPINDLE_ADMIN_API_KEY: ADMIN_KEY, ...credentials(s3.environment("")) };
  source = join(base, "source");
  const server = await startServer({ dataDir: source });
  try {
    team = (await makeTeam(server)).name;
    await fill(server);
  } finally {
    await server.stop();
  }
});

after(async () => {
  await Promise.all([postgres?.dispose(), s3?.dispose()]);
  removeFolder(base);
});

/** Returns the variables without settings, which would apply to both sides of a move. */
function credentials(variables) {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !name.startsWith("SPINDLE_")));
}

async function fill(server) {
  const calls = new Project(server, `${team}/traces`);
  for (let i = 0; i < CALLS; i += BATCH) {
    const count = Math.min(BATCH, CALLS - i);
    await calls.complete(...Array.from({ length: count }, (_, j) => ({
      inputs: { question: `number ${i + j}`, text: "x".repeat(300) }, output: { answer: i + j },
    })));
  }
  const artifacts = new ArtifactProject(server, team);
  for (let i = 0; i < ARTIFACTS; i += 1) await artifacts.put("data", { "a.bin": randomBytes(100_000 * (i + 1)), "b.txt": `${i}` });
  const runs = new RunProject(server, team);
  for (let i = 0; i < RUNS; i += 1) {
    const run = freshName("run");
    await runs.start({ run_id: run });
    await runs.log(run, Array.from({ length: LINES }, (_, step) => ({ step, metrics: { loss: 1 / (step + 1), step } })), { offset: 0 });
  }
}

function settingsFile(name, uri) {
  const places = s3.environment(`${name}/`);
  const file = join(base, `${name}.toml`);
  const text = (value) => JSON.stringify(value);
  writeFileSync(file, [
    "[storage]", `data_dir = ${text(join(base, name))}`, `metadata = ${text(uri)}`,
    "[files]", 'store = "s3"', `s3_endpoint = ${text(places.SPINDLE_FILES_S3_ENDPOINT)}`,
    `s3_bucket = ${text(places.SPINDLE_FILES_S3_BUCKET)}`, `s3_prefix = ${text(`${name}/`)}`, "",
  ].join("\n"));
  return file;
}

async function migrate(from, to) {
  const ended = await runSpindle(["migrate", "--from", from, "--to", to, "--json"], { env: environment });
  assert.equal(ended.code, 0, ended.stdout + ended.stderr);
  const report = JSON.parse(ended.stdout);
  assert.ok(report.finished, ended.stdout);
  return Object.fromEntries(report.stores.map(({ store, items, digest }) => [store, { items, digest }]));
}

/** Returns the SHA-256 of the exported calls on a data folder. */
async function exported(options) {
  const server = await startServer(options);
  try {
    const folder = join(base, freshName("export"));
    const ended = await server.cli("traces", "export", "--project", `${team}/traces`, "--output", folder);
    assert.equal(ended.code, 0, ended.stderr);
    const hash = createHash("sha256");
    for (const name of readdirSync(folder).filter((each) => /^calls/.test(each)).sort()) {
      for await (const piece of createReadStream(join(folder, name))) hash.update(piece);
    }
    return hash.digest("hex");
  } finally {
    await server.stop();
  }
}

test(`${CALLS} calls, artifacts and runs move to PostgreSQL and S3 and back`, async () => {
  const before = await exported({ dataDir: source, args: ["--read-only"] });
  const file = settingsFile("over", await postgres.createDatabase("over"));
  for (let i = 0; i < KILLS; i += 1) {
    const program = new Program(["migrate", "--from", source, "--to", file], { env: environment });
    await program.waitForLine([/copying metadata/, /copying files/, /copying traces/, /comparing traces/][i % 4]);
    program.signal("SIGKILL");
    await program.ended;
  }
  const over = await migrate(source, file);
  assert.ok(over.traces.items >= CALLS);
  assert.ok(over.files.items > ARTIFACTS);

  const back = join(base, "back");
  const returned = await migrate(file, back);
  for (const store of ["metadata", "files", "traces"]) assert.deepEqual(returned[store], over[store], store);
  assert.equal(await exported({ dataDir: back }), before);
  const cluster = { dataDir: join(base, "over"), args: ["--config", file], env: environment };
  assert.equal(await exported(cluster), before);
});
