// Secrets and webhooks of a team, and test deliveries to a receiver.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, beforeEach, describe, test } from "node:test";

import { Webhook } from "standardwebhooks";

import { expectError, expectId, expectTimestamp, expectViolations } from "./support/expect.mjs";
import { makeTeam } from "./support/people.mjs";
import { startReceiver } from "./support/receiver.mjs";
import { startServer, withServer } from "./support/server.mjs";

const TOKEN = "tok_example_123";
const SECRET = "s3cr3t-deploy-key";

let server;
let receiver;
let team;
before(async () => {
  server = await startServer();
  receiver = await startReceiver();
});
after(async () => {
  await server.dispose();
  await receiver.close();
});
beforeEach(async () => {
  team = (await makeTeam(server)).name;
  receiver.requests.length = 0;
  receiver.answer = { status: 200, body: "thanks" };
});

const path = (rest) => `/api/v1/teams/${team}${rest}`;
const post = (rest, body) => server.api("POST", path(rest), { body });

async function made(rest, body) {
  const answer = await post(rest, body);
  assert.equal(answer.status, 201, answer.text);
  return answer.json;
}

async function makeSignedWebhook(url = receiver.url) {
  await made("/secrets", { name: "TOKEN", value: TOKEN });
  await made("/secrets", { name: "DEPLOY_KEY", value: SECRET });
  return made("/webhooks", {
    name: "deploy",
    url_endpoint: url,
    access_token_ref: "TOKEN",
    secret_ref: "DEPLOY_KEY",
  });
}

/** Computes the standard signature of a received request. */
function standardSignature({ headers, body }, secret) {
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  return `v1,${createHmac("sha256", secret).update(signed).digest("base64")}`;
}

describe("secrets", () => {
  test("are listed by name, and their values are never returned", async () => {
    const value = "a-value-that-nobody-sees";
    const secret = await made("/secrets", { name: "KEY", value });
    expectId(secret.id, "sec");
    expectTimestamp(secret.created_at);
    assert.equal(secret.version, 1);
    assert.equal(secret.used_by_count, 0);
    const list = await server.api("GET", path("/secrets"));
    assert.deepEqual(list.json.items, [secret]);
    const rotated = await server.api("PUT", path("/secrets/KEY"), { body: { value: `${value}2` } });
    assert.equal(rotated.json.version, 2);
    for (const { text } of [list, rotated]) assert.ok(!text.includes(value));
    assert.ok(!server.logs.includes(value));
  });

  test("are not returned in an error", async () => {
    const answer = await post("/secrets", { value: "a-value-that-nobody-sees" });
    expectViolations(answer, ["missing", "body", "name"]);
    assert.ok(!answer.text.includes("a-value-that-nobody-sees"));
  });

  test("in use are deleted only with force, and then unavailable", async () => {
    const { id } = await makeSignedWebhook();
    expectError(await server.api("DELETE", path("/secrets/TOKEN")), 409, "secret_in_use");
    assert.equal((await server.api("DELETE", path("/secrets/TOKEN?force=true"))).status, 204);
    const tested = (await post(`/webhooks/${id}/test`, {})).json;
    assert.equal(tested.error.code, "secret_unavailable");
    assert.equal(receiver.requests.length, 0);
  });
});

describe("a test delivery", () => {
  test("has the access token and both signatures", async () => {
    const { id } = await makeSignedWebhook();
    const payload = '{"who": "${event_author}",\n "key":"$DEPLOY_KEY", "lit":"$${alias}"}';
    const answer = await post(`/webhooks/${id}/test`, { payload });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.success, true);
    assert.equal(answer.json.response.body, "thanks");
    assert.equal(answer.json.request.body, '{"who": "",\n "key":"***", "lit":"${alias}"}');
    const [request] = receiver.requests;
    assert.equal(request.method, "POST");
    assert.equal(request.body, `{"who": "",\n "key":"${SECRET}", "lit":"\${alias}"}`);
    assert.equal(request.headers["content-type"], "application/json");
    assert.equal(request.headers.authorization, `Bearer ${TOKEN}`);
    assert.equal(request.headers["user-agent"], "svc-webhooks/0.1.0");
    const expected = createHmac("sha256", SECRET).update(request.body).digest("hex");
    assert.equal(request.headers["x-svc-signature"], expected);
    assert.equal(request.headers["webhook-signature"], standardSignature(request, SECRET));
    expectId(request.headers["webhook-id"], "dlv");
    for (const name of ["accept-encoding", "cookie", "expect"]) {
      assert.equal(request.headers[name], undefined);
    }
    for (const value of [TOKEN, SECRET]) assert.ok(!answer.text.includes(value));
  });

  test("is accepted by a Standard Webhooks library", async () => {
    const { id } = await makeSignedWebhook();
    await post(`/webhooks/${id}/test`, { payload: '{"a": 1}' });
    const secret = `whsec_${Buffer.from("a key of the standard form").toString("base64")}`;
    await server.api("PUT", path("/secrets/DEPLOY_KEY"), { body: { value: secret } });
    await post(`/webhooks/${id}/test`, { payload: '{"a": 2}' });
    const [first, second] = receiver.requests;
    const raw = new Webhook(SECRET, { format: "raw" });
    assert.deepEqual(raw.verify(first.body, first.headers), { a: 1 });
    assert.deepEqual(raw.verify(second.body, second.headers), { a: 2 });
    assert.deepEqual(new Webhook(secret).verify(second.body, second.headers), { a: 2 });
    assert.throws(() => new Webhook(secret).verify(first.body, first.headers));
    assert.throws(() => raw.verify(`${first.body} `, first.headers));
  });

  test("is signed with the old and the new secret after a rotation", async () => {
    const { id } = await makeSignedWebhook();
    await server.api("PUT", path("/secrets/DEPLOY_KEY"), { body: { value: "another-value" } });
    await post(`/webhooks/${id}/test`, {});
    const [request] = receiver.requests;
    assert.equal(request.body, "{}");
    assert.equal(
      request.headers["webhook-signature"],
      `${standardSignature(request, "another-value")} ${standardSignature(request, SECRET)}`,
    );
    const expected = createHmac("sha256", "another-value").update("{}").digest("hex");
    assert.equal(request.headers["x-svc-signature"], expected);
  });

  test("has no signature without a secret and no Bearer header without a token", async () => {
    const { id } = await made("/webhooks", { name: "bare", url_endpoint: receiver.url });
    await post(`/webhooks/${id}/test`, { payload: { a: [1, 2.50] } });
    const [{ headers, body }] = receiver.requests;
    assert.equal(body, '{"a":[1,2.5]}');
    for (const name of ["authorization", "x-svc-signature", "webhook-signature"]) {
      assert.equal(headers[name], undefined);
    }
  });

  test("returns the response of a failing endpoint", async () => {
    receiver.answer = { status: 500, body: `you sent ${TOKEN}` };
    const { id } = await makeSignedWebhook();
    const { json } = await post(`/webhooks/${id}/test`, {});
    assert.equal(json.success, false);
    assert.equal(json.response.status, 500);
    assert.equal(json.response.body, "you sent ***");
    assert.equal(json.error, null);
  });

  test("does not follow a redirect", async () => {
    receiver.answer = { status: 302, headers: { location: `${receiver.url}elsewhere` } };
    const { id } = await makeSignedWebhook();
    const { json } = await post(`/webhooks/${id}/test`, {});
    assert.equal(json.response.status, 302);
    assert.equal(receiver.requests.length, 1);
  });

  test("needs no stored webhook and creates none", async () => {
    const body = { name: "draft", url_endpoint: receiver.url, payload: "[1]" };
    assert.equal((await post("/webhooks/test", body)).json.success, true);
    assert.equal(receiver.requests[0].body, "[1]");
    assert.deepEqual((await server.api("GET", path("/webhooks"))).json.items, []);
  });

  test("returns a coarse reason if an endpoint cannot be reached", async () => {
    const gone = await startReceiver();
    await gone.close();
    const { json } = await post("/webhooks/test", { name: "x", url_endpoint: gone.url });
    assert.equal(json.error.code, "connect_error");
    assert.equal(json.response, null);
  });

  test("is limited to ten per minute", async () => {
    const body = { name: "draft", url_endpoint: receiver.url };
    let limited;
    for (let i = 0; i < 12 && !limited; i += 1) {
      const answer = await post("/webhooks/test", body);
      if (answer.status === 429) limited = answer;
    }
    assert.equal(limited.json.code, "rate_limited");
    assert.equal(limited.headers["ratelimit-limit"], "10");
    assert.equal(limited.headers["ratelimit-remaining"], "0");
    assert.equal(limited.headers["ratelimit-reset"], limited.headers["retry-after"]);
    assert.ok(Number(limited.headers["retry-after"]) >= 1);
    assert.ok(limited.headers["retry-after"]);
  });
});

describe("targets", () => {
  const tryIn = async (args, url_endpoint) =>
    withServer({ args }, async (other) => {
      const name = (await makeTeam(other)).name;
      const body = { name: "x", url_endpoint };
      return other.api("POST", `/api/v1/teams/${name}/webhooks/test`, { body });
    });

  test("on this machine are rejected if private ones are", async () => {
    const answer = await tryIn(["--webhooks-allow-private", "never"], receiver.url);
    expectViolations(answer, ["url_not_allowed", "body", "url_endpoint"]);
    assert.equal(receiver.requests.length, 0);
  });

  test("whose name resolves to this machine are rejected when called", async () => {
    const { port } = new URL(receiver.url);
    const args = ["--webhooks-allow-private", "never", "--webhooks-allow-http"];
    const answer = await tryIn(args, `http://0x7f000001:${port}/`);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.error.code, "blocked_address");
    assert.equal(receiver.requests.length, 0);
  });

  test("can be allowed individually", async () => {
    const args = ["--webhooks-allow-private", "never", "--webhooks-allow-http"];
    const allowed = [...args, "--webhooks-allow-cidrs", "127.0.0.1/32"];
    assert.equal((await tryIn(allowed, receiver.url)).json.success, true);
  });

  test("of metadata services are always rejected", async () => {
    const answer = await tryIn(["--webhooks-allow-private", "always"], "http://169.254.169.254/");
    expectViolations(answer, ["url_not_allowed", "body", "url_endpoint"]);
  });

  test("that are invalid in the settings prevent the start", async () => {
    await assert.rejects(
      startServer({ args: ["--webhooks-allow-cidrs", "10.0.0.0/99"] }),
      /10\.0\.0\.0\/99/,
    );
  });
});

describe("webhooks", () => {
  test("are changed, disabled and removed", async () => {
    const { id } = await makeSignedWebhook();
    expectId(id, "wh");
    const at = path(`/webhooks/${id}`);
    const disabled = await server.api("PATCH", at, { body: { status: "disabled" } });
    assert.equal(disabled.json.disabled_reason, "manual");
    const listed = await server.api("GET", path("/webhooks?status=active"));
    assert.deepEqual(listed.json.items, []);
    const enabled = await server.api("PATCH", at, { body: { status: "active", secret_ref: null } });
    assert.equal(enabled.json.disabled_reason, null);
    assert.equal(enabled.json.secret_ref, null);
    assert.equal(enabled.json.access_token_ref, "TOKEN");
    assert.equal((await server.api("DELETE", at)).status, 204);
    expectError(await server.api("GET", at), 404, "not_found");
  });

  test("and their secrets survive a restart", async () => {
    const { id } = await makeSignedWebhook();
    await server.kill();
    const { dataDir, ownsFolder } = server;
    server = await startServer({ dataDir });
    server.ownsFolder = ownsFolder;
    await post(`/webhooks/${id}/test`, {});
    assert.equal(receiver.requests[0].headers.authorization, `Bearer ${TOKEN}`);
  });
});
