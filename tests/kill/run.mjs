// Kills the server repeatedly under mixed load:
//
//   node tests/kill/run.mjs [--rounds 1000] [--seed N] [--check-every 20] [--skip Usage]
//
// Prints the seed, progress, the worst restart time and the worst peak memory. Exit status 1 if acknowledged data
// was lost, duplicated or visible to the other tenant. SPINDLE_BIN names another server program.

import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";

import { runKills } from "../http/support/kill_storm.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "1000" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    "check-every": { type: "string", default: "20" },
    skip: { type: "string", multiple: true, default: [] },
  },
});
const seed = Number(values.seed);
console.log(`seed ${seed}`);
try {
  const result = await runKills({
    rounds: Number(values.rounds),
    seed,
    checkEvery: Number(values["check-every"]),
    skip: values.skip,
    report: (line) => console.log(line),
  });
  console.log(`${values.rounds} kills: no acknowledged data was lost, duplicated or mixed up`);
  console.log(`worst restart ${result.worstRestartMs} ms, worst peak memory ${result.worstPeakKilobytes} kB`);
  console.log(`acknowledged by the first tenant: ${JSON.stringify(result.counts)}`);
} catch (error) {
  console.error(`seed ${seed}: ${error.stack}`);
  process.exitCode = 1;
}
process.exit();
