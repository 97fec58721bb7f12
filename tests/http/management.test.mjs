// Users, teams and members of /api/v1, endpoint by endpoint. See keys.test.mjs for service accounts and API keys,
// access.test.mjs for access control, conventions.test.mjs for the common behaviour of all endpoints.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import {
  expectError,
  expectId,
  expectMembers,
  expectTimestamp,
  expectViolations,
} from "./support/expect.mjs";
import {
  addMember,
  freshName,
  listAll,
  makeMember,
  makeTeam,
  makeUser,
} from "./support/people.mjs";
import { startServer } from "./support/server.mjs";

const USER_MEMBERS = ["id", "username", "email", "name", "kind", "organization_admin", "suspended", "created_at"];
const TEAM_MEMBERS = [
  "id",
  "name",
  "default_artifact_ttl_days",
  "ttl_permission",
  "created_at",
  "updated_at",
];

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

describe("GET /me", () => {
  test("returns the bootstrap admin", async () => {
    const answer = await get("/api/v1/me");
    assert.equal(answer.status, 200);
    expectMembers(answer.json, [...USER_MEMBERS, "memberships", "default_team"]);
    expectId(answer.json.id, "usr");
    assert.equal(answer.json.kind, "user");
    assert.equal(answer.json.organization_admin, true);
  });

  test("returns a user without a team", async () => {
    const user = await makeUser(server);
    const answer = await get("/api/v1/me", user.key);
    assert.equal(answer.json.username, user.username);
    assert.deepEqual(answer.json.memberships, []);
    assert.equal(answer.json.default_team, null);
  });

  test("returns every team with the user's role, and one of them as default", async () => {
    const user = await makeUser(server);
    const roles = new Map();
    for (const role of ["ADMIN", "MEMBER", "VIEWER"]) {
      const { name } = await makeTeam(server);
      await addMember(server, name, user.username, role);
      roles.set(name, role);
    }
    const { memberships, default_team: defaultTeam } = (await get("/api/v1/me", user.key)).json;
    assert.deepEqual(new Map(memberships.map(({ team, role }) => [team, role])), roles);
    assert.ok(memberships.every((membership) => membership.pending === false));
    assert.ok(roles.has(defaultTeam));
  });

  test("has a default team that no admin of another team chooses", async () => {
    const stranger = await makeUser(server);
    const { name: theirs } = await makeTeam(server, { admin: stranger.username });
    const user = await makeUser(server);
    const path = `/api/v1/teams/${theirs}/members/${user.username}`;
    const added = await server.api("PUT", path, { key: stranger.key, body: { role: "MEMBER" } });
    assert.equal(added.status, 201, added.text);
    const { name: ours } = await makeTeam(server);
    await addMember(server, ours, user.username, "MEMBER");
    assert.equal((await get("/api/v1/me", user.key)).json.default_team, ours);
  });
});

describe("users", () => {
  test("are created with the given members", async () => {
    const username = freshName("Ada.L_");
    const body = { username, email: `${username}@Example.test`, name: "Ada Lovelace ✓" };
    const answer = await post("/api/v1/users", body);
    assert.equal(answer.status, 201);
    expectMembers(answer.json, USER_MEMBERS);
    expectId(answer.json.id, "usr");
    expectTimestamp(answer.json.created_at);
    const { username: u, email, name } = answer.json;
    assert.deepEqual({ username: u, email, name }, body);
    assert.equal(answer.json.kind, "user");
    assert.equal(answer.json.organization_admin, false);
  });

  test("need no full name", async () => {
    const username = freshName("user");
    const email = `${username}@example.test`;
    assert.equal((await post("/api/v1/users", { username, email })).json.name, null);
    const other = freshName("user");
    const explicit = { username: other, email: `${other}@example.test`, name: null };
    assert.equal((await post("/api/v1/users", explicit)).json.name, null);
  });

  test("have a unique name and email, ignoring case", async () => {
    const user = await makeUser(server);
    for (const username of [user.username, user.username.toUpperCase()]) {
      const body = { username, email: `${freshName("x")}@example.test` };
      expectError(await post("/api/v1/users", body), 409, "username_taken");
    }
    for (const email of [user.email, user.email.toUpperCase()]) {
      const body = { username: freshName("x"), email };
      expectError(await post("/api/v1/users", body), 409, "email_taken");
    }
  });

  test("are rejected with all violations at once", async () => {
    const wrong = { username: "", email: 7, nick: "x" };
    expectViolations(
      await post("/api/v1/users", wrong),
      ["string_too_short", "body", "username"],
      ["string_type", "body", "email"],
      ["extra_forbidden", "body", "nick"],
    );
    expectViolations(
      await post("/api/v1/users", {}),
      ["missing", "body", "username"],
      ["missing", "body", "email"],
    );
  });

  test("must have a name that is valid in a path and an email with an @", async () => {
    const email = "x@example.test";
    const cases = [
      [{ username: "-x", email }, ["string_pattern_mismatch", "body", "username"]],
      [{ username: "a b", email }, ["string_pattern_mismatch", "body", "username"]],
      [{ username: "a/b", email }, ["string_pattern_mismatch", "body", "username"]],
      [{ username: "ä", email }, ["string_pattern_mismatch", "body", "username"]],
      [{ username: "a\n", email }, ["string_pattern_mismatch", "body", "username"]],
      [{ username: "a".repeat(65), email }, ["string_too_long", "body", "username"]],
      [{ username: "fine", email: `${"x".repeat(250)}@x.test` }, ["string_too_long", "body", "email"]],
      [{ username: null, email }, ["string_type", "body", "username"]],
      [{ username: ["x"], email }, ["string_type", "body", "username"]],
    ];
    for (const [body, violation] of cases) {
      expectViolations(await post("/api/v1/users", body), violation);
    }
    const noAt = await post("/api/v1/users", { username: "fine", email: "nobody" });
    assert.equal(noAt.status, 422);
    assert.deepEqual(noAt.json.detail.map(({ loc }) => loc), [["body", "email"]]);
    const longest = { username: freshName("u").padEnd(64, "x"), email: `${freshName("l")}@x.test` };
    assert.equal((await post("/api/v1/users", longest)).status, 201);
  });

  test("are listed for the organization admin, and found by part of their name", async () => {
    const user = await makeUser(server, "needle");
    const found = await get(`/api/v1/users?query=${user.username.toUpperCase()}`);
    assert.equal(found.status, 200);
    expectMembers(found.json, ["items", "next_cursor"]);
    const { key, ...record } = user;
    assert.deepEqual(found.json.items, [record]);
    const nobody = await get("/api/v1/users?query=no-such-user");
    assert.deepEqual(nobody.json, { items: [], next_cursor: null });
  });

  test("are found by literal text, not by a pattern", async () => {
    await makeUser(server);
    for (const query of ["%25", "_____", "*", "'", "%5C"]) {
      const answer = await get(`/api/v1/users?query=${query}`);
      assert.equal(answer.status, 200, query);
      assert.deepEqual(answer.json.items, [], query);
    }
  });

  test("are neither listed nor created by others", async () => {
    const user = await makeUser(server);
    expectError(await get("/api/v1/users", user.key), 403, "forbidden");
    const body = { username: freshName("x"), email: "y@example.test" };
    expectError(await post("/api/v1/users", body, user.key), 403, "forbidden");
  });
});

describe("teams", () => {
  test("are created with the caller as admin", async () => {
    const name = freshName("team");
    const answer = await post("/api/v1/teams", { name });
    assert.equal(answer.status, 201);
    expectMembers(answer.json, TEAM_MEMBERS);
    expectTimestamp(answer.json.created_at);
    assert.equal(answer.json.name, name);
    assert.equal(answer.json.default_artifact_ttl_days, null);
    assert.equal(answer.json.updated_at, answer.json.created_at);
    const [member, ...others] = await listAll(server, `/api/v1/teams/${name}/members`);
    assert.deepEqual(others, []);
    assert.equal(member.role, "ADMIN");
    assert.equal(member.user.id, (await get("/api/v1/me")).json.id);
  });

  test("are created with a named admin instead", async () => {
    const user = await makeUser(server);
    const team = await makeTeam(server, { admin: user.username });
    const members = await listAll(server, `/api/v1/teams/${team.name}/members`);
    assert.deepEqual(members.map(({ user: { username }, role }) => [username, role]), [
      [user.username, "ADMIN"],
    ]);
  });

  test("with an unknown admin are not created", async () => {
    const name = freshName("team");
    const answer = await post("/api/v1/teams", { name, admin_username: "no-such-user" });
    assert.ok([404, 422].includes(answer.status), answer.text);
    expectError(await get(`/api/v1/teams/${name}`), 404, "not_found");
  });

  test("have a unique name", async () => {
    const { name } = await makeTeam(server);
    expectError(await post("/api/v1/teams", { name }), 409, "team_name_taken");
  });

  test("must have a lower-case name that is valid in a path", async () => {
    for (const name of ["Team", "-x", "_x", "a.b", "a b", "é", "x/y", "x\n"]) {
      const answer = await post("/api/v1/teams", { name });
      expectViolations(answer, ["string_pattern_mismatch", "body", "name"]);
    }
    expectViolations(await post("/api/v1/teams", { name: "" }), ["string_too_short", "body", "name"]);
    const long = { name: "x".repeat(65) };
    expectViolations(await post("/api/v1/teams", long), ["string_too_long", "body", "name"]);
    expectViolations(await post("/api/v1/teams", {}), ["missing", "body", "name"]);
  });

  test("are listed: a user's own, and all for the organization admin", async () => {
    const user = await makeUser(server);
    const mine = [await makeTeam(server), await makeTeam(server, { admin: user.username })];
    await addMember(server, mine[0].name, user.username, "VIEWER");
    const other = await makeTeam(server);
    const listed = await listAll(server, "/api/v1/teams", { key: user.key });
    assert.deepEqual(listed.map(({ name }) => name).sort(), mine.map(({ name }) => name).sort());
    const all = (await listAll(server, "/api/v1/teams")).map(({ name }) => name);
    for (const { name } of [...mine, other]) assert.ok(all.includes(name));
  });

  test("are read", async () => {
    const team = await makeTeam(server);
    const answer = await get(`/api/v1/teams/${team.name}`);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json, team);
    expectError(await get("/api/v1/teams/no-such-team"), 404, "not_found");
  });

  test("change the given members only", async () => {
    const team = await makeTeam(server);
    const path = `/api/v1/teams/${team.name}`;
    const patch = (body) => server.api("PATCH", path, { body });
    const first = await patch({ default_artifact_ttl_days: 30 });
    assert.equal(first.status, 200);
    assert.equal(first.json.default_artifact_ttl_days, 30);
    assert.equal(first.json.ttl_permission, team.ttl_permission);
    assert.ok(first.json.updated_at >= team.updated_at);
    assert.equal(first.json.created_at, team.created_at);
    for (const permission of ["admins_and_members", "admins"]) {
      const answer = await patch({ ttl_permission: permission });
      assert.equal(answer.json.ttl_permission, permission);
      assert.equal(answer.json.default_artifact_ttl_days, 30);
    }
    const cleared = await patch({ default_artifact_ttl_days: null });
    assert.equal(cleared.json.default_artifact_ttl_days, null);
    assert.deepEqual((await get(path)).json, cleared.json);
    assert.equal((await patch({})).status, 200);
  });

  test("reject invalid changes", async () => {
    const { name } = await makeTeam(server);
    const patch = (body) => server.api("PATCH", `/api/v1/teams/${name}`, { body });
    const days = ["body", "default_artifact_ttl_days"];
    expectViolations(await patch({ default_artifact_ttl_days: 0 }), ["greater_than", ...days]);
    expectViolations(await patch({ default_artifact_ttl_days: -1 }), ["greater_than", ...days]);
    expectViolations(await patch({ default_artifact_ttl_days: 1.5 }), ["int_from_float", ...days]);
    expectViolations(await patch({ default_artifact_ttl_days: "x" }), ["int_parsing", ...days]);
    expectViolations(await patch({ default_artifact_ttl_days: [] }), ["int_type", ...days]);
    expectViolations(await patch({ name: "new" }), ["extra_forbidden", "body", "name"]);
    const answer = await patch({ ttl_permission: "everyone" });
    assert.equal(answer.status, 422);
    assert.deepEqual(answer.json.detail[0].loc, ["body", "ttl_permission"]);
    assert.equal(answer.json.detail[0].msg, "Input should be 'admins' or 'admins_and_members'");
    assert.deepEqual(answer.json.detail[0].input, "everyone");
    const array = await patch([]);
    expectViolations(array, ["model_attributes_type", "body"]);
  });

  test("are deleted, and their name can be used again", async () => {
    const { name } = await makeTeam(server);
    const path = `/api/v1/teams/${name}`;
    const answer = await server.api("DELETE", path);
    assert.equal(answer.status, 204, answer.text);
    assert.equal(answer.text, "");
    expectError(await get(path), 404, "not_found");
    expectError(await server.api("DELETE", path), 404, "not_found");
    await makeTeam(server, { name });
  });

  test("are deleted with their memberships", async () => {
    const team = await makeTeam(server);
    const member = await makeMember(server, team.name, "MEMBER");
    assert.equal((await server.api("DELETE", `/api/v1/teams/${team.name}?force=true`)).status, 204);
    assert.deepEqual((await get("/api/v1/me", member.key)).json.memberships, []);
  });

  test("reject a `force` that is neither true nor false", async () => {
    const { name } = await makeTeam(server);
    const answer = await server.api("DELETE", `/api/v1/teams/${name}?force=perhaps`);
    expectViolations(answer, ["bool_parsing", "query", "force"]);
    assert.equal((await get(`/api/v1/teams/${name}`)).status, 200);
  });
});

describe("members", () => {
  test("are added, changed and removed", async () => {
    const team = await makeTeam(server);
    const user = await makeUser(server);
    const path = `/api/v1/teams/${team.name}/members/${user.username}`;
    const put = (role) => server.api("PUT", path, { body: { role } });

    const added = await put("MEMBER");
    assert.equal(added.status, 201);
    expectMembers(added.json, ["user", "role", "pending"]);
    expectMembers(added.json.user, USER_MEMBERS);
    assert.equal(added.json.user.id, user.id);
    assert.equal(added.json.role, "MEMBER");
    assert.equal(added.json.pending, false);

    assert.equal((await put("MEMBER")).status, 200);
    const changed = await put("VIEWER");
    assert.equal(changed.status, 200);
    assert.equal(changed.json.role, "VIEWER");
    const listed = await listAll(server, `/api/v1/teams/${team.name}/members`);
    assert.deepEqual(listed.find((member) => member.user.id === user.id), changed.json);

    assert.equal((await server.api("DELETE", path)).status, 204);
    expectError(await server.api("DELETE", path), 404, "not_found");
    expectError(await get(`/api/v1/teams/${team.name}`, user.key), 404, "not_found");
  });

  test("show their account to organization admins only", async () => {
    const lead = await makeUser(server);
    const { name } = await makeTeam(server, { admin: lead.username });
    const user = await makeUser(server);
    const path = `/api/v1/teams/${name}/members`;
    const hidden = { email: null, organization_admin: null, suspended: null };
    const shown = { email: user.email, organization_admin: false, suspended: false };
    const accountOf = ({ user: { email, organization_admin, suspended } }) => ({ email, organization_admin, suspended });
    const put = (key) => server.api("PUT", `${path}/${user.username}`, { key, body: { role: "MEMBER" } });
    const added = await put(lead.key);
    assert.equal(added.status, 201, added.text);
    assert.deepEqual(accountOf(added.json), hidden);
    assert.deepEqual(accountOf((await put()).json), shown);
    for (const [key, expected] of [[lead.key, hidden], [user.key, hidden], [undefined, shown]]) {
      const listed = await listAll(server, path, { key });
      assert.deepEqual(accountOf(listed.find((member) => member.user.id === user.id)), expected);
    }
  });

  test("lose and gain permissions at the next request", async () => {
    const team = await makeTeam(server);
    const user = await makeMember(server, team.name, "VIEWER");
    const path = `/api/v1/teams/${team.name}`;
    const patch = () => server.api("PATCH", path, { key: user.key, body: {} });
    expectError(await patch(), 403, "forbidden");
    await addMember(server, team.name, user.username, "ADMIN");
    assert.equal((await patch()).status, 200);
    await addMember(server, team.name, user.username, "MEMBER");
    expectError(await patch(), 403, "forbidden");
  });

  test("that do not exist are 404", async () => {
    const { name } = await makeTeam(server);
    const path = `/api/v1/teams/${name}/members/no-such-user`;
    expectError(await server.api("PUT", path, { body: { role: "MEMBER" } }), 404, "not_found");
    expectError(await server.api("DELETE", path), 404, "not_found");
  });

  test("have one of three roles", async () => {
    const { name } = await makeTeam(server);
    const user = await makeUser(server);
    const path = `/api/v1/teams/${name}/members/${user.username}`;
    for (const body of [{ role: "OWNER" }, { role: null }, { role: 1 }]) {
      const answer = await server.api("PUT", path, { body });
      assert.equal(answer.status, 422);
      assert.deepEqual(answer.json.detail.map(({ loc }) => loc), [["body", "role"]]);
    }
    expectViolations(await server.api("PUT", path, { body: {} }), ["missing", "body", "role"]);
    const extra = { role: "MEMBER", pending: true };
    expectViolations(await server.api("PUT", path, { body: extra }), [
      "extra_forbidden",
      "body",
      "pending",
    ]);
  });

  test("always include an admin", async () => {
    const admin = await makeUser(server);
    const { name } = await makeTeam(server, { admin: admin.username });
    const path = `/api/v1/teams/${name}/members/${admin.username}`;
    expectError(await server.api("DELETE", path), 409, "last_admin");
    const body = { role: "MEMBER" };
    expectError(await server.api("PUT", path, { body }), 409, "last_admin");
    assert.equal((await server.api("PUT", path, { body: { role: "ADMIN" } })).status, 200);

    await makeMember(server, name, "ADMIN");
    assert.equal((await server.api("PUT", path, { body })).status, 200);
    assert.equal((await server.api("DELETE", path)).status, 204);
  });

  test("cannot leave concurrently if they are the last two admins", async () => {
    for (let round = 0; round < 5; round += 1) {
      const admins = [await makeUser(server), await makeUser(server)];
      const { name } = await makeTeam(server, { admin: admins[0].username });
      await addMember(server, name, admins[1].username, "ADMIN");
      const answers = await Promise.all(
        admins.map(({ username }) => server.api("DELETE", `/api/v1/teams/${name}/members/${username}`)),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 409]);
      assert.equal((await listAll(server, `/api/v1/teams/${name}/members`)).length, 1);
    }
  });

  test("in a path are percent-decoded", async () => {
    const user = await makeUser(server, "dot.ted");
    const { name } = await makeTeam(server);
    const encoded = user.username.replace(".", "%2E").replace("d", "%64");
    const path = `/api/v1/teams/${name}/members/${encoded}`;
    const answer = await server.api("PUT", path, { body: { role: "VIEWER" } });
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.json.user.username, user.username);
  });
});
