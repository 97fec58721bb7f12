// Several servers over one PostgreSQL database: identity, caches, background tasks, limits, restarts.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import * as http from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { startPostgres } from "../scale/support/postgres_server.mjs";
import { deliveriesOf, eventually, makeAutomation, makeWebhook } from "./support/deliveries.mjs";
import { withStream } from "./support/event_stream.mjs";
import { addLimit, addModel, chat, expectOpenAiError, setDeploymentPrice } from "./support/gateway.mjs";
import { addMember, listAll, makeKey, makeTeam, makeUser } from "./support/people.mjs";
import { makeFolder, removeFolder, runSpindle } from "./support/program.mjs";
import { startReceiver } from "./support/receiver.mjs";
import { RunProject } from "./support/runs.mjs";
import { startServer } from "./support/server.mjs";
import { startUpstream } from "./support/upstream.mjs";

// A busy machine needs seconds until the balancer and the other nodes have seen that a node drains.
const DRAIN_MS = 10_000;
const PROBE_INTERVAL_MS = 10;
const TASKS = ["deliveries", "maintenance", "losses"];
let postgres;
let environment;
let folders;
let nodes;

const startNode = (folder, options = {}) =>
  startServer({ dataDir: join(folder, "data"), env: { ...environment, ...options.env }, args: options.args, listen: options.listen });

before(async () => {
  postgres = await startPostgres();
  environment = {
    SPINDLE_METADATA: postgres.uri,
    SPINDLE_SECRET_KEY: randomBytes(32).toString("hex"),
    SPINDLE_NODE_DRAIN_DELAY: `${DRAIN_MS}ms`,
    SPINDLE_WEBHOOKS_DELIVERIES_PER_MINUTE: "0",
    SPINDLE_LIMITS_REQUESTS_PER_MINUTE: "1000000", // the load of the rolling restart
  };
  folders = [makeFolder(), makeFolder(), makeFolder()];
  // All at once, over an empty database.
  nodes = await Promise.all(folders.map((folder) => startNode(folder)));
});

after(async () => {
  await Promise.all((nodes ?? []).map((node) => node.dispose()));
  for (const folder of folders ?? []) removeFolder(folder);
  await postgres?.dispose();
});

const listNodes = async (server) => {
  const answer = await server.api("GET", "/api/v1/nodes");
  assert.equal(answer.status, 200, answer.text);
  return answer.json.items;
};

/** Resolves with the index of the node that does a background task. */
async function ownerOf(task) {
  const seen = await eventually(
    () => listNodes(nodes.find((node) => node.program.running)),
    (items) => items.some((item) => item.tasks.includes(task) && nodes.some((node) => node.url === item.url && node.program.running)),
    `nobody does ${task}`,
  );
  const { url } = seen.find((item) => item.tasks.includes(task));
  return nodes.findIndex((node) => node.url === url);
}

const other = (index) => nodes[(index + 1) % nodes.length];

async function ready(server) {
  const answer = await server.api("GET", "/health/ready", { key: null });
  return { status: answer.status, text: answer.json.status ?? answer.json.detail };
}

describe("nodes", () => {
  test("that start at once over an empty database have one administrator", async () => {
    for (const node of nodes) {
      await eventually(() => ready(node), ({ status, text }) => status === 200 && text === "ready");
      assert.equal((await node.api("GET", "/api/v1/users/admin")).json.username, "admin");
    }
    const users = await listAll(nodes[0], "/api/v1/users");
    assert.deepEqual(users.map(({ username }) => username), ["admin"]);
  });

  test("know each other", async () => {
    // A node takes tasks with a heartbeat, and a busy one may miss some.
    const ownersOf = (items, task) => items.filter(({ tasks }) => tasks.includes(task)).length;
    const seen = await eventually(
      () => listNodes(nodes[1]),
      (items) => items.length === nodes.length && items.every(({ state }) => state === "ready") && TASKS.every((task) => ownersOf(items, task) === 1),
    );
    assert.deepEqual(new Set(seen.map(({ url }) => url)), new Set(nodes.map(({ url }) => url)));
    for (const { state, roles, version, started_at, seen_at } of seen) {
      assert.equal(state, "ready");
      assert.deepEqual(roles, ["api", "background"]);
      assert.match(version, /^\d+\.\d+\.\d+/);
      assert.ok(Date.parse(started_at) <= Date.parse(seen_at) + 1000);
    }
    for (const task of TASKS) assert.equal(ownersOf(seen, task), 1, task);
    const printed = await nodes[2].cli("node", "ls");
    assert.equal(printed.code, 0, printed.stderr);
    for (const { url } of nodes) assert.ok(printed.stdout.includes(url), printed.stdout);
  });

  test("are listed for organization admins only", async () => {
    const user = await makeUser(nodes[0]);
    const { key } = await makeKey(nodes[0], user.username);
    const answer = await nodes[1].api("GET", "/api/v1/nodes", { key });
    assert.equal(answer.status, 403, answer.text);
  });

  test("with another secret key do not start", async () => {
    const folder = makeFolder();
    const ended = await runSpindle(["serve", "--listen", "127.0.0.1:0", "--data-dir", join(folder, "data")], {
      env: { ...environment, SPINDLE_SECRET_KEY: randomBytes(32).toString("hex") },
    });
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, /another secret key/);
    removeFolder(folder);
  });
});

describe("caches", () => {
  test("a revoked key stops working on every node", async () => {
    const user = await makeUser(nodes[0]);
    const { id, key } = await makeKey(nodes[0], user.username);
    const status = async (node) => (await node.api("GET", "/api/v1/me", { key })).status;
    for (const node of nodes) {
      for (let i = 0; i < 5; i += 1) assert.equal(await status(node), 200);
    }
    assert.equal((await nodes[0].api("DELETE", `/api/v1/api-keys/${id}`)).status, 204);
    assert.equal(await status(nodes[0]), 401);
    for (const node of nodes) await eventually(() => status(node), (code) => code === 401);
  });

  test("a new member and a new role count on every node", async () => {
    const team = await makeTeam(nodes[0]);
    const user = await makeUser(nodes[0]);
    const { key } = await makeKey(nodes[0], user.username);
    const status = async (node) => (await node.api("GET", `/api/v1/teams/${team.name}`, { key })).status;
    for (const node of nodes) assert.equal(await status(node), 404);
    await addMember(nodes[1], team.name, user.username, "MEMBER");
    for (const node of nodes) await eventually(() => status(node), (code) => code === 200);
  });

  test("a new model is served by every node", async () => {
    const upstream = await startUpstream(() => ({ text: "Hello!" }));
    const model = await addModel(nodes[0], [upstream.url]);
    for (const node of nodes) {
      const answer = await eventually(() => chat(node, model), ({ status }) => status !== 404);
      assert.equal(answer.status, 200, answer.text);
    }
    await upstream.close();
  });
});

describe("live changes", () => {
  test("of one node are told by another", async () => {
    const team = (await makeTeam(nodes[0])).name;
    const here = new RunProject(nodes[0], team);
    await here.start();
    await withStream(nodes[1], `runs:${team}/lab`, {}, async (stream) => {
      await here.start();
      await stream.counted("runs", 1);
    });
  });
});

describe("limits", () => {
  let upstream;
  let model;
  before(async () => {
    upstream = await startUpstream(() => ({ text: "Hi", usage: { prompt_tokens: 100, completion_tokens: 100, total_tokens: 200 } }));
    model = await addModel(nodes[0], [upstream.url]);
    for (const node of nodes) await eventually(() => chat(node, model), ({ status }) => status === 200);
  });
  after(() => upstream.close());

  async function callerWith(limit) {
    const { key, key_id } = await makeKey(nodes[0], "admin");
    const { id } = await addLimit(nodes[0], { key: key_id, ...limit });
    // Every node has read the limit: its budget and rates are known there.
    for (const node of nodes) await eventually(() => node.api("GET", `/api/v1/limits/${id}`), ({ status }) => status === 200);
    return { key, id };
  }

  /** Waits until all nodes apply limits that were made before now. */
  async function limitsFollowed() {
    const { key } = await callerWith({ requests_per_minute: 1 });
    for (const node of nodes) await eventually(() => chat(node, model, {}, { key }), ({ status }) => status === 429);
  }

  test("of requests per minute count the requests of all nodes", async () => {
    const { key } = await callerWith({ requests_per_minute: 30 });
    await limitsFollowed();
    const answers = await Promise.all(Array.from({ length: 90 }, (_, i) => chat(nodes[i % nodes.length], model, {}, { key })));
    const allowed = answers.filter(({ status }) => status === 200).length;
    // Up to five seconds of tokens are in the share of another node, and the bucket refills meanwhile.
    assert.ok(allowed >= 20 && allowed <= 45, `${allowed} requests were allowed`);
    expectOpenAiError(answers.find(({ status }) => status !== 200), 429, "rate_limit_error", "rate_limit_exceeded");
  });

  test("of concurrency count the requests of all nodes", async () => {
    const { key } = await callerWith({ concurrency: 2 });
    await limitsFollowed();
    let running = 0;
    let most = 0;
    upstream.answer = async () => {
      most = Math.max(most, (running += 1));
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return { text: "Hi" };
    };
    const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => chat(nodes[i % nodes.length], model, {}, { key })));
    assert.ok(answers.some(({ status }) => status === 200));
    assert.ok(most <= 2, `${most} requests ran at the same time`);
  });

  test("of cost are not exceeded by all nodes together, and not by a node that is killed", async () => {
    const price = 0.00005;
    await setDeploymentPrice(nodes[0], model, { prompt: price, completion: price });
    upstream.answer = () => ({ text: "Hi", usage: { prompt_tokens: 100, completion_tokens: 100, total_tokens: 200 } });
    const cost = 200 * price; // a cent
    const { key } = await callerWith({ budget_usd: 1 });
    await limitsFollowed();
    const ask = (node) => chat(node, model, { max_tokens: 100 }, { key });
    // Ten times one request of each node: what they reserve together must fit into the budget.
    const first = [];
    for (let round = 0; round < 10; round += 1) first.push(...(await Promise.all(nodes.map(ask))));
    assert.equal(first.filter(({ status }) => status === 200).length, 30, first.find(({ status }) => status !== 200)?.text);
    const before = upstream.requests.length;
    /** Asks these nodes in turn until they refuse, and resolves with the dollars that were spent. */
    const spendAll = async (askable) => {
      for (let turn = 0, refused = 0; refused < 2 * askable.length; turn += 1) {
        const answer = await ask(askable[turn % askable.length]);
        refused = answer.status === 200 ? 0 : refused + 1;
        if (refused > 0) expectOpenAiError(answer, 402, "insufficient_quota", "insufficient_quota");
      }
      return (30 + upstream.requests.length - before) * cost;
    };
    await nodes[2].kill();
    // What the killed node had reserved is not available until it starts again.
    assert.ok((await spendAll([nodes[0], nodes[1]])) <= 1 + 1e-9);
    nodes[2] = await startNode(folders[2]);
    const spent = await spendAll([nodes[2], nodes[0], nodes[1]]);
    // Each node may keep a part that is too small for a request.
    assert.ok(spent >= 0.75 && spent <= 1 + 1e-9, `${spent} dollars were spent`);
  });
});

describe("background tasks", () => {
  test("continue on another node when their owner is killed", async () => {
    const receiver = await startReceiver();
    const team = (await makeTeam(nodes[0])).name;
    await new RunProject(nodes[0], team).start(); // creates the project
    const hook = await makeWebhook(nodes[0], team, { url_endpoint: receiver.url });
    await makeAutomation(nodes[0], team, { type: "RUN_STATE", states: ["FINISHED"] }, hook, { payload: '{"run":"${run_id}"}' });
    const owner = await ownerOf("deliveries");
    const survivor = other(owner);
    const finish = async (server) => {
      const runs = new RunProject(server, team);
      const { run_id } = await runs.start();
      await runs.finish(run_id);
    };
    await finish(survivor);
    await receiver.received(1);
    receiver.answer = null; // the request of the owner never ends
    await finish(survivor);
    await receiver.received(2);
    await nodes[owner].kill();
    receiver.answer = { status: 200 };
    await finish(survivor);
    // The interrupted one is sent again, with the same id, and the new one.
    const requests = await receiver.received(4);
    const ids = requests.map(({ headers }) => headers["webhook-id"]);
    assert.equal(new Set(ids).size, 3);
    await eventually(() => deliveriesOf(survivor, { team }), (list) => list.every(({ status }) => status === "succeeded"));
    assert.notEqual(await ownerOf("deliveries"), owner);
    await eventually(() => listNodes(survivor), (items) => items.some(({ state }) => state === "lost"));
    nodes[owner] = await startNode(folders[owner]);
    await eventually(() => listNodes(survivor), (items) => items.every(({ state }) => state === "ready"));
    await receiver.close();
  });
});

/** A load balancer: sends each request to a node that is ready, on connections that it keeps. */
async function startBalancer(targets) {
  const agents = targets.map(() => new http.Agent({ keepAlive: true }));
  const healthy = targets.map(() => true);
  let turn = 0;
  const probe = async (i) => {
    try {
      const answer = await fetch(`${targets[i]()}/health/ready`);
      healthy[i] = answer.status === 200;
      await answer.text();
    } catch {
      healthy[i] = false;
    }
  };
  let stopped = false;
  const probing = (async () => {
    while (!stopped) {
      await Promise.all(targets.map((_, i) => probe(i)));
      await new Promise((resolve) => setTimeout(resolve, PROBE_INTERVAL_MS));
    }
  })();
  return {
    send(path, key) {
      const all = targets.map((_, i) => i);
      const up = healthy.includes(true) ? all.filter((i) => healthy[i]) : all;
      const i = up[(turn += 1) % up.length];
      return new Promise((resolve, reject) => {
        const request = http.request(`${targets[i]()}${path}`, { agent: agents[i], headers: { authorization: `Bearer ${key}` } }, (response) => {
          response.resume();
          response.on("end", () => resolve(response.statusCode));
        });
        request.on("error", reject);
        request.end();
      });
    },
    async close() {
      stopped = true;
      await probing;
      for (const agent of agents) agent.destroy();
    },
  };
}

describe("a rolling restart", () => {
  test("behind a balancer that asks for readiness causes no failed request", async () => {
    const balancer = await startBalancer(nodes.map((_, i) => () => nodes[i].url));
    const statuses = [];
    let done = false;
    const load = Array.from({ length: 4 }, async () => {
      while (!done) statuses.push(await balancer.send("/api/v1/users/admin", nodes[0].adminKey));
    });
    for (let i = 0; i < nodes.length; i += 1) {
      const ending = nodes[i].stop();
      const ended = await ending;
      assert.equal(ended.code, 0, ended.stderr);
      nodes[i] = await startNode(folders[i]);
      const before = statuses.length;
      await eventually(() => statuses.length, (count) => count > before + 20);
    }
    done = true;
    await Promise.all(load);
    await balancer.close();
    assert.deepEqual([...new Set(statuses)], [200]);
  });

  test("answers 503 while it drains and closes connections after their responses", async () => {
    const node = nodes[0];
    const { url } = node;
    const stopping = node.stop();
    const draining = await eventually(
      async () => {
        const answer = await fetch(`${url}/health/ready`);
        return { status: answer.status, body: await answer.json(), connection: answer.headers.get("connection") };
      },
      ({ status }) => status === 503,
    );
    assert.deepEqual(draining.body, { detail: "The node is draining." });
    assert.equal(draining.connection, "close");
    assert.equal((await fetch(`${url}/health`)).status, 200);
    // The node answers 503 at once; the others learn it from its next write to the database.
    await eventually(
      () => listNodes(nodes[1]),
      (items) => items.some((item) => item.url === url && item.state === "draining"),
    );
    assert.equal((await stopping).code, 0);
    assert.ok((await listNodes(nodes[1])).every((item) => item.url !== url));
    nodes[0] = await startNode(folders[0]);
  });
});
