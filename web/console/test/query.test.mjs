// The filter language: tokens, trees, printing, errors, edits and suggestions.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { importSources } from "./support/bundle.mjs";
import { pick, randomFrom } from "./support/random.mjs";

const {
  parseFilter, printFilter, compileFilter, readFilter, callQuery, suggest, applySuggestion, includeValue, excludeValue, removeValue, stateOf, addCondition,
  withoutEachCondition, junction, negated, FilterError, similarField, countOperators,
} = await importSources(
  "query/parse.ts", "query/print.ts", "query/compile.ts", "query/suggest.ts", "query/edit.ts", "query/tree.ts", "query/fields.ts", "query/expression.ts",
);

/** Returns the tree without places. */
function bare(filter) {
  return JSON.parse(JSON.stringify(filter, (key, value) => (key === "place" || key === "fieldPlace" ? undefined : value)));
}

const value = (text, quoted = false) => ({ text, quoted });
const term = (field, operator, ...values) => ({ kind: "term", field, operator, values: values.map((item) => (typeof item === "string" ? value(item) : item)) });
const text = (words) => ({ kind: "text", text: words });
const not = (item) => ({ kind: "not", item });
const and = (...items) => ({ kind: "and", items });
const or = (...items) => ({ kind: "or", items });

describe("parsing", () => {
  const CASES = [
    ["status:error latency:>2s tenant:t7 \"refund\" -op:search",
      and(term("status", "is", "error"), term("latency", ">", "2s"), term("tenant", "is", "t7"), text("refund"), not(term("op", "is", "search")))],
    ["", null], ["   ", null],
    ["refund", text("refund")], ['"two words"', text("two words")], ['"a \\"b\\" \\\\ \\n"', text('a "b" \\ \n')],
    ["a OR b c", or(text("a"), and(text("b"), text("c")))], ["(a OR b) c", and(or(text("a"), text("b")), text("c"))],
    ["a AND b", and(text("a"), text("b"))], ["NOT a", not(text("a"))], ["--a", text("a")], ["-(a b)", not(and(text("a"), text("b")))],
    ["((a))", text("a")], ["a (b c)", and(text("a"), text("b"), text("c"))],
    ["op:a,b", term("op", "is", "a", "b")], ['op:"a,b",c', term("op", "is", value("a,b", true), "c")],
    ["latency:1s..5s", term("latency", "range", "1s", "5s")], ["latency:1s..", term("latency", ">=", "1s")], ["latency:..5s", term("latency", "<=", "5s")],
    ["latency:>=2s", term("latency", ">=", "2s")], ["user:*", term("user", "present")], ['user:"*"', term("user", "is", value("*", true))],
    ["name:~plan", term("name", "~", "plan")], ["name:=Plan", term("name", "=", "Plan")], ['"my key":x', term("my key", "is", "x")],
    ["https://example.com/a:b", text("https://example.com/a:b")], ["op:svc:///t/p/op/f:v1", term("op", "is", "svc:///t/p/op/f:v1")],
    ["inputs.d.k\\.v:3", term("inputs.d.k\\.v", "is", "3")], ["feedback.[svc.note.1].payload.note:~x", term("feedback.[svc.note.1].payload.note", "~", "x")],
    ["wait...", text("wait...")], [":x", text(":x")], ["e-mail", text("e-mail")], ["x:-5", term("x", "is", "-5")], ["or and", and(text("or"), text("and"))],
    ["constructor", text("constructor")], ["toString:x", term("toString", "is", "x")], ["(status:error)", term("status", "is", "error")], ["tenant:שלום", term("tenant", "is", "שלום")],
  ];
  for (const [source, expected] of CASES) {
    test(source || "(empty)", () => assert.deepEqual(bare(parseFilter(source)), expected));
  }
});

describe("errors have a place and a hint", () => {
  const CASES = [
    ["a (b", 2, /not closed/], ["a)", 1, /closes nothing/], ['"open', 0, /not closed/], ['op:"open', 3, /not closed/], ["a OR", 2, /missing/], ["OR a", 0, /missing/],
    ["()", 1, /between/], ["-", 0, /negation/], ["- a", 0, /negation/], ["status:", 6, /missing/], ["op:a,", 4, /missing/], ["op:,a", 3, /missing/],
    ["op:f(x)", 4, /space/i], ['a"b"', 1, /space/i], ['"":x', 0, /no name/], ["x:..", 2, /bounds/], ["x:1..2,3", 3, /list/], ["x:>1,2", 5, /one value/],
    ["x:>1..2", 4, /operator/], ['"a\\q"', 2, /escape/], ['""', 0, /empty/],
    ["latency:>2", 9, /duration/], ["latency:>1500us", 9, /milliseconds/], ["latency:5s..1s", 8, /before/], ["status:asleep", 7, /no status/], ["status:>error", 8, /compared/],
    ["op:sea*", 3, /wildcard/], ["tokens:>5", 0, /cannot be filtered/], ["cost:>1", 0, /cannot be filtered/], ["started:>soon", 9, /no time/], ["root:maybe", 5, /true or false/],
    ["run_step:1.5", 9, /whole number/], ["x:>2s", 3, /no number/], ["x:>abc", 3, /no number/], ["model:~gpt", 7, /compared/], ['x:1.."b"', 5, /mixes/],
    [`${"-(".repeat(40)}a${")".repeat(40)}`, 32, /deep/], [Array(201).fill("a").join(" "), 400, /at most/], ["x".repeat(9000), 8192, /characters/],
    [Array(190).fill("w").join(" "), 0, /too many/],
  ];
  for (const [source, from, message] of CASES) {
    test(source.slice(0, 40), () => {
      const { error, filter } = readFilter(source);
      assert.ok(error instanceof FilterError, `${JSON.stringify(filter)}`);
      assert.match(error.message, message);
      assert.equal(error.place.from, from, error.message);
      assert.ok(error.hint.length > 5);
    });
  }
});

const STRANGE = ["a", "refund", "OR", "AND", "NOT", "-", "-x", "a b", 'q"q', "\\", "*", "a..b", "..", "...", "a:b", "(x)", ",", "é", "\n", "1.5", ">2", "=", "~a", "", "https://x", "a*", "'", "\t", "x:", " "];

function randomValue(random) {
  const quoted = random() < 0.5;
  const plain = pick(random, ["a", "b-c", "5", "1.5", "2s", "-3", "a/b", "x:y", "é", "a=b", "[1]", "now-2h"]);
  return quoted ? value(pick(random, STRANGE), true) : value(plain);
}

function randomTree(random, depth) {
  const kind = random();
  if (depth > 0 && kind < 0.2) return junction("and", [randomTree(random, depth - 1), randomTree(random, depth - 1)]);
  if (depth > 0 && kind < 0.4) return junction("or", [randomTree(random, depth - 1), randomTree(random, depth - 1)]);
  if (depth > 0 && kind < 0.5) return negated(randomTree(random, depth - 1));
  if (kind < 0.65) return text(pick(random, STRANGE.filter(Boolean)));
  const field = pick(random, ["status", "op", "inputs.a.0.b", "k\\.v", "my key", 'q"', "a:b", "-x", "feedback.[*].payload.s", "(", "é", "=a", "OR", "http"]);
  const operator = pick(random, ["is", "=", "~", ">", ">=", "<", "<=", "range", "present"]);
  if (operator === "present") return term(field, operator);
  if (operator === "range") return term(field, operator, randomValue(random), randomValue(random));
  const several = ["is", "=", "~"].includes(operator) && random() < 0.4;
  return term(field, operator, randomValue(random), ...(several ? [randomValue(random)] : []));
}

test("printing and parsing are inverse on normal forms", () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1e9);
  const random = randomFrom(seed);
  for (let i = 0; i < 20_000; i++) {
    const tree = randomTree(random, 4);
    const printed = printFilter(tree);
    assert.deepEqual(bare(parseFilter(printed)), tree, `SEED=${seed}: ${printed}`);
  }
});

test("parsing accepts or rejects any text, and places are inside it", () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1e9);
  const random = randomFrom(seed);
  const pieces = ["a", ":", '"', "(", ")", "-", " ", "OR", ",", "..", ">", "=", "~", "*", "\\", "status", "latency", "2s", "\n", "😀"];
  for (let i = 0; i < 20_000; i++) {
    const source = Array.from({ length: Math.floor(random() * 12) }, () => pick(random, pieces)).join("");
    const { filter, error } = readFilter(source);
    if (error) assert.ok(error.place.from >= 0 && error.place.from <= source.length && error.place.to <= source.length, `SEED=${seed}: ${JSON.stringify(source)}`);
    else if (filter) assert.deepEqual(bare(parseFilter(printFilter(filter))), bare(filter), `SEED=${seed}: ${JSON.stringify(source)}`);
    for (let caret = 0; caret <= source.length; caret++) suggest(source, caret);
  }
});

describe("compiling", () => {
  const compiled = (source) => compileFilter(parseFilter(source), { now: Date.UTC(2026, 10, 18, 12) });
  const get = (path) => ({ $getField: path });
  const literal = (constant) => ({ $literal: constant });

  test("statuses", () => {
    assert.deepEqual(compiled("status:error"), { $eq: [get("summary.svc.status"), literal("error")] });
    assert.deepEqual(compiled("status:failed,ok"), { $in: [get("summary.svc.status"), ["error", "descendant_error", "success"].map(literal)] });
  });
  test("names of inherited members are names like others", () => {
    assert.deepEqual(compiled("constructor:*"), compiled("attributes.constructor:*"));
    assert.throws(() => compiled("status:constructor"), FilterError);
    assert.throws(() => compiled("latency:>2constructor"), FilterError);
  });
  test("durations are milliseconds", () => {
    assert.deepEqual(compiled("latency:>2s"), { $gt: [get("summary.svc.latency_ms"), literal(2000)] });
  });
  test("a day is half open", () => {
    assert.deepEqual(compiled("started:2026-11-18"), {
      $and: [{ $gte: [get("started_at"), literal("2026-11-18T00:00:00.000000Z")] }, { $lt: [get("started_at"), literal("2026-11-19T00:00:00.000000Z")] }],
    });
    assert.deepEqual(compiled("started:>now-2h"), { $gt: [get("started_at"), literal("2026-11-18T10:00:00.000000Z")] });
  });
  test("attributes are compared as texts, in order as numbers", () => {
    assert.deepEqual(compiled("tenant:t7"), { $eq: [get("attributes.tenant"), literal("t7")] });
    assert.deepEqual(compiled("n:5.0"), { $eq: [get("attributes.n"), literal("5")] });
    assert.deepEqual(compiled("n:>5"), { $gt: [{ $convert: { input: get("attributes.n"), to: "double" } }, literal(5)] });
  });
  test("bounds of time join the filter", () => {
    assert.equal(callQuery(null, { from: null, to: null }), undefined);
    const query = callQuery(parseFilter("a:b"), { from: 0, to: 1.5 });
    assert.equal(query.$expr.$and.length, 3);
    assert.deepEqual(query.$expr.$and[1], { $lt: [get("started_at"), literal("1970-01-01T00:00:00.001500Z")] });
  });
  test("the number of nodes is counted", () => {
    assert.equal(countOperators(compiled("status:error")), 2);
  });
});

describe("edits by clicks", () => {
  test("include, exclude, remove", () => {
    assert.equal(includeValue("", "op", "chat"), "op:chat");
    assert.equal(includeValue("op:chat  \"x\"", "op", "a b"), 'op:chat,"a b" "x"');
    assert.equal(includeValue("a OR b", "op", "chat"), "(a OR b) op:chat");
    assert.equal(excludeValue("op:chat", "op", "chat"), "-op:chat");
    assert.equal(includeValue("-op:chat x", "op", "chat"), "x op:chat");
    assert.equal(removeValue("op:chat,b x", "op", "chat"), "op:b x");
    assert.equal(removeValue("x op:chat", "op", "chat"), "x");
    assert.equal(removeValue("broken (", "op", "chat"), "broken (");
    assert.equal(addCondition("a", "latency:>2s"), "a latency:>2s");
    assert.equal(includeValue("", "user", "*"), 'user:"*"');
  });
  test("states", () => {
    const filter = parseFilter("op:chat,b -user:eve (tenant:x OR tenant:y)");
    assert.equal(stateOf(filter, "op", "b"), "included");
    assert.equal(stateOf(filter, "user", "eve"), "excluded");
    assert.equal(stateOf(filter, "tenant", "x"), null);
  });
  test("each condition alone", () => {
    assert.deepEqual(withoutEachCondition("a -b:c").map(({ removed, rest }) => [removed, printFilter(rest)]), [["a", "-b:c"], ["-b:c", "a"]]);
  });
});

describe("suggestions", () => {
  const sources = {
    attributes: [{ path: "tenant", count: 5 }, { path: "status" }],
    values: (field) => ({ op: [{ value: "chat", count: 9 }, { value: "my op" }] })[field],
  };
  const labels = (source, caret = source.length) => suggest(source, caret, sources).items.map(({ label }) => label);
  test("fields", () => {
    assert.ok(labels("").includes("status:"));
    assert.equal(labels("ten")[0], "tenant:");
    assert.ok(labels("-sta").includes("status:"));
    assert.ok(labels("status:error ").includes("op:"));
    assert.ok(labels("attributes.st").includes("attributes.status:"));
  });
  test("values", () => {
    assert.deepEqual(labels("status:r"), ["error", "running", "descendant_error"].sort((a, b) => (a === "running" ? -1 : b === "running" ? 1 : 0)));
    assert.deepEqual(labels("op:"), ["chat", "my op"]);
    assert.deepEqual(labels("op:chat,m"), ["my op"]);
    assert.deepEqual(suggest("user:a", 6, sources).wants, { field: "user", path: "svc_user_id", prefix: "a" });
    assert.deepEqual(labels("latency:>"), []);
  });
  test("applying", () => {
    const found = suggest("x op:m y", 6, sources);
    assert.deepEqual(applySuggestion("x op:m y", found, found.items[0]), { text: 'x op:"my op" y', caret: 12 });
    const field = suggest("sta:x", 3, sources);
    assert.equal(applySuggestion("sta:x", field, field.items[0]).text, "status:x");
  });
  test("near names", () => {
    assert.equal(similarField("statsu"), "status");
    assert.equal(similarField("latencey"), "latency");
    assert.equal(similarField("tenant"), null);
  });
});
