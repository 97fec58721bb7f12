// Limits of projects and keys: who sets and reads them. gateway.test.mjs tests their enforcement.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { expectError, expectId, expectTimestamp, expectViolations } from "./support/expect.mjs";
import { makeLimit, serviceAccountKey } from "./support/inference.mjs";
import { freshName, listAll, makeKey, makeMember, makeTeam, makeUser } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const post = (body, options = {}) => server.api("POST", "/api/v1/limits", { body, ...options });
const ids = async (query, key) => (await listAll(server, `/api/v1/limits${query}`, { key })).map(({ id }) => id);

async function makeProject(team) {
  const body = { team, name: freshName("lab") };
  const answer = await server.api("POST", "/api/v1/projects", { body });
  assert.equal(answer.status, 201, answer.text);
  return `${team}/${body.name}`;
}

describe("a limit", () => {
  test("of a project is stored as created", async () => {
    const project = await makeProject((await makeTeam(server)).name);
    const answer = await post({ project, concurrency: 4, requests_per_minute: 60, tokens_per_minute: 9000, budget_usd: 12.5, period: "day" });
    assert.equal(answer.status, 201, answer.text);
    const { id, created_at, updated_at, since, ...rest } = answer.json;
    expectId(id, "lim");
    expectTimestamp(created_at);
    expectTimestamp(updated_at);
    assert.match(since, /T00:00:00Z$/);
    assert.deepEqual(rest, {
      project,
      key: null,
      key_name: null,
      owner: null,
      concurrency: 4,
      requests_per_minute: 60,
      tokens_per_minute: 9000,
      budget_usd: 12.5,
      period: "day",
      spent_usd: 0,
    });
    assert.deepEqual((await server.api("GET", `/api/v1/limits/${id}`)).json, answer.json);
    expectError(await post({ project, concurrency: 1 }), 409, "limit_exists");
  });

  test("of a key refers to it by its public id", async () => {
    const user = await makeUser(server);
    const { key_id, name } = await makeKey(server, user.username);
    const answer = await post({ key: key_id, requests_per_minute: 10 });
    assert.equal(answer.status, 201, answer.text);
    const { project, key, key_name, owner, budget_usd, spent_usd, since, period } = answer.json;
    assert.deepEqual({ project, key, key_name, owner }, { project: null, key: key_id, key_name: name, owner: user.username });
    assert.deepEqual({ budget_usd, spent_usd, since, period }, { budget_usd: null, spent_usd: null, since: null, period: "month" });
  });

  test("needs a project or a key", async () => {
    expectViolations(await post({ concurrency: 1 }), ["value_error", "body"]);
    const both = { project: "a/b", key: "spk_x", concurrency: 1 };
    expectViolations(await post(both), ["value_error", "body"]);
    expectError(await post({ project: "no-such/lab" }), 404, "not_found");
    expectError(await post({ project: "nonsense" }), 404, "not_found");
    expectError(await post({ key: "spk_none" }), 404, "not_found");
  });

  test("needs valid numbers", async () => {
    const project = await makeProject((await makeTeam(server)).name);
    expectViolations(
      await post({ project, concurrency: 0, requests_per_minute: -1, tokens_per_minute: "x", budget_usd: -0.5, period: "week", more: 1 }),
      ["greater_than_equal", "body", "concurrency"],
      ["greater_than_equal", "body", "requests_per_minute"],
      ["int_parsing", "body", "tokens_per_minute"],
      ["greater_than_equal", "body", "budget_usd"],
      ["enum", "body", "period"],
      ["extra_forbidden", "body", "more"],
    );
  });

  test("is changed in the given members, with If-Match", async () => {
    const team = (await makeTeam(server)).name;
    const { id } = await makeLimit(server, team, { concurrency: 4, budget_usd: 1 });
    const path = `/api/v1/limits/${id}`;
    const changed = await server.api("PATCH", path, { body: { concurrency: null, period: "total" }, headers: { "If-Match": '"1"' } });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(
      [changed.json.concurrency, changed.json.budget_usd, changed.json.period, changed.json.since],
      [null, 1, "total", null],
    );
    assert.equal(changed.headers.etag, '"2"');
    expectError(await server.api("PATCH", path, { body: {}, headers: { "If-Match": '"1"' } }), 412, "precondition_failed");
    expectViolations(await server.api("PATCH", path, { body: { project: "a/b" } }), ["extra_forbidden", "body", "project"]);
    assert.equal((await server.api("DELETE", path)).status, 204);
    expectError(await server.api("DELETE", path), 404, "not_found");
  });

  test("is deleted with its project", async () => {
    const team = (await makeTeam(server)).name;
    const project = await makeProject(team);
    const { id } = (await post({ project, concurrency: 1 })).json;
    assert.equal((await server.api("DELETE", `/api/v1/projects/${project}`)).status, 204);
    expectError(await server.api("GET", `/api/v1/limits/${id}`), 404, "not_found");
  });
});

describe("limits", () => {
  test("are listed for the users they concern", async () => {
    const admin = await makeUser(server, "admin");
    const team = (await makeTeam(server, { admin: admin.username })).name;
    const member = await makeMember(server, team, "MEMBER");
    const outsider = await makeUser(server);
    const ofProject = await makeLimit(server, team);
    const ofServiceAccount = (await post({ key: await serviceAccountKey(server, team), concurrency: 1 })).json;
    const ofMember = (await post({ key: (await makeKey(server, member.username)).key_id, concurrency: 1 })).json;
    assert.deepEqual(await ids("", admin.key), [ofServiceAccount.id, ofProject.id]);
    assert.deepEqual((await ids("", member.key)).sort(), [ofMember.id, ofProject.id].sort());
    assert.deepEqual(await ids("", outsider.key), []);
    assert.deepEqual(await ids(`?project=${ofProject.project}`), [ofProject.id]);
    assert.deepEqual(await ids(`?key=${ofServiceAccount.key}`), [ofServiceAccount.id]);
    assert.deepEqual(await ids(`?key=${ofServiceAccount.key}`, outsider.key), []);
    const hidden = await server.api("GET", `/api/v1/limits?project=${ofProject.project}`, { key: outsider.key });
    expectError(hidden, 404, "not_found");
  });

  test("are set by admins of the team; only deployment admins limit a user's key", async () => {
    const admin = await makeUser(server, "admin");
    const team = (await makeTeam(server, { admin: admin.username })).name;
    const member = await makeMember(server, team, "MEMBER");
    const project = await makeProject(team);
    expectError(await post({ project, concurrency: 1 }, { key: member.key }), 403, "forbidden");
    assert.equal((await post({ project, concurrency: 1 }, { key: admin.key })).status, 201);
    const serviceAccount = await serviceAccountKey(server, team);
    expectError(await post({ key: serviceAccount, concurrency: 1 }, { key: member.key }), 404, "not_found");
    assert.equal((await post({ key: serviceAccount, concurrency: 1 }, { key: admin.key })).status, 201);
    const { key_id } = await makeKey(server, member.username);
    expectError(await post({ key: key_id, concurrency: 1 }, { key: admin.key }), 404, "not_found");
    expectError(await post({ key: key_id, concurrency: 1 }, { key: member.key }), 403, "forbidden");
    const made = await post({ key: key_id, concurrency: 1 });
    assert.equal(made.status, 201);
    const path = `/api/v1/limits/${made.json.id}`;
    assert.equal((await server.api("GET", path, { key: member.key })).status, 200);
    expectError(await server.api("DELETE", path, { key: member.key }), 403, "forbidden");
    expectError(await server.api("GET", path, { key: admin.key }), 404, "not_found");
  });
});
