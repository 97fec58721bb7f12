// Deliveries from the event to the request at the endpoint, with a receiver that verifies signatures
// independently.

import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";

import { Webhook as StandardWebhook } from "standardwebhooks";

import { ArtifactProject } from "./support/artifacts.mjs";
import {
  deliveriesOf,
  deliveryOf,
  makeAutomation,
  makeSecret,
  makeWebhook,
  settled,
} from "./support/deliveries.mjs";
import { expectError, expectId, expectMembers, expectViolations } from "./support/expect.mjs";
import { listAll, makeMember, makeTeam, makeUser } from "./support/people.mjs";
import { makeRegistry } from "./support/registries.mjs";
import { startReceiver } from "./support/receiver.mjs";
import { RunProject } from "./support/runs.mjs";
import { startServer } from "./support/server.mjs";
import { V2Project } from "./support/v2_project.mjs";

const SECRET = `whsec_${Buffer.from("a key that both sides know").toString("base64")}`;
const RETRIES = ["--webhooks-retry-delays", "20ms,40ms,60ms", "--webhooks-retry-jitter", "0"];

let server;
let receiver;
let team;
let artifacts;
let hook;
before(async () => (server = await startServer({ args: RETRIES })));
after(() => server.dispose());
beforeEach(async () => {
  team = (await makeTeam(server)).name;
  artifacts = new ArtifactProject(server, team);
  receiver = await startReceiver();
  await makeSecret(server, team, "TOKEN", "tok_example_123");
  await makeSecret(server, team, "KEY", SECRET);
  hook = await makeWebhook(server, team, {
    url_endpoint: `${receiver.url}in`,
    access_token_ref: "TOKEN",
    secret_ref: "KEY",
  });
});
afterEach(() => receiver.close());

/** Verifies a request like an independent receiver. */
function expectGenuine({ method, headers, body }, delivery) {
  assert.equal(method, "POST");
  assert.equal(headers["content-type"], "application/json");
  assert.equal(headers.authorization, "Bearer tok_example_123");
  assert.equal(headers["x-svc-signature"], createHmac("sha256", SECRET).update(body).digest("hex"));
  assert.deepEqual(new StandardWebhook(SECRET).verify(body, headers), JSON.parse(body));
  assert.equal(headers["webhook-id"], delivery.id);
  assert.equal(headers["x-svc-event"], delivery.event_type);
  assert.equal(headers["x-svc-automation-id"], delivery.automation_id);
  assert.match(headers["user-agent"], /^svc-webhooks\//);
  for (const absent of ["cookie", "accept-encoding", "expect"]) assert.ok(!(absent in headers));
}

const anyAlias = { type: "ADD_ARTIFACT_ALIAS", alias_regex: "" };
const addAlias = (alias, version = "v0") =>
  artifacts.ok("PUT", `/collections/model/versions/${version}/aliases/${alias}`);

describe("an event sends one request", () => {
  test("for a new version, and one for each of its aliases", async () => {
    const created = await makeAutomation(server, team, { type: "CREATE_ARTIFACT" }, hook);
    const aliased = await makeAutomation(server, team, anyAlias, hook, {
      payload: { alias: "${alias}", version: "${artifact_version_string}" },
    });
    await artifacts.put("model", { "a.txt": "one" }, { aliases: ["best"] });
    const requests = await receiver.received(3);
    const [create] = await settled(server, { automation_id: created.id }, 1);
    const aliases = await settled(server, { automation_id: aliased.id }, 2);
    for (const delivery of [create, ...aliases]) {
      assert.equal(delivery.status, "succeeded");
      expectGenuine(requests.find(({ headers }) => headers["webhook-id"] === delivery.id), delivery);
    }
    const bodies = requests.map(({ body }) => JSON.parse(body));
    const sent = bodies.filter(({ alias, version }) => alias && version).map(({ version }) => version);
    assert.deepEqual(sent.sort(), [`${team}/lab/model:best`, `${team}/lab/model:latest`]);
    assert.ok(bodies.some(({ event_type }) => event_type === "CREATE_ARTIFACT"));
    // The same content with the same aliases causes no event.
    await artifacts.begin("model", { "a.txt": "one" }, { aliases: ["best"] });
    await addAlias("sentinel");
    await settled(server, { automation_id: aliased.id }, 3);
    assert.equal((await deliveriesOf(server, { automation_id: created.id })).length, 1);
    assert.equal(receiver.requests.length, 4);
  });

  test("for an alias that matches the expression", async () => {
    const anywhere = await makeAutomation(
      server, team, { type: "ADD_ARTIFACT_ALIAS", alias_regex: "prod" }, hook);
    const whole = await makeAutomation(
      server, team, { type: "ADD_ARTIFACT_ALIAS", alias_regex: "^prod$" }, hook);
    await artifacts.put("model", { "a.txt": "one" });
    await addAlias("preprod-1");
    await settled(server, { automation_id: anywhere.id }, 1);
    await addAlias("prod");
    await settled(server, { automation_id: anywhere.id }, 2);
    assert.equal((await settled(server, { automation_id: whole.id }, 1)).length, 1);
  });

  test("for a new tag", async () => {
    const { id } = await makeAutomation(
      server, team, { type: "ADD_ARTIFACT_TAG", tag_regex: "^ready$" }, hook);
    await artifacts.put("model", { "a.txt": "one" });
    for (let i = 0; i < 2; i += 1) await artifacts.ok("PUT", "/collections/model/versions/v0/tags/ready");
    const [delivery] = await settled(server, { automation_id: id }, 1);
    expectGenuine((await receiver.received(1))[0], delivery);
    await artifacts.ok("PUT", "/collections/model/versions/v0/tags/other");
    assert.equal((await deliveriesOf(server, { automation_id: id })).length, 1);
  });

  test("for a new link, once", async () => {
    const registry = await makeRegistry(server);
    const scope = { type: "registry", registry: registry.name };
    const linked = await makeAutomation(server, team, { type: "LINK_ARTIFACT" }, hook, {
      scope,
      payload: '{"v":"${artifact_version_string}","p":"${project_name}","r":"${registry_name}"}',
    });
    const part = await makeAutomation(
      server, team, { type: "ADD_ARTIFACT_ALIAS", alias_regex: "^production$" }, hook, { scope });
    await artifacts.put("model", { "a.txt": "one" });
    const source = `${team}/lab/model:v0`;
    await registry.link("models", source, ["production"]);
    await registry.link("models", source, ["production"]);
    const [delivery] = await settled(server, { automation_id: linked.id }, 1);
    const [alias] = await settled(server, { automation_id: part.id }, 1);
    const requests = await receiver.received(2);
    const sent = (one) => requests.find(({ headers }) => headers["webhook-id"] === one.id);
    expectGenuine(sent(delivery), delivery);
    expectGenuine(sent(alias), alias);
    const { v, p, r } = JSON.parse(sent(delivery).body);
    assert.equal(p, `svc-registry-${registry.name}`);
    assert.equal(r, registry.name);
    assert.ok(v.endsWith(`/${p}/models:v0`), v);
    assert.equal(receiver.requests.length, 2);
    const listed = (await registry.ok("GET", "/automations")).items.map(({ id }) => id);
    assert.deepEqual(listed.sort(), [linked.id, part.id].sort());
  });

  test("for a metric that crosses its threshold, once", async () => {
    const runs = new RunProject(server, team);
    const { run_id: run } = await runs.start({ name: "exp-7" });
    const metric = { name: "val.loss", aggregation: "AVERAGE", window: 3, comparison: "lt", threshold: 0.5 };
    const event = { type: "RUN_METRIC_THRESHOLD", metric, run_filter: { name_regex: "^exp-" } };
    const { id } = await makeAutomation(server, team, event, hook, {
      payload: '{"run":"${run_name}","metric":"${metric_name}","value":${metric_value},"limit":${metric_threshold}}',
    });
    const rows = [0.9, 0.6, 0.4, 0.3, 0.2].map((loss) => ({ metrics: { val: { loss } } }));
    await runs.log(run, rows);
    const [delivery] = await settled(server, { automation_id: id }, 1);
    const [request] = await receiver.received(1);
    expectGenuine(request, delivery);
    const sent = JSON.parse(request.body);
    assert.deepEqual({ ...sent, value: undefined }, { run: "exp-7", metric: "val.loss", value: undefined, limit: 0.5 });
    assert.ok(Math.abs(sent.value - 1.3 / 3) < 1e-12);
    assert.equal(receiver.requests.length, 1);
  });

  test("for a run that fails, and none for one that is killed", async () => {
    const runs = new RunProject(server, team);
    const event = { type: "RUN_STATE", states: ["FAILED"] };
    const { id } = await makeAutomation(server, team, event, hook, { payload: '["${run_id}","${run_state}"]' });
    const { run_id: killed } = await runs.start();
    await runs.ok("POST", `/${killed}/kill`);
    const { run_id: failed } = await runs.start();
    await runs.finish(failed, { exit_code: 1 });
    await settled(server, { automation_id: id }, 1);
    const requests = await receiver.received(1);
    assert.deepEqual(requests.map(({ body }) => JSON.parse(body)), [[failed, "FAILED"]]);
  });

  test("for an evaluation whose score is too low, once", async () => {
    const project = new V2Project(server, `${team}/lab`);
    const score = { name: "acc", comparison: "lt", threshold: 0.7 };
    const event = { type: "EVALUATION_FINISHED", score };
    const { id } = await makeAutomation(server, team, event, hook, { payload: '["${run_id}","${event_type}"]' });
    const finish = async (acc) => {
      const run = await project.run();
      await project.row(run, { q: 1 }, 3, { acc });
      for (let i = 0; i < 2; i += 1) await project.make(`evaluation_runs/${run}/finish`, {});
      return run;
    };
    await finish(0.9);
    const low = await finish(0.5);
    await settled(server, { automation_id: id }, 1);
    const requests = await receiver.received(1);
    assert.deepEqual(requests.map(({ body }) => JSON.parse(body)), [[low, "EVALUATION_FINISHED"]]);
  });

  test("for an automation without a webhook, none", async () => {
    const { id } = await makeAutomation(server, team, anyAlias, null);
    await artifacts.put("model", { "a.txt": "one" });
    const [delivery] = await settled(server, { automation_id: id }, 1);
    assert.equal(delivery.status, "succeeded");
    assert.equal(delivery.execution_status, "FINISHED");
    assert.equal(delivery.webhook_id, null);
    const automation = (await server.api("GET", `/api/v1/automations/${id}`)).json;
    assert.notEqual(automation.last_executed_at, null);
  });
});

describe("an endpoint", () => {
  const fire = async (more) => {
    const automation = await makeAutomation(
      server, team, { type: "ADD_ARTIFACT_ALIAS", alias_regex: "^go" }, hook, more);
    await artifacts.put("model", { "a.txt": "one" });
    await addAlias("go");
    return automation;
  };

  test("that fails three times gets the fourth attempt on schedule, with the same id", async () => {
    receiver.answer = (request, number) => ({ status: number < 3 ? 500 : 200 });
    const { id } = await fire();
    const [found] = await settled(server, { automation_id: id }, 1);
    assert.equal(found.status, "succeeded");
    assert.equal(found.attempt_count, 4);
    const delivery = await deliveryOf(server, found.id);
    assert.deepEqual(delivery.attempts.map(({ response_status }) => response_status), [500, 500, 500, 200]);
    const times = delivery.attempts.map(({ started_at }) => Date.parse(started_at));
    for (const [i, least] of [20, 40, 60].entries()) assert.ok(times[i + 1] - times[i] >= least);
    assert.deepEqual(new Set(receiver.requests.map(({ headers }) => headers["webhook-id"])), new Set([found.id]));
    assert.deepEqual(receiver.requests.map(({ headers }) => headers["x-svc-attempt"]), ["1", "2", "3", "4"]);
  });

  test("that keeps failing gets no more attempts after the end of the schedule", async () => {
    receiver.answer = { status: 500, body: "no" };
    const { id } = await fire();
    const [found] = await settled(server, { automation_id: id }, 1);
    assert.equal(found.status, "failed");
    assert.equal(found.execution_status, "FAILED");
    assert.equal(found.attempt_count, 4);
    assert.equal(found.last_error.code, "http_status");
  });

  test("that returns 410 is disabled and gets no more requests", async () => {
    receiver.answer = { status: 410 };
    const { id } = await fire();
    const [found] = await settled(server, { automation_id: id }, 1);
    assert.equal(found.status, "failed");
    assert.equal(found.last_error.code, "gone");
    const at = `/api/v1/teams/${team}/webhooks/${hook.id}`;
    const webhook = (await server.api("GET", at)).json;
    assert.equal(webhook.status, "disabled");
    assert.equal(webhook.disabled_reason, "gone");
    await addAlias("go-on");
    const [, second] = await settled(server, { automation_id: id }, 2);
    assert.equal(second.status, "cancelled");
    assert.equal(receiver.requests.length, 1);
    expectError(
      await server.api("POST", `/api/v1/deliveries/${second.id}/replay`, { body: {} }),
      409,
      "webhook_disabled",
    );
    expectError(
      await server.api("POST", `${at}/recover`, { body: { since: "2020-01-01T00:00:00Z" } }),
      409,
      "webhook_disabled",
    );
    // After it is enabled again, it receives replayed deliveries.
    receiver.answer = { status: 200 };
    await server.api("PATCH", at, { body: { status: "active" } });
    const recovered = await server.api("POST", `${at}/recover`, { body: { since: found.created_at } });
    assert.equal(recovered.status, 202, recovered.text);
    assert.deepEqual(recovered.json, { requeued: 2 });
    const all = await settled(server, { automation_id: id }, 2);
    assert.deepEqual(all.map(({ status }) => status), ["succeeded", "succeeded"]);
  });

  test("that returns a redirect fails; the redirect is not followed", async () => {
    const target = await startReceiver();
    receiver.answer = { status: 302, headers: { Location: target.url } };
    const { id } = await fire();
    const [found] = await settled(server, { automation_id: id }, 1);
    assert.equal(found.status, "failed");
    assert.equal(found.last_error.code, "redirect");
    assert.equal(target.requests.length, 0);
    await target.close();
  });

  test("whose secret was deleted gets no requests", async () => {
    const { id } = await makeAutomation(server, team, anyAlias, hook);
    const at = `/api/v1/teams/${team}/secrets/KEY`;
    expectError(await server.api("DELETE", at), 409, "secret_in_use");
    assert.equal((await server.api("DELETE", `${at}?force=true`)).status, 204);
    await artifacts.put("model", { "a.txt": "one" });
    const [found] = await settled(server, { automation_id: id }, 1);
    assert.equal(found.status, "failed");
    assert.equal(found.last_error.code, "secret_unavailable");
    assert.equal(receiver.requests.length, 0);
    expectError(await server.api("DELETE", `/api/v1/teams/${team}/webhooks/${hook.id}`), 409, "webhook_in_use");
  });
});

describe("the delivery log", () => {
  test("contains complete deliveries without credentials", async () => {
    receiver.answer = { status: 200, body: "echo tok_example_123", headers: { "X-Echo": SECRET } };
    const payload = '{"t":"${ACCESS_TOKEN}","k":"$KEY","hidden":"${artifact_metadata.evil}"}';
    const { id } = await makeAutomation(server, team, { type: "CREATE_ARTIFACT" }, hook, { payload });
    const metadata = { evil: "${ACCESS_TOKEN} $KEY ${KEY}" };
    await artifacts.put("model", { "a.txt": "one" }, { metadata });
    const [found] = await settled(server, { automation_id: id }, 1);
    const delivery = await deliveryOf(server, found.id);
    expectMembers(delivery, [
      "id", "automation_id", "automation_name", "event_id", "event_type", "webhook_id", "url",
      "status", "execution_status", "attempt_count", "next_attempt_at", "created_at", "finished_at",
      "last_error", "replay_of", "request", "attempts",
    ]);
    expectId(delivery.id, "dlv");
    assert.equal(delivery.url, `${receiver.url}in`);
    assert.equal(delivery.request.body, '{"t":"***","k":"***","hidden":"${ACCESS_TOKEN} $KEY ${KEY}"}');
    assert.equal(delivery.request.headers.Authorization, "Bearer ***");
    const [{ body }] = receiver.requests;
    assert.equal(delivery.request.body_sha256, createHash("sha256").update(body).digest("hex"));
    assert.equal(body, `{"t":"tok_example_123","k":"${SECRET}","hidden":"\${ACCESS_TOKEN} $KEY \${KEY}"}`);
    const [attempt] = delivery.attempts;
    expectMembers(attempt, [
      "id", "number", "started_at", "duration_ms", "remote_ip", "response_status",
      "response_headers", "response_body", "truncated", "error",
    ]);
    expectId(attempt.id, "att");
    assert.equal(attempt.remote_ip, "127.0.0.1");
    assert.equal(attempt.response_body, "echo ***");
    const everything = JSON.stringify([delivery, found]) + server.logs;
    assert.ok(!everything.includes("tok_example_123"));
    assert.ok(!everything.includes(SECRET));
    // Members see the host, not the complete URL.
    const member = await makeMember(server, team, "MEMBER");
    const seen = (await server.api("GET", `/api/v1/deliveries/${found.id}`, { key: member.key })).json;
    assert.equal(seen.url, "127.0.0.1");
  });

  test("lists by automation, webhook, status and time, page by page", async () => {
    const { id } = await makeAutomation(server, team, anyAlias, hook);
    await artifacts.put("model", { "a.txt": "one" });
    // One after another, so that each has its own time.
    await settled(server, { automation_id: id }, 1);
    await addAlias("a");
    await settled(server, { automation_id: id }, 2);
    await addAlias("b");
    const all = await settled(server, { automation_id: id }, 3);
    const ids = all.map((delivery) => delivery.id).reverse();
    const listed = async (path) => (await listAll(server, path, { limit: 2 })).map((one) => one.id);
    assert.deepEqual(await listed(`/api/v1/deliveries?automation_id=${id}`), ids);
    assert.deepEqual(await listed(`/api/v1/automations/${id}/deliveries`), ids);
    assert.deepEqual(await listed(`/api/v1/deliveries?webhook_id=${hook.id}&status=succeeded`), ids);
    const at = `/api/v1/teams/${team}/webhooks/${hook.id}/deliveries`;
    assert.deepEqual(await listed(at), ids);
    assert.deepEqual(await listed(`${at}?status=failed`), []);
    assert.deepEqual(await listed(`${at}?since=${all[1].created_at}`), ids.slice(0, 2));
    assert.deepEqual(await listed(`${at}?until=${all[1].created_at}`), ids.slice(2));
    expectViolations(await server.api("GET", `${at}?status=lost`), ["enum", "query", "status"]);
    const foreign = await server.api("GET", `${at}?cursor=${Buffer.from("x").toString("base64url")}`);
    assert.equal(foreign.status, 422);
  });

  test("contains events with their deliveries, for users who see the automations", async () => {
    const { id } = await makeAutomation(server, team, anyAlias, hook);
    await artifacts.put("model", { "a.txt": "one" });
    const [delivery] = await settled(server, { automation_id: id }, 1);
    const query = `/api/v1/events?team=${team}`;
    const events = await listAll(server, query, { limit: 1 });
    assert.deepEqual(events.map(({ type }) => type), ["ADD_ARTIFACT_ALIAS", "CREATE_ARTIFACT"]);
    const event = (await server.api("GET", `/api/v1/events/${delivery.event_id}`)).json;
    expectMembers(event, ["id", "type", "time", "author", "subject", "data", "delivery_ids"]);
    assert.deepEqual(event.delivery_ids, [delivery.id]);
    assert.equal(event.data.alias, "latest");
    const types = async (more, key) =>
      (await listAll(server, query + more, { key })).map(({ type }) => type);
    assert.deepEqual(await types("&type=create_artifact"), ["CREATE_ARTIFACT"]);
    assert.equal((await types("&project=lab&collection=model")).length, 2);
    assert.deepEqual(await types("&project=lab&collection=other"), []);
    assert.deepEqual(await types("&project=other"), []);
    assert.deepEqual(await types("&run=nothing"), []);
    assert.deepEqual(await types(`&since=${event.time}&type=CREATE_ARTIFACT`), []);
    expectViolations(await server.api("GET", "/api/v1/events?type=x"), ["enum", "query", "type"]);
    expectViolations(await server.api("GET", "/api/v1/events?project=lab"), ["missing", "query", "team"]);
    const viewer = await makeMember(server, team, "VIEWER");
    const outsider = await makeUser(server);
    for (const { key } of [viewer, outsider]) {
      assert.deepEqual(await types("", key), []);
      const at = `/api/v1/events/${event.id}`;
      expectError(await server.api("GET", at, { key }), 404, "not_found");
    }
    const rendered = await server.api("POST", `/api/v1/automations/${id}/render`, {
      body: { event_id: event.id },
    });
    assert.equal(rendered.status, 200, rendered.text);
    assert.deepEqual(JSON.parse(rendered.json.body), JSON.parse(receiver.requests[0].body));
  });
});

describe("a delivery", () => {
  test("is replayed unchanged or rendered again", async () => {
    const automation = await makeAutomation(server, team, anyAlias, hook, { payload: '{"old":"${alias}"}' });
    await artifacts.put("model", { "a.txt": "one" });
    const [first] = await settled(server, { automation_id: automation.id }, 1);
    const at = `/api/v1/deliveries/${first.id}`;
    await server.api("PATCH", `/api/v1/automations/${automation.id}`, {
      body: { action: { type: "webhook", webhook_id: hook.id, payload: '{"new":"${alias}"}' } },
    });
    const same = await server.api("POST", `${at}/replay`, { body: {} });
    assert.equal(same.status, 202, same.text);
    assert.equal(same.json.id, first.id);
    await receiver.received(2);
    await settled(server, { automation_id: automation.id }, 1);
    const current = await server.api("POST", `${at}/replay`, { body: { mode: "current" } });
    assert.equal(current.status, 202, current.text);
    assert.notEqual(current.json.id, first.id);
    assert.equal(current.json.replay_of, first.id);
    await receiver.received(3);
    const all = await settled(server, { automation_id: automation.id }, 2);
    assert.deepEqual(all.map(({ attempt_count }) => attempt_count), [2, 1]);
    assert.deepEqual(receiver.requests.map(({ body }) => body), [
      '{"old":"latest"}', '{"old":"latest"}', '{"new":"latest"}',
    ]);
    assert.deepEqual(
      receiver.requests.map(({ headers }) => headers["webhook-id"]),
      [first.id, first.id, current.json.id],
    );
    await server.api("DELETE", `/api/v1/automations/${automation.id}`);
    expectError(
      await server.api("POST", `${at}/replay`, { body: { mode: "current" } }), 409, "automation_deleted");
    expectError(await server.api("POST", `${at}/cancel`), 409, "finished");
  });

  test("can be cancelled while it is pending", async () => {
    receiver.answer = null;
    const { id } = await makeAutomation(server, team, anyAlias, hook);
    await artifacts.put("model", { "a.txt": "one" });
    await receiver.received(1);
    const [found] = await deliveriesOf(server, { automation_id: id });
    assert.equal(found.status, "in_flight");
    const at = `/api/v1/deliveries/${found.id}`;
    expectError(await server.api("POST", `${at}/replay`, { body: {} }), 409, "in_flight");
    const cancelled = await server.api("POST", `${at}/cancel`);
    assert.equal(cancelled.status, 200, cancelled.text);
    assert.equal(cancelled.json.status, "cancelled");
  });

  test("is listed for the team of its automation and for the team of its webhook", async () => {
    const other = (await makeTeam(server)).name;
    const foreign = await makeWebhook(server, other, { url_endpoint: `${receiver.url}other` });
    const own = await makeAutomation(server, team, anyAlias, hook);
    const mixed = await makeAutomation(server, team, anyAlias, foreign);
    const silent = await makeAutomation(server, team, anyAlias);
    await artifacts.put("model", { "a.txt": "one" });
    const all = await settled(server, { team }, 3);
    const automations = (list) => list.map(({ automation_id }) => automation_id).sort();
    assert.deepEqual(automations(all), [own.id, mixed.id, silent.id].sort());
    const of = (query, key = server.adminKey) => listAll(server, `/api/v1/deliveries?${new URLSearchParams(query)}`, { key, limit: 1 });
    assert.deepEqual(automations(await of({ team: other })), [mixed.id]);
    assert.deepEqual(automations(await of({ team, webhook_id: hook.id })), [own.id]);
    assert.deepEqual(automations(await of({ team, automation_id: mixed.id })), [mixed.id]);
    assert.deepEqual(await of({ team, status: "failed" }), []);
    assert.deepEqual(await of({ team: other, webhook_id: hook.id }), []);
    assert.deepEqual(await of({ team: "no-such-team" }), []);

    const member = await makeMember(server, team, "MEMBER");
    assert.equal((await of({ team }, member.key)).length, 3);
    // The delivery is visible to the member, but not that its webhook belongs to the other team.
    assert.deepEqual(await of({ team: other }, member.key), []);
    const neighbour = await makeMember(server, other, "ADMIN");
    assert.deepEqual(await of({ team: other }, neighbour.key), []);
    const viewer = await makeMember(server, team, "VIEWER");
    const outsider = await makeUser(server);
    for (const { key } of [viewer, outsider, neighbour]) assert.deepEqual(await of({ team }, key), []);
  });

  test("is hidden from outsiders", async () => {
    const { id } = await makeAutomation(server, team, anyAlias, hook);
    await artifacts.put("model", { "a.txt": "one" });
    const [found] = await settled(server, { automation_id: id }, 1);
    const outsider = await makeUser(server);
    const listed = await listAll(server, "/api/v1/deliveries", { key: outsider.key });
    assert.deepEqual(listed, []);
    expectError(await server.api("GET", `/api/v1/deliveries/${found.id}`, { key: outsider.key }), 404, "not_found");
  });
});
