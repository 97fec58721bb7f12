// Runs the tests of many machines (`make test-scale`): starts PostgreSQL, ClickHouse and S3 once, then the contracts of
// the stores, tests/scale, and the black-box tests on these stores. Arguments: the preset, then the parts to run.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

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
};

function blackBoxFiles() {
  const prefixes = Object.values(AREAS).flat();
  return readdirSync(`${ROOT}/tests/http`)
    .filter((name) => name.endsWith(".test.mjs"))
    .map((name) => name.slice(0, -".test.mjs".length))
    .filter((name) => prefixes.some((prefix) => name.startsWith(prefix)) && !(name in NOT_APPLICABLE))
    .sort();
}

async function run(program, args, environment) {
  const child = spawn(program, args, { cwd: ROOT, stdio: "inherit", env: { ...process.env, ...environment } });
  const [code] = await once(child, "exit");
  return code === 0;
}

const [preset = "release", ...only] = process.argv.slice(2);
const selected = (part) => only.length === 0 || only.includes(part);
const binaries = preset === "release" ? "build/bin" : `build/${preset}/bin`;
process.env.SPINDLE_BIN ??= `${ROOT}/${binaries}/spindle`;

const clickhouse = await startClickHouse();
const postgres = await startPostgres();
const servers = {
  SPINDLE_TEST_CLICKHOUSE: clickhouse.url,
  SPINDLE_TEST_CLICKHOUSE_USER: clickhouse.user,
  SPINDLE_TEST_CLICKHOUSE_PASSWORD: clickhouse.password,
};
let s3; // started late: SeaweedFS has a fixed port, and files of tests/scale start their own
const failed = [];
const part = async (name, program, args, env) => {
  if (!selected(name)) return;
  console.log(`== ${name}`);
  if (!(await run(program, args, env))) failed.push(name);
};
try {
  await part("contracts", "tools/run_tests", ["--preset", preset, "unit", "--match", CONTRACTS], {
    ...servers,
    SPINDLE_TEST_QUERIES: "5000",
  });
  const files = readdirSync(`${ROOT}/tests/scale`).filter((name) => name.endsWith(".test.mjs")).sort();
  await part("scale", process.execPath, ["--test", "--test-concurrency=1", ...files.map((file) => `tests/scale/${file}`)], servers);
  if (selected("black-box")) s3 = await startS3();
  const pattern = `http/(${blackBoxFiles().join("|")})$`;
  await part("black-box", "tools/run_tests", ["--preset", preset, "http", "--match", pattern],
    s3 ? testEnvironment({ clickhouse, postgres, s3 }) : {});
  for (const [name, reason] of Object.entries(NOT_APPLICABLE)) console.log(`not run on these stores: http/${name}: ${reason}`);
} finally {
  await Promise.all([clickhouse.dispose(), postgres.dispose(), s3?.dispose()]);
}
console.log(failed.length === 0 ? "test-scale: all parts passed" : `test-scale: failed: ${failed.join(", ")}`);
process.exit(failed.length === 0 ? 0 : 1);
