// Runs the tests of many machines (`make test-scale`): starts PostgreSQL, ClickHouse and S3 once, then the contracts of
// the stores, tests/scale, the black-box and SDK tests with three nodes on these stores, and kills under load. Arguments:
// the preset, then the parts to run, and --rounds and --seed for the kills.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { startClickHouse } from "./support/clickhouse_server.mjs";
import { startPostgres } from "./support/postgres_server.mjs";
import { startS3 } from "./support/s3_server.mjs";
import { testEnvironment } from "./support/shared_stores.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Rooms whose tests need a ClickHouse server. */
const CONTRACTS = "unit/(clickhouse|tracing/clickhouse|agents/clickhouse|feedback|runs|inference|query|app/migrate)";

/** Areas of the black-box tests, by the beginning of their names. */
const AREAS = {
  tracing: ["annotation_queues", "bulk_", "call", "costs", "export_import", "feedback", "objects", "project_settings",
    "query_injection", "refs", "resolve", "tables", "threads", "trace_outline"],
  agents: ["agent_", "conventions", "otlp", "trajector"],
  evaluation: ["evaluation_"],
  automation: ["automation", "deliver", "webhooks"],
  inference: ["adapters", "catalogue", "gateway", "inference_", "internal_callers", "upstream_secrets", "usage"],
};

/** Files of these areas that do not apply, with the reason. */
const NOT_APPLICABLE = {
  call_disk_full: "fills the disk of the embedded trace store",
  otlp_growth: "measures the journal of the embedded trace store",
};

/** Files that run with one node, with the reason. All others run with three nodes behind a balancer. */
const ONE_NODE = {
  adapters: "looks at the engine processes of a server, and each node has its own",
  gateway: "expects limits to the last request, of which each node holds a share",
  gateway_failures: "expects the state of each replica, which every node finds out for itself",
  evaluation_crash: "ends and starts the whole server often; the part kills ends single nodes",
};

const NODES = 3;
/** Factor for the waiting limits of tests: the nodes and stores share this machine. */
const SLOWDOWN = "4";

const testFiles = (folder) =>
  readdirSync(`${ROOT}/tests/${folder}`)
    .filter((name) => name.endsWith(".test.mjs"))
    .map((name) => name.slice(0, -".test.mjs".length))
    .sort();

function blackBoxFiles() {
  const prefixes = Object.values(AREAS).flat();
  return testFiles("http").filter((name) => prefixes.some((prefix) => name.startsWith(prefix)) && !(name in NOT_APPLICABLE));
}

async function run(program, args, environment) {
  const child = spawn(program, args, { cwd: ROOT, stdio: "inherit", env: { ...process.env, ...environment } });
  const [code] = await once(child, "exit");
  return code === 0;
}

const PARTS = ["contracts", "scale", "black-box", "sdk", "kills"];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string" }, seed: { type: "string" } },
});
const [preset = "release", ...only] = positionals;
const unknown = only.filter((name) => !PARTS.includes(name));
if (unknown.length > 0) throw new Error(`no such part: ${unknown.join(", ")}; there are ${PARTS.join(", ")}`);
const selected = (name) => only.length === 0 || only.includes(name);
const binaries = preset === "release" ? "build/bin" : `build/${preset}/bin`;
process.env.SPINDLE_BIN ??= `${ROOT}/${binaries}/spindle`;

const failed = [];
const part = async (name, program, args, env) => {
  if (!selected(name)) return;
  const began = Date.now();
  console.log(`== ${name}`);
  if (!(await run(program, args, env))) failed.push(name);
  console.log(`== ${name}: ${Math.round((Date.now() - began) / 1000)} s`);
};
const blackBox = (name, suites, env) => part(name, "tools/run_tests", ["--preset", preset, "http", "--match", `^(${suites.join("|")})$`], env);

/** Runs the parts whose tests share a ClickHouse server. */
async function runOnSharedStores() {
  const clickhouse = await startClickHouse();
  const postgres = await startPostgres();
  let s3;
  try {
    const servers = {
      SPINDLE_TEST_CLICKHOUSE: clickhouse.url,
      SPINDLE_TEST_CLICKHOUSE_USER: clickhouse.user,
      SPINDLE_TEST_CLICKHOUSE_PASSWORD: clickhouse.password,
    };
    await part("contracts", "tools/run_tests", ["--preset", preset, "unit", "--match", CONTRACTS], {
      ...servers,
      SPINDLE_TEST_QUERIES: "5000",
    });
    const files = testFiles("scale").map((name) => `tests/scale/${name}.test.mjs`);
    await part("scale", process.execPath, ["--test", "--test-concurrency=1", ...files], { ...servers, SPINDLE_TEST_SLOWDOWN: SLOWDOWN });
    if (!["black-box", "sdk"].some(selected)) return;
    s3 = await startS3();
    const one = { ...testEnvironment({ clickhouse, postgres, s3 }), SPINDLE_TEST_SLOWDOWN: SLOWDOWN };
    const several = { ...one, SPINDLE_TEST_NODES: String(NODES) };
    const suites = (names) => names.map((name) => `http/${name}`);
    await blackBox("black-box", suites(blackBoxFiles().filter((name) => !(name in ONE_NODE))), several);
    await blackBox("black-box", suites(Object.keys(ONE_NODE)), one);
    await blackBox("sdk", testFiles("sdk").map((name) => `sdk/${name}`), several);
    for (const [name, reason] of Object.entries(ONE_NODE)) console.log(`run with one node: http/${name}: ${reason}`);
    for (const [name, reason] of Object.entries(NOT_APPLICABLE)) console.log(`not run on these stores: http/${name}: ${reason}`);
  } finally {
    await Promise.all([clickhouse.dispose(), postgres.dispose(), s3?.dispose()]);
  }
}

if (PARTS.slice(0, -1).some(selected)) await runOnSharedStores();
// This part kills servers of its own.
const rounds = values.rounds ?? (only.includes("kills") ? "200" : "10");
await part("kills", process.execPath, ["tests/scale/kills.mjs", "--rounds", rounds, ...(values.seed ? ["--seed", values.seed] : [])], {
  SPINDLE_TEST_SLOWDOWN: SLOWDOWN,
});
console.log(failed.length === 0 ? "test-scale: all parts passed" : `test-scale: failed: ${failed.join(", ")}`);
process.exit(failed.length === 0 ? 0 : 1);
