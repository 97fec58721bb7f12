// Access control of projects, runs, artifacts and registries: every operation under these tags of /openapi.json,
// requested by every role. A new route fails until the table has a row for it.

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
// the team); admin, member, viewer and restricted viewer of the registry; a user of another team.
const ROLES = ["OA", "TA", "TM", "TV", "PA", "RA", "RM", "RV", "RR", "outsider"];
const roles = (text) => text.split(" ");

// Roles that see the project or registry; others receive 404.
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
let guests; // a team without any of these users
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
    outsider: await user(),
    maker: await user(),
    guest: await user(),
  };
  guests = (await makeTeam(server)).name;
  await makeTeam(server, { admin: people.outsider.username });
  await makeTeam(server, { admin: people.maker.username });
  await makeVersion(server, team); // creates the project
  await promote({ path: `/api/v1/projects/${team}/lab` });
});
after(() => server.dispose());

const serverProxy = {
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

/** Creates a registry of another user with the four roles; visible to the organization only for OA. */
async function makeRegistryWithRoles(role) {
  const visibility = role === "OA" ? "organization" : "restricted";
  const registry = await makeRegistry(server, { key: people.maker.key, visibility });
  const setRole = (name, as) => registry.setRole("users", people[name].username, as);
  await setRole("RA", "ADMIN");
  await setRole("RM", "MEMBER");
  await setRole("RV", "VIEWER");
  await setRole("RR", "RESTRICTED_VIEWER");
  return registry;
}

/** `prepare(role)` creates the resource and resolves with {path, body}. */
const inProject = (allowed, { success, prepare }) => ({
  allowed,
  success,
  visible: IN_PROJECT,
  prepare: () => prepare(team),
});

async function inRegistry(role, { make, body }) {
  const registry = await makeRegistryWithRoles(role);
  const admin = registry.as(people.RA.key);
  const source = await makeVersion(server, team);
  // A user who creates a link must be able to read its source.
  const sourceRegistry = await makeRegistry(server, { key: people.maker.key });
  await sourceRegistry.setRole("users", people.RA.username, "MEMBER");
  await sourceRegistry.setRole("users", people.RM.username, "MEMBER");
  const shared = sourceRegistry.as(server.adminKey);
  await shared.link("shared", source.path);
  const path = `svc-registry-${sourceRegistry.name}/shared:v0`;
  await admin.link("things", path, ["old"]);
  const version = { ...source, path, artifacts: { team: guests }, guest: people.guest };
  return { path: registry.path + (await make(admin, version)), body: body?.(version) };
}

const REGISTRY_ROLES = {
  "PATCH {registry}": CONTRIBUTE,
  "DELETE {registry}": ["OA"], // a registry admin deletes only a registry it created
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
  const artifacts = artifactRows(serverProxy, { everyone: READ_PROJECT, writers: WRITE_PROJECT });
  const projects = projectRows(serverProxy, {
    everyone: READ_PROJECT,
    admins: MANAGE_PROJECT,
    guest: () => people.TM,
    populate: promote,
  });
  const runs = runRows(serverProxy, {
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
    allowed: ROLES, // each user sees its own
    success: 200,
    visible: ROLES,
    prepare: () => ({ path: "/api/v1/registries" }),
  },
  "POST /api/v1/registries": {
    allowed: roles("OA TA TM PA RA RM outsider"), // the outsider has a team
    success: 201,
    visible: ROLES,
    prepare: async (role) => {
      await makeRegistryWithRoles(role);
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
  test("is deleted by the admin who created it, and by the admins of a team with the role ADMIN in it", async () => {
    const own = await makeRegistry(server, { key: people.maker.key, visibility: "restricted" });
    assert.equal((await own.api("DELETE", "")).status, 204);
    const shared = await makeRegistry(server, { key: people.maker.key, visibility: "restricted" });
    await shared.setRole("teams", team, "ADMIN");
    expectError(await shared.as(people.TM.key).api("DELETE", ""), 403, "forbidden");
    assert.equal((await shared.as(people.TA.key).api("DELETE", "")).status, 204);
  });

  test("has a visibility that only its admins change", async () => {
    const registry = await makeRegistryWithRoles("RA");
    const body = { visibility: "organization" };
    expectError(await registry.as(people.RM.key).api("PATCH", "", { body }), 403, "forbidden");
    assert.equal((await registry.as(people.RA.key).api("PATCH", "", { body })).status, 200);
  });

  test("gives service accounts the permissions of a team member at most", async () => {
    const registry = await makeRegistry(server, { key: people.maker.key, visibility: "restricted" });
    await registry.setRole("teams", team, "ADMIN");
    const path = `/api/v1/teams/${team}/service-accounts`;
    const made = await server.api("POST", path, { body: { description: freshName("robot") } });
    const serviceAccount = registry.as(made.json.api_key);
    await serviceAccount.ok("PATCH", "", { body: { description: "mine" } });
    expectError(await serviceAccount.api("PUT", "/protected-aliases/prod"), 403, "forbidden");
  });
});
