// Metrics, the leaderboard, and the comparison of runs.

import assert from "node:assert/strict";
import { test } from "node:test";

import { importSources } from "./support/bundle.mjs";

const {
  metricsOf, valueOf, formatScore, parseRef, tableDigest, objectIdOf, leaderboard, evaluationNames, compareRows, chooseRows, histogram, median, verdictOf,
  letterOf, outcomeOf, scorerValue, rowTitle, leaves, valueText,
} = await importSources(
  "screens/shared_evaluation/metrics.ts", "screens/shared_objects/refs.ts", "screens/evals/leaderboard.ts", "screens/eval_compare/compare.ts", "screens/evals/create_parts.ts",
  "screens/shared_values/value_text.ts",
);

const stats = (scorer_key, path, value_type, mean) => ({
  scorer_key, path, value_type, trial_count: 1, numeric_count: 1, numeric_mean: value_type === "continuous" ? mean : null, pass_true_count: 1, pass_known_count: 1,
  pass_rate: value_type === "binary" ? mean : null, pass_signal_coverage: 1,
});
const EXACT = { key: "exact.passed", scorer: "exact", path: "passed", binary: true };

test("metrics leave out texts and put pass rates first", () => {
  const summary = { scorer_stats: [stats("close", "similarity", "continuous", 0.5), stats("judge", "reason", "text", null), stats("exact", "passed", "binary", 1)] };
  assert.deepEqual(metricsOf([summary, summary]).map(({ key, binary }) => [key, binary]), [["exact.passed", true], ["close.similarity", false]]);
});

test("values are means over trials, booleans count as 1 and 0, missing scores do not count", () => {
  const trials = [{ scores: { exact: { passed: true } } }, { scores: { exact: { passed: false } } }, { scores: {} }, { scores: { exact: "broken" } }];
  assert.equal(valueOf(trials, EXACT), 0.5);
  assert.equal(valueOf([{ scores: { plain: 3 } }], { key: "plain", scorer: "plain", path: null, binary: false }), 3);
  assert.equal(valueOf([{ scores: { exact: { passed: "yes" } } }], EXACT), null);
  assert.equal(formatScore(0.85, true), "85\u202f%");
  assert.equal(formatScore(0.84712, false), "0.847");
  assert.equal(formatScore(null, false), "–");
});

test("references of objects and tables", () => {
  assert.deepEqual(parseRef("svc:///acme/support/object/guide:abc"), { project: "acme/support", kind: "object", name: "guide", version: "abc" });
  assert.equal(parseRef("svc:///acme/support/op/search:v1/attr/x").kind, "op");
  assert.equal(parseRef("svc-private://///object/guide:abc"), null);
  assert.equal(tableDigest("svc:///acme/support/table/00ff"), "00ff");
  assert.equal(tableDigest({ rows: [] }), null);
  assert.equal(objectIdOf(" My Set/2 <b>"), "my_set_2_b");
});

test("the leaderboard takes the newest finished run of each version and shares places", () => {
  const row = (model, mean, status = "completed", evaluation = "quiz") => ({
    run: { evaluation_run_id: `${model}${mean}`, evaluation: `svc:///a/b/object/${evaluation}:x`, model, status },
    summary: { scorer_stats: [stats("exact", "passed", "binary", mean)] },
  });
  const rows = [row("a", 0.9, "running"), row("a", 0.5), row("a", 0.99), row("b", 0.7), row("c", 0.7), row("d", 1, "completed", "other")];
  assert.deepEqual(leaderboard(rows, "quiz", EXACT).map(({ place, runs, row: { run } }) => [place, run.model, runs]), [[1, "b", 1], [1, "c", 1], [3, "a", 2]]);
  assert.deepEqual(evaluationNames(rows), ["quiz", "other"]);
  assert.equal(leaderboard(rows, "quiz", undefined)[0].place, null);
});

test("rows of two runs are better, worse, the same or missing", () => {
  const trial = (passed) => (passed === undefined ? [] : [{ scores: { exact: { passed } } }]);
  const row = (digest, a, b) => ({ row_digest: digest, evaluations: [{ evaluation_call_id: "A", trials: trial(a) }, { evaluation_call_id: "B", trials: trial(b) }] });
  const compared = compareRows([row("1", true, false), row("2", false, true), row("3", true, true), row("4", true, undefined)], "A", "B", EXACT);
  assert.deepEqual(compared.map(({ outcome }) => outcome), ["worse", "better", "same", "missing"]);
  assert.deepEqual(chooseRows(compared, "worse").map(({ row: { row_digest } }) => row_digest), ["1"]);
  assert.equal(chooseRows(compared, "all").length, 4);
  assert.equal(compareRows([row("1", true, false)], "A", "B", undefined)[0].outcome, "missing");
  assert.equal(outcomeOf(1e-12), "same");
});

test("histogram, median, verdicts and letters", () => {
  assert.deepEqual(histogram([-1, 0, 0, 0.1, 1], 5), [1, 0, 2, 1, 1]);
  assert.deepEqual(histogram([], 5), [0, 0, 0, 0, 0]);
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([1, 2]), 1.5);
  assert.equal(median([]), null);
  assert.equal(verdictOf({ low: 0.01, high: 0.1 }), "better");
  assert.equal(verdictOf({ low: -0.2, high: -0.1 }), "worse");
  assert.equal(verdictOf({ low: 0, high: 0.2 }), "unclear");
  assert.equal(verdictOf(null), "unclear");
  assert.equal(letterOf(2), "C");
});

test("built-in scorers map the target only where it has another name", () => {
  assert.equal("column_map" in scorerValue({ kind: "contains", target: "target", text: "", model: "" }), false);
  assert.deepEqual(scorerValue({ kind: "exact_match", target: "answer", text: "", model: "" }).column_map, { target: "answer" });
  assert.equal(scorerValue({ kind: "regex", target: "", text: "^a", model: "" }).pattern, "^a");
});

test("titles and leaves of rows", () => {
  assert.deepEqual(rowTitle({ id: 4, question: "Spain?", expected: "Madrid" }), { title: "Spain?", expected: "Madrid" });
  assert.deepEqual(rowTitle({ city: "Rome", target: 5 }), { title: "Rome", expected: "5" });
  assert.deepEqual(rowTitle("text"), { title: "text", expected: null });
  assert.deepEqual(leaves({ a: { b: 1, c: { d: 2 } }, e: {} }), [["a.b", 1], ["a.c.d", 2], ["e", {}]]);
  assert.equal(valueText("x".repeat(10), 4), "xxxx");
  assert.equal(valueText(undefined), "");
});
