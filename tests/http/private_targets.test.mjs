// webhooks.allow_private = auto: loopback targets are allowed only for the single user of a server that listens on
// loopback and has received no request through a proxy.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";

import { expectViolations } from "./support/expect.mjs";
import { makeKey, makeMember, makeTeam } from "./support/people.mjs";
import { makeFolder, removeFolder } from "./support/program.mjs";
import { startReceiver } from "./support/receiver.mjs";
import { startServer, withServer } from "./support/server.mjs";

const env = { SPINDLE_WEBHOOKS_ALLOW_PRIVATE: "auto" };

let receiver;
before(async () => {
  receiver = await startReceiver();
});
after(() => receiver.close());
beforeEach(() => {
  receiver.requests.length = 0;
});

const tryWebhook = (server, team, options) =>
  server.api("POST", `/api/v1/teams/${team}/webhooks/test`, {
    body: { name: "x", url_endpoint: receiver.url },
    ...options,
  });

function expectRefused(answer) {
  expectViolations(answer, ["url_not_allowed", "body", "url_endpoint"]);
}

test("the single user of a local server may call loopback", () =>
  withServer({ env }, async (server) => {
    const team = (await makeTeam(server)).name;
    await makeKey(server, "admin");
    assert.equal((await tryWebhook(server, team)).json.success, true);
    assert.equal(receiver.requests.length, 1);
  }));

test("a forwarded request disables loopback targets, also after a restart", async () => {
  const folder = makeFolder();
  const dataDir = join(folder, "data");
  let server = await startServer({ env, dataDir });
  try {
    const team = (await makeTeam(server)).name;
    assert.equal((await tryWebhook(server, team)).json.success, true);
    await server.api("GET", "/health", { key: null, headers: { "X-Forwarded-For": "203.0.113.7" } });
    expectRefused(await tryWebhook(server, team));
    await server.stop();
    server = await startServer({ env, dataDir });
    expectRefused(await tryWebhook(server, team));
    assert.equal(receiver.requests.length, 1);
  } finally {
    await server.kill();
    removeFolder(folder);
  }
});

test("each proxy header disables loopback targets", async () => {
  for (const name of ["X-Forwarded-Proto", "Forwarded", "Via", "X-Real-IP"]) {
    await withServer({ env }, async (server) => {
      const team = (await makeTeam(server)).name;
      expectRefused(await tryWebhook(server, team, { headers: { [name]: "1.1 proxy" } }));
    });
  }
  assert.equal(receiver.requests.length, 0);
});

test("a second user disables loopback targets for all users", () =>
  withServer({ env }, async (server) => {
    const team = (await makeTeam(server)).name;
    const admin = await makeMember(server, team, "ADMIN");
    expectRefused(await tryWebhook(server, team, { key: admin.key }));
    expectRefused(await tryWebhook(server, team));
    assert.equal(receiver.requests.length, 0);
  }));

test("a pending delivery is rejected after a forwarded request", () =>
  withServer({ env }, async (server) => {
    const team = (await makeTeam(server)).name;
    const hook = await server.api("POST", `/api/v1/teams/${team}/webhooks`, {
      body: { name: "saved", url_endpoint: receiver.url },
    });
    assert.equal(hook.status, 201, hook.text);
    const saved = `/api/v1/teams/${team}/webhooks/${hook.json.id}/test`;
    assert.equal((await server.api("POST", saved, { body: {} })).json.success, true);
    await server.api("GET", "/health", { key: null, headers: { Via: "1.1 proxy" } });
    const refused = await server.api("POST", saved, { body: {} });
    assert.equal(refused.json.success ?? false, false, refused.text);
    assert.equal(receiver.requests.length, 1);
  }));
