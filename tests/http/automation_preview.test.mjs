// POST /api/v1/automations/preview: the payload and the condition of an automation that is not stored.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";

import { ArtifactProject } from "./support/artifacts.mjs";
import { eventually, makeSecret, makeWebhook } from "./support/deliveries.mjs";
import { expectError, expectMembers, expectViolations } from "./support/expect.mjs";
import { listAll, makeMember, makeTeam, makeUser } from "./support/people.mjs";
import { RunProject } from "./support/runs.mjs";
import { startServer } from "./support/server.mjs";

let server;
let team;
let hook;
before(async () => (server = await startServer()));
after(() => server.dispose());
beforeEach(async () => {
  team = (await makeTeam(server)).name;
  hook = await makeWebhook(server, team, { url_endpoint: "https://hooks.example.com/in" });
});

const inProject = (project = "lab") => ({ type: "project", team, project });
const aliasAdded = { type: "ADD_ARTIFACT_ALIAS", alias_regex: "^production$" };
const sends = (payload, webhook = hook) => ({ type: "webhook", webhook_id: webhook.id, payload });

function preview(more = {}, options = {}) {
  const body = { name: "deploy", scope: inProject(), event: aliasAdded, action: sends(), ...more };
  return server.api("POST", "/api/v1/automations/preview", { body, ...options });
}

async function previewed(more, options) {
  const answer = await preview(more, options);
  assert.equal(answer.status, 200, answer.text);
  expectMembers(answer.json, ["body", "warnings", "matches"]);
  return answer.json;
}

/** Waits for events of a type in the team, and resolves with them, newest first. */
function eventsOf(type, count = 1) {
  return eventually(() => listAll(server, `/api/v1/events?team=${team}&type=${type}`), ({ length }) => length >= count);
}

describe("the payload", () => {
  test("is rendered with example values of the event type", async () => {
    const { body, matches } = await previewed({ action: sends('{"v":"${artifact_version_string}","a":"${automation_name}"}') });
    assert.equal(body, `{"v":"${team}/lab/model:production","a":"deploy"}`);
    assert.equal(matches, null);
    const metric = { name: "error_rate", comparison: "gt", threshold: 0.1 };
    const other = await previewed({ event: { type: "TRACE_METRIC_THRESHOLD", metric }, action: sends('{"n":"${metric_name}","v":${metric_value}}') });
    const { n, v } = JSON.parse(other.body);
    assert.equal(n, "error_rate");
    assert.ok(v > 0.1);
  });

  test("has the example values of every event type", async () => {
    const { items } = (await server.api("GET", "/api/v1/event-types")).json;
    const filters = {
      alias_regex: "^a$", tag_regex: "^t$", states: ["FAILED"],
      metric: { name: "error_rate", comparison: "gt", threshold: 1 },
    };
    const metrics = {
      RUN_METRIC_CHANGE: { name: "loss", change_type: "ABSOLUTE", direction: "ANY", amount: 1 },
      RUN_METRIC_ZSCORE: { name: "loss" },
    };
    for (const { type, filters: known } of items) {
      const required = known.filter((filter) => filter.required).map(({ name }) => name);
      const event = { type, ...Object.fromEntries(required.map((name) => [name, name === "metric" ? (metrics[type] ?? filters.metric) : filters[name]])) };
      const { body } = await previewed({ event, action: sends(undefined) });
      const values = JSON.parse(body);
      assert.equal(values.event_type, type);
      assert.ok(Object.values(values).filter((value) => value !== "" && value !== null).length >= 4, body);
    }
  });

  test("is rendered with described values", async () => {
    const sample = { variables: { alias: "stage", artifact_version_index: 7 }, artifact_metadata: { acc: 0.93 } };
    const action = sends('{"a":"${alias}","i":${artifact_version_index},"m":${artifact_metadata.acc},"t":"${tag}"}');
    assert.equal((await previewed({ action, sample })).body, '{"a":"stage","i":7,"m":0.93,"t":""}');
  });

  test("is rendered with a stored event, and says whether the condition matches it", async () => {
    await new ArtifactProject(server, team).put("model", { "a.txt": "one" }, { aliases: ["production"] });
    const events = await eventsOf("ADD_ARTIFACT_ALIAS", 2);
    const id = (alias) => events.find(({ data }) => data.alias === alias).id;
    const action = sends('{"v":"${artifact_version_string}","e":"${event_id}"}');
    const match = await previewed({ action, event_id: id("production") });
    assert.equal(match.body, `{"v":"${team}/lab/model:production","e":"${id("production")}"}`);
    assert.equal(match.matches, true);
    assert.equal((await previewed({ action, event_id: id("latest") })).matches, false);
    const elsewhere = { scope: inProject("elsewhere"), event_id: id("production") };
    assert.equal((await previewed(elsewhere)).matches, false);
    assert.equal((await previewed({ event: { type: "CREATE_ARTIFACT" }, event_id: id("production") })).matches, false);
    const noop = await previewed({ action: { type: "noop" }, event_id: id("production") });
    assert.deepEqual(noop, { body: null, warnings: [], matches: true });
  });

  test("does not say whether a metric condition matches the event of another automation", async () => {
    const metric = { name: "loss", comparison: "lt", threshold: 1 };
    const event = { type: "RUN_METRIC_THRESHOLD", metric };
    const automation = { name: "low loss", scope: inProject(), event, action: { type: "noop" } };
    assert.equal((await server.api("POST", "/api/v1/automations", { body: automation })).status, 201);
    const runs = new RunProject(server, team);
    const { run_id: run } = await runs.start();
    await runs.log(run, [{ metrics: { loss: 0.5 } }]);
    const [raised] = await eventsOf("RUN_METRIC_THRESHOLD");
    const { body, matches } = await previewed({ event, action: sends("{\"v\":${metric_value}}"), event_id: raised.id });
    assert.equal(body, '{"v":0.5}');
    assert.equal(matches, null);
  });

  test("shows no credentials and warns as saving does", async () => {
    await makeSecret(server, team, "DEPLOY_KEY", "a-value-that-nobody-sees");
    await makeSecret(server, team, "TOKEN", "another-value-that-nobody-sees");
    const secret = await makeWebhook(server, team, { url_endpoint: "https://hooks.example.com/in", secret_ref: "DEPLOY_KEY", access_token_ref: "TOKEN" });
    const answer = await preview({ action: sends('{"k":"$DEPLOY_KEY ${ACCESS_TOKEN}","x":"${NOPE}"}', secret) });
    assert.equal(answer.json.body, '{"k":"*** ***","x":"${NOPE}"}');
    assert.deepEqual(answer.json.warnings.map(({ code, name }) => [code, name]), [["secret_in_body", "DEPLOY_KEY"], ["unknown_variable", "NOPE"]]);
    assert.ok(!answer.text.includes("nobody-sees"));
  });

  test("needs no name", async () => {
    assert.equal((await previewed({ name: undefined, action: sends('{"n":"${automation_name}"}') })).body, '{"n":""}');
  });
});

describe("a preview", () => {
  test("stores nothing", async () => {
    const answer = await preview({ scope: inProject("not-yet-there") });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(await listAll(server, `/api/v1/automations?team=${team}`), []);
    const projects = await listAll(server, `/api/v1/projects?team=${team}`);
    assert.deepEqual(projects.map(({ name }) => name), []);
    const { items } = (await server.api("GET", "/api/v1/audit?limit=50")).json;
    assert.ok(!items.some(({ request_id }) => request_id === answer.headers["x-request-id"]));
  });

  test("reports what saving would refuse", async () => {
    expectViolations(
      await preview({ event: { type: "ADD_ARTIFACT_ALIAS" }, action: { type: "webhook" } }),
      ["missing", "body", "event", "alias_regex"],
      ["missing", "body", "action", "webhook_id"],
    );
    expectViolations(await preview({ action: sends('{"a":"${alias}"') }), ["json_invalid", "body", "action", "payload"]);
    expectViolations(await preview({ action: sends('{"a":${nope}}') }), ["unknown_variable", "body", "action", "payload"]);
    expectViolations(await preview({ action: sends(`{"a":"${"x".repeat(65536)}"}`) }), ["string_too_long", "body", "action", "payload"]);
    expectViolations(await preview({ action: sends("{}", { id: "wh_unknown" }) }), ["unknown_reference", "body", "action", "webhook_id"]);
    expectViolations(await preview({ scope: { type: "team", team }, event: { type: "CREATE_ARTIFACT" } }), ["invalid_scope_for_event", "body", "scope", "type"]);
    expectViolations(await preview({ more: 1 }), ["extra_forbidden", "body", "more"]);
    expectError(await preview({ action: sends('{"a":-${artifact_metadata.s}}'), sample: { artifact_metadata: { s: "abc" } } }), 422, "render_error");
    const large = { artifact_metadata: { s: "x".repeat(200_000) } };
    expectError(await preview({ action: sends('{"a":"${artifact_metadata.s}${artifact_metadata.s}"}'), sample: large }), 413, "body_too_large");
  });

  test("reports wrong values and events", async () => {
    expectViolations(await preview({ sample: { variables: { metric_value: "1" } } }), ["float_type", "body", "sample", "variables", "metric_value"]);
    expectViolations(await preview({ sample: { variables: { nothing: "1" } } }), ["literal_error", "body", "sample", "variables", "nothing", "[key]"]);
    expectViolations(await preview({ sample: {}, event_id: "evt_x" }), ["extra_forbidden", "body", "event_id"]);
    expectError(await preview({ event_id: "evt_x" }), 404, "not_found");
  });

  test("hides events of other teams", async () => {
    await new ArtifactProject(server, team).put("model", { "a.txt": "one" });
    const [event] = await eventsOf("CREATE_ARTIFACT");
    const stranger = await makeUser(server);
    const other = (await makeTeam(server, { admin: stranger.username })).name;
    const body = { scope: { type: "team", team: other }, event: { type: "TRAINING_JOB_FAILED" }, action: { type: "noop" }, event_id: event.id };
    expectError(await server.api("POST", "/api/v1/automations/preview", { body, key: stranger.key }), 404, "not_found");
  });

  test("is for those who may create the automation", async () => {
    const member = await makeMember(server, team, "MEMBER");
    const admin = await makeMember(server, team, "ADMIN");
    const viewer = await makeMember(server, team, "VIEWER");
    const draft = { scope: { type: "team", team } };
    assert.equal((await preview(draft, { key: admin.key })).status, 200);
    for (const { key } of [member, viewer]) assert.equal((await preview(draft, { key })).status, 403);
    assert.equal((await preview(draft, { key: (await makeUser(server)).key })).status, 404);
    assert.equal((await preview(draft, { key: null })).status, 401);
  });
});
