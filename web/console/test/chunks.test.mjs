// The groups of modules that become one file each, and the files of the real bundle.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { buildConsole } from "../build.mjs";
import { groupsOf } from "../chunks.mjs";

/** Makes the inputs of a metafile from { module: [imports], ... }; "*name" is a dynamic import. */
function inputsOf(modules) {
  const imported = (name) => (name.startsWith("*") ? { path: name.slice(1), kind: "dynamic-import" } : { path: name, kind: "import-statement" });
  return Object.fromEntries(Object.entries(modules).map(([path, imports]) => [path, { imports: imports.map(imported) }]));
}

const screens = ["a.tsx", "b.tsx", "c.tsx", "d.tsx", "e.tsx", "f.tsx"];

describe("groups", () => {
  const inputs = inputsOf({
    "main.tsx": ["app.ts", "style.css", ...screens.map((name) => `*${name}`)],
    "app.ts": ["base.ts"],
    "base.ts": [],
    "style.css": [],
    "grid.ts": ["rows.ts", "base.ts"],
    "rows.ts": [],
    "rare.ts": [],
    ...Object.fromEntries(screens.map((name) => [name, ["grid.ts"]])),
    "a.tsx": ["grid.ts", "rare.ts"],
    "b.tsx": ["grid.ts", "rare.ts", "*dialog.ts"],
    "dialog.ts": ["base.ts"],
  });
  const { groups, imports } = groupsOf(inputs, "main.tsx", ["a.tsx"]);
  test("what the first page imports is one group, without styles and itself", () => assert.deepEqual(groups.first, ["app.ts", "base.ts"]));
  test("what many screens import is another one, also indirectly", () => assert.deepEqual(groups.shared, ["grid.ts", "rows.ts"]));
  test("what a busy screen has in common with another one is the third", () => assert.deepEqual(groups.busy, ["rare.ts"]));
  test("every dynamic import is loaded later, with the groups that it needs", () => {
    assert.deepEqual([...imports.keys()].sort(), ["a.tsx", "b.tsx", "c.tsx", "d.tsx", "dialog.ts", "e.tsx", "f.tsx"]);
    assert.deepEqual(imports.get("b.tsx"), ["first", "shared", "busy"]);
    assert.deepEqual(imports.get("c.tsx"), ["first", "shared"]);
  });
});

describe("the bundle", async () => {
  const folder = mkdtempSync(join(tmpdir(), "spindle-console-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  await buildConsole(folder);
  const names = readdirSync(folder);
  const text = (name) => readFileSync(join(folder, name), "utf8");
  /** Returns the files that a script imports, directly or indirectly, itself included. */
  const filesOf = (name, found = new Set()) => {
    if (found.has(name)) return found;
    found.add(name);
    for (const [, file] of text(name).matchAll(/(?:from|import)"\.\/([^"]+\.js)"/g)) filesOf(file, found);
    return found;
  };
  const named = (stem) => names.find((name) => name.startsWith(`${stem}-0`) && name.endsWith(".js"));

  test("the first page needs two scripts", () => assert.equal(filesOf(named("console")).size, 2));
  const limits = { traces: 6, trace: 6, threads: 8, evals: 14, datasets: 14, queues: 14 };
  for (const [screen, limit] of Object.entries(limits)) {
    test(`${screen} needs at most ${limit} scripts`, () => {
      const files = filesOf(named(screen));
      assert.ok(files.size <= limit, [...files].join(" "));
    });
  }
});
