// Kills nodes, ClickHouse, the S3 server and PostgreSQL of a deployment of three nodes under mixed load:
//
//   make test-scale ARGS="kills --rounds 200 --seed N"
//   node tests/scale/kills.mjs [--rounds 200] [--seed N] [--check-every 20] [--skip Usage]
//
// Prints the seed, progress and the worst recovery times. Exit status 1 if acknowledged data was lost, duplicated or
// visible to the other tenant, a budget was exceeded, or a part did not recover. SPINDLE_BIN names another program.

import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";

import { startClickHouse } from "./support/clickhouse_server.mjs";
import { runOutages } from "./support/outage_load.mjs";
import { startPostgres } from "./support/postgres_server.mjs";
import { startS3 } from "./support/s3_server.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "200" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    "check-every": { type: "string", default: "20" },
    skip: { type: "string", multiple: true, default: [] },
  },
});
const seed = Number(values.seed);
const rounds = Number(values.rounds);
console.log(`seed ${seed}`);
const stores = {};
try {
  stores.clickhouse = await startClickHouse();
  stores.postgres = await startPostgres();
  stores.s3 = await startS3();
  const env = {
    ...(await stores.clickhouse.newDatabase()),
    ...stores.s3.environment(`kills-${seed}/`),
    SPINDLE_METADATA: stores.postgres.uri,
  };
  const began = Date.now();
  const { kills, worstRecoveryMs, counts, refusals } = await runOutages({
    rounds,
    seed,
    stores,
    env,
    checkEvery: Number(values["check-every"]),
    skip: values.skip,
    report: (line) => console.log(line),
  });
  console.log(`${rounds} kills in ${Math.round((Date.now() - began) / 1000)} s: no acknowledged data was lost, duplicated or mixed up`);
  console.log(`kills: ${JSON.stringify(kills)}; worst recovery in ms: ${JSON.stringify(worstRecoveryMs)}`);
  console.log(`acknowledged by the first tenant: ${JSON.stringify(counts)}; refused by status: ${JSON.stringify(refusals)}`);
} catch (error) {
  console.error(`seed ${seed}: ${error.stack}`);
  process.exitCode = 1;
} finally {
  await Promise.all(Object.values(stores).map((store) => store.dispose()));
}
process.exit();
