// SIGKILL at critical moments of a delivery: acknowledged changes are delivered after the restart, and a repeated
// delivery has the same id.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, afterEach, beforeEach, test } from "node:test";

import { ArtifactProject } from "./support/artifacts.mjs";
import { deliveriesOf, deliveryOf, eventually, makeAutomation, makeWebhook } from "./support/deliveries.mjs";
import { makeTeam } from "./support/people.mjs";
import { makeFolder, removeFolder } from "./support/program.mjs";
import { startReceiver } from "./support/receiver.mjs";
import { startServer } from "./support/server.mjs";

const folder = makeFolder();
let round = 0;
let dataDir;
let server;
let receiver;
const start = () =>
  startServer({ dataDir, args: ["--webhooks-deliveries-per-minute", "0", "--limits-automations", "1000"] });
beforeEach(async () => {
  dataDir = join(folder, `data-${(round += 1)}`);
  receiver = await startReceiver();
  server = await start();
});
afterEach(async () => {
  await server.kill();
  await receiver.close();
});
after(() => removeFolder(folder));

async function restart() {
  await server.kill();
  server = await start();
}

/** Creates a collection with one version; `tag(name)` causes an event for it. */
async function prepare(automations, webhook_fields = {}) {
  const team = (await makeTeam(server)).name;
  const hook = await makeWebhook(server, team, { url_endpoint: receiver.url, ...webhook_fields });
  const event = { type: "ADD_ARTIFACT_TAG", tag_regex: "" };
  const payload = '{"tag":"${tag}","by":"${automation_name}"}';
  for (let i = 0; i < automations; i += 1) {
    await makeAutomation(server, team, event, hook, { payload, name: `a${i}` });
  }
  await new ArtifactProject(server, team).put("model", { "a.txt": "one" });
  const tag = (name) =>
    server.api("PUT", `/api/v1/projects/${team}/lab/collections/model/versions/v0/tags/${name}`);
  return { team, hook, tag };
}

const idsOf = (requests) => new Set(requests.map(({ headers }) => headers["webhook-id"]));

test("killed after sending, before the outcome is stored: sent again with the same id", async () => {
  const { tag } = await prepare(1);
  receiver.answer = null;
  assert.equal((await tag("t")).status, 204);
  await receiver.received(1);
  receiver.answer = { status: 200 };
  await restart();
  const requests = await receiver.received(2);
  assert.equal(idsOf(requests).size, 1);
  assert.deepEqual(requests.map(({ headers }) => headers["x-svc-attempt"]), ["1", "2"]);
  const [id] = idsOf(requests);
  const delivery = await eventually(() => deliveryOf(server, id), ({ status }) => status === "succeeded");
  assert.deepEqual(
    delivery.attempts.map(({ response_status, error }) => response_status ?? error.code),
    ["interrupted", 200],
  );
});

test("killed right after a change was acknowledged: its delivery is sent", async () => {
  const { tag } = await prepare(1, { max_concurrency: 1 });
  const acknowledged = [];
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let i = 0; ; i += 1) {
        const name = `t-${attempt}-${writer}-${i}`;
        const answer = await tag(name).catch(() => null);
        if (answer?.status !== 204) return;
        acknowledged.push(name);
      }
    });
    await receiver.received(receiver.requests.length + 5);
    await server.kill();
    await Promise.all(writers);
    server = await start();
  }
  const tags = () => new Set(receiver.requests.map(({ body }) => JSON.parse(body).tag));
  await eventually(
    () => acknowledged.filter((name) => !tags().has(name)).length,
    (missing) => missing === 0,
    "deliveries are lost",
  );
  const byId = new Map();
  for (const { headers, body } of receiver.requests) {
    const id = headers["webhook-id"];
    assert.equal(byId.get(id) ?? body, body, "an id identifies one delivery");
    byId.set(id, body);
  }
  assert.equal(new Set(byId.values()).size, byId.size, "a delivery has one id");
});

test("restarted with ten thousand pending deliveries: all are sent", async () => {
  const { hook, tag } = await prepare(100, { max_concurrency: 16 });
  receiver.answer = null;
  for (let i = 0; i < 100; i += 1) assert.equal((await tag(`t${i}`)).status, 204);
  await receiver.received(16);
  receiver.answer = { status: 200 };
  await restart();
  await eventually(() => idsOf(receiver.requests).size, (size) => size === 10_000, "not all came");
  const bodies = new Set(receiver.requests.map(({ body }) => body));
  assert.equal(bodies.size, 10_000, "each automation received each tag");
  await eventually(
    () => deliveriesOf(server, { webhook_id: hook.id, status: "pending" }),
    (pending) => pending.length === 0,
  );
  const succeeded = await deliveriesOf(server, { webhook_id: hook.id, status: "succeeded" });
  assert.equal(succeeded.length, 200, "a full page");
});
