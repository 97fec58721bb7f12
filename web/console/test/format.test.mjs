// Numbers, durations, costs, sizes, times and hostile texts as people read them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { importSources } from "./support/bundle.mjs";

process.env.TZ = "America/St_Johns"; // an offset with half an hour, so that local and UTC differ

const format = await importSources(
  "format/numbers.ts", "format/money.ts", "format/bytes.ts", "format/durations.ts", "format/safe_text.ts", "format/truncate.ts",
  "format/time.ts", "format/time_range.ts",
);

/** Checks a function with rows of [arguments…, expected]. */
function rows(name, call, cases) {
  for (const row of cases) {
    const expected = row.at(-1);
    test(`${name}(${row.slice(0, -1).map((value) => JSON.stringify(value) ?? String(value)).join(", ")})`, () => {
      assert.deepEqual(typeof expected === "string" ? String(call(...row.slice(0, -1))).replaceAll("\u2009", " ").replaceAll("\u202f", " ") : call(...row.slice(0, -1)), expected);
    });
  }
}

rows("formatNumber", format.formatNumber, [
  [0, "0"], [-0, "0"], [7, "7"], [999, "999"], [1391, "1 391"], [10_000, "10 000"], [1_234_567.891, "1 234 567.891"],
  [-1234.5, "−1 234.5"], [-0.0001, "0"], [0.1 + 0.2, "0.3"], [1e21, "1.000e+21"], [NaN, "–"], [Infinity, "∞"], [-Infinity, "−∞"],
  [null, "–"], [undefined, "–"], [2.5, 0, "3"],
]);
rows("formatShort", format.formatShort, [
  [0, "0"], [12, "12"], [999, "999"], [1200, "1.2k"], [999_950, "1M"], [35_000_000, "35M"], [-2_500_000_000, "−2.5G"], [0.00123, "0.00123"],
]);
rows("formatSignificant", format.formatSignificant, [
  [0.038812, "0.03881"], [1234.5, "1 235"], [0, "0"], [1e-9, "1e-9"], [-0.5, "−0.5"], [123456, "123 500"],
]);
rows("formatPercent", format.formatPercent, [[0.92, "92 %"], [0.004, "0.4 %"], [1, "100 %"], [null, "–"], [0, "0 %"]]);
rows("formatChange", format.formatChange, [[0.05, "+0.05"], [-1, "−1"], [0, "±0"], [0.00001, "±0"]]);
rows("plural", format.plural, [[1, "call", "1 call"], [0, "call", "0 calls"], [2000, "reply", "replies", "2 000 replies"]]);
rows("formatCost", format.formatCost, [
  [0, "$0"], [0.0388, "$0.0388"], [0.0265123, "$0.02651"], [12.5, "$12.50"], [1234.567, "$1 234.57"], [0.5, "$0.50"], [0.00000001, "<$0.000001"],
  [-3, "−$3.00"], [0.9999, "$1.00"], [null, "–"], [0.000123456, "$0.0001235"],
]);
rows("formatBytes", format.formatBytes, [[0, "0 B"], [812, "812 B"], [999.9, "1 kB"], [4_500_000, "4.5 MB"], [-1500, "−1.5 kB"], [1e15, "1 PB"], [null, "–"]]);
rows("utf8Bytes", format.utf8Bytes, [["", 0], ["aé€😀", 10], ["\ud800", 3]]);
rows("formatDuration", format.formatDuration, [
  [0, "0 ms"], [0.25, "250 µs"], [12.5, "12.5 ms"], [999.4, "999 ms"], [999.6, "1 s"], [6770, "6.77 s"], [59_960, "1 min"], [125_000, "2 min 5 s"],
  [3_600_000, "1 h"], [11_400_000, "3 h 10 min"], [352_800_000, "4 d 2 h"], [-1500, "−1.5 s"], [null, "–"], [NaN, "–"],
]);
rows("formatClock", format.formatClock, [[70_000, "1:10"], [7_384_000, "2:03:04"], [-5, "0:00"], [null, "–"]]);
rows("parseDuration", format.parseDuration, [
  ["2s", 2000], ["150ms", 150], ["1m30s", 90_000], ["0.1s", 100], ["250us", 0.25], ["1 h 5 min", 3_900_000], ["2d", 172_800_000], ["5", null], ["s", null],
  ["2x", null], ["", null], ["-2s", null],
]);
rows("toMilliseconds", format.toMilliseconds, [["2026-11-18T08:53:20.123456Z", 1794992000123.456], [5, 5]]);
const NOW = Date.UTC(2026, 10, 18, 9, 0, 0);
const THEN = "2026-11-18T08:53:20.123456Z";
rows("formatTime", format.formatTime, [[THEN, "2026-11-18 08:53:20"], [THEN, "local", "2026-11-18 05:23:20"], [null, "–"], ["no time", "–"]]);
rows("formatExactTime", format.formatExactTime, [[THEN, "2026-11-18 08:53:20.123 UTC"], [THEN, "local", "2026-11-18 05:23:20.123 UTC−3:30"]]);
rows("formatShortTime", format.formatShortTime, [
  [THEN, NOW, "08:53:20"], ["2026-11-17T23:00:00Z", NOW, "11-17 23:00"], ["2025-11-17T23:00:00Z", NOW, "2025-11-17"],
]);
rows("formatRelative", format.formatRelative, [
  [NOW - 2000, NOW, "just now"], [NOW - 90_000, NOW, "1 min ago"], [NOW + 7_300_000, NOW, "in 2 h"], [NOW - 3 * 86_400_000, NOW, "3 d ago"], [null, NOW, "–"],
]);
rows("parseTime", format.parseTime, [
  ["2026-11-18", { from: Date.UTC(2026, 10, 18), to: Date.UTC(2026, 10, 19) - 1 }],
  ["2026-12", { from: Date.UTC(2026, 11, 1), to: Date.UTC(2027, 0, 1) - 1 }],
  ["2026-11-18 08:53", { from: Date.UTC(2026, 10, 18, 8, 53), to: Date.UTC(2026, 10, 18, 8, 54) - 1 }],
  ["2026-11-18T08:53:20.5Z", { from: Date.UTC(2026, 10, 18, 8, 53, 20, 500), to: Date.UTC(2026, 10, 18, 8, 53, 20, 500) }],
  ["2026-11-18T08:00+02:00", { from: Date.UTC(2026, 10, 18, 6), to: Date.UTC(2026, 10, 18, 6, 1) - 1 }],
  ["2026-11-18", "local", { from: Date.UTC(2026, 10, 18, 3, 30), to: Date.UTC(2026, 10, 19, 3, 30) - 1 }],
  ["2026-02-30", null], ["2026-13-01", null], ["yesterday", null], ["2026-11-18 25:00", null],
]);
rows("formatTimeRange", format.formatTimeRange, [
  [{ kind: "last", milliseconds: 86_400_000 }, "last 24 h"], [{ kind: "last", milliseconds: 900_000 }, "last 15 min"],
  [{ kind: "last", milliseconds: 7 * 86_400_000 }, "last 7 d"], [{ kind: "all" }, "all time"],
  [{ kind: "span", from: Date.UTC(2026, 10, 17, 8), to: Date.UTC(2026, 10, 17, 9, 30) }, "2026-11-17 08:00 – 09:30 UTC"],
  [{ kind: "span", from: Date.UTC(2026, 10, 17), to: Date.UTC(2026, 10, 18) }, "2026-11-17 UTC"],
  [{ kind: "span", from: Date.UTC(2026, 10, 17), to: Date.UTC(2026, 10, 20) }, "2026-11-17 – 2026-11-19 UTC"],
  [{ kind: "span", from: Date.UTC(2026, 10, 17, 8), to: null }, "since 2026-11-17 08:00 UTC"],
]);

test("time ranges survive the URL", () => {
  const ranges = [...format.PRESETS, { kind: "last", milliseconds: 90_000 }, { kind: "span", from: NOW - 5, to: NOW }, { kind: "span", from: NOW, to: null }];
  for (const range of ranges) assert.deepEqual(format.parseTimeRange(format.printTimeRange(range)), range);
  for (const text of ["", "0h", "x", "2026~", "a~b", "24h~", `${new Date(NOW).toISOString()}~${new Date(NOW - 1).toISOString()}`]) {
    const parsed = format.parseTimeRange(text);
    assert.ok(parsed === null || text === "2026~", `${text}: ${JSON.stringify(parsed)}`);
  }
});

test("a span of a picker includes its last day", () => {
  assert.deepEqual(format.spanFromTexts("2026-11-17", "2026-11-18", "utc"), { kind: "span", from: Date.UTC(2026, 10, 17), to: Date.UTC(2026, 10, 19) });
  assert.deepEqual(format.spanFromTexts("2026-11-17", " ", "utc"), { kind: "span", from: Date.UTC(2026, 10, 17), to: null });
  assert.match(format.spanFromTexts("x", "", "utc"), /start/);
  assert.match(format.spanFromTexts("2026-11-17", "2026-11-16", "utc"), /before/);
});

test("hidden characters become marks", () => {
  assert.equal(format.visibleText("abc\u202Etxt.exe"), "abc⟨RLO⟩txt.exe");
  assert.equal(format.visibleText("a\u0000b\u001b[31m"), "a⟨NUL⟩b⟨ESC⟩[31m");
  assert.equal(format.visibleText("line\r\nnext\ttab"), "line\nnext\ttab");
  assert.equal(format.visibleText("\u{e0041}\ud800x\ufeff"), "⟨U+E0041⟩⟨U+D800⟩x⟨BOM⟩");
  assert.equal(format.visibleText("👩‍👩‍👧 שלום é"), "👩‍👩‍👧 שלום é");
  assert.deepEqual(format.textPieces(""), [{ text: "" }]);
  assert.equal(format.oneLine("a\nb\r\nc\td"), "a ⏎ b ⏎ c d");
  for (let code = 0; code <= 0x20ff; code++) {
    const shown = format.visibleText(String.fromCharCode(code));
    assert.ok(!/[\u202a-\u202e\u2066-\u2069]/.test(shown), code.toString(16));
  }
  assert.equal(format.isPlainText("abc"), format.isPlainText("abc"), "no state is left between calls");
  assert.equal(format.isPlainText("\u202e"), false);
});

test("cuts never split a visible character", () => {
  assert.equal(format.truncate("abcdef", 4), "abc…");
  assert.equal(format.truncate("abc", 3), "abc");
  assert.equal(format.cutText("a👩‍👩‍👧b", 5), "a");
  assert.equal(format.truncateMiddle("0123456789", 5), "01…89");
  const text = "é😀👩‍👩‍👧\u0301z".repeat(50);
  for (let units = 0; units < 200; units++) {
    const cut = format.cutText(text, units);
    assert.ok(cut.length <= units && text.startsWith(cut) && format.isPlainText(cut), `${units}`);
  }
  assert.equal(format.cutText("e" + "\u0301".repeat(1000), 100).length <= 100, true);
});
