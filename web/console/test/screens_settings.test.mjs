// Forms and sums of the screens of inference, usage, webhooks, prices and audit.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { importSources } from "./support/bundle.mjs";

const webhook = await importSources("screens/webhooks/draft.ts");
const { EMPTY_LIMIT, budgetState, isCompleteLimit, limitDraft, limitParts, newLimit } = await importSources("screens/inference/limit_draft.ts");
const { isCompleteModel, modelBody, modelDraft } = await importSources("screens/inference/model_draft.ts");
const { daysBetween, modelFilter, ranked, seriesByDay } = await importSources("screens/usage/summary.ts");
const { EMPTY_PRICE, isCompletePrice, isInForce, perMillion, perToken, priceEntry } = await importSources("screens/project_settings/price_draft.ts");
const { actionText, auditQuery, exportName } = await importSources("screens/admin/audit_filter.ts");

describe("the form of a webhook", () => {
  const draft = { ...webhook.draftOf(null), name: " ci ", url: "https://ci.example.com/x " };

  test("makes new secrets before the webhook", () => {
    const withSecret = { ...draft, token: { choice: webhook.NEW, name: "CI_TOKEN", value: "x" } };
    assert.deepEqual(webhook.newSecrets(withSecret), [{ name: "CI_TOKEN", value: "x" }]);
    assert.deepEqual(webhook.bodyOf(withSecret), { name: "ci", url_endpoint: "https://ci.example.com/x", access_token_ref: "CI_TOKEN", secret_ref: null, max_concurrency: 4 });
    assert.equal(webhook.isComplete(withSecret, []), true);
    assert.equal(webhook.isComplete(withSecret, ["CI_TOKEN"]), false);
  });

  test("refuses two new secrets of one name, bad names and bad addresses", () => {
    const twin = { choice: webhook.NEW, name: "A", value: "x" };
    assert.equal(webhook.isComplete({ ...draft, token: twin, signing: twin }, []), false);
    assert.equal(webhook.isComplete({ ...draft, token: { ...twin, name: "a-b" } }, []), false);
    for (const url of ["ci.example.com", "ftp://ci.example.com", "https://user:secret@ci.example.com"]) assert.notEqual(webhook.addressError(url), null, url);
    assert.equal(webhook.isComplete({ ...draft, concurrency: 17 }, []), false);
  });
});

describe("limits", () => {
  test("need a subject and a number", () => {
    assert.equal(isCompleteLimit({ ...EMPTY_LIMIT, project: "acme/support" }), false);
    assert.equal(isCompleteLimit({ ...EMPTY_LIMIT, project: "acme/support", budget: 5 }), true);
    assert.equal(isCompleteLimit({ ...EMPTY_LIMIT, budget: 5 }), false);
    assert.equal(isCompleteLimit({ ...EMPTY_LIMIT, project: "acme/support", budget: -1 }), false);
  });

  test("a change removes a part by null", () => {
    const draft = limitDraft({ project: "a/b", key: null, concurrency: 2, requests_per_minute: null, tokens_per_minute: null, budget_usd: 5, period: "day" });
    assert.deepEqual(limitParts({ ...draft, budget: null }), { concurrency: 2, requests_per_minute: null, tokens_per_minute: null, budget_usd: null, period: "day" });
    assert.equal(newLimit({ ...EMPTY_LIMIT, kind: "key", key: " spk_1 " }).key, "spk_1");
  });

  test("a budget warns at 80 % and ends at 100 %", () => {
    assert.equal(budgetState({ budget_usd: null, spent_usd: null }), null);
    assert.equal(budgetState({ budget_usd: 10, spent_usd: 7.9 }).tone, "ok");
    assert.equal(budgetState({ budget_usd: 10, spent_usd: 8 }).tone, "warning");
    assert.deepEqual(budgetState({ budget_usd: 10, spent_usd: 12 }), { share: 1.2, tone: "error", left: 0 });
    assert.equal(budgetState({ budget_usd: 0, spent_usd: 0 }).tone, "error");
  });
});

describe("models", () => {
  const stored = {
    name: "qwen3", file: null, context: 0, start_at_boot: false, abilities: ["chat"], max_output_tokens: 0,
    targets: [{ upstream: "vllm-1", model: "Qwen/Qwen3-14B", tier: 0 }], fallbacks: ["a", "b"], teams: ["acme", "blue"],
  };

  test("a change keeps the further fallbacks and teams", () => {
    const body = modelBody({ ...modelDraft(stored), fallback: "c" });
    assert.deepEqual(body.fallbacks, ["c", "b"]);
    assert.deepEqual(body.teams, ["acme", "blue"]);
    assert.equal(modelBody({ ...modelDraft(stored), team: "" }).teams, null);
  });

  test("a model with a file has its path, one without has targets", () => {
    const draft = modelDraft(null);
    assert.equal(isCompleteModel({ ...draft, name: "x" }), false);
    assert.equal(isCompleteModel({ ...draft, name: "x", kind: "file", file: "/m.gguf" }), true);
    assert.equal(modelBody({ ...draft, name: "x", kind: "file", file: " /m.gguf " }).file, "/m.gguf");
    assert.deepEqual(modelBody(modelDraft(stored)).targets, stored.targets);
  });
});

describe("usage", () => {
  const row = (day, model, cost) => ({ day, model, cost_usd: cost, prompt_tokens: 1, completion_tokens: 2, requests: 1, errors: 0 });
  const days = daysBetween(Date.parse("2026-11-15T10:00:00Z"), Date.parse("2026-11-17T10:00:00Z"));

  test("has every day, also those without requests", () => {
    assert.equal(days.length, 3);
    assert.deepEqual(seriesByDay([row("2026-11-15", "a", 1), row("2026-11-17", "a", 2), row("2026-10-01", "a", 9)], days, "model", "cost"), [{ name: "a", values: [1, 0, 2] }]);
  });

  test("sums the small groups", () => {
    const rows = ["a", "b", "c", "d"].map((model, index) => row("2026-11-15", model, 10 - index));
    assert.deepEqual(seriesByDay(rows, days, "model", "cost", 3), [
      { name: "a", values: [10, 0, 0] }, { name: "b", values: [9, 0, 0] }, { name: "2 others", values: [15, 0, 0] },
    ]);
  });

  test("ranks by the measure", () => {
    const [first] = ranked([row("x", "a", 1), row("x", "b", 3)], "cost");
    assert.equal(first.row.model, "b");
    assert.equal(first.share, 0.75);
    assert.equal(ranked([row("x", "a", 0)], "cost")[0].share, 0);
  });

  test("names of models become filters that mean the model alone", () => {
    assert.equal(modelFilter("gpt-4o"), "model:gpt-4o");
    assert.match(modelFilter('a b" OR x'), /^model:"/);
  });
});

describe("prices", () => {
  test("are written per million and stored per token", () => {
    assert.equal(perToken(2.5), 2.5e-6);
    assert.equal(perMillion(2.5e-6), 2.5);
    assert.equal(perMillion(perToken(0.15)), 0.15);
    assert.deepEqual(priceEntry({ ...EMPTY_PRICE, prompt: 1, completion: 2, from: "2026-01-01" }), { prompt_token_cost: 1e-6, completion_token_cost: 2e-6, effective_date: "2026-01-01" });
  });

  test("need a model, both prices and a real day", () => {
    const draft = { ...EMPTY_PRICE, model: "m", prompt: 0, completion: 1 };
    assert.equal(isCompletePrice(draft), true);
    assert.equal(isCompletePrice({ ...draft, prompt: null }), false);
    assert.equal(isCompletePrice({ ...draft, from: "2026-13-01" }), false);
  });

  test("the newest whose day has come is in force", () => {
    const price = (effective_date) => ({ llm_id: "m", provider_id: "default", effective_date });
    const all = [price("2026-01-01T00:00:00Z"), price("2026-06-01T00:00:00Z"), price("2027-01-01T00:00:00Z")];
    assert.deepEqual(all.map((one) => isInForce(one, all, Date.parse("2026-11-18"))), [false, true, false]);
  });
});

describe("the audit log", () => {
  test("leaves empty filters out", () => {
    assert.deepEqual(auditQuery({ team: "", actor: " bob ", action: "webhook", range: { kind: "all" } }, 0), { actor: "bob", action: "webhook" });
    assert.deepEqual(auditQuery({ team: "acme", actor: "", action: "", range: { kind: "last", milliseconds: 1000 } }, 2000), { team: "acme", since: "1970-01-01T00:00:01.000Z" });
  });

  test("reads actions as words and names files by time", () => {
    assert.equal(actionText("api_key.create"), "api key: create");
    assert.equal(exportName("csv", 0), "spindle-audit-1970-01-01T000000Z.csv");
  });
});
