// Access control of every route of the management API with a team, an owner or an object, as listed in
// /openapi.json. A new route fails until the table has a row for it. An outsider is a user without a role in the
// team.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { artifactRows, projectRows } from "./support/artifacts.mjs";
import { AUDITED, entryOf } from "./support/audited.mjs";
import { Browser } from "./support/browser.mjs";
import { expectError, expectUnauthenticated } from "./support/expect.mjs";
import {
  addMember,
  freshName,
  makeKey,
  makeMember,
  makeServiceAccount,
  makeTeam,
  makeUser,
} from "./support/people.mjs";
import { makeAutomation, makeWebhook, eventually, deliveriesOf } from "./support/deliveries.mjs";
import { backupRows } from "./support/backup_load.mjs";
import { bulkRows } from "./support/bulk_jobs.mjs";
import { inferenceRows } from "./support/inference.mjs";
import { startReceiver } from "./support/receiver.mjs";
import { makeRegistry, makeVersion, registryRows } from "./support/registries.mjs";
import { runRows } from "./support/runs.mjs";
import { startServer } from "./support/server.mjs";
import { trainingRows } from "./support/training.mjs";

// The roles in the team, from the fewest permissions to the most.
const ROLES = ["viewer", "member", "team admin", "organization admin"];

let server;
let receiver;
let description; // the OpenAPI document
before(async () => {
  server = await startServer();
  description = (await server.api("GET", "/openapi.json", { key: null })).json;
  receiver = await startReceiver();
});
after(async () => {
  await server.dispose();
  await receiver.close();
});

/**
 * One row for each operation.
 *
 * allowed   the roles with permission; others receive `denied` (a status, or a status by role;
 *           403 by default)
 * prepare   creates the resource in a team, resolves with {path, body}; called for each request,
 *           because some delete the resource
 * missing   the same request for a resource that does not exist, given the result of prepare
 * success   the status for permitted roles
 */
const everyone = ROLES;
const admins = ["team admin", "organization admin"];
const organization = ["organization admin"];
const writers = ["member", ...admins];

/** Forwards to the server, which starts after the rows are created. */
const serverProxy = {
  api: (...args) => server.api(...args),
  get adminKey() {
    return server.adminKey;
  },
  get dataDir() {
    return server.dataDir;
  },
  get url() {
    return server.url;
  },
};

const teamPath = (team, rest = "") => `/api/v1/teams/${team}${rest}`;
const inTeam = (rest, body) => ({
  prepare: async (team) => ({ path: teamPath(team, rest), body: body?.() }),
  missing: ({ path, body }, team) => ({ path: path.replace(`/${team}`, "/no-such-team"), body }),
});

async function newUsername() {
  return (await makeUser(server, "outsider")).username;
}

async function makeServiceAccountOf(team) {
  return (await makeServiceAccount(server, team)).account.username;
}

const noop = (team) => ({
  name: freshName("automation"),
  scope: { type: "project", team, project: "lab" },
  event: { type: "LINK_ARTIFACT" },
  action: { type: "noop" },
});

async function made(path, body) {
  const answer = await server.api("POST", path, { body });
  assert.equal(answer.status, 201, answer.text);
  return answer.json;
}

const secretOf = (team) =>
  made(teamPath(team, "/secrets"), { name: freshName("KEY").replaceAll("-", "_"), value: "v" });
const webhookOf = (team, url_endpoint = "https://hooks.example.com/") =>
  made(teamPath(team, "/webhooks"), { name: freshName("hook"), url_endpoint });

const aboutSecret = (body) => ({
  ...inTeam(),
  prepare: async (team) => ({
    path: teamPath(team, `/secrets/${(await secretOf(team)).name}`),
    body,
  }),
});
const aboutWebhook = (body, rest = "") => ({
  ...inTeam(),
  // Nothing listens there: a test delivery fails immediately.
  prepare: async (team) => ({
    path: teamPath(team, `/webhooks/${(await webhookOf(team, "http://127.0.0.1:1024/")).id}${rest}`),
    body,
  }),
});
/** Roles that cannot see automations receive 404. */
const aboutAutomation = (body, rest = "") => ({
  denied: { viewer: 404 },
  prepare: async (team) => {
    const hook = await webhookOf(team);
    const action = { type: "webhook", webhook_id: hook.id };
    const { id } = await made("/api/v1/automations", { ...noop(team), action });
    return { path: `/api/v1/automations/${id}${rest}`, body };
  },
  missing: () => ({ path: `/api/v1/automations/auto_00000000000000000000000000${rest}`, body }),
});
const members = ["member", "team admin", "organization admin"];
/** Only organization admins see users. */
const aboutUser = (body) => ({
  allowed: organization,
  denied: 404,
  prepare: async () => ({ path: `/api/v1/users/${await newUsername()}`, body }),
  missing: () => ({ path: "/api/v1/users/no-such-user", body }),
});

const NEW_PASSWORD = { new_password: "correct horse battery" };

/** Opens a browser session of a new user and returns its id. */
async function newSession() {
  const { key } = await makeUser(server);
  await new Browser(server).signIn({ api_key: key });
  return (await server.api("GET", "/api/v1/sessions", { key })).json.items[0].id;
}

/** Creates a delivery in the project `lab` of a team and waits for a state. */
async function deliveryIn(team, url_endpoint, state) {
  const hook = await makeWebhook(server, team, { url_endpoint });
  const { id } = await makeAutomation(server, team, { type: "CREATE_ARTIFACT" }, hook);
  await makeVersion(server, team);
  const [delivery] = await eventually(
    () => deliveriesOf(server, { automation_id: id }),
    ([first]) => first?.status === state,
  );
  return delivery;
}
/** Roles that cannot see automations cannot see deliveries either. */
const aboutDelivery = (body, rest = "") => ({
  denied: { viewer: 404 },
  prepare: async (team) => {
    // Nothing listens there: the delivery will be retried.
    const delivery = rest === "/cancel"
      ? await deliveryIn(team, "http://127.0.0.1:1024/", "retrying")
      : await deliveryIn(team, receiver.url, "succeeded");
    return { path: `/api/v1/deliveries/${delivery.id}${rest}`, body };
  },
  missing: () => ({ path: `/api/v1/deliveries/dlv_00000000000000000000000000${rest}`, body }),
});

const TABLE = {
  "GET /api/v1/teams/{team}/secrets": { allowed: members, success: 200, ...inTeam("/secrets") },
  "POST /api/v1/teams/{team}/secrets": {
    allowed: admins,
    success: 201,
    ...inTeam("/secrets", () => ({ name: freshName("KEY").replaceAll("-", "_"), value: "v" })),
  },
  "PUT /api/v1/teams/{team}/secrets/{name}": {
    allowed: admins,
    success: 200,
    ...aboutSecret({ value: "w" }),
  },
  "DELETE /api/v1/teams/{team}/secrets/{name}": {
    allowed: admins,
    success: 204,
    ...aboutSecret(),
  },
  "GET /api/v1/teams/{team}/webhooks": { allowed: members, success: 200, ...inTeam("/webhooks") },
  "POST /api/v1/teams/{team}/webhooks": {
    allowed: admins,
    success: 201,
    ...inTeam("/webhooks", () => ({ name: freshName("hook"), url_endpoint: "https://a.example/" })),
  },
  "GET /api/v1/teams/{team}/webhooks/{id}": { allowed: members, success: 200, ...aboutWebhook() },
  "PATCH /api/v1/teams/{team}/webhooks/{id}": {
    allowed: admins,
    success: 200,
    ...aboutWebhook({ max_concurrency: 2 }),
  },
  "DELETE /api/v1/teams/{team}/webhooks/{id}": { allowed: admins, success: 204, ...aboutWebhook() },
  "POST /api/v1/teams/{team}/webhooks/{id}/test": {
    allowed: admins,
    success: 200,
    ...aboutWebhook({}, "/test"),
  },
  "POST /api/v1/teams/{team}/webhooks/test": {
    allowed: admins,
    success: 200,
    ...inTeam("/webhooks/test", () => ({ name: "new", url_endpoint: "http://127.0.0.1:1024/" })),
  },
  "GET /api/v1/automations/{id}": { allowed: members, success: 200, ...aboutAutomation() },
  "PATCH /api/v1/automations/{id}": {
    allowed: admins,
    success: 200,
    ...aboutAutomation({ enabled: false }),
  },
  "DELETE /api/v1/automations/{id}": { allowed: admins, success: 204, ...aboutAutomation() },
  "POST /api/v1/automations/{id}/render": {
    allowed: members,
    success: 200,
    ...aboutAutomation({ event: {} }, "/render"),
  },
  "GET /api/v1/automations/{id}/deliveries": {
    allowed: members,
    success: 200,
    ...aboutAutomation(undefined, "/deliveries"),
  },
  "GET /api/v1/teams/{team}/webhooks/{id}/deliveries": {
    allowed: members,
    success: 200,
    ...aboutWebhook(undefined, "/deliveries"),
  },
  "POST /api/v1/teams/{team}/webhooks/{id}/recover": {
    allowed: admins,
    success: 202,
    ...aboutWebhook({ since: "2026-01-01T00:00:00Z" }, "/recover"),
  },
  "GET /api/v1/deliveries/{id}": { allowed: members, success: 200, ...aboutDelivery() },
  "POST /api/v1/deliveries/{id}/replay": {
    allowed: admins,
    success: 202,
    ...aboutDelivery({ mode: "current" }, "/replay"),
  },
  "POST /api/v1/deliveries/{id}/cancel": {
    allowed: admins,
    success: 200,
    ...aboutDelivery(undefined, "/cancel"),
  },
  "GET /api/v1/events/{id}": {
    allowed: members,
    success: 200,
    denied: { viewer: 404 },
    prepare: async (team) => {
      await makeVersion(server, team);
      const { items } = await eventually(
        async () => (await server.api("GET", `/api/v1/events?team=${team}`)).json,
        ({ items }) => items.length > 0,
      );
      return { path: `/api/v1/events/${items[0].id}` };
    },
    missing: () => ({ path: "/api/v1/events/evt_00000000000000000000000000" }),
  },
  "GET /api/v1/registries/{registry}/automations": {
    allowed: everyone,
    success: 200,
    prepare: async (team) => {
      const registry = await makeRegistry(server, { visibility: "restricted" });
      await registry.setRole("teams", team, "MEMBER");
      return { path: `${registry.path}/automations` };
    },
    missing: () => ({ path: "/api/v1/registries/none/automations" }),
  },
  "GET /api/v1/projects/{team}/{project}/automations": {
    allowed: members,
    success: 200,
    prepare: async (team) => {
      await made("/api/v1/automations", noop(team));
      return { path: `/api/v1/projects/${team}/lab/automations` };
    },
    missing: ({ path }, team) => ({ path: path.replace(`/${team}`, "/no-such-team") }),
  },
  "GET /api/v1/teams/{team}": { allowed: everyone, success: 200, ...inTeam("") },
  "PATCH /api/v1/teams/{team}": {
    allowed: admins,
    success: 200,
    ...inTeam("", () => ({ default_artifact_ttl_days: 5 })),
  },
  "DELETE /api/v1/teams/{team}": {
    allowed: organization,
    success: 204,
    ...inTeam("?force=true"),
  },
  "GET /api/v1/teams/{team}/members": { allowed: everyone, success: 200, ...inTeam("/members") },
  "PUT /api/v1/teams/{team}/members/{username}": {
    allowed: admins,
    success: 201,
    ...inTeam(),
    prepare: async (team) => ({
      path: teamPath(team, `/members/${await newUsername()}`),
      body: { role: "MEMBER" },
    }),
  },
  "DELETE /api/v1/teams/{team}/members/{username}": {
    allowed: admins,
    success: 204,
    ...inTeam(),
    prepare: async (team) => {
      const { username } = await makeMember(server, team, "MEMBER");
      return { path: teamPath(team, `/members/${username}`) };
    },
  },
  "POST /api/v1/teams/{team}/service-accounts": {
    allowed: admins,
    success: 201,
    ...inTeam("/service-accounts", () => ({ description: freshName("robot") })),
  },
  "GET /api/v1/api-keys": {
    allowed: admins,
    success: 200,
    prepare: async (team) => ({ path: `/api/v1/api-keys?owner=${await makeServiceAccountOf(team)}` }),
    missing: () => ({ path: "/api/v1/api-keys?owner=no-such-owner" }),
  },
  "POST /api/v1/api-keys": {
    allowed: admins,
    success: 201,
    prepare: async (team) => ({
      path: `/api/v1/api-keys?owner=${await makeServiceAccountOf(team)}`,
      body: { name: freshName("key") },
    }),
    missing: ({ body }) => ({ path: "/api/v1/api-keys?owner=no-such-owner", body }),
  },
  "DELETE /api/v1/api-keys/{id}": {
    allowed: admins,
    success: 204,
    denied: 404, // roles that may not list a key cannot see that it exists
    prepare: async (team) => {
      const { id } = await makeKey(server, await makeServiceAccountOf(team));
      return { path: `/api/v1/api-keys/${id}` };
    },
    missing: () => ({ path: "/api/v1/api-keys/key_00000000000000000000000000" }),
  },
  "POST /api/v1/teams/{team}/invitations": {
    allowed: admins,
    success: 201,
    ...inTeam("/invitations", () => ({ role: "MEMBER" })),
  },
  "GET /api/v1/teams/{team}/invitations": { allowed: admins, success: 200, ...inTeam("/invitations") },
  "DELETE /api/v1/teams/{team}/invitations/{id}": {
    allowed: admins,
    success: 204,
    ...inTeam(),
    prepare: async (team) => {
      const { id } = await made(teamPath(team, "/invitations"), { role: "MEMBER" });
      return { path: teamPath(team, `/invitations/${id}`) };
    },
  },
  "GET /api/v1/users/{username}": { ...aboutUser(), success: 200 },
  "PATCH /api/v1/users/{username}": { ...aboutUser({ suspended: true }), success: 200 },
  "DELETE /api/v1/users/{username}": { ...aboutUser(), success: 204 },
  "PUT /api/v1/users/{username}/password": {
    allowed: organization,
    denied: 404,
    prepare: async () => ({ path: `/api/v1/users/${await newUsername()}/password`, body: NEW_PASSWORD }),
    missing: () => ({ path: "/api/v1/users/no-such-user/password", body: NEW_PASSWORD }),
    success: 204,
  },
  "DELETE /api/v1/sessions/{id}": {
    allowed: organization,
    denied: 404,
    prepare: async () => ({ path: `/api/v1/sessions/${await newSession()}` }),
    missing: () => ({ path: "/api/v1/sessions/ses_none" }),
    success: 204,
  },
  ...backupRows(serverProxy, { organization }),
  ...inferenceRows(serverProxy, { everyone, admins, organization }),
  ...trainingRows(serverProxy, { everyone, writers, organization }),
  ...artifactRows(serverProxy, { everyone, writers }),
  ...bulkRows(serverProxy, { everyone, writers }),
  ...runRows(serverProxy, { everyone, writers, admins }),
  ...projectRows(serverProxy, { everyone, admins, guest: (team) => makeMember(server, team, "MEMBER") }),
  ...registryRows(serverProxy, { everyone, admins, guest: () => makeUser(server, "guest") }),
};

function send(operation, { path, body }, key) {
  const [method] = operation.split(" ");
  return server.api(method, path, { key, body });
}

/** Creates a team with one user for each role. */
async function makeTeamWithRoles() {
  const admin = await makeUser(server, "admin");
  const { name } = await makeTeam(server, { admin: admin.username });
  return {
    team: name,
    keys: {
      viewer: (await makeMember(server, name, "VIEWER")).key,
      member: (await makeMember(server, name, "MEMBER")).key,
      "team admin": admin.key,
      "organization admin": server.adminKey,
    },
  };
}

/** Expects the status of a success, and an entry in the audit log if the operation is audited. */
async function expectSuccess(operation, row, answer) {
  assert.equal(answer.status, row.success, answer.text);
  const [method, path] = operation.split(" ");
  const { operationId } = description.paths[path][method.toLowerCase()];
  if (operationId in AUDITED) assert.ok(await entryOf(server, answer, operationId), `no entry of ${operation}`);
}

/** Returns a response without the headers that differ between any two responses. */
function visibleParts({ status, headers, text }) {
  const { date, "x-request-id": id, "content-length": length, ...rest } = headers;
  return { status, headers: rest, text };
}

describe("the table", () => {
  test("covers every operation with a team, an owner or an object", async () => {
    const concerned = [];
    for (const [path, operations] of Object.entries(description.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        const names = (operation.parameters ?? [])
          .filter((parameter) => parameter.in === "path" || parameter.name === "owner")
          .map((parameter) => parameter.name);
        const open = operation.security?.length === 0;
        const managed = path.startsWith("/api/v1/");
        if (managed && names.length > 0 && !open) concerned.push(`${method.toUpperCase()} ${path}`);
      }
    }
    assert.ok(concerned.some((operation) => operation.includes("{team}")));
    assert.deepEqual(concerned.sort(), Object.keys(TABLE).sort());
  });
});

for (const [operation, row] of Object.entries(TABLE)) {
  describe(operation, () => {
    test("is 401 without a key", async () => {
      const { team } = await makeTeamWithRoles();
      expectUnauthenticated(await send(operation, await row.prepare(team), null));
    });

    test("returns the same 404 to outsiders whether the team exists or not", async () => {
      const outsider = await makeUser(server, "outsider");
      const own = await makeTeam(server, { admin: outsider.username });
      const serviceAccount = await makeServiceAccount(server, own.name);
      const loner = await makeUser(server, "loner");
      for (const key of [outsider.key, serviceAccount.api_key, loner.key]) {
        const team = (await makeTeam(server)).name;
        const request = await row.prepare(team);
        const hidden = await send(operation, request, key);
        expectError(hidden, 404, "not_found");
        const missing = await send(operation, row.missing(request, team), key);
        assert.deepEqual(visibleParts(hidden), visibleParts(missing));
        // The resource is unchanged: a permitted user still finds it.
        const after = await send(operation, request, server.adminKey);
        assert.equal(after.status, row.success, after.text);
      }
    });

    for (const role of ROLES) {
      const allowed = row.allowed.includes(role);
      const denied = row.denied?.[role] ?? (typeof row.denied === "number" ? row.denied : 403);
      test(`is ${allowed ? row.success : denied} for the ${role}`, async () => {
        const { team, keys } = await makeTeamWithRoles();
        const answer = await send(operation, await row.prepare(team), keys[role]);
        if (allowed) await expectSuccess(operation, row, answer);
        else if (denied === 404) expectError(answer, 404, "not_found");
        else expectError(answer, 403, "forbidden");
      });
    }
  });
}

describe("schema errors", () => {
  test("are reported before the existence of the team is checked", async () => {
    const { team } = await makeTeamWithRoles();
    const outsider = await makeUser(server);
    for (const name of [team, "no-such-team"]) {
      const options = { key: outsider.key, body: { ttl_permission: 1 } };
      assert.equal((await server.api("PATCH", teamPath(name), options)).status, 422);
    }
  });
});

describe("keys of users", () => {
  test("are visible to their owner and the organization admin only", async () => {
    const { team, keys } = await makeTeamWithRoles();
    const person = await makeMember(server, team, "MEMBER");
    const path = `/api/v1/api-keys?owner=${person.username}`;
    const { id } = await makeKey(server, person.username);
    for (const role of ["viewer", "member", "team admin"]) {
      const key = keys[role];
      expectError(await server.api("GET", path, { key }), 403, "forbidden");
      const body = { name: freshName("theirs") };
      expectError(await server.api("POST", path, { key, body }), 403, "forbidden");
      expectError(await server.api("DELETE", `/api/v1/api-keys/${id}`, { key }), 404, "not_found");
    }
    assert.equal((await server.api("GET", path)).status, 200);
    assert.equal((await server.api("GET", path, { key: person.key })).status, 200);
    assert.equal((await server.api("DELETE", `/api/v1/api-keys/${id}`)).status, 204);
  });

  test("and the users themselves are invisible to other teams", async () => {
    const person = await makeUser(server);
    const outsider = await makeUser(server);
    const { id } = await makeKey(server, person.username);
    const options = { key: outsider.key };
    const known = await server.api("GET", `/api/v1/api-keys?owner=${person.username}`, options);
    const unknown = await server.api("GET", "/api/v1/api-keys?owner=no-such-owner", options);
    expectError(known, 404, "not_found");
    assert.deepEqual(visibleParts(known), visibleParts(unknown));
    expectError(await server.api("DELETE", `/api/v1/api-keys/${id}`, options), 404, "not_found");
    assert.equal((await server.api("GET", "/api/v1/me", { key: person.key })).status, 200);
  });
});

describe("a user removed from the team", () => {
  test("is an outsider at the next request", async () => {
    const { team } = await makeTeamWithRoles();
    const member = await makeMember(server, team, "ADMIN");
    const path = teamPath(team);
    assert.equal((await server.api("GET", path, { key: member.key })).status, 200);
    const membership = teamPath(team, `/members/${member.username}`);
    assert.equal((await server.api("DELETE", membership)).status, 204);
    for (const operation of Object.keys(TABLE).filter((name) => name.includes("{team}"))) {
      const answer = await send(operation, await TABLE[operation].prepare(team), member.key);
      expectError(answer, 404, "not_found");
    }
    await addMember(server, team, member.username, "VIEWER");
    assert.equal((await server.api("GET", path, { key: member.key })).status, 200);
  });
});
