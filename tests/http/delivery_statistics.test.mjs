// GET /api/v1/deliveries/stats: the health of the webhooks of a team.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { deliveriesOf, eventually, makeAutomation, makeWebhook } from "./support/deliveries.mjs";
import { expectStatus } from "./support/expect.mjs";
import { makeMember, makeTeam, makeUser } from "./support/people.mjs";
import { startReceiver } from "./support/receiver.mjs";
import { makeVersion } from "./support/registries.mjs";
import { startServer } from "./support/server.mjs";

let server;
let receiver;
let team;
let good;
let dead;
before(async () => {
  server = await startServer();
  receiver = await startReceiver();
  team = (await makeTeam(server)).name;
  good = await makeWebhook(server, team, { name: "a good one", url_endpoint: receiver.url });
  dead = await makeWebhook(server, team, { name: "b dead one", url_endpoint: "http://127.0.0.1:1024/" });
  await makeVersion(server, team);
  const happy = await makeAutomation(server, team, { type: "CREATE_ARTIFACT" }, good);
  const sad = await makeAutomation(server, team, { type: "CREATE_ARTIFACT" }, dead);
  await makeVersion(server, team);
  await eventually(() => deliveriesOf(server, { automation_id: happy.id }), ([one]) => one?.status === "succeeded");
  await eventually(() => deliveriesOf(server, { automation_id: sad.id }), ([one]) => one?.status === "retrying");
});
after(async () => {
  await server.dispose();
  await receiver.close();
});

const stats = (query, options) => server.api("GET", `/api/v1/deliveries/stats?${new URLSearchParams(query)}`, options);

test("shows counts, rates, latencies, the last success and the last failure of each webhook", async () => {
  const answer = await stats({ team });
  assert.equal(answer.status, 200, answer.text);
  const [first, second] = answer.json.items;
  assert.equal(answer.json.items.length, 2);
  assert.equal(first.webhook_id, good.id);
  assert.equal(first.status, "active");
  assert.equal(first.counts.succeeded, 1);
  assert.equal(first.success_rate, 1);
  assert.equal(first.attempts, 1);
  assert.equal(typeof first.latency_p50_ms, "number");
  assert.ok(first.latency_p95_ms >= first.latency_p50_ms);
  assert.ok(Date.parse(first.last_success_at) > Date.parse(answer.json.since));
  assert.equal(first.last_failure, null);

  assert.equal(second.webhook_id, dead.id);
  assert.equal(second.counts.retrying, 1);
  assert.equal(second.success_rate, null);
  assert.equal(second.latency_p50_ms, null);
  assert.equal(second.last_success_at, null);
  assert.equal(second.last_failure.response_status, null);
  assert.match(second.last_failure.delivery_id, /^dlv_/);
  assert.equal(typeof second.last_failure.error.code, "string");
});

test("counts only deliveries since a time", async () => {
  const { items } = (await stats({ team, since: new Date(Date.now() + 60_000).toISOString() })).json;
  assert.deepEqual(items.map(({ attempts }) => attempts), [0, 0]);
  assert.equal(items[0].success_rate, null);
});

test("members see it, viewers get 403, strangers and other teams 404", async () => {
  const member = await makeMember(server, team, "MEMBER");
  const { items } = (await stats({ team }, { key: member.key })).json;
  assert.equal(items[0].counts.succeeded, 1);
  const viewer = await makeMember(server, team, "VIEWER");
  expectStatus(await stats({ team }, { key: viewer.key }), 403);
  const other = (await makeTeam(server)).name;
  const outsider = await makeMember(server, other, "ADMIN");
  expectStatus(await stats({ team }, { key: outsider.key }), 404);
  expectStatus(await stats({ team: "no-such-team" }), 404);
  assert.deepEqual((await stats({ team: other }, { key: outsider.key })).json.items, []);
  expectStatus(await stats({ team }, { key: (await makeUser(server)).key }), 404);
});

test("members do not count deliveries of projects that they cannot see", async () => {
  const { name } = await makeTeam(server);
  const hook = await makeWebhook(server, name, { url_endpoint: receiver.url });
  await makeVersion(server, name);
  const { id } = await makeAutomation(server, name, { type: "CREATE_ARTIFACT" }, hook);
  await makeVersion(server, name);
  await eventually(() => deliveriesOf(server, { automation_id: id }), ([one]) => one?.status === "succeeded");
  const member = await makeMember(server, name, "MEMBER");
  const hidden = await server.api("PATCH", `/api/v1/projects/${name}/lab`, { body: { visibility: "RESTRICTED" } });
  assert.equal(hidden.status, 200, hidden.text);
  assert.equal((await stats({ team: name }, { key: member.key })).json.items[0].counts.succeeded, 0);
  assert.equal((await stats({ team: name })).json.items[0].counts.succeeded, 1);
});

test("invalid parameters", async () => {
  expectStatus(await stats({}), 422);
  expectStatus(await stats({ team, since: "yesterday" }), 422);
  assert.equal((await stats({ team }, { key: null })).status, 401);
});
