// Invitations to a team by link: creating, listing, revoking, showing and accepting.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { expectError, expectMembers, expectTimestamp, expectViolations } from "./support/expect.mjs";
import { freshName, makeMember, makeServiceAccount, makeTeam, makeUser } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";

const OWN = { "Sec-Fetch-Site": "same-origin" };
const PASSWORD = "correct horse battery";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const path = (team, rest = "") => `/api/v1/teams/${team}/invitations${rest}`;
const invite = (team, body = { role: "MEMBER" }, options = {}) =>
  server.api("POST", path(team), { body, ...options });
const open = (route, body, options = {}) =>
  server.api("POST", `/api/v1/invitations/${route}`, { key: null, headers: OWN, body, ...options });
const show = (token) => open("show", { token });
const accept = (body, options) => open("accept", body, options);
const tokenOf = ({ link }) => new URL(link).hash.replace("#token=", "");

async function invited(fields = {}) {
  const { name: team } = await makeTeam(server);
  const answer = await invite(team, { role: "MEMBER", ...fields });
  assert.equal(answer.status, 201, answer.text);
  return { team, ...answer.json, token: tokenOf(answer.json) };
}

async function rolesIn(team) {
  const { items } = (await server.api("GET", `/api/v1/teams/${team}/members`)).json;
  return Object.fromEntries(items.map(({ user, role }) => [user.username, role]));
}

describe("creating", () => {
  test("returns the link once", async () => {
    const { name: team } = await makeTeam(server);
    const answer = await invite(team, { role: "VIEWER", email: "ada@example.test", expires_in_days: 2, uses: 3 });
    assert.equal(answer.status, 201, answer.text);
    const members = [
      "id", "team", "role", "email", "created_by", "uses", "used", "created_at", "expires_at",
    ];
    expectMembers(answer.json, [...members, "link"]);
    assert.ok(answer.json.link.startsWith(`${server.url}/console/invite#token=`));
    assert.ok(tokenOf(answer.json).length >= 43);
    const days = (new Date(answer.json.expires_at) - new Date(answer.json.created_at)) / 86_400_000;
    assert.ok(Math.abs(days - 2) < 0.01);
    const listed = await server.api("GET", path(team));
    expectMembers(listed.json.items[0], members);
    assert.ok(!listed.text.includes(tokenOf(answer.json)));
    assert.equal(listed.json.items[0].created_by, "admin");
  });

  test("refuses invalid input", async () => {
    const { name: team } = await makeTeam(server);
    expectViolations(await invite(team, {}), ["missing", "body", "role"]);
    const invalid = [
      { role: "BOSS" }, { role: "MEMBER", uses: 0 }, { role: "MEMBER", uses: 1001 }, { role: "MEMBER", x: 1 },
      { role: "MEMBER", expires_in_days: 0 }, { role: "MEMBER", expires_in_days: 91 }, { role: "MEMBER", email: "x" },
    ];
    for (const body of invalid) assert.equal((await invite(team, body)).status, 422, JSON.stringify(body));
  });

  test("is for team admins", async () => {
    const { name: team } = await makeTeam(server);
    const stranger = await makeUser(server);
    await makeTeam(server, { admin: stranger.username });
    const { id } = await invited();
    for (const role of ["MEMBER", "VIEWER"]) {
      const { key } = await makeMember(server, team, role);
      expectError(await invite(team, undefined, { key }), 403, "forbidden");
      expectError(await server.api("GET", path(team), { key }), 403, "forbidden");
    }
    const { key } = stranger;
    expectError(await invite(team, undefined, { key }), 404, "not_found");
    expectError(await server.api("GET", path(team), { key }), 404, "not_found");
    expectError(await server.api("DELETE", path(team, `/${id}`), { key }), 404, "not_found");
    // An admin of one team cannot revoke the invitation of another.
    const admin = await makeMember(server, team, "ADMIN");
    expectError(await server.api("DELETE", path(team, `/${id}`), { key: admin.key }), 404, "not_found");
  });
});

describe("showing", () => {
  test("names the team, the role and the inviter, and nothing else", async () => {
    const { team, token } = await invited();
    const { status, json } = await show(token);
    assert.equal(status, 200);
    expectMembers(json, ["team", "role", "inviter", "expires_at"]);
    assert.equal(json.team, team);
    assert.equal(json.role, "MEMBER");
    assert.equal(json.inviter, "admin");
    expectTimestamp(json.expires_at);
  });

  test("is the same 404 for every token that is not valid", async () => {
    const { team, id, token } = await invited();
    const unknown = await show("x".repeat(43));
    expectError(unknown, 404, "not_found");
    assert.equal((await server.api("DELETE", path(team, `/${id}`))).status, 204);
    const revoked = await show(token);
    assert.equal(revoked.text, unknown.text);
    assert.equal((await server.api("DELETE", path(team, `/${id}`))).status, 404);
    const gone = await invited();
    await server.api("DELETE", `/api/v1/teams/${gone.team}`);
    assert.equal((await show(gone.token)).text, unknown.text);
    assert.equal((await show("")).status, 422);
    assert.equal((await show("x".repeat(257))).status, 422);
  });

  test("ends with the rights of its creator", async () => {
    const { name: team } = await makeTeam(server);
    const ends = {
      demoted: (username) =>
        server.api("PUT", `/api/v1/teams/${team}/members/${username}`, { body: { role: "MEMBER" } }),
      removed: (username) => server.api("DELETE", `/api/v1/teams/${team}/members/${username}`),
      suspended: (username) => server.api("PATCH", `/api/v1/users/${username}`, { body: { suspended: true } }),
      deleted: (username) => server.api("DELETE", `/api/v1/users/${username}`),
    };
    const unknown = await show("x".repeat(43));
    for (const [name, end] of Object.entries(ends)) {
      const { username, key } = await makeMember(server, team, "ADMIN");
      const issued = await invite(team, { role: "ADMIN", uses: 5 }, { key });
      assert.equal(issued.status, 201, issued.text);
      const token = tokenOf(issued.json);
      assert.equal((await show(token)).status, 200);
      const ended = await end(username);
      assert.ok(ended.status < 300, ended.text);
      assert.equal((await show(token)).text, unknown.text, name);
      const fresh = { token, username: freshName("back"), password: PASSWORD };
      expectError(await accept(fresh), 404, "not_found");
      const other = await makeUser(server);
      expectError(await accept({ token }, { key: other.key, headers: {} }), 404, "not_found");
      const listed = await server.api("GET", path(team));
      assert.ok(!listed.json.items.some(({ id }) => id === issued.json.id), name);
    }
  });

  test("is refused to other sites", async () => {
    const { token } = await invited();
    for (const headers of [{ "Sec-Fetch-Site": "cross-site" }, { Origin: "https://evil.example" }, {}]) {
      assert.equal((await open("show", { token }, { headers })).status, 403, JSON.stringify(headers));
      const body = { token, username: freshName("u"), password: PASSWORD };
      assert.equal((await accept(body, { headers })).status, 403, JSON.stringify(headers));
    }
  });
});

describe("accepting as a new user", () => {
  test("creates the user, the membership and a session", async () => {
    const { team, token } = await invited({ email: "ada@example.test" });
    const username = freshName("ada");
    const answer = await accept({ token, username, name: "Ada", password: PASSWORD });
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.json.team, team);
    assert.equal(answer.json.session.username, username);
    const [cookie] = answer.headers["set-cookie"][0].split(";");
    const session = await server.api("GET", "/api/v1/session", { key: null, headers: { ...OWN, Cookie: cookie } });
    assert.equal(session.status, 200, session.text);
    assert.equal((await rolesIn(team))[username], "MEMBER");
    const { json: user } = await server.api("GET", `/api/v1/users/${username}`);
    assert.equal(user.email, null, "the note of an invitation is not an address that was checked");
    assert.equal(user.organization_admin, false);
    const again = await server.api("POST", "/api/v1/session", {
      key: null, headers: OWN, body: { username, password: PASSWORD },
    });
    assert.equal(again.status, 201, again.text);
    expectError(await show(token), 404, "not_found");
    expectError(await accept({ token, username: freshName("b"), password: PASSWORD }), 404, "not_found");
  });

  test("counts uses", async () => {
    const { team, token } = await invited({ uses: 2, role: "VIEWER" });
    for (const expected of [201, 201, 404]) {
      const answer = await accept({ token, username: freshName("u"), password: PASSWORD });
      assert.equal(answer.status, expected, answer.text);
    }
    const viewers = Object.values(await rolesIn(team)).filter((role) => role === "VIEWER");
    assert.equal(viewers.length, 2);
    assert.deepEqual((await server.api("GET", path(team))).json.items, []);
  });

  test("of the last use succeeds once, even at the same time", async () => {
    const { token } = await invited();
    const answers = await Promise.all(
      [1, 2, 3].map(() => accept({ token, username: freshName("u"), password: PASSWORD })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    assert.equal(statuses.filter((status) => status === 201).length, 1, statuses.join(" "));
  });

  test("changes nothing if it fails", async () => {
    const { team, token } = await invited();
    expectError(await accept({ token, username: "admin", password: PASSWORD }), 409, "username_taken");
    assert.equal((await accept({ token, username: freshName("u"), password: "short" })).status, 422);
    assert.equal((await accept({ token, username: "../x", password: PASSWORD })).status, 422);
    assert.equal((await accept({ token })).status, 422);
    const refused = await accept({ token, username: freshName("u"), password: "short-secre" });
    assert.ok(!refused.text.includes("short-secre"), "the input of a confidential body is not repeated");
    assert.equal((await show(token)).status, 200);
    assert.deepEqual(Object.keys(await rolesIn(team)), ["admin"]);
  });
});

describe("accepting as a signed-in user", () => {
  const withKey = (key, body) => accept(body, { key, headers: {} });

  test("adds the membership", async () => {
    const { team, token } = await invited({ role: "ADMIN" });
    const user = await makeUser(server);
    const answer = await withKey(user.key, { token });
    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual(answer.json, { team, role: "ADMIN", session: null });
    assert.equal((await rolesIn(team))[user.username], "ADMIN");
  });

  test("keeps the role of a member and the use of the invitation", async () => {
    const { team, token } = await invited({ role: "ADMIN" });
    const member = await makeMember(server, team, "VIEWER");
    expectError(await withKey(member.key, { token }), 409, "already_member");
    assert.equal((await rolesIn(team))[member.username], "VIEWER");
    assert.equal((await show(token)).status, 200);
  });

  test("refuses service accounts and members of a new user", async () => {
    const { token } = await invited();
    const { name: team } = await makeTeam(server);
    const { api_key } = await makeServiceAccount(server, team);
    expectError(await withKey(api_key, { token }), 409, "service_account");
    const { key } = await makeUser(server);
    assert.equal((await withKey(key, { token, username: freshName("u"), password: PASSWORD })).status, 422);
  });
});

test("the audit log has the whole story, without the token", async () => {
  const { team, token } = await invited({ uses: 2 });
  const username = freshName("ada");
  await accept({ token, username, password: PASSWORD });
  const second = await invite(team);
  await server.api("DELETE", path(team, `/${second.json.id}`));
  const { text } = await server.api("GET", `/api/v1/audit/export?team=${team}`);
  const actions = text.trim().split("\n").map((line) => JSON.parse(line).action);
  for (const action of ["invitation.create", "invitation.accept", "invitation.revoke", "team_member.add"]) {
    assert.ok(actions.includes(action), action);
  }
  assert.ok(!text.includes(token));
  assert.ok(!text.includes(PASSWORD));
});
