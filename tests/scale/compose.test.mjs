// The settings of deploy/compose: two nodes with the environment of compose.yaml, on the stores of the tests, behind HAProxy
// with the configuration of the folder. Needs haproxy (apt-get install haproxy).

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { Project } from "../http/support/calls.mjs";
import { Client } from "../http/support/client.mjs";
import { freshName } from "../http/support/people.mjs";
import { makeFolder, removeFolder } from "../http/support/program.mjs";
import { ADMIN_KEY, startServer } from "../http/support/server.mjs";
import { startClickHouse } from "./support/clickhouse_server.mjs";
import { startPostgres } from "./support/postgres_server.mjs";
import { startS3 } from "./support/s3_server.mjs";

const COMPOSE = new URL("../../deploy/compose/", import.meta.url);
const CLIENTS = 8;
const READY_MS = 60_000;
const hasBalancer = spawnSync("haproxy", ["-v"], { stdio: "ignore" }).status === 0;

/** Returns the environment of a node in compose.yaml, with the values of `.env` from `variables`. */
function nodeEnvironment(variables) {
  const text = readFileSync(new URL("compose.yaml", COMPOSE), "utf8");
  const block = /^ {2}environment: &settings\n((?: {4}.*\n)+)/m.exec(text)[1];
  const value = (quoted) =>
    quoted.replace(/^"(.*)"$/, "$1").replace(/\$\{(\w+)(?::[?-](.*?))?\}/g, (_, name, otherwise) => variables[name] ?? otherwise);
  return Object.fromEntries([...block.matchAll(/^ {4}(\w+): (.*)$/gm)].map(([, name, text]) => [name, value(text)]));
}

/** Returns the environment with the addresses of the stores of this test, which must replace values of compose.yaml. */
function withStores(environment, stores) {
  for (const name of Object.keys(stores)) assert.ok(name in environment, `compose.yaml does not set ${name}`);
  return { ...environment, ...stores };
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Resolves when the balancer has a healthy node. */
async function untilHealthy(url) {
  for (const limit = Date.now() + READY_MS; Date.now() < limit; await sleep(50)) {
    const answer = await fetch(`${url}/health/ready`).catch(() => undefined);
    if (answer?.ok) return;
  }
  throw new Error("the balancer has no healthy node");
}

describe("deploy/compose", { skip: hasBalancer ? false : "haproxy is not installed" }, () => {
  const stores = [];
  let environment;
  let folder;
  let nodes;
  let balancer;
  let client;

  const start = (index, listen) => startServer({ env: environment, dataDir: join(folder, `node${index}`), listen });

  before(async () => {
    // One after the other, so that after() stops those that started when one does not.
    for (const startStore of [startClickHouse, startPostgres, startS3]) stores.push(await startStore());
    const [clickhouse, postgres, s3] = stores;
    folder = makeFolder();
    const { SPINDLE_FILES_S3_PREFIX, ...files } = s3.environment(`${freshName("compose")}/`);
    environment = {
      ...withStores(
        nodeEnvironment({ SECRET_KEY: randomBytes(24).toString("hex"), ADMIN_API_KEY: ADMIN_KEY }),
        { ...(await clickhouse.newDatabase()), ...files, SPINDLE_METADATA: postgres.uri },
      ),
      SPINDLE_FILES_S3_PREFIX,
    };
    nodes = [await start(1), await start(2)];
    const port = await freePort();
    const configuration = readFileSync(new URL("haproxy.cfg", COMPOSE), "utf8")
      .replace("bind :8080", `bind 127.0.0.1:${port}`)
      .replace(/ node([12]):8080/g, (_, number) => ` ${new URL(nodes[number - 1].url).host}`);
    writeFileSync(join(folder, "haproxy.cfg"), configuration);
    balancer = spawn("haproxy", ["-f", join(folder, "haproxy.cfg")], { stdio: "ignore" });
    process.on("exit", () => balancer.kill("SIGKILL"));
    const url = `http://127.0.0.1:${port}`;
    await untilHealthy(url);
    client = new Client(url, ADMIN_KEY);
  });

  after(async () => {
    client?.close();
    balancer?.kill("SIGKILL");
    await Promise.all((nodes ?? []).map((node) => node.dispose()));
    if (folder) removeFolder(folder);
    await Promise.all(stores.map((store) => store.dispose()));
  });

  test("a call that was recorded through the balancer is on both nodes", async () => {
    const project = new Project({ api: (...args) => client.request(...args) });
    const [call] = await project.complete({ output: "Hello, Ada!" });
    for (const node of nodes) {
      const answer = await node.api("POST", "/calls/stream_query", { body: { project_id: project.id } });
      assert.equal(answer.status, 200, answer.text);
      const rows = answer.text.trim().split("\n").map((line) => JSON.parse(line));
      assert.deepEqual(rows.map(({ id, output }) => [id, output]), [[call.id, "Hello, Ada!"]]);
    }
  });

  test("nodes restart one after the other without an error for clients", async () => {
    const project = new Project({ api: (...args) => client.request(...args) });
    let restarted = false;
    let recorded = 0;
    const work = async () => {
      while (!restarted) {
        await project.complete({});
        recorded += 1;
      }
    };
    const clients = Array.from({ length: CLIENTS }, work);
    const restarts = async () => {
      for (const index of [0, 1]) {
        const { host } = new URL(nodes[index].url);
        assert.equal((await nodes[index].stop()).code, 0);
        nodes[index] = await start(index + 1, host);
        await untilHealthy(nodes[index].url);
        // Requests continue with both nodes before the next one stops.
        for (const before = recorded; recorded < before + 2 * CLIENTS; ) await sleep(50);
      }
    };
    await Promise.all([restarts().finally(() => (restarted = true)), ...clients]);
    const answer = await client.request("POST", "/calls/query_stats", { body: { project_id: project.id } });
    assert.equal(answer.json.count, recorded);
  });
});
