// Who may do what to projects, runs, artifacts and registries: every operation under these tags of
// /openapi.json, asked by every role there is. A new route fails here until the table has a row.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { artifactRows, projectRows } from "./support/artifacts.mjs";
import { expectError } from "./support/expect.mjs";
import { freshName, makeMember, makeTeam, makeUser } from "./support/people.mjs";
import { makeRegistry, makeVersion, registryRequests } from "./support/registries.mjs";
import { runRows } from "./support/runs.mjs";
import { startServer } from "./support/server.mjs";

const TAGS = ["artifacts", "project management", "registries", "runs"];

// Admin of the organization; admin, member and viewer of the team; admin of the project (a member of
// the team); admin, member, viewer and restricted viewer of the registry; one with a team of its own.
const ROLES = ["OA", "TA", "TM", "TV", "PA", "RA", "RM", "RV", "RR", "stranger"];
const roles = (text) => text.split(" ");

// Who sees what: the others are told that it is not there.
const IN_PROJECT = roles("OA TA TM TV PA");
const IN_REGISTRY = roles("OA RA RM RV RR");

const READ_PROJECT = IN_PROJECT;
const WRITE_PROJECT = roles("OA TA TM PA");
const MANAGE_PROJECT = roles("OA TA PA");
const VIEW = IN_REGISTRY;
const DOWNLOAD = roles("OA RA RM RV");
const CONTRIBUTE = roles("OA RA RM");
const ADMINISTER = roles("OA RA");

let server;
let team;
let people;
let guests; // a team that nobody here is in
before(async () => {
  server = await startServer();
  team = (await makeTeam(server)).name;
  const user = () => makeUser(server);
  people = {
    TA: await makeMember(server, team, "ADMIN"),
    TM: await makeMember(server, team, "MEMBER"),
    TV: await makeMember(server, team, "VIEWER"),
    PA: await makeMember(server, team, "MEMBER"),
    RA: await user(),
    RM: await user(),
    RV: await user(),
    RR: await user(),
    stranger: await user(),
    maker: await user(),
    guest: await user(),
  };
  guests = (await makeTeam(server)).name;
  await makeTeam(server, { admin: people.stranger.username });
  await makeTeam(server, { admin: people.maker.username });
  await makeVersion(server, team); // the project is there
  await promote({ path: `/api/v1/projects/${team}/lab` });
});
after(() => server.dispose());

const lateServer = {
  api: (...args) => server.api(...args),
  get adminKey() {
    return server.adminKey;
  },
};
const keyOf = (role) => (role === "OA" ? server.adminKey : people[role].key);

async function promote({ path }) {
  const url = `${path}/members/${people.PA.username}`;
  const answer = await server.api("PUT", url, { body: { role: "ADMIN" } });
  assert.equal(answer.status, 200, answer.text);
}

/** A registry of somebody else's, with the four roles; open to the organization only for its admin. */
async function castRegistry(role) {
  const visibility = role === "OA" ? "organization" : "restricted";
  const registry = await makeRegistry(server, { key: people.maker.key, visibility });
  const admit = (name, as) => registry.admit("users", people[name].username, as);
  await admit("RA", "ADMIN");
  await admit("RM", "MEMBER");
  await admit("RV", "VIEWER");
  await admit("RR", "RESTRICTED_VIEWER");
  return registry;
}

/** `prepare(role)` makes what is asked about and resolves with {path, body}. */
const inProject = (allowed, { success, prepare }) => ({
  allowed,
  success,
  visible: IN_PROJECT,
  prepare: () => prepare(team),
});

async function inRegistry(role, { make, body }) {
  const registry = await castRegistry(role);
  const admin = registry.as(people.RA.key);
  const source = await makeVersion(server, team);
  // Who links reads the source, too.
  const lab = await makeRegistry(server, { key: people.maker.key });
  await lab.admit("users", people.RA.username, "MEMBER");
  await lab.admit("users", people.RM.username, "MEMBER");
  const shared = lab.as(server.adminKey);
  await shared.link("shared", source.path);
  const path = `svc-registry-${lab.name}/shared:v0`;
  await admin.link("things", path, ["old"]);
  const version = { ...source, path, lab: { team: guests }, guest: people.guest };
  return { path: registry.path + (await make(admin, version)), body: body?.(version) };
}

const REGISTRY_ROLES = {
  "PATCH {registry}": CONTRIBUTE,
  "DELETE {registry}": ["OA"], // a registry admin only one it has made
  "PUT {registry}/members/{kind}/{name}": ADMINISTER,
  "DELETE {registry}/members/{kind}/{name}": ADMINISTER,
  "PUT {registry}/protected-aliases/{alias}": ADMINISTER,
  "DELETE {registry}/protected-aliases/{alias}": ADMINISTER,
};

function registryTable() {
  const rows = Object.entries(registryRequests()).map(([operation, request]) => {
    const short = operation.replace("/api/v1/registries/", "");
    const reads = operation.startsWith("GET ");
    const usual = reads ? (request.content ? DOWNLOAD : VIEW) : CONTRIBUTE;
    const row = {
      allowed: REGISTRY_ROLES[short] ?? usual,
      success: request.success,
      visible: IN_REGISTRY,
      prepare: (role) => inRegistry(role, request),
    };
    return [operation, row];
  });
  return Object.fromEntries(rows);
}

function projectTable() {
  const artifacts = artifactRows(lateServer, { everyone: READ_PROJECT, writers: WRITE_PROJECT });
  const projects = projectRows(lateServer, {
    everyone: READ_PROJECT,
    admins: MANAGE_PROJECT,
    guest: () => people.TM,
    furnish: promote,
  });
  const runs = runRows(lateServer, {
    everyone: READ_PROJECT,
    writers: WRITE_PROJECT,
    admins: MANAGE_PROJECT,
  });
  const rows = Object.entries({ ...artifacts, ...projects, ...runs });
  return Object.fromEntries(rows.map(([operation, row]) => [operation, inProject(row.allowed, row)]));
}

const TABLE = {
  ...projectTable(),
  ...registryTable(),
  "GET /api/v1/projects": {
    allowed: READ_PROJECT,
    success: 200,
    visible: IN_PROJECT,
    prepare: () => ({ path: `/api/v1/projects?team=${team}` }),
  },
  "POST /api/v1/projects": {
    allowed: WRITE_PROJECT,
    success: 201,
    visible: IN_PROJECT,
    prepare: () => ({ path: "/api/v1/projects", body: { team, name: freshName("project") } }),
  },
  "GET /api/v1/registries": {
    allowed: ROLES, // each sees its own
    success: 200,
    visible: ROLES,
    prepare: () => ({ path: "/api/v1/registries" }),
  },
  "POST /api/v1/registries": {
    allowed: roles("OA TA TM PA RA RM stranger"), // the stranger has a team
    success: 201,
    visible: ROLES,
    prepare: async (role) => {
      await castRegistry(role);
      return {
        path: "/api/v1/registries",
        body: { name: freshName("registry"), visibility: "organization" },
      };
    },
  },
  "GET /api/v1/artifacts/resolve": {
    allowed: READ_PROJECT,
    success: 200,
    visible: IN_PROJECT,
    prepare: async () => ({
      path: `/api/v1/artifacts/resolve?path=${(await makeVersion(server, team)).path}`,
    }),
  },
};

test("the table has every operation", async () => {
  const { paths } = (await server.api("GET", "/openapi.json", { key: null })).json;
  const found = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(path.startsWith("/api/v1/") ? operations : {})
      .filter(([, operation]) => operation.tags.some((tag) => TAGS.includes(tag)))
      .filter(([, operation]) => operation.security?.length !== 0)
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual(found.sort(), Object.keys(TABLE).sort());
});

for (const [operation, row] of Object.entries(TABLE)) {
  describe(operation, () => {
    for (const role of ROLES) {
      const denied = row.visible.includes(role) ? 403 : 404;
      const expected = row.allowed.includes(role) ? row.success : denied;
      test(`is ${expected} for ${role}`, async () => {
        const { path, body } = await row.prepare(role);
        const [method] = operation.split(" ");
        const answer = await server.api(method, path, { key: keyOf(role), body });
        if (expected === 404) expectError(answer, 404, "not_found");
        else if (expected === 403) expectError(answer, 403, "forbidden");
        else assert.equal(answer.status, expected, answer.text);
      });
    }
  });
}

describe("a registry", () => {
  test("is removed by the admin who made it, and by the admins of a team that administers it", async () => {
    const own = await makeRegistry(server, { key: people.maker.key, visibility: "restricted" });
    assert.equal((await own.api("DELETE", "")).status, 204);
    const shared = await makeRegistry(server, { key: people.maker.key, visibility: "restricted" });
    await shared.admit("teams", team, "ADMIN");
    expectError(await shared.as(people.TM.key).api("DELETE", ""), 403, "forbidden");
    assert.equal((await shared.as(people.TA.key).api("DELETE", "")).status, 204);
  });

  test("lets only its admins say who sees it", async () => {
    const registry = await castRegistry("RA");
    const body = { visibility: "organization" };
    expectError(await registry.as(people.RM.key).api("PATCH", "", { body }), 403, "forbidden");
    assert.equal((await registry.as(people.RA.key).api("PATCH", "", { body })).status, 200);
  });

  test("gives service accounts no more than a team's member has", async () => {
    const registry = await makeRegistry(server, { key: people.maker.key, visibility: "restricted" });
    await registry.admit("teams", team, "ADMIN");
    const path = `/api/v1/teams/${team}/service-accounts`;
    const made = await server.api("POST", path, { body: { description: freshName("robot") } });
    const robot = registry.as(made.json.api_key);
    await robot.ok("PATCH", "", { body: { description: "mine" } });
    expectError(await robot.api("PUT", "/protected-aliases/prod"), 403, "forbidden");
  });
});
