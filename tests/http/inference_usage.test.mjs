// Usage of models: counted by the gateway, grouped by day, model, project, user and key.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";

import { eventually } from "./support/deliveries.mjs";
import { expectError, expectMembers, expectViolations } from "./support/expect.mjs";
import { addModel, chat, openChat, question, setPrice } from "./support/gateway.mjs";
import { makeKey, makeMember, makeTeam, makeUser } from "./support/people.mjs";
import { answerHello, startScriptedUpstream } from "./support/scripted_upstream.mjs";
import { startServer } from "./support/server.mjs";

const FIGURES = [
  "requests", "errors", "cancelled", "prompt_tokens", "completion_tokens", "cached_tokens",
  "reasoning_tokens", "cost_usd", "unpriced_requests", "latency_ms", "first_token_ms",
];

let server;
let upstream;
let model;
let team;
let member;
before(async () => {
  upstream = await startScriptedUpstream();
  server = await startServer();
});
after(async () => {
  await server.dispose();
  await upstream.close();
});
beforeEach(async () => {
  model = await addModel(server, [upstream.url]);
  team = (await makeTeam(server)).name;
  member = await makeMember(server, team, "MEMBER");
});

async function usage(parameters, key) {
  const answer = await server.api("GET", `/api/v1/usage?${new URLSearchParams(parameters)}`, { key });
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

/** Sends a chat completion for a project; 10 prompt tokens, 5 completion tokens. */
async function ask(project, { key = member.key, of = model } = {}) {
  const answer = await chat(server, of, {}, { key, headers: { "Compat-Project": project } });
  assert.equal(answer.status, 200, answer.text);
}

/** Waits until the usage contains `requests` requests of the model. */
const counted = (requests) =>
  eventually(() => usage({ model }), ({ items }) => items[0].requests >= requests, `${requests} requests of ${model}`);

describe("usage", () => {
  test("contains the sums of requests, tokens and durations", async () => {
    await ask(`${team}/lab`);
    await ask(`${team}/lab`);
    const { from, to, group_by, items, has_more } = await counted(2);
    assert.ok(Date.parse(from) < Date.parse(to));
    assert.deepEqual(group_by, []);
    assert.equal(has_more, false);
    const [row] = items;
    expectMembers(row, FIGURES);
    assert.deepEqual(
      [row.requests, row.errors, row.cancelled, row.prompt_tokens, row.completion_tokens],
      [2, 0, 0, 20, 10],
    );
    expectMembers(row.latency_ms, ["mean", "p50", "p95", "p99"]);
    assert.ok(row.latency_ms.p50 > 0 && row.latency_ms.p50 <= row.latency_ms.p99);
    assert.equal(row.unpriced_requests, 2);
    assert.equal(row.cost_usd, 0);
  });

  test("is grouped by day, model, project, user and key, in any combination", async () => {
    const { key, key_id } = await makeKey(server, member.username);
    await ask(`${team}/lab`, { key });
    await ask(`${team}/lab`, { key });
    await ask(`${team}/other`, { key: server.adminKey });
    await counted(3);
    const rows = async (group_by) => (await usage({ model, group_by })).items.map(({ requests, ...row }) => [
      requests,
      ...group_by.split(",").map((name) => row[name]),
    ]);
    const today = (await rows("day")).map(([, day]) => day);
    for (const day of today) assert.match(day, /^\d{4}-\d\d-\d\d$/);
    assert.deepEqual(await rows("model"), [[3, model]]);
    assert.deepEqual((await rows("project")).sort(), [[1, `${team}/other`], [2, `${team}/lab`]]);
    assert.deepEqual((await rows("user")).sort(), [[1, "admin"], [2, member.username]]);
    assert.deepEqual((await rows("key")).find(([requests]) => requests === 2), [2, key_id]);
    assert.deepEqual((await rows("project,user")).sort(), [[1, `${team}/other`, "admin"], [2, `${team}/lab`, member.username]]);
    assert.deepEqual((await usage({ model, project: `${team}/lab` })).items[0].requests, 2);
    assert.deepEqual((await usage({ model, user: member.username })).items[0].requests, 2);
    assert.deepEqual((await usage({ model, key: key_id })).items[0].requests, 2);
    assert.deepEqual((await usage({ model, user: "nobody-of-that-name" })).items[0].requests, 0);
    const limited = await usage({ model, group_by: "project", limit: 1 });
    assert.equal(limited.items.length, 1);
    assert.equal(limited.has_more, true);
  });

  test("has costs at current prices", async () => {
    await ask(`${team}/lab`);
    await counted(1);
    const cost = async () => (await usage({ model, project: `${team}/lab` })).items[0];
    assert.equal((await cost()).unpriced_requests, 1);
    await setPrice(server, `${team}/lab`, model, { prompt: 0.25, completion: 0.5 });
    const priced = await cost();
    assert.equal(priced.cost_usd, 10 * 0.25 + 5 * 0.5);
    assert.equal(priced.unpriced_requests, 0);
    await setPrice(server, `${team}/lab`, model, { prompt: 0.5, completion: 0.5 });
    assert.equal((await cost()).cost_usd, 10 * 0.5 + 5 * 0.5);
  });

  test("counts failed requests and streams", async () => {
    upstream.script = (exchange) => exchange.fail(400, "no", { type: "invalid_request_error" });
    try {
      const failed = await chat(server, model, {}, { key: member.key, headers: { "Compat-Project": `${team}/lab` } });
      assert.equal(failed.status, 400, failed.text);
    } finally {
      upstream.script = answerHello;
    }
    const { incoming, status } = await openChat(
      server,
      { model, messages: question, stream: true },
      { key: member.key, headers: { "Compat-Project": `${team}/lab` } },
    );
    assert.equal(status, 200);
    for await (const piece of incoming) assert.ok(piece.length > 0);
    const { items } = await counted(2);
    assert.deepEqual([items[0].requests, items[0].errors, items[0].prompt_tokens], [2, 1, 10]);
    assert.ok(items[0].first_token_ms.p50 > 0);
  });

  test("rejects invalid queries", async () => {
    const asked = (query) => server.api("GET", `/api/v1/usage?${query}`);
    expectViolations(await asked("group_by=week"), ["value_error", "query", "group_by"]);
    expectViolations(await asked("group_by=day,day"), ["value_error", "query", "group_by"]);
    expectViolations(await asked("from=2026-02-01&to=2026-01-01"), ["value_error", "query", "from"]);
    expectViolations(await asked("from=yesterday"), ["datetime_from_date_parsing", "query", "from"]);
    expectViolations(await asked("limit=0"), ["greater_than_equal", "query", "limit"]);
    expectError(await asked("project=nonsense"), 404, "not_found");
    expectError(await server.api("GET", "/api/v1/usage", { key: null }), 401, "unauthenticated");
  });

  test("of a period without requests is empty", async () => {
    await ask(`${team}/lab`);
    await counted(1);
    const { items } = await usage({ model, from: "2020-01-01", to: "2020-02-01", group_by: "day" });
    assert.deepEqual(items, []);
  });
});

describe("visibility of usage", () => {
  test("is limited to users, teams and admins that it concerns", async () => {
    const lead = await makeUser(server, "lead");
    const home = (await makeTeam(server, { admin: lead.username })).name;
    const one = await makeMember(server, home, "MEMBER");
    const two = await makeMember(server, home, "MEMBER");
    const viewer = await makeMember(server, home, "VIEWER");
    const outsider = await makeUser(server);
    const hidden = { team: home, name: "hidden", visibility: "RESTRICTED" };
    assert.equal((await server.api("POST", "/api/v1/projects", { body: hidden, key: lead.key })).status, 201);
    await ask(`${home}/lab`, { key: one.key });
    await ask(`${home}/lab`, { key: two.key });
    await ask(`${home}/hidden`, { key: lead.key });
    await counted(3);
    const seen = async (key) => (await usage({ model, group_by: "project" }, key)).items.map(({ project, requests }) => [project, requests]).sort();
    const all = [[`${home}/hidden`, 1], [`${home}/lab`, 2]];
    assert.deepEqual(await seen(server.adminKey), all);
    assert.deepEqual(await seen(lead.key), all);
    for (const { key } of [one, two, viewer]) assert.deepEqual(await seen(key), [[`${home}/lab`, 2]]);
    assert.deepEqual(await seen(outsider.key), []);
    const foreign = `/api/v1/usage?project=${home}/lab`;
    const missing = `/api/v1/usage?project=no-such/lab`;
    const visibleParts = ({ status, json }) => ({ status, json });
    const answer = await server.api("GET", foreign, { key: outsider.key });
    expectError(answer, 404, "not_found");
    assert.deepEqual(visibleParts(answer), visibleParts(await server.api("GET", missing, { key: outsider.key })));
  });

  test("includes the user who sent the requests", async () => {
    const guest = await makeMember(server, team, "MEMBER");
    await ask(`${team}/lab`, { key: guest.key });
    await counted(1);
    assert.equal((await server.api("DELETE", `/api/v1/teams/${team}/members/${guest.username}`)).status, 204);
    const { items } = await usage({ model, group_by: "user" }, guest.key);
    assert.deepEqual(items.map(({ user, requests }) => [user, requests]), [[guest.username, 1]]);
  });

  test("does not change when the project is deleted", async () => {
    await ask(`${team}/gone`);
    await counted(1);
    assert.equal((await server.api("DELETE", `/api/v1/projects/${team}/gone`)).status, 204);
    const { items } = await usage({ model, group_by: "project" });
    assert.equal(items.length, 1);
    assert.match(items[0].project, /^prj_/);
    assert.equal((await usage({ model }, member.key)).items[0].requests, 1);
  });
});

test("usage survives a restart and a kill of the server", async () => {
  const lasting = await startServer();
  let again;
  try {
    const of = await addModel(lasting, [upstream.url]);
    assert.equal((await chat(lasting, of, {}, { headers: { "Compat-Project": "acme/lab" } })).status, 200);
    const rows = async (from) => (await from.api("GET", `/api/v1/usage?model=${of}`)).json.items;
    await eventually(() => rows(lasting), ([row]) => row.requests === 1, "it is not counted");
    await lasting.kill();
    again = await startServer({ dataDir: lasting.dataDir });
    assert.equal((await rows(again))[0].requests, 1);
  } finally {
    await again?.dispose();
    await lasting.dispose();
  }
});
