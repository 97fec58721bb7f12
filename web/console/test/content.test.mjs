// Rows of JSON, trees of spans, scroll positions, time scales, Markdown and differences.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { importSources } from "./support/bundle.mjs";
import { pick, randomFrom } from "./support/random.mjs";

const {
  JsonIndex, JsonFolds, searchRows, checkJson, TreeModel, ScrollMap, TimeScale, leafSpans, axisTicks, LineMask, markdownTokens, safeHref, diffTexts, diffSections,
  gridTemplate, orderedColumns, visibleColumns, withMove, withVisibility, withWidth, widthOf,
} = await importSources(
  "ui/content/json_index.ts", "ui/content/json_check.ts", "ui/content/json_folds.ts", "ui/list/tree_model.ts", "ui/list/scroll_map.ts", "ui/list/time_scale.ts", "ui/list/span_lines.ts",
  "ui/content/markdown_view.tsx", "ui/content/links.ts", "ui/content/diff.ts", "ui/list/columns.ts",
);

const OPEN = 1;
const CLOSE = 2;

function indexOf(text) {
  const index = new JsonIndex(text);
  index.build();
  return index;
}

/** Writes the rows back as JSON. */
function rebuild(index) {
  let text = "";
  for (let row = 0; row < index.rows; row++) {
    text += `${index.key(row) === null ? "" : `${index.key(row)}:`}${index.kind(row) === CLOSE ? index.text[index.start(row)] : index.value(row)}${index.hasComma(row) ? "," : ""}`;
  }
  return text;
}

function randomJson(random, depth) {
  const kind = depth > 0 ? random() : 0.7 + random() * 0.3;
  const items = (make) => Array.from({ length: Math.floor(random() * 4) }, make);
  if (kind < 0.35) return `[${items(() => randomJson(random, depth - 1)).join(pick(random, [",", " , ", ",\n"]))}]`;
  if (kind < 0.7) return `{${items(() => `${JSON.stringify(pick(random, ["a", "é", 'q"', "\\", "x.y", "", ":", "\n"]))}${pick(random, [":", " : "])}${randomJson(random, depth - 1)}`).join(",")}}`;
  return pick(random, ["0", "-0", "1.50", "12345678901234567890", "1e5", "2.5E-7", "true", "false", "null", '""', '"a\\"b"', '"\\\\"', '"\\u202e"', '"]},{"', '"😀"']);
}

describe("JSON rows", () => {
  test("numbers and texts keep their spelling", () => {
    const index = indexOf('{"big": 12345678901234567890, "f": 1.50, "e": 1E5, "s": "a\\u00e9\\"", "list": [1, {}, []], "none": null}');
    assert.equal(index.error, null);
    assert.deepEqual(Array.from({ length: index.rows }, (_, row) => [index.depth(row), index.key(row), index.value(row)]), [
      [0, null, "{"], [1, '"big"', "12345678901234567890"], [1, '"f"', "1.50"], [1, '"e"', "1E5"], [1, '"s"', '"a\\u00e9\\""'], [1, '"list"', "["], [2, null, "1"], [2, null, "{}"],
      [2, null, "[]"], [1, null, "]"], [1, '"none"', "null"], [0, null, "}"],
    ]);
    assert.equal(index.path(7), "list.1");
    assert.equal(index.source(5), "[1, {}, []]");
    assert.equal(index.decoded(4), 'aé"');
    assert.equal(index.count(5), 3);
  });
  test("random values can be rebuilt from their rows", () => {
    const seed = Number(process.env.SEED ?? Date.now() % 1e9);
    const random = randomFrom(seed);
    for (let i = 0; i < 3000; i++) {
      const text = randomJson(random, 5);
      const index = indexOf(text);
      assert.equal(index.error, null, `SEED=${seed}: ${text}`);
      assert.deepEqual(JSON.parse(rebuild(index)), JSON.parse(text), `SEED=${seed}: ${text}`);
      for (let row = 0; row < index.rows; row++) {
        if (index.kind(row) === OPEN) assert.equal(index.partner(index.partner(row)), row);
        assert.equal(index.rowAt(index.start(row)), row);
      }
    }
  });
  test("errors have a position, and what was read stays", () => {
    for (const [text, position] of [["", 0], ["{", 1], ['{"a" 1}', 5], ["[1 2]", 3], ["[1,]", 3], ['{"a":1,}', 7], ["nul", 0], ["1 2", 2], ['"open', 0], ["[1,2", 4], ["{a:1}", 1], ["<x>", 0], ["01", 1]]) {
      const index = indexOf(text);
      assert.equal(index.error?.position, position, text);
    }
    assert.equal(indexOf('{"a":1, "b":').rows, 2);
    assert.deepEqual(checkJson('{\n  "a": 1,\n}'), { line: 3, column: 1, message: "A member name in quotes is missing" });
    assert.equal(checkJson("[1]"), null);
    assert.match(checkJson('"a\nb"').message, /not allow/);
  });
  test("deep nesting needs no stack", () => {
    const index = indexOf("[".repeat(200_000) + "]".repeat(200_000));
    assert.equal(index.error, null);
    assert.equal(index.rows, 399_999);
  });
  test("steps give the same rows as one pass", () => {
    const text = JSON.stringify(Array.from({ length: 20_000 }, (_, i) => ({ i })));
    const slow = new JsonIndex(text);
    while (!slow.build(0));
    assert.equal(slow.rows, indexOf(text).rows);
  });
  test("closing, opening and searching", () => {
    const index = indexOf('{"a": {"b": [1, 2]}, "c": "Needle \\"q\\" x\\ny"}');
    const folds = new JsonFolds(index);
    assert.equal(folds.count, index.rows);
    folds.closeFrom(1);
    assert.deepEqual(Array.from({ length: folds.count }, (_, place) => folds.at(place)), [0, 1, 7, 8]);
    assert.equal(folds.placeOf(2), -1);
    folds.reveal(3);
    assert.ok(folds.placeOf(3) > 0);
    folds.toggle(0);
    assert.equal(folds.count, 1);
    assert.deepEqual(searchRows(index, "needle"), [7]);
    assert.deepEqual(searchRows(index, '"q" x\ny'), [7]);
    assert.deepEqual(searchRows(index, "nothing"), []);
    assert.deepEqual(searchRows(index, ""), []);
    assert.deepEqual(searchRows(index, ".*"), []);
  });
});

describe("trees", () => {
  test("order, depth and counts", () => {
    const tree = new TreeModel([-1, 0, 0, 1, -1], [0, 5, 1, 6, 9]);
    assert.deepEqual([...tree.order], [0, 2, 1, 3, 4]);
    assert.deepEqual([...tree.depth], [0, 1, 1, 2, 0]);
    assert.deepEqual([...tree.below], [3, 1, 0, 0, 0]);
    tree.setOpen(1, false);
    assert.deepEqual([...tree.visible()], [0, 2, 1, 4]);
    assert.equal(tree.rowOf(3), -1);
    assert.equal(tree.reveal(3), 3);
    tree.setAllOpen(false);
    assert.deepEqual([...tree.visible()], [0, 4]);
    tree.setAllOpen(true);
    assert.equal(tree.filter((node) => node === 3), 1);
    assert.deepEqual([...tree.visible()], [0, 1, 3]);
    tree.filter(null);
    assert.equal(tree.visible().length, 5);
  });
  test("unknown parents and cycles become roots", () => {
    const tree = new TreeModel([5, 2, 1, 3, -7, NaN, 1.5]);
    assert.deepEqual([...tree.order].sort(), [0, 1, 2, 3, 4, 5, 6]);
    assert.equal(tree.visible().length, 7);
  });
  test("random parents list every node once, parents first", () => {
    const seed = Number(process.env.SEED ?? Date.now() % 1e9);
    const random = randomFrom(seed);
    for (let i = 0; i < 500; i++) {
      const count = Math.floor(random() * 30);
      const parents = Array.from({ length: count }, () => Math.floor(random() * (count + 2)) - 1);
      const tree = new TreeModel(parents, parents.map(() => random()));
      assert.equal(new Set(tree.order).size, count, `SEED=${seed}`);
      tree.order.forEach((node, at) => {
        const parent = tree.parent[node];
        if (parent >= 0) assert.ok(tree.order.indexOf(parent) < at, `SEED=${seed}`);
        assert.equal(tree.rowOf(node), at);
      });
    }
  });
});

describe("scroll positions", () => {
  test("a list that fits is not compressed", () => {
    const map = new ScrollMap(10_000);
    map.resize(5000, 500);
    map.scrolled(1234);
    assert.deepEqual([map.height, map.position, map.shift, map.settled()], [5000, 1234, 0, null]);
  });
  test("small steps are exact, drags are proportional, both ends can be reached", () => {
    const map = new ScrollMap(10_000);
    map.resize(1_000_000, 500);
    map.scrolled(4000);
    const middle = map.position;
    assert.ok(Math.abs(middle / (1_000_000 - 500) - 4000 / 9500) < 1e-9);
    map.scrolled(4100);
    assert.equal(map.position, middle + 100);
    const settled = map.settled();
    assert.ok(settled < 4100 && Math.abs(map.position - middle - 100) < 1);
    map.scrolled(9500);
    assert.equal(map.position, 1_000_000 - 500);
    map.scrolled(0);
    assert.equal(map.position, 0);
    assert.equal(map.moveTo(2_000_000), 9500);
  });
  test("steps through the whole list show every row", () => {
    const map = new ScrollMap(10_000);
    map.resize(100_000, 500);
    let physical = 0;
    let steps = 0;
    for (; map.position < 99_500 && steps < 5000; steps++) {
      const before = map.position;
      physical = map.settled() ?? physical;
      map.scrolled(physical);
      physical += 120;
      map.scrolled(Math.min(physical, 9500));
      assert.ok(map.position - before <= 120 + 25 || map.position === 99_500, `${before} to ${map.position}`);
    }
    assert.equal(map.position, 99_500);
  });
});

describe("time scales", () => {
  test("proportional and compressed", () => {
    const spans = { start: [0, 0, 900], end: [1000, 100, 1000] };
    const plain = TimeScale.of(spans);
    assert.equal(plain.position(500), 0.5);
    assert.equal(plain.idleShare, 0);
    const leaves = leafSpans(spans, [2, 0, 0]);
    const honest = TimeScale.of(leaves);
    assert.equal(honest.position(500), 0.5);
    assert.ok(Math.abs(honest.idleShare - 0.8) < 1e-9);
    const short = TimeScale.of(leaves, { compress: true });
    assert.ok(short.position(900) - short.position(100) < 0.05);
    for (const time of [0, 50, 100, 500, 900, 950, 1000]) assert.ok(Math.abs(short.time(short.position(time)) - time) < 1e-6, `${time}`);
    assert.equal(short.gaps().length, 1);
  });
  test("running, empty and single spans", () => {
    assert.equal(TimeScale.of({ start: [], end: [] }).position(5), 1);
    assert.equal(TimeScale.of({ start: [5], end: [5] }).position(5), 0);
    assert.equal(TimeScale.of({ start: [0], end: [NaN] }, { now: 10 }).position(5), 0.5);
  });
  test("ticks are round", () => {
    assert.deepEqual(axisTicks(0, 9390, 5), [0, 2000, 4000, 6000, 8000]);
    assert.deepEqual(axisTicks(3, 3, 5), []);
  });
});

describe("lines of the overview", () => {
  test("parts that touch or overlap become one line, rows stay apart", () => {
    const mask = new LineMask(10, 3);
    mask.add(0, 1, 3);
    mask.add(0, 2.5, 5);
    mask.add(0, 7, 10);
    mask.add(1, 0, 1);
    assert.deepEqual(mask.lines(), [{ row: 0, from: 1, to: 5 }, { row: 0, from: 7, to: 10 }, { row: 1, from: 0, to: 1 }]);
  });
  test("every span covers a pixel inside of the canvas", () => {
    const mask = new LineMask(10, 2);
    mask.add(0, 4, 4);
    mask.add(1, 10, 10);
    mask.add(1, -5, -2);
    assert.deepEqual(mask.lines(), [{ row: 0, from: 4, to: 5 }, { row: 1, from: 0, to: 1 }, { row: 1, from: 9, to: 10 }]);
  });
  test("nothing has no lines", () => assert.deepEqual(new LineMask(10, 0).lines(), []));
  test("random spans cover what each of them covers", () => {
    const random = randomFrom(7);
    const mask = new LineMask(40, 5);
    const expected = Array.from({ length: 5 }, () => Array(40).fill(false));
    for (let i = 0; i < 60; i++) {
      const [row, from] = [Math.floor(random() * 5), Math.floor(random() * 40)];
      const to = Math.min(40, from + 1 + Math.floor(random() * 6));
      mask.add(row, from, to);
      expected[row].fill(true, from, to);
    }
    const drawn = Array.from({ length: 5 }, () => Array(40).fill(false));
    for (const { row, from, to } of mask.lines()) drawn[row].fill(true, from, to);
    assert.deepEqual(drawn, expected);
  });
});

describe("Markdown", () => {
  test("hostile texts are shown as they are or are read quickly", () => {
    assert.equal(markdownTokens("x".repeat(40_001)), null);
    assert.equal(markdownTokens("> ".repeat(10_000)), null);
    assert.equal(markdownTokens("[".repeat(10_000)), null);
    assert.equal(markdownTokens("- ".repeat(5000)), null);
    for (const unit of ["[a](", "![a](", "[[a]](", "***a ", "_a"]) assert.equal(markdownTokens(unit.repeat(2000)), null, unit);
    assert.notEqual(markdownTokens("- [a](https://example.com) **b**\n".repeat(400)), null);
    assert.notEqual(markdownTokens("# Title\n\n- a\n  - b\n    - c\n\n> quote\n\n---\n"), null);
    assert.notEqual(markdownTokens(`${"*".repeat(20)}\n\nTitle\n${"-".repeat(40)}`), null);
  });
  test("links", () => {
    for (const bad of ["javascript:alert(1)", " JaVaScRiPt:x", "java\nscript:x", "data:text/html,x", "vbscript:x", "//example.com", "/console", "blob:x", "file:///etc/passwd", "http://", ""]) {
      assert.equal(safeHref(bad), null, bad);
    }
    assert.equal(safeHref("https://example.com/a?b=c"), "https://example.com/a?b=c");
    assert.equal(safeHref("mailto:a@example.com"), "mailto:a@example.com");
  });
});

describe("differences", () => {
  test("lines and words", () => {
    const { rows, added, removed } = diffTexts("a\nThe capital is Madrid.\nc", "a\nThe capital is Barcelona.\nc\nd");
    assert.deepEqual([added, removed], [2, 1]);
    assert.deepEqual(rows.map(({ kind }) => kind), ["same", "changed", "same", "added"]);
    assert.deepEqual(rows[1].left.filter(({ changed }) => changed), [{ text: "Madrid", changed: true }]);
    assert.deepEqual(rows[3], { kind: "added", left: null, right: [{ text: "d", changed: true }], leftNumber: null, rightNumber: 4 });
  });
  test("both sides can be put together again", () => {
    const random = randomFrom(7);
    for (let i = 0; i < 300; i++) {
      const make = () => Array.from({ length: Math.floor(random() * 12) }, () => pick(random, ["a", "b", "c d", "", "e f g"])).join("\n");
      const [before, after] = [make(), make()];
      const { rows } = diffTexts(before, after);
      const side = (name) => rows.filter((row) => row[name]).map((row) => `${row[name].map(({ text }) => text).join("")}\n`).join("");
      const ended = (text) => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
      assert.equal(side("left"), ended(before));
      assert.equal(side("right"), ended(after));
    }
  });
  test("equal rows far from changes are left out until they are opened", () => {
    const lines = Array.from({ length: 30 }, (_, i) => `${i}`).join("\n");
    const { rows } = diffTexts(lines, lines.replace("15", "x"));
    const sections = diffSections(rows, new Set());
    assert.deepEqual(sections.map(({ kind }) => kind), ["gap", "rows", "gap"]);
    assert.deepEqual(diffSections(rows, new Set([0])).map(({ kind }) => kind), ["rows", "gap"]);
  });
});

describe("columns", () => {
  test("growing columns share the room, unless the reader set their width", () => {
    const three = [{ key: "a", width: 60 }, { key: "b", width: 70, grow: true }, { key: "c", width: 80, grow: true }];
    assert.equal(gridTemplate(three, {}, false), "60px minmax(70px, 1fr) minmax(80px, 1fr)");
    assert.equal(gridTemplate(three, { widths: { b: 90 } }, false), "60px 90px minmax(80px, 1fr)");
    assert.equal(gridTemplate(three, { widths: { b: 90, c: 100 } }, false), "60px 90px minmax(100px, 1fr)");
    assert.equal(gridTemplate([], {}, false), "");
  });
  const columns = [{ key: "a", title: "A", width: 10, fixed: true }, { key: "b", title: "B", width: 100 }, { key: "c", title: "C", width: 100, optional: true }];
  const keys = (list) => list.map(({ key }) => key).join("");
  test("order, visibility, width", () => {
    assert.equal(keys(visibleColumns(columns, {})), "ab");
    assert.equal(keys(orderedColumns(columns, withMove(columns, {}, "c", -2))), "cab");
    assert.deepEqual(withMove(columns, {}, "a", -1), {});
    assert.equal(keys(visibleColumns(columns, withVisibility({}, columns[2], true))), "abc");
    assert.equal(keys(visibleColumns(columns, withVisibility({}, columns[1], false))), "a");
    assert.equal(keys(visibleColumns(columns, { hidden: ["a", "unknown"], order: ["unknown", "b"] })), "ba");
    assert.equal(widthOf(columns[1], withWidth({}, "b", 5)), 48);
    assert.equal(widthOf(columns[0], {}), 48);
  });
});
