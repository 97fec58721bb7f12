// Sixty kills under mixed load: calls, spans, feedback, artifacts, runs, usage, webhook deliveries, evaluations and
// training events of two tenants. tests/kill/run.mjs does the same with any number of kills.

import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";

import { runKills } from "./support/kill_storm.mjs";
import { within } from "./support/time_limits.mjs";

const ROUNDS = 60;

test(`${ROUNDS} kills neither lose, duplicate nor mix up acknowledged data`, within(600_000), async (t) => {
  const seed = Number(process.env.KILL_SEED ?? randomInt(2 ** 31));
  t.diagnostic(`KILL_SEED=${seed}`);
  const result = await runKills({ rounds: ROUNDS, seed, checkEvery: 30, report: (line) => t.diagnostic(line) });
  t.diagnostic(JSON.stringify(result));
  for (const [kind, amount] of Object.entries(result.counts)) assert.ok(amount > 0, `no ${kind} were written`);
});
