// Kills the server repeatedly under mixed load of two tenants. Checks after restarts that no acknowledged data is
// lost, duplicated or visible to the other tenant. Used by ../kill_storm.test.mjs and tests/kill/run.mjs.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";

import { Upstreams, Tenant } from "./kill_load.mjs";
import { makeFolder, removeFolder } from "./program.mjs";
import { randomBetween, seededRandom } from "./random.mjs";
import { startServer } from "./server.mjs";

const LOST = ["ECONNRESET", "ECONNREFUSED", "EPIPE"];
const IDLE_MS = 20; // between two polls of a load that has nothing to do
const ARGS = [
  "--traces-recent", "1MiB", // so that generations are flushed during the test
  "--webhooks-deliveries-per-minute", "0",
  "--evaluation-concurrency", "4",
];

function peakKilobytes(pid) {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]);
}

/** Runs all loads and kills the server after `units` acknowledged units. Returns its peak memory. */
async function killUnderLoad(server, loads, random, units) {
  let running = true;
  let done = 0;
  let killed;
  let peak = 0;
  const kill = () => {
    running = false;
    peak = peakKilobytes(server.program.pid);
    killed = server.kill();
  };
  await Promise.all(
    loads.map(async (load) => {
      while (running) {
        try {
          const counts = (await load.write(server, random)) !== false;
          if (counts) done += 1;
          if (running && done >= units) kill();
          if (!counts && running) await pause(IDLE_MS);
        } catch (error) {
          if (running || !LOST.includes(error.code)) throw error;
        }
      }
    }),
  );
  assert.equal((await killed).signal, "SIGKILL");
  return peak;
}

/**
 * rounds      number of kills
 * seed        seed of the random numbers; the order of events on the server still varies
 * checkEvery  rounds between two complete checks; the last round is always checked
 * skip        kinds of load to omit
 * report      called with a line of progress
 * Resolves with {worstRestartMs, worstPeakKilobytes, counts}.
 */
export async function runKills({ rounds, seed, checkEvery = 20, skip = [], report = () => {} }) {
  const random = seededRandom(seed);
  const folder = makeFolder();
  const upstreams = await Upstreams.start();
  const start = () => startServer({ dataDir: join(folder, "data"), env: upstreams.env, args: ARGS });
  const result = { worstRestartMs: 0, worstPeakKilobytes: 0 };
  let server = await start();
  const tenants = [];
  const check = async () => {
    for (const tenant of tenants) await tenant.check(server);
    await tenants[0].checkForeign(server, tenants[1].key);
    await tenants[1].checkForeign(server, tenants[0].key);
  };
  try {
    for (let i = 0; i < 2; i += 1) tenants.push(await Tenant.create(server, upstreams, skip));
    const loads = tenants.flatMap((tenant) => tenant.loads);
    for (let round = 1; round <= rounds; round += 1) {
      const units = randomBetween(random, 1, 120);
      const peak = await killUnderLoad(server, loads, random, units);
      const began = performance.now();
      server = await start();
      result.worstRestartMs = Math.max(result.worstRestartMs, Math.round(performance.now() - began));
      result.worstPeakKilobytes = Math.max(result.worstPeakKilobytes, peak);
      if (round % checkEvery === 0 || round === rounds) {
        await check();
        report(`${round} kills, seed ${seed}: worst restart ${result.worstRestartMs} ms, peak ${result.worstPeakKilobytes} kB`);
      }
    }
    result.counts = Object.fromEntries(
      loads.slice(0, loads.length / 2).map((load) => [load.constructor.name, load.amount]),
    );
    return result;
  } finally {
    await server.kill();
    for (const tenant of tenants) await tenant.close();
    await upstreams.close();
    removeFolder(folder);
  }
}
