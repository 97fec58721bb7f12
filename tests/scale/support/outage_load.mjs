// Kills a random part of a deployment repeatedly (a node, ClickHouse, the S3 server, PostgreSQL) while two tenants
// write through the balancer, starts it again, and checks through every node that no acknowledged data is lost,
// duplicated or another tenant's. Used by ../kills.mjs.

import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";

import { eventually } from "../../http/support/deliveries.mjs";
import { Tenant, Upstreams } from "../../http/support/kill_load.mjs";
import { makeFolder, removeFolder } from "../../http/support/program.mjs";
import { randomBetween, seededRandom } from "../../http/support/random.mjs";
import { waitLimit } from "../../http/support/time_limits.mjs";
import { NODES, startDeployment } from "./deployment.mjs";

const LOST = ["ECONNRESET", "ECONNREFUSED", "EPIPE", "UNAVAILABLE"];
const UNAVAILABLE = [429, 502, 503, 504];
const IDLE_MS = 50; // between two attempts of a load that failed or has nothing to do
const PACE_MS = 40; // longest time between two writes of a load: the kills matter, not the throughput
const PROGRESS_LIMIT_MS = waitLimit(120_000);
const LONGEST_OUTAGE_MS = 1500; // before a killed server is started again
const UNITS = 40; // most units of acknowledged work between two kills
const ARGS = ["--webhooks-deliveries-per-minute", "0", "--evaluation-concurrency", "4"];

/** How often each part is killed, relative to the others. */
const WEIGHTS = { node: 5, clickhouse: 2, s3: 2, postgres: 1 };

/** A deployment as loads see it: responses that a client must expect during an outage become errors with a code. */
class Outages {
  #deployment;
  /** Number of such responses by status. */
  refusals = {};

  constructor(deployment) {
    this.#deployment = deployment;
  }

  get url() {
    return this.#deployment.url;
  }

  get adminKey() {
    return this.#deployment.adminKey;
  }

  get dataDir() {
    return this.#deployment.dataDir;
  }

  cli(...args) {
    return this.#deployment.cli(...args);
  }

  async api(method, path, options) {
    const answer = await this.#deployment.api(method, path, options);
    if (!UNAVAILABLE.includes(answer.status)) return answer;
    if ([429, 503].includes(answer.status)) {
      assert.match(answer.headers["retry-after"] ?? "", /^\d+$/, `${method} ${path}: ${answer.status} without Retry-After: ${answer.text}`);
    }
    this.refusals[answer.status] = (this.refusals[answer.status] ?? 0) + 1;
    throw Object.assign(new Error(`${method} ${path}: ${answer.status} ${answer.text}`), { code: "UNAVAILABLE" });
  }
}

/** Runs all loads without end. `done` counts acknowledged units. */
class Writers {
  done = 0;
  #running = false;

  constructor(server, loads, random) {
    this.server = server;
    this.loads = loads;
    this.random = random;
  }

  start() {
    this.#running = true;
    this.ended = Promise.all(this.loads.map((load) => this.#write(load)));
    this.ended.catch(() => (this.#running = false)); // stop() rejects
  }

  async #write(load) {
    while (this.#running) {
      let counts = false;
      try {
        counts = (await load.write(this.server, this.random)) !== false;
        if (counts) this.done += 1;
      } catch (error) {
        if (!LOST.includes(error.code)) throw error;
      }
      await pause(counts ? randomBetween(this.random, 0, PACE_MS) : IDLE_MS);
    }
  }

  /** Waits until `units` more units are acknowledged. Rejects if a load failed. */
  async wrote(units) {
    const wanted = this.done + units;
    const deadline = Date.now() + PROGRESS_LIMIT_MS;
    while (this.done < wanted && this.#running) {
      assert.ok(Date.now() < deadline, `${wanted - this.done} of ${units} units of work are not acknowledged`);
      await pause(IDLE_MS);
    }
    if (!this.#running) await this.ended;
  }

  async stop() {
    this.#running = false;
    await this.ended;
  }
}

async function isReady({ url }) {
  const answer = await fetch(`${url}/health/ready`).catch(() => undefined);
  await answer?.text();
  return answer?.status === 200;
}

/** The parts that can be killed: {name, kill(), start()}. */
function targetsOf(deployment, { clickhouse, s3, postgres }) {
  const nodes = deployment.nodes.map((_, i) => ({
    name: "node",
    kill: () => deployment.killNode(i),
    start: () => deployment.restartNode(i),
  }));
  const stores = Object.entries({ clickhouse, s3, postgres })
    .filter(([, server]) => server.stop)
    .map(([name, server]) => ({ name, kill: () => server.stop(), start: () => server.start() }));
  return [...nodes, ...stores];
}

function chooseTarget(targets, random) {
  const weights = targets.map(({ name }) => WEIGHTS[name] / targets.filter((each) => each.name === name).length);
  let left = random() * weights.reduce((sum, weight) => sum + weight, 0);
  return targets.find((_, i) => (left -= weights[i]) < 0) ?? targets[0];
}

/**
 * rounds      number of kills
 * seed        seed of the random numbers; the order of events on the servers still varies
 * stores      {clickhouse, postgres, s3}: servers of ./*_server.mjs; one without stop() is not killed
 * env         settings that name the stores
 * checkEvery  rounds between two complete checks, each through another node; after the last round, through every node
 * skip        kinds of load to omit
 * report      called with a line of progress
 * Resolves with {kills, worstRecoveryMs, counts, refusals}; the first two by kind of part.
 */
export async function runOutages({ rounds, seed, stores, env, checkEvery = 20, skip = [], report = () => {} }) {
  const random = seededRandom(seed);
  const folder = makeFolder();
  const upstreams = await Upstreams.start();
  const deployment = await startDeployment({ folder: `${folder}/data`, env: { ...env, ...upstreams.env }, args: ARGS });
  const targets = targetsOf(deployment, stores);
  const result = { kills: {}, worstRecoveryMs: {} };
  const tenants = [];
  const check = async (nodes) => {
    for (const node of nodes) {
      for (const [i, tenant] of tenants.entries()) {
        await tenant.check(node);
        await tenant.checkForeign(node, tenants[1 - i].key);
      }
    }
  };
  let checks = 0;
  // All data through the next node, which reads what every node has written; at the end through each node.
  const nodesToCheck = (isLast) => (isLast ? deployment.nodes : [deployment.nodes[(checks += 1) % deployment.nodes.length]]);
  const outage = async () => {
    const target = chooseTarget(targets, random);
    await target.kill();
    await pause(randomBetween(random, 0, LONGEST_OUTAGE_MS));
    const began = performance.now();
    await target.start();
    for (const node of deployment.nodes) await eventually(() => isReady(node), Boolean, `a node is not ready after the kill of ${target.name}`);
    const took = Math.round(performance.now() - began);
    result.kills[target.name] = (result.kills[target.name] ?? 0) + 1;
    result.worstRecoveryMs[target.name] = Math.max(result.worstRecoveryMs[target.name] ?? 0, took);
  };
  try {
    const server = new Outages(deployment);
    for (let i = 0; i < 2; i += 1) tenants.push(await Tenant.create(server, upstreams, skip));
    const loads = tenants.flatMap((tenant) => tenant.loads);
    const writers = new Writers(server, loads, random);
    writers.start();
    for (let round = 1; round <= rounds; round += 1) {
      await writers.wrote(randomBetween(random, 1, UNITS));
      await outage();
      if (round % checkEvery !== 0 && round !== rounds) continue;
      await writers.wrote(UNITS);
      await writers.stop();
      const began = performance.now();
      await check(nodesToCheck(round === rounds));
      report(`${round} kills, seed ${seed}: ${JSON.stringify(result.worstRecoveryMs)} ms, checked in ${Math.round(performance.now() - began)} ms`);
      if (round < rounds) writers.start();
    }
    const amounts = loads.slice(0, loads.length / 2).map((load) => [load.constructor.name, load.amount]);
    return { ...result, counts: Object.fromEntries(amounts), refusals: server.refusals };
  } finally {
    await deployment.kill();
    for (const tenant of tenants) await tenant.close();
    await upstreams.close();
    removeFolder(folder);
  }
}
