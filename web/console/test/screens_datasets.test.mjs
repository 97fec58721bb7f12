// Reading rows, collecting changes, and differences between versions of datasets.

import assert from "node:assert/strict";
import { test } from "node:test";

import { importSources } from "./support/bundle.mjs";

const { parseRows, guessFormat, csvRecords, cellValue } = await importSources("screens/datasets/parse_rows.ts");
const { NO_EDITS, countEdits, tableUpdates, withAdded, withRemoved, withRestored, withRow } = await importSources("screens/datasets/edits.ts");
const { diffRows } = await importSources("screens/datasets/row_diff.ts");
const { partsOf } = await importSources("screens/shared_collect/dataset_write.ts");

test("the format is guessed by name and first character", () => {
  assert.equal(guessFormat("a,b\n1,2", "x.csv"), "csv");
  assert.equal(guessFormat(' [{"a": 1}]'), "json");
  assert.equal(guessFormat('{"a": 1}\n'), "jsonl");
  assert.equal(guessFormat("a,b\n1,2"), "csv");
  assert.equal(guessFormat("{x", "x.tsv"), "csv");
});

test("JSON Lines keep good rows and name the lines of bad ones", () => {
  const { rows, problems, failed } = parseRows('{"a": 1}\n\n[1]\n{"b"\n{"c": "<b>"}\r\n', "jsonl");
  assert.deepEqual(rows, [{ a: 1 }, { c: "<b>" }]);
  assert.deepEqual(problems.map(({ line }) => line), [3, 4]);
  assert.equal(failed, 2);
  assert.equal(parseRows("nope\n".repeat(50), "jsonl").problems.length, 20);
  assert.equal(parseRows("nope\n".repeat(50), "jsonl").failed, 50);
});

test("a JSON list", () => {
  assert.deepEqual(parseRows('[{"a": 1}, 2]', "json").rows, [{ a: 1 }]);
  assert.equal(parseRows("[", "json").failed, 1);
});

test("CSV has quotes, line breaks, separators and typed cells", () => {
  assert.deepEqual(parseRows('q,n,ok\n"a, ""b""\nc",1,true\nplain,007,x\n', "csv").rows, [{ q: 'a, "b"\nc', n: 1, ok: true }, { q: "plain", n: "007", ok: "x" }]);
  assert.deepEqual(parseRows("q;n\na;1", "csv").rows, [{ q: "a", n: 1 }]);
  assert.deepEqual(parseRows("q\tn\na\t1", "csv", false).rows, [{ q: "a", n: "1" }]);
  const uneven = parseRows("a,b\n1\n1,2\n", "csv");
  assert.deepEqual([uneven.rows, uneven.problems[0].line], [[{ a: 1, b: 2 }], 2]);
  assert.equal(parseRows("a,a\n1,2", "csv").rows.length, 0);
  assert.deepEqual(parseRows("\uFEFFa\n1", "csv").rows, [{ a: 1 }]);
  assert.deepEqual(csvRecords('"x\ny",1\nz,2', ",").map(({ line }) => line), [1, 3]);
  assert.deepEqual(["-1.5e3", "null", '{"a":[1]}', "{broken", "12345678901234567890", "", "TRUE"].map(cellValue), [-1500, null, { a: [1] }, "{broken", "12345678901234567890", "", "TRUE"]);
});

test("rows named like members of every object stay rows", () => {
  const [row] = parseRows('__proto__,constructor\n1,2', "csv").rows;
  assert.deepEqual(Object.keys(row), ["__proto__", "constructor"]);
});

/** Applies updates as the server does. */
function apply(rows, updates) {
  const next = [...rows];
  for (const update of updates) {
    if (update.pop) next.splice(update.pop.index, 1);
    else if (update.insert) next.splice(update.insert.index, 0, update.insert.row);
  }
  return next;
}

test("changes become updates that keep positions valid", () => {
  const rows = [0, 1, 2, 3, 4].map((n) => ({ n }));
  let edits = withRow(NO_EDITS, 1, 5, { n: "one" }, rows[1]);
  edits = withRow(edits, 4, 5, { n: "four" }, rows[4]);
  edits = withRemoved(edits, [0, 4], 5);
  edits = withAdded(edits, [{ n: 5 }]);
  edits = withRow(edits, 5, 5, { n: "five" }, undefined);
  assert.deepEqual(apply(rows, tableUpdates(edits)), [{ n: "one" }, { n: 2 }, { n: 3 }]);
  assert.deepEqual(edits.added, [{ n: "five" }]);
  assert.equal(countEdits(edits), 4);
  edits = withRestored(withRow(withRemoved(edits, [5], 5), 1, 5, { n: 1 }, rows[1]), 0);
  assert.deepEqual([countEdits(edits), [...edits.removed]], [1, [4]]);
});

test("differences pair rows that changed in place", () => {
  const row = (digest, original_index) => ({ digest, original_index, val: { digest } });
  const list = (text) => [...text].map(row);
  const kinds = (before, after) => diffRows(list(before), list(after)).changes.map((change) => `${change.kind} ${change.before?.digest ?? ""}${change.after?.digest ?? ""}`);
  assert.deepEqual(kinds("abc", "aXc"), ["changed bX"]);
  assert.deepEqual(kinds("abc", "ac"), ["removed b"]);
  assert.deepEqual(kinds("abc", "abcd"), ["added d"]);
  assert.deepEqual(kinds("abc", "cba"), []);
  assert.deepEqual(kinds("aab", "ab"), ["removed a"]);
  assert.equal(diffRows(list("abc"), list("aXc")).same, 2);
});

test("rows are sent in parts by number and size", () => {
  const rows = Array.from({ length: 7 }, (_, n) => ({ n }));
  assert.deepEqual(partsOf(rows, 3).map((part) => part.length), [3, 3, 1]);
  assert.deepEqual(partsOf([{ a: "x".repeat(50) }, { a: "y".repeat(50) }], 10, 60).map((part) => part.length), [1, 1]);
  assert.deepEqual(partsOf([]), []);
});
