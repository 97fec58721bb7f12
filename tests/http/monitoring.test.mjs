// The metrics that deploy/monitoring names exist, and its files agree with a running server.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { before, after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { startServer } from "./support/server.mjs";

const ROOT = new URL("../../", import.meta.url);
const NAME = /\bspindle_[a-z0-9_]+/g;
/** Each histogram has these series. */
const PARTS = /_(bucket|sum|count)$/;

const read = (path) => readFileSync(new URL(path, ROOT), "utf8");

/** Returns the metrics that a text names, without the endings of histograms. */
function metricsIn(text) {
  return new Set([...text.matchAll(NAME)].map(([name]) => name.replace(PARTS, "")));
}

/** Returns the metrics that the sources of ClickHouse's client declare: an embedded server has none of them. */
function clickHouseMetrics() {
  const folder = fileURLToPath(new URL("src/clickhouse/", ROOT));
  const sources = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".cpp") && !name.endsWith("_test.cpp"));
  const names = sources.flatMap((name) => [...metricsIn(read(`src/clickhouse/${name}`))]);
  return names.filter((name) => name.startsWith("spindle_clickhouse_"));
}

describe("deploy/monitoring", () => {
  let server;
  let exposed;

  before(async () => {
    server = await startServer();
    // Counters of requests by status and reason exist after the first such request; gauges of an engine with the engine.
    const model = fileURLToPath(new URL("models/spindle-nano.gguf", ROOT));
    const rejected = await server.api("GET", "/health", { headers: { "X-Long": "a".repeat(40_000) } });
    assert.equal(rejected.status, 431);
    const added = await server.cli("model", "add", "small", "--file", model);
    assert.equal(added.code, 0, added.stderr);
    const answer = await server.api("POST", "/v1/chat/completions", {
      body: { model: "small", max_tokens: 1, messages: [{ role: "user", content: "Hello" }] },
    });
    assert.equal(answer.status, 200, answer.text);
    const { text } = await server.api("GET", "/metrics");
    exposed = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    for (const name of clickHouseMetrics()) exposed.add(name);
  });
  after(() => server?.dispose());

  for (const file of ["alerts.yaml", "dashboard.json"]) {
    test(`${file} names only metrics that exist`, () => {
      const named = [...metricsIn(read(`deploy/monitoring/${file}`))];
      assert.ok(named.length > 10, `${file} names ${named.length} metrics`);
      assert.deepEqual(named.filter((name) => !exposed.has(name)), []);
    });
  }

  test("the panels of the dashboard do not overlap", () => {
    const { panels } = JSON.parse(read("deploy/monitoring/dashboard.json"));
    const taken = new Set();
    for (const { id, gridPos } of panels) {
      assert.ok(gridPos.x + gridPos.w <= 24, `panel ${id} is too wide`);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          assert.ok(!taken.has(`${x},${y}`), `panel ${id} covers another`);
          taken.add(`${x},${y}`);
        }
      }
    }
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  });
});
