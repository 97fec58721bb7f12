// Access control of automations and deliveries by scope: every operation under these tags of /openapi.json,
// requested by every role. A new route fails until the table has a row for it.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { deliveriesOf, eventually, makeWebhook } from "./support/deliveries.mjs";
import { freshName, makeMember, makeTeam, makeUser } from "./support/people.mjs";
import { startReceiver } from "./support/receiver.mjs";
import { makeRegistry, makeVersion } from "./support/registries.mjs";
import { startServer } from "./support/server.mjs";

const TAGS = ["automations", "deliveries", "events"];

// Admin of the organization; admin, member and viewer of the team; admin of the project (a member of
// the team); admin, member, viewer and restricted viewer of the registry; a user of another team.
const ROLES = ["OA", "TA", "TM", "TV", "PA", "RA", "RM", "RV", "RR", "outsider"];
const roles = (text) => text.split(" ").filter(Boolean);

// For each scope: the roles that see the scope, see its automations, manage them, and replay their
// deliveries.
const IN_TEAM = "OA TA TM TV PA";
const IN_REGISTRY = "OA RA RM RV RR";
const SCOPES = {
  organization: { there: ROLES.join(" "), view: "OA", manage: "OA", replay: "OA" },
  team: { there: IN_TEAM, view: "OA TA TM PA", manage: "OA TA", replay: "OA TA" },
  project: { there: IN_TEAM, view: "OA TA TM PA", manage: "OA TA PA", replay: "OA TA PA" },
  "collection of a project": { there: IN_TEAM, view: "OA TA TM PA", manage: "OA TA PA", replay: "OA TA PA" },
  registry: { there: IN_REGISTRY, view: "OA RA RM", manage: "OA RA", replay: "OA RA" },
  "collection of a registry": { there: IN_REGISTRY, view: "OA RA RM", manage: "OA RA RM", replay: "OA RA" },
};

let server;
let receiver;
let team;
let people;
let registry;
let version;
let dead;
let live;
before(async () => {
  server = await startServer({ args: ["--limits-automations", "10000"] });
  receiver = await startReceiver();
  team = (await makeTeam(server)).name;
  people = {
    TA: await makeMember(server, team, "ADMIN"),
    TM: await makeMember(server, team, "MEMBER"),
    TV: await makeMember(server, team, "VIEWER"),
    PA: await makeMember(server, team, "MEMBER"),
  };
  for (const role of ["RA", "RM", "RV", "RR", "outsider"]) people[role] = await makeUser(server);
  await makeTeam(server, { admin: people.outsider.username });
  version = await makeVersion(server, team);
  const members = `/api/v1/projects/${team}/lab/members/${people.PA.username}`;
  assert.equal((await server.api("PUT", members, { body: { role: "ADMIN" } })).status, 200);
  registry = await makeRegistry(server);
  // Restricted: the organization admin has access because it created the registry.
  await registry.setRole("users", people.RA.username, "ADMIN");
  await registry.setRole("users", people.RM.username, "MEMBER");
  await registry.setRole("users", people.RV.username, "VIEWER");
  await registry.setRole("users", people.RR.username, "RESTRICTED_VIEWER");
  await registry.ok("PATCH", "", { body: { visibility: "restricted" } });
  await registry.link("things", version.path);
  live = await makeWebhook(server, team, { url_endpoint: receiver.url });
  dead = await makeWebhook(server, team, { url_endpoint: "http://127.0.0.1:1024/" });
});
after(async () => {
  await server.dispose();
  await receiver.close();
});

const keyOf = (role) => (role === "OA" ? server.adminKey : people[role].key);

function scopeOf(name) {
  const project = { team, project: "lab" };
  return {
    organization: { type: "organization" },
    team: { type: "team", team },
    project: { type: "project", ...project },
    "collection of a project": { type: "collection", ...project, collection: version.collection },
    registry: { type: "registry", registry: registry.name },
    "collection of a registry": { type: "collection", registry: registry.name, collection: "things" },
  }[name];
}

/** Causes an event in that scope. */
async function happen(name, tag) {
  if (name.includes("registry")) await registry.ok("PUT", `/collections/things/versions/v0/tags/${tag}`);
  else await version.artifacts.ok("PUT", `/collections/${version.collection}/versions/v0/tags/${tag}`);
}

async function makeAutomation(scope, event, webhook) {
  const body = {
    name: freshName("automation"),
    scope: scopeOf(scope),
    event,
    action: webhook ? { type: "webhook", webhook_id: webhook.id } : { type: "noop" },
  };
  const answer = await server.api("POST", "/api/v1/automations", { body });
  assert.equal(answer.status, 201, answer.text);
  return answer.json;
}

/** Creates a delivery of an automation in that scope and waits for a state. */
async function makeDelivery(scope, webhook, state) {
  const tag = freshName("tag");
  const { id } = await makeAutomation(scope, { type: "ADD_ARTIFACT_TAG", tag_regex: `^${tag}$` }, webhook);
  await happen(scope, tag);
  const [delivery] = await eventually(
    () => deliveriesOf(server, { automation_id: id }),
    ([first]) => first?.status === state,
  );
  return delivery;
}

const anyTag = { type: "ADD_COLLECTION_TAG" };
const about = (rest, body, webhook) => async (scope) => ({
  path: `/api/v1/automations/${(await makeAutomation(scope, anyTag, webhook?.())).id}${rest}`,
  body,
});
const aboutDelivery = (rest, body) => async (scope) => {
  const delivery = rest === "/cancel"
    ? await makeDelivery(scope, dead, "retrying")
    : await makeDelivery(scope, live, "succeeded");
  return { path: `/api/v1/deliveries/${delivery.id}${rest}`, body };
};

// By operation: the required column (see above), the roles that receive 404, and how to build the
// request.
const TABLE = {
  "POST /api/v1/automations": {
    takes: "manage",
    hidden: "there",
    success: 201,
    prepare: async (scope) => ({
      path: "/api/v1/automations",
      body: { name: freshName("own"), scope: scopeOf(scope), event: anyTag, action: { type: "noop" } },
    }),
  },
  "POST /api/v1/automations/preview": {
    takes: "manage",
    hidden: "there",
    success: 200,
    prepare: async (scope) => ({
      path: "/api/v1/automations/preview",
      body: { scope: scopeOf(scope), event: anyTag, action: { type: "noop" } },
    }),
  },
  "GET /api/v1/automations/{id}": { takes: "view", success: 200, prepare: about("") },
  "PATCH /api/v1/automations/{id}": { takes: "manage", success: 200, prepare: about("", { enabled: false }) },
  "DELETE /api/v1/automations/{id}": { takes: "manage", success: 204, prepare: about("") },
  "POST /api/v1/automations/{id}/render": {
    takes: "view",
    success: 200,
    prepare: about("/render", { event: {} }, () => live),
  },
  "GET /api/v1/automations/{id}/deliveries": { takes: "view", success: 200, prepare: about("/deliveries") },
  "GET /api/v1/deliveries/{id}": { takes: "view", success: 200, prepare: aboutDelivery("") },
  "POST /api/v1/deliveries/{id}/replay": { takes: "replay", success: 202, prepare: aboutDelivery("/replay", {}) },
  "POST /api/v1/deliveries/{id}/cancel": { takes: "replay", success: 200, prepare: aboutDelivery("/cancel") },
};

// Operations without a scope, or tested in another file.
const ELSEWHERE = [
  "GET /api/v1/automations", // lists visible automations: automations.test.mjs
  "GET /api/v1/deliveries",
  "GET /api/v1/deliveries/stats", // delivery_statistics.test.mjs
  "GET /api/v1/event-types",
  "GET /api/v1/events",
  "GET /api/v1/events/{id}", // access.test.mjs
  "GET /api/v1/payload-presets",
  "GET /api/v1/projects/{team}/{project}/automations",
  "GET /api/v1/registries/{registry}/automations",
  "GET /api/v1/teams/{team}/webhooks/{id}/deliveries",
  "POST /api/v1/teams/{team}/webhooks/{id}/recover",
];

test("the table covers every operation", async () => {
  const { paths } = (await server.api("GET", "/openapi.json", { key: null })).json;
  const operations = [];
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { tags = [] }] of Object.entries(methods)) {
      if (tags.some((tag) => TAGS.includes(tag))) operations.push(`${method.toUpperCase()} ${path}`);
    }
  }
  assert.deepEqual(operations.sort(), [...Object.keys(TABLE), ...ELSEWHERE].sort());
});

for (const [operation, { takes, hidden = "view", success, prepare }] of Object.entries(TABLE)) {
  describe(operation, () => {
    for (const [scope, columns] of Object.entries(SCOPES)) {
      test(`in the scope of ${scope}`, async () => {
        const answers = {};
        const expected = {};
        for (const role of ROLES) {
          const { path, body } = await prepare(scope);
          const [method] = operation.split(" ");
          answers[role] = (await server.api(method, path, { key: keyOf(role), body })).status;
          const allowed = roles(columns[takes]).includes(role);
          const told = roles(columns[hidden]).includes(role);
          expected[role] = allowed ? success : told ? 403 : 404;
        }
        assert.deepEqual(answers, expected);
      });
    }
  });
}
