// /v2/{entity}/{project}/eval_results/query: rows, order, filters, summaries and comparisons of runs.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, test } from "node:test";

import { at, uuid7 } from "./support/calls.mjs";
import { expectViolations } from "./support/expect.mjs";
import { contentDigest, expectRefusal } from "./support/objects.mjs";
import { startServer } from "./support/server.mjs";
import { V2Project } from "./support/v2_project.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

/** Returns the digest of an example with sorted members: `{"q": 1}`. */
function digestOf(example) {
  const text = `{${Object.keys(example).sort().map((key) => `"${key}": ${JSON.stringify(example[key])}`).join(", ")}}`;
  return contentDigest(text);
}
const byDigest = (a, b) => (a < b ? -1 : 1);
const digests = ({ rows }) => rows.map(({ row_digest }) => row_digest);
const greater = (field, value) => ({ $expr: { $gt: [{ $getField: field }, { $literal: value }] } });
const equal = (field, value) => ({ $expr: { $eq: [{ $getField: field }, { $literal: value }] } });

/** Creates two runs over five examples: A has 1 to 4 (1 twice), B has 1, 2, 3 and 5. */
async function twoRuns() {
  const project = new V2Project(server);
  const a = await project.run();
  const b = await project.run({ model: project.ref("other") });
  const row = (run, q, output, scores) => project.row(run, { q, topic: `t${q}` }, output, scores);
  await row(a, 1, { n: 5 }, { acc: 0.5, ok: true });
  await row(a, 1, { n: 6 }, { acc: 1, ok: false });
  await row(a, 2, { n: 3 }, { acc: 1, judge: { score: 3, why: "good", tags: ["x"], none: null } });
  await row(a, 3, { n: 4 }, { acc: 0.25 });
  await row(a, 4, { n: 1 }, { acc: 0.1 });
  await row(b, 1, { n: 7 }, { acc: 0.25, ok: true });
  await row(b, 2, { n: 8 }, { acc: 0, judge: { score: 4, why: "bad" } });
  await row(b, 3, { n: 9 }, { acc: 0.25 });
  await row(b, 5, { n: 2 }, { acc: 0.9 });
  const digest = (q) => digestOf({ q, topic: `t${q}` });
  return { project, a, b, digest, ask: (body = {}) => project.results({ evaluation_call_ids: [a, b], ...body }) };
}

describe("rows", () => {
  test("are grouped by digest, with the evaluations in the requested order", async () => {
    const { project, a, b, digest, ask } = await twoRuns();
    const answer = await ask();
    assert.equal(answer.total_rows, 5);
    assert.equal(answer.summary, null);
    assert.deepEqual(answer.warnings, []);
    assert.ok(!("comparison" in answer));
    assert.deepEqual(digests(answer), [1, 2, 3, 4, 5].map(digest).sort(byDigest));
    const first = answer.rows.find(({ row_digest }) => row_digest === digest(1));
    assert.deepEqual(first.evaluations.map(({ evaluation_call_id, trials }) => [evaluation_call_id, trials.length]), [[a, 2], [b, 1]]);
    assert.equal(first.raw_data_row, null);
    const [trial] = first.evaluations[0].trials;
    assert.deepEqual(trial.scores, { acc: 0.5, ok: true });
    assert.deepEqual(trial.model_output, { n: 5 });
    assert.deepEqual(Object.keys(trial.scorer_call_ids).sort(), ["acc", "ok"]);
    assert.equal((await project.read(trial.scorer_call_ids.acc)).output, 0.5);
    assert.equal((await project.read(trial.predict_call_id)).parent_id, trial.predict_and_score_call_id);
    assert.equal(typeof trial.model_latency_seconds, "number");
    assert.deepEqual([trial.total_tokens, trial.total_cost, trial.genai_span_ref], [null, null, null]);
    const swapped = await project.results({ evaluation_call_ids: [b], evaluation_run_ids: [a, b] });
    const again = swapped.rows.find(({ row_digest }) => row_digest === digest(1));
    assert.deepEqual(again.evaluations.map(({ evaluation_call_id }) => evaluation_call_id), [b, a]);
  });

  test("are identified by the dataset row or by the example itself", async () => {
    const project = new V2Project(server);
    const run = await project.run();
    const { digest } = await project.make("datasets", { name: "quiz", rows: [{ q: "why" }] });
    const rowDigest = contentDigest('{"q": "why"}');
    const example = `${project.ref("quiz", digest)}/attr/rows/id/${rowDigest}`;
    const scored = { op_name: "Evaluation.predict_and_score", parent_id: run, trace_id: run };
    await project.complete(
      { ...scored, inputs: { example }, output: { output: 1, scores: {} } },
      { ...scored, inputs: { example: { q: "why" } }, output: { output: 2, scores: {} } },
      { ...scored, inputs: { example: "plain" }, output: { output: 3, scores: {} } },
      { ...scored, inputs: { example: project.ref("gone") + "/attr/rows/id/xyz" }, output: { output: 4, scores: {} } },
    );
    const plain = await project.results({ evaluation_call_ids: [run], include_raw_data_rows: true });
    assert.deepEqual(digests(plain).sort(), [rowDigest, contentDigest("plain"), "xyz"].sort());
    const row = (answer, name) => answer.rows.find(({ row_digest }) => row_digest === name);
    assert.equal(row(plain, rowDigest).evaluations[0].trials.length, 2);
    assert.equal(row(plain, "xyz").raw_data_row, project.ref("gone") + "/attr/rows/id/xyz");
    const resolved = await project.results({ evaluation_call_ids: [run], include_raw_data_rows: true, resolve_row_refs: true });
    assert.deepEqual(row(resolved, rowDigest).raw_data_row, { q: "why" });
    assert.equal(row(resolved, "xyz").raw_data_row, project.ref("gone") + "/attr/rows/id/xyz");
    assert.deepEqual(resolved.warnings, ["1 dataset rows could not be resolved"]);
    const sorted = await project.results({ evaluation_call_ids: [run], filters: [{ query: equal("inputs.q", "why") }] });
    assert.deepEqual(digests(sorted), [rowDigest], "filters resolve references to rows");
  });

  test("are omitted on request, paged, and limited to examples that all runs have", async () => {
    const { digest, ask } = await twoRuns();
    assert.deepEqual((await ask({ include_rows: false })).rows, []);
    assert.equal((await ask({ include_rows: false })).total_rows, 5);
    const all = digests(await ask());
    assert.deepEqual(digests(await ask({ limit: 2, offset: 1 })), all.slice(1, 3));
    assert.equal((await ask({ limit: 2 })).total_rows, 5);
    assert.deepEqual((await ask({ offset: 9 })).rows, []);
    const common = await ask({ require_intersection: true });
    assert.deepEqual(digests(common), [1, 2, 3].map(digest).sort(byDigest));
    assert.equal(common.total_rows, 3);
  });

  test("can omit their child calls", async () => {
    const { ask } = await twoRuns();
    const { rows } = await ask({ include_predict_and_score_children: false });
    const [trial] = rows[0].evaluations[0].trials;
    assert.deepEqual(trial.scorer_call_ids, {});
    assert.equal(typeof trial.model_latency_seconds, "number", "from the row itself");
  });

  test("include tokens, costs and spans", async () => {
    const project = new V2Project(server);
    await project.ok("/cost/create", { project_id: project.id, costs: { m: { prompt_token_cost: 0.5, completion_token_cost: 2 } } });
    const run = await project.run();
    const row = uuid7();
    const usage = { m: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 } };
    const spans = [{ trace_id: "t", span_id: "s" }];
    await project.complete(
      { id: row, parent_id: run, trace_id: run, op_name: "Evaluation.predictAndScore", inputs: { example: "e" },
        attributes: { svc: { genai_span_ref: spans } }, output: { model_output: "x", scores: { s: true }, model_latency: 9 } },
      { parent_id: row, trace_id: run, op_name: "judge.score", started_at: at(0) },
      { parent_id: row, trace_id: run, op_name: "guess", inputs: { self: project.ref("bot") }, summary: { usage }, started_at: at(1), ended_at: at(3.5) },
    );
    const answer = await project.results({ evaluation_call_ids: [run], include_costs: true, include_summary: true });
    const [trial] = answer.rows[0].evaluations[0].trials;
    assert.deepEqual([trial.total_tokens, trial.total_cost, trial.model_latency_seconds], [13, 11, 2.5]);
    assert.deepEqual([trial.model_output, trial.scores, trial.genai_span_ref], ["x", { s: true }, spans]);
    const [evaluation] = answer.summary.evaluations;
    assert.deepEqual([evaluation.predict_total_tokens, evaluation.predict_total_cost], [13, 11]);
    const free = await project.results({ evaluation_call_ids: [run], include_summary: true });
    assert.equal(free.rows[0].evaluations[0].trials[0].total_cost, null);
    assert.equal(free.summary.evaluations[0].predict_total_cost, null);
  });

  test("of evaluations without rows are an empty list", async () => {
    const project = new V2Project(server);
    const run = await project.run();
    const empty = { rows: [], total_rows: 0, summary: { row_count: 0, evaluations: [] }, warnings: [] };
    assert.deepEqual(await project.results({ evaluation_call_ids: [run, uuid7()], include_summary: true }), empty);
    assert.deepEqual(await new V2Project(server).results({ evaluation_run_ids: ["x"], include_summary: true }), empty);
  });
});

describe("order", () => {
  test("is by scores, inputs or output", async () => {
    const { a, b, digest, ask } = await twoRuns();
    const sorted = async (sort) => digests(await ask({ sort_by: [sort] }));
    const rows = (...numbers) => numbers.map(digest);
    const acc = { field: "scores.acc", direction: "asc" };
    assert.deepEqual(await sorted({ ...acc, evaluation_call_id: a }), rows(4, 3, 1, 2, 5), "mean of trials; missing values come last");
    assert.deepEqual(await sorted({ ...acc, direction: "desc", evaluation_call_id: b }), rows(5, ...[1, 3].sort((x, y) => byDigest(digest(x), digest(y))), 2, 4));
    assert.deepEqual((await sorted({ ...acc, direction: "desc", mode: "difference" })).slice(0, 2), rows(2, 1));
    assert.deepEqual(await sorted({ field: "inputs.q", direction: "desc" }), rows(5, 4, 3, 2, 1));
    assert.deepEqual(await sorted({ field: "output.n", direction: "asc" }), rows(4, 5, 2, 3, 1));
  });

  test("by other fields is rejected", async () => {
    const { project, a } = await twoRuns();
    const ask = (sort) => project.v2("POST", "eval_results/query", { evaluation_call_ids: [a], sort_by: [sort] });
    expectRefusal(await ask({ field: "latency", direction: "asc" }), 400,
      "Unsupported sort field: 'latency'. Supported: scores.*, inputs.*, output.*.");
    expectRefusal(await ask({ field: "inputs.q", direction: "asc", mode: "difference" }), 400, /difference/);
    expectRefusal(await ask({ field: "output.q", direction: "asc", mode: "difference" }), 400, /difference/);
  });
});

describe("filters", () => {
  test("apply to scores, inputs, output and digests", async () => {
    const { a, b, digest, ask } = await twoRuns();
    const found = async (filters, more = {}) => digests(await ask({ filters, ...more })).sort(byDigest);
    const rows = (...numbers) => numbers.map(digest).sort(byDigest);
    assert.deepEqual(await found([{ query: greater("scores.acc", 0.4) }]), rows(1, 2, 5));
    assert.deepEqual(await found([{ query: greater("scores.acc", 0.4), evaluation_call_id: b }]), rows(5));
    assert.deepEqual(await found([{ query: equal("inputs.topic", "t3") }]), rows(3));
    assert.deepEqual(await found([{ query: greater("output.n", 6) }]), rows(1, 2, 3));
    assert.deepEqual(await found([{ query: equal("row_digest", digest(4)) }]), rows(4));
    assert.deepEqual(await found([{ query: equal("scores.ok", true) }]), rows(1));
    const both = [{ query: greater("scores.acc", 0.4), evaluation_call_id: a }, { query: greater("scores.judge.score", 1), evaluation_call_id: a }];
    assert.deepEqual(await found(both), rows(1, 2));
    assert.deepEqual(await found(both, { filter_logic_operator: "and" }), rows(2));
    const filtered = await ask({ filters: both, include_summary: true });
    assert.equal(filtered.total_rows, 2);
    assert.equal(filtered.summary.row_count, 5, "summaries cover all rows");
  });

  test("on other fields are rejected", async () => {
    const { project, a } = await twoRuns();
    const ask = (query) => project.v2("POST", "eval_results/query", { evaluation_call_ids: [a], filters: [{ query }] });
    expectRefusal(await ask(equal("started_at", 1)), 400, /^Unsupported filter field: 'started_at'/);
    expectRefusal(await ask({ $expr: { $and: [] } }), 400, "Empty AND operation");
  });
});

describe("the summary", () => {
  test("has one entry for each leaf of the scores", async () => {
    const { project, a, b, ask } = await twoRuns();
    await project.ok("/call/update", { project_id: project.id, call_id: a, display_name: "first" });
    const { summary } = await ask({ include_summary: true });
    assert.equal(summary.row_count, 5);
    assert.deepEqual(summary.evaluations.map(({ evaluation_call_id }) => evaluation_call_id), [a, b]);
    const [{ scorer_stats, started_at, ...rest }] = summary.evaluations;
    assert.match(started_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00$/);
    assert.deepEqual(rest, {
      evaluation_call_id: a, trial_count: 5, predict_total_tokens: null, predict_total_cost: null,
      evaluation_ref: project.ref("quiz"), model_ref: project.ref("bot"), display_name: "first", trace_id: a,
    });
    const none = { trial_count: 5, numeric_count: 0, numeric_mean: null, pass_true_count: 0, pass_known_count: 0, pass_rate: null, pass_signal_coverage: null };
    const mean = (0.5 + 1 + 1 + 0.25 + 0.1) / 5;
    const [acc, ...others] = scorer_stats;
    assert.ok(Math.abs(acc.numeric_mean - mean) < 1e-12);
    assert.deepEqual({ ...acc, numeric_mean: mean }, { ...none, scorer_key: "acc", path: null, value_type: "continuous", numeric_count: 5, numeric_mean: mean });
    assert.deepEqual(others, [
      { ...none, scorer_key: "judge", path: "score", value_type: "continuous", numeric_count: 1, numeric_mean: 3 },
      { ...none, scorer_key: "judge", path: "why", value_type: "text" },
      { ...none, scorer_key: "ok", path: null, value_type: "binary", pass_true_count: 1, pass_known_count: 2, pass_rate: 0.5, pass_signal_coverage: 0.4 },
    ]);
  });

  test("has its own intersection option", async () => {
    const { ask } = await twoRuns();
    const counts = async (body) => {
      const { total_rows, summary } = await ask({ include_summary: true, ...body });
      return [total_rows, summary.row_count];
    };
    assert.deepEqual(await counts({ summary_require_intersection: true }), [5, 3]);
    assert.deepEqual(await counts({ require_intersection: true }), [3, 3]);
    assert.deepEqual(await counts({ require_intersection: true, summary_require_intersection: false }), [3, 5]);
  });
});

// A reference implementation of the statistics. Intervals use SplitMix64, as documented.

function* splitMix64(seed) {
  const mask = (1n << 64n) - 1n;
  for (let state = BigInt(seed); ; ) {
    state = (state + 0x9e3779b97f4a7c15n) & mask;
    let mixed = state;
    mixed = ((mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    mixed = ((mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn) & mask;
    yield mixed ^ (mixed >> 31n);
  }
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

function reference(pairs, { confidence = 0.95, resamples = 2000, seed = 0 } = {}) {
  const sorted = [...pairs].sort((a, b) => byDigest(a.digest, b.digest));
  const differences = sorted.map(({ baseline, value }) => value - baseline);
  const random = splitMix64(seed);
  const draw = () => differences[Number(random.next().value % BigInt(differences.length))];
  const means = Array.from({ length: resamples }, () => mean(differences.map(draw))).sort((a, b) => a - b);
  const quantile = (fraction) => {
    const place = fraction * (means.length - 1);
    const [below, above] = [Math.floor(place), Math.ceil(place)];
    return means[below] + (means[above] - means[below]) * (place - below);
  };
  return {
    paired_rows: pairs.length,
    baseline_mean: mean(sorted.map(({ baseline }) => baseline)),
    mean: mean(sorted.map(({ value }) => value)),
    mean_difference: mean(differences),
    interval: { low: quantile((1 - confidence) / 2), high: quantile((1 + confidence) / 2) },
    wins: differences.filter((difference) => difference > 0).length,
    ties: differences.filter((difference) => difference === 0).length,
    losses: differences.filter((difference) => difference < 0).length,
  };
}

function expectClose(actual, expected) {
  for (const [name, value] of Object.entries(expected)) {
    if (typeof value === "object") expectClose(actual[name], value);
    else assert.ok(Math.abs(actual[name] - value) < 1e-9, `${name}: ${actual[name]}, not ${value}`);
  }
}

describe("comparing", () => {
  test("two runs returns the regressions and their confidence", async () => {
    const { a, b, digest, ask } = await twoRuns();
    const { comparison, rows } = await ask({ compare: {} });
    assert.equal(rows.length, 5, "the rest of the response is unchanged");
    assert.equal(comparison.baseline_evaluation_call_id, a);
    assert.deepEqual([comparison.confidence, comparison.resamples, comparison.seed], [0.95, 2000, 0]);
    assert.deepEqual(comparison.evaluations.map(({ evaluation_call_id }) => evaluation_call_id), [b]);
    const metrics = comparison.evaluations[0].metrics;
    assert.deepEqual(metrics.map(({ scorer_key, path }) => [scorer_key, path]), [["acc", null], ["judge", "score"], ["ok", null]]);
    const pairs = [
      { digest: digest(1), baseline: 0.75, value: 0.25 },
      { digest: digest(2), baseline: 1, value: 0 },
      { digest: digest(3), baseline: 0.25, value: 0.25 },
    ];
    expectClose(metrics[0], reference(pairs));
    assert.deepEqual(metrics[0].worse_rows, [
      { row_digest: digest(2), baseline_value: 1, value: 0, difference: -1 },
      { row_digest: digest(1), baseline_value: 0.75, value: 0.25, difference: -0.5 },
    ]);
    assert.deepEqual([metrics[1].wins, metrics[1].mean_difference, metrics[1].worse_rows], [1, 1, []]);
    assert.deepEqual([metrics[2].baseline_mean, metrics[2].mean], [0.5, 1], "a boolean counts as 1 or 0");
  });

  test("accepts a baseline, metrics, a confidence, resamples and a seed", async () => {
    const { a, b, digest, ask } = await twoRuns();
    const options = { confidence: 0.8, resamples: 333, seed: 12345 };
    const { comparison } = await ask({ compare: { baseline_evaluation_call_id: b, metrics: ["acc"], ...options } });
    assert.deepEqual(comparison.evaluations.map(({ evaluation_call_id }) => evaluation_call_id), [a]);
    const [metric, ...others] = comparison.evaluations[0].metrics;
    assert.deepEqual(others, []);
    const pairs = [
      { digest: digest(1), baseline: 0.25, value: 0.75 },
      { digest: digest(2), baseline: 0, value: 1 },
      { digest: digest(3), baseline: 0.25, value: 0.25 },
    ];
    expectClose(metric, reference(pairs, options));
    assert.deepEqual(metric.worse_rows, []);
  });

  test("pages the regressions, and is limited to the requested rows", async () => {
    const { digest, ask } = await twoRuns();
    const worse = async (body) => {
      const { comparison } = await ask({ compare: { metrics: ["acc"] }, ...body });
      return comparison.evaluations[0].metrics[0].worse_rows.map(({ row_digest }) => row_digest);
    };
    assert.deepEqual(await worse({ limit: 1 }), [digest(2)]);
    assert.deepEqual(await worse({ limit: 1, offset: 1 }), [digest(1)]);
    assert.deepEqual(await worse({ filters: [{ query: equal("inputs.q", 1) }] }), [digest(1)]);
  });

  test("many rows agrees with the reference implementation", async () => {
    const project = new V2Project(server);
    const runs = [await project.run(), await project.run(), await project.run()];
    const score = (run, i) => (createHash("sha256").update(`${run}/${i}`).digest()[0] % 11) / 10;
    await project.complete(...runs.flatMap((run, place) => Array.from({ length: 60 }, (_, i) => ({
      op_name: "Evaluation.predict_and_score", parent_id: run, trace_id: run, inputs: { example: `row ${i}` },
      output: { output: i, scores: { quality: score(place, i) } },
    }))));
    const { comparison } = await project.results({ evaluation_call_ids: runs, include_rows: false, compare: { resamples: 500 } });
    assert.equal(comparison.evaluations.length, 2);
    for (const place of [1, 2]) {
      const pairs = Array.from({ length: 60 }, (_, i) => ({ digest: contentDigest(`row ${i}`), baseline: score(0, i), value: score(place, i) }));
      const [metric] = comparison.evaluations[place - 1].metrics;
      const expected = reference(pairs, { resamples: 500 });
      expectClose(metric, expected);
      assert.equal(metric.worse_rows.length, expected.losses);
      const losses = metric.worse_rows.map(({ difference }) => difference);
      assert.deepEqual(losses, [...losses].sort((x, y) => x - y), "worst first");
    }
  });

  test("needs two to ten evaluations and a baseline among them", async () => {
    const { project, a, b } = await twoRuns();
    const ask = (evaluation_call_ids, compare = {}) => project.v2("POST", "eval_results/query", { evaluation_call_ids, compare });
    expectRefusal(await ask([a]), 400, "compare takes 2 to 10 evaluations");
    expectRefusal(await ask([a, a]), 400, "compare takes 2 to 10 evaluations");
    expectRefusal(await ask(Array.from({ length: 11 }, uuid7)), 400, "compare takes 2 to 10 evaluations");
    expectRefusal(await ask([a, b], { baseline_evaluation_call_id: "c" }), 400, "baseline_evaluation_call_id is not among the evaluations: c");
    expectViolations(await ask([a, b], { confidence: 1, resamples: 0, seed: -1 }),
      ["less_than", "body", "compare", "confidence"],
      ["greater_than_equal", "body", "compare", "resamples"],
      ["greater_than_equal", "body", "compare", "seed"]);
  });
});

test("invalid queries are rejected with their violations", async () => {
  const project = new V2Project(server);
  const ask = (body) => project.v2("POST", "eval_results/query", body);
  for (const body of [{}, { evaluation_call_ids: [] }, { evaluation_call_ids: null, evaluation_run_ids: [] }]) {
    const answer = await ask(body);
    expectViolations(answer, ["value_error", "body"]);
    assert.equal(answer.json.detail[0].msg,
      "Value error, At least one of evaluation_call_ids or evaluation_run_ids must be provided");
  }
  const evaluation_call_ids = ["x"];
  expectViolations(await ask({ evaluation_call_ids, limit: -1, offset: -1 }),
    ["greater_than_equal", "body", "limit"], ["greater_than_equal", "body", "offset"]);
  expectViolations(await ask({ evaluation_call_ids, sort_by: [{ field: "scores.x", direction: "up", mode: "odd" }] }),
    ["literal_error", "body", "sort_by", 0, "direction"], ["literal_error", "body", "sort_by", 0, "mode"]);
  expectViolations(await ask({ evaluation_call_ids, filters: [{}], filter_logic_operator: "xor" }),
    ["missing", "body", "filters", 0, "query"], ["literal_error", "body", "filter_logic_operator"]);
  expectRefusal(await ask({ evaluation_call_ids: Array.from({ length: 1001 }, (_, i) => `${i}`) }), 400, /evaluation_call_ids/);
});
