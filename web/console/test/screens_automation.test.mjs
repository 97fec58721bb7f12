// Payload templates, drafts of automations, words for conditions, health of webhooks, deliveries of a team.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { importSources } from "./support/bundle.mjs";

const { DEFAULT_TEMPLATE, eventValues, prettyTemplate, renderTemplate, sampleValues, scan } = await importSources("screens/automations/template.ts");
const { EMPTY_DRAFT, bodyOf, draftOf, missingPart, scopeType } = await importSources("screens/automations/draft.ts");
const { conditionText, concernsTeam, eventText, isOpen, scopeText, healthOf, recoverable } = await importSources(
  "screens/shared_automation/events.ts",
  "screens/shared_automation/health.ts",
);
const { deliveriesOfTeam } = await importSources("screens/deliveries/of_team.ts");

describe("payload templates", () => {
  const render = (template, values = {}, more = {}) => renderTemplate(template, { values, ...more });

  test("insert values with escapes inside strings and with their type outside", () => {
    assert.equal(render('{"a":"${alias}","v":${metric_value}}', { alias: 'a"b\n', metric_value: 0.5 }).body, '{"a":"a\\"b\\n","v":0.5}');
  });

  test("insert numbers into strings as they are written", () => {
    assert.equal(render('{"v":"${metric_value}"}', { metric_value: 0.25 }).body, '{"v":"0.25"}');
  });

  test("write nothing for a variable without a value inside strings, null outside", () => {
    assert.equal(render('{"a":"${alias}","v":${metric_value}}').body, '{"a":"","v":null}');
  });

  test("keep unknown names and report them", () => {
    const { body, unknown, error } = render('{"a":"${nothing}"}');
    assert.equal(body, '{"a":"${nothing}"}');
    assert.deepEqual(unknown, ["nothing"]);
    assert.equal(error, null);
    assert.notEqual(render('{"a":${nothing}}').error, null);
  });

  test("hide credentials, in both spellings", () => {
    const { body } = render('{"t":"${CI_TOKEN} $CI_TOKEN $OTHER"}', {}, { credentials: ["CI_TOKEN"] });
    assert.equal(body, '{"t":"*** *** $OTHER"}');
  });

  test("never scan inserted values again", () => {
    assert.equal(render('{"a":"${alias}"}', { alias: "${event_type}", event_type: "X" }).body, '{"a":"${event_type}"}');
  });

  test("read metadata by key, and $${ as a literal", () => {
    assert.equal(render('{"a":"${artifact_metadata.f1 score}","b":"$${alias}"}', { alias: "x" }, { metadata: { "f1 score": 0.9 } }).body, '{"a":"0.9","b":"${alias}"}');
  });

  test("do not take names like toString for values", () => {
    assert.equal(render('{"a":"${toString}"}').body, '{"a":"${toString}"}');
    assert.equal(render('{"a":"${artifact_metadata.toString}"}').body, '{"a":""}');
  });

  test("know that escaped quotes do not end a string", () => {
    assert.deepEqual(scan('"\\"${a}"').map(({ kind, inString }) => [kind, inString]), [["text", true], ["braced", true], ["text", false]]);
  });

  test("the default template renders to JSON for every kind of event", () => {
    for (const type of ["ADD_ARTIFACT_ALIAS", "RUN_STATE", "TRAINING_JOB_FAILED", "TRACE_METRIC_THRESHOLD", "EVALUATION_FINISHED", "NEW_KIND"]) {
      const { error, unknown } = render(DEFAULT_TEMPLATE, sampleValues(type, { team: "acme", project: null }, "x"));
      assert.equal(error, null, type);
      assert.deepEqual(unknown, []);
    }
  });

  test("values of a stored event are those that the server sends", () => {
    const event = {
      id: "evt_1", type: "ADD_ARTIFACT_ALIAS", time: "2026-11-18T07:49:59.364128Z", author: "admin",
      subject: { artifact_id: "art_2", run_id: null },
      data: { entity_name: "acme", project_name: "churn", artifact_collection_name: "model", artifact_version_index: 1, alias: "production" },
    };
    const values = eventValues(event, "deploy");
    assert.equal(values.artifact_version, "svc-artifact://_id/QXJ0aWZhY3Q6Mg==");
    assert.equal(values.artifact_version_string, "acme/churn/model:production");
    assert.equal(values.event_time, "2026-11-18T07:49:59.364Z");
    assert.equal(eventValues({ ...event, data: { ...event.data, alias: undefined } }, "").artifact_version_string, "acme/churn/model:v1");
  });

  test("a template that is no JSON is shown as it is", () => {
    assert.equal(prettyTemplate('{"v":${metric_value}}'), '{"v":${metric_value}}');
    assert.equal(prettyTemplate('{"v":1}'), '{\n  "v": 1\n}');
  });
});

describe("drafts of automations", () => {
  const types = [
    { type: "ADD_ARTIFACT_ALIAS", scopes: ["project"], filters: [{ name: "alias_regex", required: true }] },
    { type: "RUN_METRIC_CHANGE", scopes: ["project"], filters: [{ name: "metric", required: true }, { name: "run_filter", required: false }] },
    { type: "EVALUATION_FINISHED", scopes: ["team"], filters: [{ name: "score", required: false }] },
    { type: "TRAINING_JOB_FAILED", scopes: ["team"], filters: [] },
  ];

  test("send only the filters of the kind of event", () => {
    const body = bodyOf({ ...EMPTY_DRAFT, name: " x ", type: "TRAINING_JOB_FAILED", metricName: "loss" }, "acme", types);
    assert.deepEqual(body, { name: "x", description: null, scope: { type: "team", team: "acme" }, event: { type: "TRAINING_JOB_FAILED" }, action: { type: "noop" } });
  });

  test("say what is missing", () => {
    assert.match(missingPart(EMPTY_DRAFT, types), /name/);
    assert.match(missingPart({ ...EMPTY_DRAFT, name: "x", type: "ADD_ARTIFACT_ALIAS", aliasRegex: "" }, types), /alias/);
    assert.match(missingPart({ ...EMPTY_DRAFT, name: "x", type: "RUN_METRIC_CHANGE", metricName: "loss" }, types), /change/);
    assert.equal(missingPart({ ...EMPTY_DRAFT, name: "x" }, types), null);
  });

  test("survive a round trip through the server", () => {
    const automation = {
      name: "a", description: null, scope: { type: "collection", team: "acme", project: "churn", collection: "model" },
      event: { type: "RUN_METRIC_CHANGE", metric: { name: "loss", change_type: "ABSOLUTE", direction: "INCREASE", amount: 0.1, current_window: 3 }, run_filter: { username: "ada" } },
      action: { type: "webhook", webhook_id: "wh_1", preset: null, payload: '{"a":1}' },
    };
    const body = bodyOf(draftOf(automation, "acme"), "acme", types);
    assert.deepEqual(body.scope, automation.scope);
    assert.deepEqual(body.event, automation.event);
    assert.deepEqual(body.action, { type: "webhook", webhook_id: "wh_1", payload: '{"a":1}' });
  });

  test("keep a scope that the form does not offer", () => {
    const scope = { type: "registry", registry: "prod" };
    const draft = draftOf({ name: "a", description: null, scope, event: { type: "TRAINING_JOB_FAILED" }, action: { type: "noop", webhook_id: null, preset: null, payload: null } }, "acme");
    assert.deepEqual(bodyOf(draft, "acme", types).scope, scope);
    assert.equal(scopeType(draft, "acme"), "registry");
  });
});

describe("words", () => {
  test("for conditions, scopes and unknown kinds", () => {
    assert.equal(conditionText({ type: "TRACE_METRIC_THRESHOLD", metric: { name: "error_rate", comparison: "gt", threshold: 0.1 } }), "error_rate > 0.1 over 5 min");
    assert.equal(conditionText({ type: "RUN_METRIC_CHANGE", metric: { name: "loss", change_type: "RELATIVE", direction: "INCREASE", amount: 0.25 } }), "loss rises by 25 %");
    assert.equal(conditionText({ type: "RUN_STATE", states: ["FAILED", "FINISHED"] }), "failed or finished");
    assert.equal(scopeText({ type: "collection", registry: "prod", collection: "m" }), "registry prod/m");
    assert.equal(eventText("SOMETHING_NEW"), "SOMETHING_NEW");
  });
});

describe("health and deliveries", () => {
  const counts = { pending: 1, in_flight: 0, retrying: 2, succeeded: 40, failed: 3, cancelled: 1, skipped: 4 };

  test("count by outcome", () => {
    assert.deepEqual(healthOf({ counts }), { succeeded: 40, failed: 3, open: 3, unsent: 5, total: 51 });
    assert.equal(recoverable({ counts }), 8);
    assert.equal(isOpen({ status: "retrying" }), true);
    assert.equal(isOpen({ status: "skipped" }), false);
  });

  test("those of a team are by its webhooks or automations", () => {
    const all = [{ webhook_id: "w1", automation_id: "a9" }, { webhook_id: "w9", automation_id: "a1" }, { webhook_id: "w9", automation_id: "a9" }, { webhook_id: null, automation_id: "a9" }];
    const me = { organization_admin: true, memberships: [] };
    assert.deepEqual(deliveriesOfTeam(all, me, "acme", [{ id: "w1" }], [{ id: "a1" }]), all.slice(0, 2));
    const member = { organization_admin: false, memberships: [{ team: "acme" }] };
    assert.equal(deliveriesOfTeam(all, member, "acme", [], []).length, 4);
    assert.equal(concernsTeam({ scope: { type: "team", team: "other" }, action: { webhook_id: "w1" } }, "acme", new Set(["w1"])), true);
  });
});
