// PostgreSQL that restarts, and that fails over to a standby, while three nodes behind a balancer are under load.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { eventually } from "../http/support/deliveries.mjs";
import { freshName, listAll } from "../http/support/people.mjs";
import { makeFolder, removeFolder } from "../http/support/program.mjs";
import { startDeployment } from "./support/deployment.mjs";
import { startPostgres, uriOf } from "./support/postgres_server.mjs";

const WRITERS = 6;
const RETRY_MS = 20;

let primary;
let standby;
let folder;
let deployment;

before(async () => {
  primary = await startPostgres();
  standby = await primary.addStandby();
  folder = makeFolder();
  deployment = await startDeployment({ folder: join(folder, "data"), env: { SPINDLE_METADATA: uriOf("postgres", [primary, standby]) } });
});

after(async () => {
  await deployment?.kill();
  await Promise.all([primary?.dispose(), standby?.dispose()]);
  if (folder) removeFolder(folder);
});

/**
 * Creates teams through the balancer while `outage` runs and until writes succeed again. Resolves with the names of the
 * acknowledged teams and the refusals.
 */
async function writeDuring(outage) {
  const acknowledged = [];
  const refusals = [];
  let running = true;
  const write = async () => {
    while (running) {
      const name = freshName("team");
      const answer = await deployment.api("POST", "/api/v1/teams", { body: { name } }).catch((error) => ({ error }));
      if (answer.status === 201) {
        acknowledged.push(name);
        continue;
      }
      refusals.push(answer);
      await pause(RETRY_MS);
    }
  };
  const writers = Array.from({ length: WRITERS }, write);
  const more = async (count) => {
    const wanted = acknowledged.length + count;
    await eventually(() => acknowledged.length, (now) => now >= wanted, "no write is acknowledged");
  };
  try {
    await more(20);
    await outage({ refused: (count) => eventually(() => refusals.length, (now) => now >= count, "no write is refused") });
    await more(20);
  } finally {
    running = false;
    await Promise.all(writers);
  }
  return { acknowledged, refusals };
}

/** Expects errors that tell clients to come back, and on every node each acknowledged team once. */
async function expectNothingLost({ acknowledged, refusals }) {
  assert.ok(refusals.length > 0);
  for (const { status, text, headers, error } of refusals) {
    assert.equal(status, 503, error?.stack ?? text);
    assert.match(headers["retry-after"], /^\d+$/, text);
    assert.doesNotMatch(text, /spindle-test-|SQL|libpq|socket/i);
  }
  for (const node of deployment.nodes) {
    assert.ok(node.program.running);
    const names = (await listAll(node, "/api/v1/teams")).map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
    for (const name of acknowledged) assert.ok(names.includes(name), `${name} was acknowledged and is lost`);
  }
}

async function ready(node) {
  return (await node.api("GET", "/health/ready", { key: null })).status === 200;
}

test("a restart of PostgreSQL loses nothing acknowledged, and the nodes recover without a restart", async () => {
  const written = await writeDuring(async ({ refused }) => {
    await primary.stop();
    await refused(WRITERS);
    for (const node of deployment.nodes) {
      await eventually(() => ready(node), (is) => !is, "a node without its database is ready");
      assert.equal((await node.api("GET", "/health", { key: null })).status, 200);
    }
    await primary.start();
  });
  for (const node of deployment.nodes) await eventually(() => ready(node), Boolean, "a node does not recover");
  await expectNothingLost(written);
});

test("a failover to the standby loses nothing acknowledged, and the nodes find the new primary server", async () => {
  const written = await writeDuring(async ({ refused }) => {
    await primary.stop();
    await refused(1);
    await standby.promote();
  });
  for (const node of deployment.nodes) await eventually(() => ready(node), Boolean, "a node does not recover");
  await expectNothingLost(written);
});
