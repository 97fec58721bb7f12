// Payload templates, drafts of automations, words for conditions, health of webhooks.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { importSources } from "./support/bundle.mjs";

const { DEFAULT_TEMPLATE, VARIABLES, prettyTemplate } = await importSources("screens/automations/template.ts");
const { EMPTY_DRAFT, bodyOf, draftOf, missingCondition, scopeType } = await importSources("screens/automations/draft.ts");
const { conditionText, concernsTeam, eventText, isOpen, scopeText, healthOf, recoverable } = await importSources(
  "screens/shared_automation/events.ts",
  "screens/shared_automation/health.ts",
);

describe("payload templates", () => {
  test("the default template names only variables", () => {
    const names = [...DEFAULT_TEMPLATE.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name);
    assert.equal(names.length, 14);
    assert.deepEqual(names.filter((name) => !VARIABLES.includes(name)), []);
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
    assert.match(missingCondition({ ...EMPTY_DRAFT, name: "x", type: "ADD_ARTIFACT_ALIAS", aliasRegex: "" }, types), /alias/);
    assert.match(missingCondition({ ...EMPTY_DRAFT, name: "x", type: "RUN_METRIC_CHANGE", metricName: "loss" }, types), /change/);
    assert.equal(missingCondition({ ...EMPTY_DRAFT, name: "x" }, types), null);
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
    assert.equal(eventText("SOMETHING_NEW"), "Something new");
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

  test("automations of a team are its own and those that call its webhooks", () => {
    assert.equal(concernsTeam({ scope: { type: "team", team: "other" }, action: { webhook_id: "w1" } }, "acme", new Set(["w1"])), true);
    assert.equal(concernsTeam({ scope: { type: "team", team: "other" }, action: { webhook_id: "w9" } }, "acme", new Set(["w1"])), false);
  });
});
