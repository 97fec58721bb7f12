// Matching of the palette, and names of browsers.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { importSources } from "./support/bundle.mjs";

const { matchScore, search, looksLikeId, browserName } = await importSources(
  "app/palette_search.ts",
  "screens/me/browser_name.ts",
);

describe("the palette", () => {
  test("finds parts of words, beginnings of words first", () => {
    const names = ["Evaluations", "acme/valuation", "Training", "acme/eval-guide"];
    assert.deepEqual(search(names, "eval", (name) => name).slice(0, 2), ["Evaluations", "acme/eval-guide"]);
    assert.equal(search(names, "train", (name) => name)[0], "Training");
  });

  test("finds letters at the beginnings of words", () => {
    assert.deepEqual(search(["acme/support-bot", "Usage"], "asb", (name) => name), ["acme/support-bot"]);
  });

  test("does not take letters by chance for a match", () => {
    assert.equal(matchScore("Your account: keys, sessions, preferences", "zoo"), null);
    assert.equal(matchScore("Administration of this server", "drv"), null);
  });

  test("keeps the order of everything when nothing is typed", () => {
    assert.deepEqual(search(["b", "a"], "  ", (name) => name), ["b", "a"]);
  });

  test("asks the server for ids and references only", () => {
    for (const id of ["01a1e3ec-4eae-76bb-8ea2-d34def73b543", "4bf92f3577b34da6a3ce929d0e0e4736", "svc:///acme/x/call/1", "col_8f3a9b21"]) {
      assert.ok(looksLikeId(id), id);
    }
    for (const text of ["traces", "acme/support", "slow errors", "12345", "evaluations"]) assert.ok(!looksLikeId(text), text);
  });
});

describe("the name of a browser", () => {
  test("is read from its User-Agent", () => {
    const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
    const firefox = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";
    assert.equal(browserName(chrome), "Chrome on Linux");
    assert.equal(browserName(firefox), "Firefox on Windows");
    assert.equal(browserName("curl/8.1"), "curl/8.1");
    assert.equal(browserName(null), "Unknown");
  });
});
