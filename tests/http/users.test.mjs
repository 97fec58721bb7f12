// /api/v1/users/{username}: reading, changing, suspending and deleting users. access.test.mjs checks who may.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { Project, uuid7 } from "./support/calls.mjs";
import { expectError, expectMembers, expectViolations } from "./support/expect.mjs";
import { addMember, freshName, makeKey, makeMember, makeServiceAccount, makeTeam, makeUser } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const path = (username) => `/api/v1/users/${username}`;
const change = (username, body, options = {}) => server.api("PATCH", path(username), { body, ...options });
const remove = (username, options) => server.api("DELETE", path(username), options);

describe("a user", () => {
  test("is shown by name, whatever its case", async () => {
    const user = await makeUser(server);
    const answer = await server.api("GET", path(user.username.toUpperCase()));
    assert.equal(answer.status, 200, answer.text);
    expectMembers(answer.json, [
      "id", "username", "email", "name", "kind", "organization_admin", "suspended", "created_at",
    ]);
    assert.equal(answer.json.id, user.id);
    assert.equal(answer.json.suspended, false);
    assert.match(answer.headers.etag, /^"\d+"$/);
  });

  test("is changed", async () => {
    const { username } = await makeUser(server);
    const email = `${freshName("new")}@example.test`;
    const answer = await change(username, { name: "Ada", email, organization_admin: true });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.name, "Ada");
    assert.equal(answer.json.email, email);
    assert.equal(answer.json.organization_admin, true);
    assert.equal((await change(username, { email: null, organization_admin: false })).json.email, null);
    assert.equal((await change(username, {})).json.name, "Ada");
  });

  test("has a version", async () => {
    const { username } = await makeUser(server);
    const { etag } = (await server.api("GET", path(username))).headers;
    const headers = { "If-Match": etag };
    assert.equal((await change(username, { name: "A" }, { headers })).status, 200);
    expectError(await change(username, { name: "B" }, { headers }), 412, "precondition_failed");
    expectError(await remove(username, { headers }), 412, "precondition_failed");
  });

  test("is not changed by invalid input", async () => {
    const { username } = await makeUser(server);
    const other = await makeUser(server);
    expectViolations(await change(username, { nmae: "x" }), ["extra_forbidden", "body", "nmae"]);
    expectViolations(await change(username, { suspended: "maybe" }), ["bool_parsing", "body", "suspended"]);
    for (const body of [{ email: "x" }, { name: "x".repeat(129) }, { name: null }, { email: 1 }]) {
      assert.equal((await change(username, body)).status, 422, JSON.stringify(body));
    }
    expectError(await change(username, { email: other.email.toUpperCase() }), 409, "email_taken");
    expectError(await change("no-such-user", { name: "x" }), 404, "not_found");
  });
});

describe("suspending", () => {
  test("refuses the keys at the next request, and resuming accepts them", async () => {
    const { name: team } = await makeTeam(server);
    const user = await makeMember(server, team, "MEMBER");
    const { key: second } = await makeKey(server, user.username);
    const statuses = async () => {
      const all = [];
      for (const key of [user.key, second]) {
        all.push((await server.api("GET", "/api/v1/me", { key })).status);
        const project_id = `${team}/traces`;
        const stats = await server.api("POST", "/calls/query_stats", { key, body: { project_id } });
        all.push(stats.status);
        all.push((await server.api("GET", "/v1/models", { key })).status);
      }
      return [...new Set(all)];
    };
    assert.deepEqual(await statuses(), [200]);
    assert.equal((await change(user.username, { suspended: true })).json.suspended, true);
    assert.deepEqual(await statuses(), [401]);
    assert.equal((await change(user.username, { suspended: false })).json.suspended, false);
    assert.deepEqual(await statuses(), [200]);
  });

  test("applies to service accounts too", async () => {
    const { name: team } = await makeTeam(server);
    const { account, api_key } = await makeServiceAccount(server, team);
    await change(account.username, { suspended: true });
    assert.equal((await server.api("GET", "/api/v1/me", { key: api_key })).status, 401);
    expectError(await change(account.username, { organization_admin: true }), 409, "service_account");
    expectError(await change(account.username, { email: "a@example.test" }), 409, "service_account");
  });
});

describe("deleting", () => {
  test("removes keys and memberships and keeps what the user recorded", async () => {
    const { name: team } = await makeTeam(server);
    const user = await makeMember(server, team, "MEMBER");
    const project = new Project(server, `${team}/traces`);
    const id = uuid7();
    const start = {
      project_id: project.id, id, trace_id: uuid7(), op_name: "op", started_at: "2026-01-01T00:00:00Z",
      attributes: {}, inputs: {},
    };
    await project.ok("/call/start", { start }, { key: user.key });
    assert.equal((await remove(user.username)).status, 204);
    assert.equal((await server.api("GET", "/api/v1/me", { key: user.key })).status, 401);
    expectError(await server.api("GET", path(user.username)), 404, "not_found");
    const members = (await server.api("GET", `/api/v1/teams/${team}/members`)).json.items;
    assert.ok(members.every(({ user: member }) => member.username !== user.username));
    assert.equal((await project.read(id)).id, id);
    expectError(await remove(user.username), 404, "not_found");
  });
});

describe("the last organization admin", () => {
  test("cannot be suspended, demoted or deleted, nor do it to itself", async () => {
    const { username, key } = await makeUser(server, "second");
    await change(username, { organization_admin: true });
    for (const body of [{ suspended: true }, { organization_admin: false }]) {
      expectError(await change(username, body, { key }), 409, "own_account");
    }
    expectError(await remove(username, { key }), 409, "own_account");
    assert.equal((await change("admin", { suspended: true }, { key })).status, 200);
    const third = await makeUserAs(key);
    await addMemberlessAdmin(third, key);
    assert.equal((await change(username, { organization_admin: false }, { key: third.key })).status, 200);
    const self = { key: third.key };
    expectError(await change(third.username, { suspended: true }, self), 409, "own_account");
    assert.equal((await change("admin", { suspended: false }, self)).status, 200);
    assert.equal((await server.api("GET", "/api/v1/me")).status, 200);
    assert.equal((await remove(third.username)).status, 204);
    expectError(await remove("admin"), 409, "own_account");
  });

  async function makeUserAs(key) {
    const username = freshName("third");
    const body = { username, email: `${username}@example.test` };
    assert.equal((await server.api("POST", "/api/v1/users", { key, body })).status, 201);
    const made = await server.api("POST", `/api/v1/api-keys?owner=${username}`, { key, body: { name: "k" } });
    return { username, key: made.json.key };
  }

  const addMemberlessAdmin = async ({ username }, key) =>
    assert.equal((await change(username, { organization_admin: true }, { key })).status, 200);
});

describe("access", () => {
  test("is 404 for everybody but organization admins", async () => {
    const { name: team } = await makeTeam(server);
    const user = await makeUser(server);
    await addMember(server, team, user.username, "MEMBER");
    const admin = await makeMember(server, team, "ADMIN");
    for (const key of [admin.key, user.key]) {
      expectError(await server.api("GET", path(user.username), { key }), 404, "not_found");
      expectError(await change(user.username, { name: "x" }, { key }), 404, "not_found");
      expectError(await remove(user.username, { key }), 404, "not_found");
    }
  });
});
