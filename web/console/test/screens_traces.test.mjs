// The explorer: its address, facets, strip, views, rows, exports.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { importSources } from "./support/bundle.mjs";

const {
  rangeCodec, sortCodec, layoutCodec, viewSearch, bucketWidth, stripBuckets, stripPieces, filterValue, joinValues, namedValues, withoutField, facetRequests, toggled,
  objectName, privateViews, sharedView, opName, callName, callStatus, callLatency, callTokens, callCost, callUsages, rowText, valueAt, csvCell, csvRow,
  columnsProblem, memberTexts, rememberList, neighboursOf, listSearch, FIXED_FACETS,
} = await importSources(
  "screens/traces/explorer_codecs.ts", "screens/traces/strip_data.ts", "screens/traces/facet_data.ts", "screens/traces/view_data.ts",
  "screens/shared_calls/call_facts.ts", "screens/shared_calls/csv.ts", "screens/shared_calls/dataset_columns.ts", "screens/shared_calls/member_texts.ts",
  "screens/shared_calls/neighbours.ts",
);

describe("the address", () => {
  test("writes only what differs from the usual", () => {
    assert.equal(rangeCodec.write({ kind: "last", milliseconds: 86_400_000 }), null);
    assert.equal(rangeCodec.write({ kind: "last", milliseconds: 3_600_000 }), "1h");
    assert.equal(sortCodec.write({ key: "time", descending: true }), null);
    assert.equal(sortCodec.write({ key: "latency", descending: false }), "latency:asc");
    assert.equal(layoutCodec.write({}), null);
  });

  test("reads what it wrote, and the usual instead of nonsense", () => {
    const layout = { order: ["name", "time"], hidden: ["cost"], shown: ["attributes.tenant"], widths: { name: 200 } };
    assert.deepEqual(layoutCodec.read(layoutCodec.write(layout)), layout);
    assert.deepEqual(sortCodec.read("latency:asc"), { key: "latency", descending: false });
    assert.deepEqual(sortCodec.read("__proto__:asc"), { key: "time", descending: true });
    for (const text of ["{", "[]", "3", '{"o":"x","w":{"a":"b"}}', null]) assert.equal(typeof layoutCodec.read(text), "object");
    assert.deepEqual(rangeCodec.read("soon"), { kind: "last", milliseconds: 86_400_000 });
  });

  test("of a view leaves out selection and peek", () => {
    assert.equal(viewSearch("?peek=1&q=status%3Aerror&sel=a,b&range=1h"), "q=status%3Aerror&range=1h");
  });
});

describe("the strip", () => {
  test("has about a hundred bars", () => {
    for (const length of [1000, 60_000, 3_600_000, 86_400_000, 30 * 86_400_000, 5 * 365 * 86_400_000]) {
      const count = length / bucketWidth(0, length);
      assert.ok(count <= 100, `${length} has ${count} bars`);
    }
  });

  test("asks for long ranges in pieces of at most 31 days that end with a bar", () => {
    const day = 86_400_000;
    for (const [from, to] of [[0, 1000], [day * 3.3, day * 34], [day * 0.4, day * 400.7], [0, 20 * 365 * day]]) {
      const width = bucketWidth(from, to);
      const pieces = stripPieces(from, to, width);
      assert.equal(pieces[0][0], from);
      assert.equal(pieces.at(-1)[1], to);
      pieces.forEach(([start, end], index) => {
        assert.ok(end > start && end - start <= 31 * day, `${start} to ${end}`);
        if (index > 0) assert.equal(start, pieces[index - 1][1]);
        if (end < to) assert.equal(end % width, 0);
      });
    }
    assert.equal(stripPieces(0, 30 * day, bucketWidth(0, 30 * day)).length, 1);
  });

  test("has bars for times without calls", () => {
    const bars = stripBuckets({ call_buckets: [{ timestamp: "1970-01-01T00:02:00Z", count: 3, sum_call_count: 3, sum_error_count: 1, p95_latency_ms: 20 }] }, 60_000, 240_000, 60_000);
    assert.deepEqual(bars.map(({ start, count, errors, line }) => [start, count, errors, line]), [[60_000, 0, 0, null], [120_000, 3, 1, 20], [180_000, 0, 0, null]]);
  });
});

describe("facets", () => {
  test("join the versions of an op and name states as the filter does", () => {
    assert.equal(filterValue("status", "success"), "ok");
    assert.deepEqual(
      joinValues("op_name", [{ value: "svc:///a/b/op/search:v1", count: 2 }, { value: "other", count: 4 }, { value: "svc:///a/b/op/search:v2", count: 3 }]),
      [{ value: "search", count: 5 }, { value: "other", count: 4 }],
    );
  });

  test("are counted without their own condition", () => {
    const text = 'status:error,running -status:ok tenant:t7 "refund"';
    assert.deepEqual(namedValues(text, "status"), ["error", "running", "ok"]);
    assert.equal(withoutField(text, "status"), 'tenant:t7 "refund"');
    const requests = facetRequests("status:error", FIXED_FACETS);
    assert.deepEqual(requests.map(({ text: rest, fields }) => [rest, fields.map(({ field }) => field)]), [["", ["status"]], ["status:error", ["op_name", "model"]]]);
  });

  test("toggle values in the filter", () => {
    assert.equal(toggled("", "status", "error", "include"), "status:error");
    assert.equal(toggled("status:error", "status", "running", "include"), "status:error,running");
    assert.equal(toggled("status:error", "status", "error", "include"), "");
    assert.equal(toggled("status:error", "status", "error", "exclude"), "-status:error");
    assert.equal(toggled("a OR b", "tenant", "t 7", "include"), '(a OR b) tenant:"t 7"');
  });
});

describe("views", () => {
  test("have names that the server takes", () => {
    assert.equal(objectName("Slow errors: Größe!"), "view-slow-errors-gro-e");
    assert.equal(objectName("日本"), "view-unnamed");
  });

  test("are read with care", () => {
    assert.deepEqual(privateViews({ traceViews: { "a/b": [{ id: "1", label: "x", search: "q=1&peek=2" }, { id: 2 }, null] } }, "a/b"), [{ id: "1", label: "x", search: "q=1", shared: false }]);
    assert.deepEqual(privateViews({ traceViews: 3 }, "a/b"), []);
    assert.equal(sharedView({ object_id: "v", val: { view_type: "other", label: "x", definition: {} } }), null);
    assert.deepEqual(sharedView({ object_id: "v", val: { view_type: "traces", label: "x", definition: { search: "q=1" } } }), { id: "v", label: "x", search: "q=1", shared: true });
  });
});

describe("rows", () => {
  const call = {
    id: "1", op_name: "svc:///a/b/op/my%20op:v1", display_name: null, started_at: "2026-01-01T00:00:00Z", ended_at: "2026-01-01T00:00:02Z", exception: null,
    summary: { usage: { "gpt-4o": { prompt_tokens: 10, completion_tokens: 5 } }, svc: { costs: { "gpt-4o": { prompt_tokens_total_cost: 0.1, completion_tokens_total_cost: 0.2 } } } },
  };

  test("show name, state, duration, tokens and cost", () => {
    assert.equal(opName("svc:///a/b/op/%E0%A4%A:v1"), "%E0%A4%A");
    assert.equal(callName(call), "my op");
    assert.equal(callStatus(call), "success");
    assert.equal(callStatus({ id: "1", ended_at: null }), "running");
    assert.equal(callLatency(call), 2000);
    assert.equal(callTokens(call), 15);
    assert.ok(Math.abs(callCost(call) - 0.3) < 1e-9);
    assert.equal(callCost({ id: "1" }), null);
    assert.deepEqual(callUsages({ id: "1", summary: { usage: 3 } }), []);
  });

  test("show the most useful text of a payload", () => {
    assert.equal(rowText({ preview: '{"a', bytes: 900 }), '{"a…');
    assert.equal(rowText({ messages: [{ role: "user", content: "hi" }, { role: "user", content: "last" }] }), "last");
    assert.equal(rowText({ choices: [{ message: { content: "said" } }] }), "said");
    assert.equal(rowText({ b: 1, question: "why?" }), "why?");
    assert.equal(rowText({ b: [1] }), '{"b":[1]}');
    assert.equal(rowText({}), "");
    assert.equal(valueAt({ attributes: { "a.b": [{ c: 1 }] } }, "attributes.a\\.b.0.c"), 1);
    assert.equal(valueAt({ attributes: null }, "attributes.a"), undefined);
  });

  test("become CSV without formulas", () => {
    assert.equal(csvCell("=1+1"), "'=1+1");
    assert.equal(csvCell("@x,\"y\""), '"\'@x,""y"""');
    assert.equal(csvCell(-1), "-1");
    assert.equal(csvCell({ a: "b" }), '"{""a"":""b""}"');
    assert.ok(csvRow({ ...call, exception: "=cmd" }).includes("'=cmd"));
  });
});

describe("actions", () => {
  test("check the columns of a dataset", () => {
    assert.equal(columnsProblem([{ name: "question", path: "inputs.question" }, { name: "call", path: "ref" }, { name: "", path: "" }]), null);
    assert.match(columnsProblem([{ name: "x", path: "secrets" }]), /not secrets/);
    assert.match(columnsProblem([{ name: "x", path: "output" }, { name: "x ", path: "inputs" }]), /Two columns/);
    assert.match(columnsProblem([]), /needs a column/);
  });

  test("step through the list", () => {
    rememberList("a/b", "?q=x", [{ trace: "1", span: null }, { trace: "2", span: "s" }, { trace: "3", span: null }]);
    assert.deepEqual(neighboursOf("a/b", "2", "s"), { before: { trace: "1", span: null }, after: { trace: "3", span: null } });
    assert.deepEqual(neighboursOf("a/b", "1", "any"), { before: null, after: { trace: "2", span: "s" } });
    assert.equal(neighboursOf("a/b", "9", null), null);
    assert.equal(neighboursOf("c/d", "1", null), null);
    assert.equal(listSearch("a/b"), "?q=x");
  });
});

describe("member texts", () => {
  test("keep the spelling of numbers and texts", () => {
    const text = ' {"a": 1.0e+5, "b\\"}":[{"x":"}]"}, 2] ,"c":"\\u0041,","d":{}, "e" : null}';
    assert.deepEqual([...memberTexts(text)], [["a", "1.0e+5"], ['b"}', '[{"x":"}]"}, 2]'], ["c", '"\\u0041,"'], ["d", "{}"], ["e", "null"]]);
  });

  test("agree with JSON.parse", () => {
    const value = { big: "x".repeat(1000), list: Array.from({ length: 50 }, (_, i) => ({ i, text: `"${i}\\` })), deep: { a: { b: { c: [null, true, -0.5] } } } };
    for (const indent of [0, 2]) {
      const members = memberTexts(JSON.stringify(value, null, indent));
      assert.deepEqual(Object.fromEntries([...members].map(([name, text]) => [name, JSON.parse(text)])), value);
    }
    assert.equal(memberTexts("[1]").size, 0);
    assert.equal(memberTexts("").size, 0);
  });
});
