// Automations: their fields, limits and payload previews.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";

import { expectError, expectId, expectMembers, expectViolations } from "./support/expect.mjs";
import { listAll, makeMember, makeTeam, makeUser } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";

let server;
let team;
before(async () => (server = await startServer({ args: ["--limits-automations", "3"] })));
after(() => server.dispose());
beforeEach(async () => (team = (await makeTeam(server)).name));

const inProject = () => ({ type: "project", team, project: "lab" });
const aliasAdded = { type: "ADD_ARTIFACT_ALIAS", alias_regex: "^production$" };

function create(more = {}, options = {}) {
  const body = {
    name: "deploy-prod",
    scope: inProject(),
    event: aliasAdded,
    action: { type: "noop" },
    ...more,
  };
  return server.api("POST", "/api/v1/automations", { body, ...options });
}

async function created(more, options) {
  const answer = await create(more, options);
  assert.equal(answer.status, 201, answer.text);
  return answer.json;
}

async function makeWebhook(more = {}) {
  const body = { name: "hook", url_endpoint: "https://hooks.example.com/in", ...more };
  const answer = await server.api("POST", `/api/v1/teams/${team}/webhooks`, { body });
  assert.equal(answer.status, 201, answer.text);
  return answer.json;
}

async function makeSecret(name, value) {
  const body = { name, value };
  await server.api("POST", `/api/v1/teams/${team}/secrets`, { body });
}

describe("an automation", () => {
  test("is stored as it was created", async () => {
    const automation = await created({ description: "to production" });
    expectId(automation.id, "auto");
    expectMembers(automation, [
      "id", "name", "description", "enabled", "scope", "event", "action", "created_by",
      "created_at", "updated_at", "last_executed_at", "warnings",
    ]);
    assert.deepEqual(automation.scope, inProject());
    assert.deepEqual(automation.event, aliasAdded);
    assert.equal(automation.enabled, true);
    assert.equal(automation.updated_at, null);
    const { warnings, ...kept } = automation;
    const at = `/api/v1/automations/${automation.id}`;
    assert.deepEqual((await server.api("GET", at)).json, kept);
    const changed = await server.api("PATCH", at, { body: { enabled: false } });
    assert.equal(changed.json.enabled, false);
    assert.equal((await server.api("DELETE", at)).status, 204);
    expectError(await server.api("GET", at), 404, "not_found");
  });

  test("has a unique name in the team", async () => {
    await created();
    expectError(await create(), 409, "automation_name_taken");
    expectError(
      await create({ scope: { type: "team", team } }),
      409,
      "automation_name_taken",
    );
  });

  test("counts towards the limit of the project", async () => {
    for (const name of ["a", "b", "c"]) await created({ name });
    expectError(await create({ name: "d" }), 409, "automation_limit");
    await created({ name: "d", scope: { type: "team", team } });
  });

  test("is changed only with the current ETag", async () => {
    const { id } = await created();
    const at = `/api/v1/automations/${id}`;
    const seen = (await server.api("GET", at)).headers.etag;
    const options = { headers: { "If-Match": seen } };
    const first = await server.api("PATCH", at, { body: { name: "a" }, ...options });
    assert.equal(first.status, 200, first.text);
    expectError(
      await server.api("PATCH", at, { body: { name: "b" }, ...options }),
      412,
      "precondition_failed",
    );
  });

  test("is rejected with all violations", async () => {
    expectViolations(
      await create({ event: { type: "ADD_ARTIFACT_ALIAS" }, action: { type: "webhook" } }),
      ["missing", "body", "event", "alias_regex"],
      ["missing", "body", "action", "webhook_id"],
    );
    expectViolations(
      await create({ event: { ...aliasAdded, alias_regex: "(?=a)" } }),
      ["invalid_regex", "body", "event", "alias_regex"],
    );
    expectViolations(
      await create({ scope: { type: "team", team }, event: { type: "CREATE_ARTIFACT" } }),
      ["invalid_scope_for_event", "body", "scope", "type"],
    );
    expectViolations(
      await create({ scope: { type: "registry", registry: "models" }, event: { type: "CREATE_ARTIFACT" } }),
      ["invalid_scope_for_event", "body", "scope", "type"],
    );
    expectViolations(await create({ more: 1 }), ["extra_forbidden", "body", "more"]);
  });

  test("stores its metric condition in normal form", async () => {
    const metric = { name: "val.loss", aggregation: "avg", window: 3, comparison: "$lt", threshold: 0.5 };
    const run_filter = { username: null, name_regex: "^exp-" };
    const { event } = await created({ event: { type: "run_metric", metric, run_filter } });
    assert.deepEqual(event, {
      type: "RUN_METRIC_THRESHOLD",
      run_filter: { name_regex: "^exp-" },
      metric: { name: "val.loss", aggregation: "AVERAGE", window: 3, comparison: "lt", threshold: 0.5 },
    });
  });

  test("prevents the deletion of its webhook", async () => {
    const hook = await makeWebhook();
    const { id } = await created({ action: { type: "webhook", webhook_id: hook.id } });
    const refused = await server.api("DELETE", `/api/v1/teams/${team}/webhooks/${hook.id}`);
    expectError(refused, 409, "webhook_in_use");
    assert.ok(refused.json.detail.includes(id));
  });

  test("uses a webhook of a team of its creator", async () => {
    const hook = await makeWebhook();
    const rival = await makeUser(server);
    const other = await makeTeam(server, { admin: rival.username });
    const action = { type: "webhook", webhook_id: hook.id };
    const scope = { type: "team", team: other.name };
    expectViolations(
      await create({ scope, action }, { key: rival.key }),
      ["unknown_reference", "body", "action", "webhook_id"],
    );
  });
});

describe("a payload", () => {
  test("is previewed without credentials", async () => {
    await makeSecret("DEPLOY_KEY", "a-value-that-nobody-sees");
    const hook = await makeWebhook({ secret_ref: "DEPLOY_KEY" });
    const payload = '{"v":"${artifact_version_string}","acc":${artifact_metadata.acc},"k":"$DEPLOY_KEY","x":"${NOPE}"}';
    const { id, warnings } = await created({
      action: { type: "webhook", webhook_id: hook.id, payload },
    });
    assert.deepEqual(
      warnings.map(({ code, name }) => [code, name]),
      [["secret_in_body", "DEPLOY_KEY"], ["unknown_variable", "NOPE"]],
    );
    const event = {
      variables: { artifact_version_string: "acme/lab/model:production" },
      artifact_metadata: { acc: 0.93 },
    };
    const answer = await server.api("POST", `/api/v1/automations/${id}/render`, { body: { event } });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(
      answer.json.body,
      '{"v":"acme/lab/model:production","acc":0.93,"k":"***","x":"${NOPE}"}',
    );
    assert.ok(!answer.text.includes("a-value-that-nobody-sees"));
  });

  test("that does not render to JSON is rejected", async () => {
    const hook = await makeWebhook();
    const payload = '{"a":-${artifact_metadata.s}}';
    const { id } = await created({ action: { type: "webhook", webhook_id: hook.id, payload } });
    const event = { artifact_metadata: { s: "abc" } };
    const answer = await server.api("POST", `/api/v1/automations/${id}/render`, { body: { event } });
    expectError(answer, 422, "render_error");
  });

  test("is rendered with example values without an event", async () => {
    const hook = await makeWebhook();
    const payload = '{"v":"${artifact_version_string}","alias":"${alias}","i":${artifact_version_index}}';
    const { id } = await created({ action: { type: "webhook", webhook_id: hook.id, payload } });
    const answer = await server.api("POST", `/api/v1/automations/${id}/render`, { body: {} });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.body, `{"v":"${team}/lab/model:production","alias":"production","i":3}`);
  });

  test("can use the event types that the server lists", async () => {
    const types = (await server.api("GET", "/api/v1/event-types")).json.items;
    assert.equal(types.length, 17);
    assert.deepEqual(types.find(({ type }) => type === "CREATE_ARTIFACT"), {
      type: "CREATE_ARTIFACT",
      scopes: ["project", "collection"],
      filters: [{ name: "alias_regex", required: false }],
    });
  });

  test("can use a preset", async () => {
    const presets = (await server.api("GET", "/api/v1/payload-presets")).json.items;
    assert.deepEqual(
      presets.map(({ name }) => name),
      ["repository_dispatch", "message_card", "incoming_webhook"],
    );
    const hook = await makeWebhook();
    for (const { name, payload } of presets) {
      const action = { type: "webhook", webhook_id: hook.id, preset: name };
      const automation = await created({ name, action });
      assert.equal(automation.action.payload, payload);
      const at = `/api/v1/automations/${automation.id}/render`;
      const rendered = await server.api("POST", at, { body: { event: {} } });
      JSON.parse(rendered.json.body);
    }
  });
});

describe("a list", () => {
  test("contains only automations that the caller may see", async () => {
    await created({ name: "project" });
    await created({ name: "team", scope: { type: "team", team } });
    await created({ name: `everything-${team}`, scope: { type: "organization" } });
    const member = await makeMember(server, team, "MEMBER");
    const viewer = await makeMember(server, team, "VIEWER");
    const outsider = await makeUser(server);
    const names = async (key, query = `?team=${team}`) =>
      (await listAll(server, `/api/v1/automations${query}`, { key, limit: 1 })).map(({ name }) => name);
    assert.deepEqual(await names(server.adminKey), ["team", "project"]);
    assert.deepEqual(await names(member.key), ["team", "project"]);
    assert.deepEqual(await names(member.key, ""), ["team", "project"]);
    assert.deepEqual(await names(viewer.key, ""), []);
    assert.deepEqual(await names(outsider.key, ""), []);
    assert.deepEqual(await names(server.adminKey, `?name=everything-${team}`), [`everything-${team}`]);
    assert.deepEqual(await names(member.key, `?team=${team}&scope_type=project`), ["project"]);
    const of_project = await listAll(server, `/api/v1/projects/${team}/lab/automations`, { key: member.key });
    assert.deepEqual(of_project.map(({ name }) => name), ["project"]);
  });
});
