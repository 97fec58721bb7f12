// Service accounts and API keys of /api/v1, endpoint by endpoint.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import {
  expectError,
  expectId,
  expectMembers,
  expectTimestamp,
  expectUnauthenticated,
  expectViolations,
} from "./support/expect.mjs";
import {
  freshName,
  listAll,
  makeKey,
  makeServiceAccount,
  makeTeam,
  makeUser,
} from "./support/people.mjs";
import { startServer, withServer } from "./support/server.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

/** Sends one request with the key of a user, by default the admin's. */
function get(path, key) {
  return server.api("GET", path, { key });
}
function post(path, body, key) {
  return server.api("POST", path, { body, key });
}

describe("service accounts", () => {
  test("are created with a key that is returned once", async () => {
    const team = await makeTeam(server);
    const description = freshName("Nightly job");
    const path = `/api/v1/teams/${team.name}/service-accounts`;
    const answer = await post(path, { description });
    assert.equal(answer.status, 201);
    expectMembers(answer.json, ["account", "api_key"]);
    const { account, api_key: key } = answer.json;
    expectMembers(account, ["id", "username", "description", "scope", "team", "created_at"]);
    assert.equal(account.description, description);
    assert.equal(account.scope, "team");
    assert.equal(account.team, team.name);

    const me = await get("/api/v1/me", key);
    assert.equal(me.json.id, account.id);
    assert.deepEqual(me.json.memberships, [{ team: team.name, role: "MEMBER", pending: false }]);
    const keys = await get(`/api/v1/api-keys?owner=${account.username}`);
    assert.equal(keys.json.items.length, 1);
    assert.ok(!keys.text.includes(key));
  });

  test("have a unique description within a team", async () => {
    const teams = [await makeTeam(server), await makeTeam(server)];
    const body = { description: "same" };
    for (const { name } of teams) {
      const path = `/api/v1/teams/${name}/service-accounts`;
      assert.equal((await post(path, body)).status, 201);
      expectError(await post(path, body), 409, "service_account_taken");
    }
  });

  test("of the organization are members of every team", async () => {
    const team = await makeTeam(server);
    const other = await makeTeam(server);
    const body = { description: freshName("robot"), scope: "organization" };
    const answer = await post(`/api/v1/teams/${team.name}/service-accounts`, body);
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.json.account.scope, "organization");
    const { api_key: key } = answer.json;
    assert.equal((await get(`/api/v1/teams/${other.name}`, key)).status, 200);
    const patch = { key, body: {} };
    expectError(await server.api("PATCH", `/api/v1/teams/${other.name}`, patch), 403, "forbidden");
    expectError(await get("/api/v1/users", key), 403, "forbidden");
  });

  test("of the organization cannot be created by a team admin", async () => {
    const admin = await makeUser(server);
    const team = await makeTeam(server, { admin: admin.username });
    const body = { description: freshName("robot"), scope: "organization" };
    const path = `/api/v1/teams/${team.name}/service-accounts`;
    expectError(await post(path, body, admin.key), 403, "forbidden");
  });

  test("are never viewers", async () => {
    const team = await makeTeam(server);
    const { account } = await makeServiceAccount(server, team.name);
    const path = `/api/v1/teams/${team.name}/members/${account.username}`;
    const answer = await server.api("PUT", path, { body: { role: "VIEWER" } });
    assert.ok([409, 422].includes(answer.status), answer.text);
  });

  test("are rejected with their violations", async () => {
    const { name } = await makeTeam(server);
    const path = `/api/v1/teams/${name}/service-accounts`;
    const cases = [
      [{}, ["missing", "body", "description"]],
      [{ description: "" }, ["string_too_short", "body", "description"]],
      [{ description: "x".repeat(129) }, ["string_too_long", "body", "description"]],
      [{ description: "x", role: "ADMIN" }, ["extra_forbidden", "body", "role"]],
    ];
    for (const [body, violation] of cases) expectViolations(await post(path, body), violation);
    const scope = await post(path, { description: "x", scope: "world" });
    assert.equal(scope.status, 422);
    assert.deepEqual(scope.json.detail[0].loc, ["body", "scope"]);
  });
});

describe("API keys", () => {
  test("are returned once and listed without their text", async () => {
    const user = await makeUser(server);
    const expiresAt = "2099-12-31T23:59:59Z";
    const body = { name: "laptop", expires_at: expiresAt };
    const answer = await post("/api/v1/api-keys", body, user.key);
    assert.equal(answer.status, 201);
    expectMembers(answer.json, ["id", "key_id", "name", "owner", "key", "created_at", "expires_at"]);
    expectId(answer.json.id, "key");
    assert.equal(answer.json.owner, user.username);
    assert.ok(answer.json.key.startsWith(answer.json.key_id));
    assert.ok(answer.json.key.length >= answer.json.key_id.length + 32);
    assert.equal(Date.parse(answer.json.expires_at), Date.parse(expiresAt));

    const list = await get("/api/v1/api-keys", user.key);
    assert.ok(!list.text.includes(answer.json.key));
    const { key, ...known } = answer.json;
    assert.deepEqual(list.json.items[0], { ...known, last_used_at: null });
    assert.equal(list.json.items.length, 2);
  });

  test("store their last use, at the latest when the server stops", async () => {
    await withServer({}, async (first) => {
      const user = await makeUser(first);
      await first.api("GET", "/api/v1/me", { key: user.key });
      await first.stop();
      const second = await startServer({ dataDir: first.dataDir });
      try {
        const [key] = await listAll(second, "/api/v1/api-keys", { key: user.key });
        expectTimestamp(key.last_used_at);
        assert.ok(key.last_used_at >= key.created_at);
      } finally {
        await second.dispose();
      }
    });
  });

  test("have unique names per owner", async () => {
    const user = await makeUser(server);
    const name = freshName("key");
    await makeKey(server, user.username, { name });
    expectError(await post("/api/v1/api-keys", { name }, user.key), 409, "key_name_taken");
    const other = await makeUser(server);
    assert.equal((await post("/api/v1/api-keys", { name }, other.key)).status, 201);
  });

  test("are rejected with their violations", async () => {
    const cases = [
      [{}, ["missing", "body", "name"]],
      [{ name: "" }, ["string_too_short", "body", "name"]],
      [{ name: "x".repeat(129) }, ["string_too_long", "body", "name"]],
      [{ name: "x", key: "mine" }, ["extra_forbidden", "body", "key"]],
      [
        { name: "x", expires_at: "tomorrow" },
        ["datetime_from_date_parsing", "body", "expires_at"],
      ],
      [{ name: "x", expires_at: true }, ["datetime_type", "body", "expires_at"]],
    ];
    for (const [body, violation] of cases) {
      expectViolations(await post("/api/v1/api-keys", body), violation);
    }
  });

  test("can be revoked once", async () => {
    const user = await makeUser(server);
    const { id, key } = await makeKey(server, user.username);
    const path = `/api/v1/api-keys/${id}`;
    const answer = await server.api("DELETE", path, { key: user.key });
    assert.equal(answer.status, 204);
    assert.equal(answer.text, "");
    expectUnauthenticated(await get("/api/v1/me", key));
    expectError(await server.api("DELETE", path, { key: user.key }), 404, "not_found");
    const listed = await listAll(server, "/api/v1/api-keys", { key: user.key });
    assert.ok(listed.every((item) => item.id !== id));
  });

  test("of a service account are managed by the admins of its team", async () => {
    const admin = await makeUser(server);
    const team = await makeTeam(server, { admin: admin.username });
    const { account, api_key: first } = await makeServiceAccount(server, team.name, { key: admin.key });
    const path = `/api/v1/api-keys?owner=${account.username}`;
    const made = await post(path, { name: "second" }, admin.key);
    assert.equal(made.status, 201);
    assert.equal(made.json.owner, account.username);
    assert.equal((await get("/api/v1/me", made.json.key)).json.id, account.id);
    const { items } = (await get(path, admin.key)).json;
    assert.equal(items.length, 2);
    for (const { id } of items) {
      const answer = await server.api("DELETE", `/api/v1/api-keys/${id}`, { key: admin.key });
      assert.equal(answer.status, 204);
    }
    expectUnauthenticated(await get("/api/v1/me", first));
  });

  test("of an unknown owner are 404", async () => {
    expectError(await get("/api/v1/api-keys?owner=no-such-user"), 404, "not_found");
    const answer = await post("/api/v1/api-keys?owner=no-such-user", { name: "x" });
    expectError(answer, 404, "not_found");
  });
});
