// Outlines, aligned steps, chats, annotations, agents and search results.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { importSources } from "./support/bundle.mjs";

const { makeOutline, stepFilter, subtreeOf, alignSteps, mergeOrders, isDifferent, chatMessages, messageOf, spanOf, joinTurns, turnCall, annotationKind, annotationField, courseOf, errorShare, perInvocation, markedParts, snippetAround } =
  await importSources(
    "screens/shared_calls/outline.ts", "screens/shared_calls/subtree.ts", "screens/compare/align.ts", "screens/shared_calls/chat_messages.ts", "screens/threads/conversation.ts",
    "screens/trace/annotate_data.ts", "screens/agents/agent_data.ts", "screens/search/search_data.ts",
  );

/** Makes an outline answer from rows [id, parent, name, kind, start, end, status, tokens, cost]. */
function answer(rows) {
  const names = [...new Set(rows.map((row) => row[2]))];
  const column = (at) => rows.map((row) => row[at] ?? null);
  return {
    trace_id: "t", count: rows.length, truncated: false, t0: "2026-01-01T00:00:00.000000Z", names,
    columns: {
      id: column(0), parent: column(1), name: rows.map((row) => names.indexOf(row[2])), kind: column(3), source: rows.map(() => "call"),
      started_at: column(4), ended_at: column(5), status: column(6), tokens: column(7), cost: column(8),
    },
  };
}

const ROWS = [
  ["r", -1, "planner", "agent", 0, 9_000_000, "error", 30, 0.3],
  ["m", 0, "chat", "model", 1000, 2_000_000, "ok", 10, 0.1],
  ["s", 0, "search", "tool", 2_000_000, 3_000_000, "error", null, null],
  ["n", 0, "chat", "model", 4_000_000, 9_000_000, "ok", 20, 0.2],
];
const NOW = Date.parse("2026-01-01T01:00:00Z");

describe("an outline", () => {
  test("counts each model request once", () => {
    const outline = makeOutline(answer(ROWS), NOW);
    assert.equal(outline.totalTokens, 30);
    assert.ok(Math.abs(outline.totalCost - 0.3) < 1e-9);
    assert.equal(outline.errors, 2);
    assert.equal(outline.duration, 9000);
    assert.equal(outline.root, 0);
    assert.equal(outline.find("n"), 3);
    assert.equal(outline.find("x"), -1);
    assert.deepEqual([0, 1, 2].map(outline.tone), ["error", "model", "error"]);
  });

  test("of one step has the steps below it, with times after its start", () => {
    const rows = [...ROWS, ["below", 4, "deep", "call", 2_200_000, null, "running"]];
    rows.splice(3, 0, ["late", 2, "between", "call", 2_100_000, 2_900_000, "ok"]);
    rows[5][1] = 3;
    const part = subtreeOf(answer(rows), "s");
    assert.deepEqual(part.columns.id, ["s", "late", "below"]);
    assert.deepEqual(part.columns.parent, [-1, 0, 1]);
    assert.deepEqual(part.columns.started_at, [0, 100_000, 200_000]);
    assert.deepEqual(part.columns.ended_at, [1_000_000, 900_000, null]);
    assert.equal(part.t0, "2026-01-01T00:00:02.000Z");
    const whole = answer(rows);
    assert.equal(subtreeOf(whole, "of the trace"), whole);
  });

  test("lets running steps end now", () => {
    const outline = makeOutline(answer([["r", -1, "a", "call", 0, null, "running"]]), NOW);
    assert.equal(outline.running, 1);
    assert.equal(outline.duration, 3_600_000);
    assert.ok(Number.isNaN(outline.end[0]));
  });

  test("finds steps by name and shows errors only", () => {
    const outline = makeOutline(answer(ROWS), NOW);
    assert.equal(stepFilter(outline, " ", false), null);
    assert.deepEqual([0, 1, 2, 3].filter(stepFilter(outline, "CHAT", false)), [1, 3]);
    assert.deepEqual([0, 1, 2, 3].filter(stepFilter(outline, "", true)), [0, 2]);
    assert.equal(outline.model.filter(stepFilter(outline, "search", true)), 1);
  });

  test("of 10,000 steps opens its first level", () => {
    const rows = Array.from({ length: 10_000 }, (_, i) => [`${i}`, i === 0 ? -1 : i % 20 === 1 ? 0 : Math.floor((i - 2) / 20) * 20 + 1, "step", "call", i * 1000, i * 1000 + 500, "ok"]);
    const outline = makeOutline(answer(rows), NOW);
    assert.equal(outline.count, 10_000);
    assert.equal(outline.model.visible().length, 501);
  });
});

describe("aligned steps", () => {
  test("merge orders", () => {
    assert.deepEqual(mergeOrders([["a", "b", "c"], ["a", "x", "c", "y"], ["z", "b"]]), ["z", "a", "x", "b", "c", "y"]);
    assert.deepEqual(mergeOrders([[], []]), []);
  });

  test("are equal names at the same place", () => {
    const one = makeOutline(answer(ROWS), NOW);
    const two = makeOutline(answer([
      ["R", -1, "planner v2", "agent", 0, 1_000_000, "ok"], ["M", 0, "chat", "model", 0, 500_000, "ok"], ["E", 0, "rerank", "tool", 600_000, 700_000, "ok"],
      ["N", 0, "chat", "model", 800_000, 900_000, "ok"],
    ]), NOW);
    const steps = alignSteps([one, two]);
    assert.deepEqual(steps.map(({ name, nodes }) => [name, ...nodes]), [["planner", 0, 0], ["chat", 1, 1], ["rerank", -1, 2], ["search", 2, -1], ["chat", 3, 3]]);
    const outlines = [one, two];
    const different = steps.filter((step) => isDifferent(step, (t, n) => outlines[t].status(n), (t, n) => outlines[t].end[n] - outlines[t].start[n]));
    assert.deepEqual(different.map(({ name }) => name), ["planner", "chat", "rerank", "search", "chat"]);
    assert.equal(alignSteps([one, one]).some((step) => isDifferent(step, (_, n) => one.status(n), () => 1)), false);
  });
});

const EMPTY = { span_id: null, agent_name: null, agent_version: null, status_code: null, started_at: null, user_message: null, assistant_message: null, tool_call: null, agent_start: null, agent_handoff: null, context_compacted: null, feedback: null };
const user = (text) => ({ ...EMPTY, type: "user_message", user_message: { text, content_refs: [] } });
const start = (span, text) => ({ ...EMPTY, type: "agent_start", span_id: span, status_code: "ERROR", agent_start: { model: "", system_instructions: text, tool_definitions: null, status: "ERROR" } });
const said = (span, text, status = "OK") => ({
  ...EMPTY, type: "assistant_message", span_id: span, status_code: status,
  assistant_message: { text, model: "m", reasoning_content: "", input_tokens: 2, output_tokens: 3, total_cost_usd: 0.5, duration_ms: 7, status, content_refs: [] },
});
const tool = (span) => ({ ...EMPTY, type: "tool_call", span_id: span, status_code: "ERROR", tool_call: { tool_name: "search", tool_arguments: "{}", tool_result: null, duration_ms: 1, status: "ERROR", content_refs: ["f"] } });
const chat = (trace, ...messages) => ({ trace_id: trace, root_span_name: "root", status_code: "OK", started_at: null, total_duration_ms: 1, total_cost_usd: null, total_input_tokens: 1, total_output_tokens: 2, messages });

describe("a chat", () => {
  test("has the parts of each message", () => {
    const messages = chatMessages(chat("t", user("hi"), start("r", "be brief"), start("q", ""), tool("x"), said("a", "", "ERROR")), (span) => `/${span}`);
    assert.deepEqual(messages.map(({ role, status, href }) => [role, status, href]), [
      ["user", undefined, undefined], ["system", undefined, "/r"], ["tool", undefined, "/x"], ["assistant", "error", "/a"],
    ]);
    assert.equal(messages[2].parts[0].status, "error");
    assert.equal(messages[3].tokens, 5);
    assert.equal(messageOf(messages, "x"), messages[2].id);
    assert.equal(messageOf(messages, "none"), null);
    assert.equal(spanOf(messages[0]), null);
  });

  test("of several turns repeats no instructions", () => {
    const turns = [chat("1", user("a"), start("r1", "be brief"), said("s1", "x")), chat("2", user("b"), start("r2", "be brief"), said("s2", "y")), chat("3")];
    const joined = joinTurns(turns, 4, (trace, span) => `${trace}/${span}`);
    assert.deepEqual(joined.messages.map(({ role }) => role), ["user", "system", "assistant", "user", "assistant", "agent"]);
    assert.equal(new Set(joined.messages.map(({ id }) => id)).size, 6);
    assert.deepEqual([...joined.ends.values()].map(({ number, call }) => [number, call]), [[4, "r1"], [5, "r2"], [6, null]]);
    assert.equal(joined.tokens, 9);
    assert.equal(joined.cost, null);
    assert.equal(turnCall(turns[0]), "r1");
  });
});

describe("annotation fields", () => {
  test("follow their schema", () => {
    assert.deepEqual(annotationKind({ type: "boolean" }), { kind: "flag" });
    assert.deepEqual(annotationKind({ type: "integer", minimum: 1, maximum: 5 }), { kind: "number", integer: true, min: 1, max: 5 });
    assert.deepEqual(annotationKind({ type: "string", enum: ["a", "b"] }), { kind: "choice", values: ["a", "b"] });
    assert.deepEqual(annotationKind({}), { kind: "text", most: null });
    assert.equal(annotationField("a/b", { object_id: "q", digest: "d", val: null }), null);
    assert.equal(annotationField("a/b", { object_id: "q", digest: "d", val: { field_schema: 3 } }).ref, "svc:///a/b/object/q:d");
  });
});

describe("agents", () => {
  test("have shares and averages", () => {
    assert.equal(errorShare({ error_count: 1, span_count: 0 }), 0);
    assert.equal(perInvocation(10, { invocation_count: 4 }), 2.5);
    assert.equal(perInvocation(null, { invocation_count: 4 }), null);
  });

  test("have one line per version", () => {
    const course = courseOf({ granularity: 3600, rows: [
      { timestamp: "1970-01-01T01:00:00Z", agent_version: "v2", count_ms: 3, p95_ms: 20, count_true_errors: 1, sum_tokens: 9 },
      { timestamp: "1970-01-01T02:00:00Z", agent_version: "", count_ms: 1, p95_ms: 5, count_true_errors: 0, sum_tokens: 2 },
      { timestamp: "1971-01-01T02:00:00Z", agent_version: "v2", count_ms: 1 },
    ] }, 3_600_000, 3 * 3_600_000);
    assert.deepEqual(course.versions, ["no version", "v2"]);
    assert.deepEqual(course.x, [3_600_000, 7_200_000]);
    assert.deepEqual(course.spans, [[0, 1], [3, 0]]);
    assert.deepEqual(course.p95, [[null, 5], [20, null]]);
  });
});

describe("search", () => {
  test("marks code points", () => {
    assert.deepEqual(markedParts("👍 refund", 2, 8), { before: "👍 ", match: "refund", after: "" });
    assert.deepEqual(markedParts("abc", 5, 2), { before: "abc", match: "", after: "" });
  });

  test("cuts around the text", () => {
    const long = `${"x".repeat(300)}Refund${"y".repeat(300)}`;
    const { before, match, after } = snippetAround(long, "refund");
    assert.equal(match, "Refund");
    assert.ok(before.startsWith("…") && before.length === 121);
    assert.ok(after.endsWith("…") && after.length === 121);
    assert.equal(snippetAround("abc", "zz").match, "");
    assert.equal(snippetAround("abc", "").match, "");
  });
});
