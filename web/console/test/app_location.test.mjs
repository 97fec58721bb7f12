// Addresses inside the console, and the state in them.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";

import { importSources } from "./support/bundle.mjs";
import { installPage } from "./support/page.mjs";

const app = await importSources("app/location.ts", "app/url_state.ts");

let page;
beforeEach(() => (page = installPage()));
afterEach(() => page.remove());

describe("addresses", () => {
  test("begin with the base path", () => {
    assert.equal(app.href("/"), "/prefix/console/");
    assert.equal(app.href("/usage", { by: "model", none: "", missing: undefined }), "/prefix/console/usage?by=model");
  });

  test("of screens encode names", () => {
    assert.equal(app.paths.trace("acme/a b", "x/y?z"), "/p/acme/a%20b/traces/x%2Fy%3Fz");
    assert.equal(app.paths.objects("acme/b", "Prompt"), "/p/acme/b/objects/Prompt");
    assert.equal(app.paths.registries("models", "m", "v3"), "/registries/models/m/v3");
    assert.equal(app.paths.resolve("svc:///acme/b"), "/r/svc%3A%2F%2F%2Facme%2Fb");
  });

  test("are read without the base path", () => {
    assert.equal(app.innerPath("/prefix/console"), "/");
    assert.equal(app.innerPath("/prefix/console/"), "/");
    assert.equal(app.innerPath("/prefix/console/p/a/b"), "/p/a/b");
  });

  test("after signing in stay inside the console", () => {
    assert.equal(app.safeNext("/prefix/console/usage?x=1#y"), "/prefix/console/usage?x=1#y");
    const outside = ["https://evil.test/", "//evil.test/prefix/console/", "/elsewhere", "javascript:alert(1)", "\\\\evil.test\\x", "", null];
    for (const next of outside) assert.equal(app.safeNext(next), "/prefix/console/", String(next));
  });
});

describe("codecs", () => {
  test("write nothing for the usual value", () => {
    assert.equal(app.codecs.text().write(""), null);
    assert.equal(app.codecs.number(5).write(5), null);
    assert.equal(app.codecs.flag().write(false), null);
    assert.equal(app.codecs.oneOf("a", "b").write("a"), null);
    assert.equal(app.codecs.list(["a"]).write(["a"]), null);
  });

  test("read what they write", () => {
    const cases = [
      [app.codecs.text("x"), ["", "x", "a b&c=d"]],
      [app.codecs.number(5), [5, 0, -1.5, 1e21]],
      [app.codecs.flag(true), [true, false]],
      [app.codecs.oneOf("a", "b"), ["a", "b"]],
      [app.codecs.list(["z"]), [[], ["z"], ["a", "b,c", "\\", "d\\,e"]]],
    ];
    for (const [codec, values] of cases) {
      for (const value of values) assert.deepEqual(codec.read(codec.write(value)), value);
    }
  });

  test("survive addresses that people have changed", () => {
    assert.equal(app.codecs.number(5).read("many"), 5);
    assert.equal(app.codecs.number(5).read(""), 5);
    assert.equal(app.codecs.oneOf("a", "b").read("c"), "a");
    assert.equal(app.codecs.flag().read("yes"), false);
  });
});

describe("state in the address", () => {
  function record() {
    const routed = [];
    app.setRoute((url, replace) => {
      routed.push([url, Boolean(replace)]);
      history.pushState(null, "", url);
    });
    return routed;
  }

  test("changes only its own names and keeps the rest", () => {
    page.remove();
    page = installPage("http://console.test/prefix/console/p/a/b/traces?q=error&sort=cost");
    const routed = record();
    app.setUrlState({ sort: null, columns: "a,b" });
    assert.deepEqual(routed, [["/prefix/console/p/a/b/traces?q=error&columns=a%2Cb", false]]);
  });

  test("adds up when several parts change at once", () => {
    const routed = record();
    app.setUrlState({ a: "1" }, { replace: true });
    app.setUrlState({ b: "2" }, { replace: true });
    assert.deepEqual(routed.at(-1), ["/prefix/console/?a=1&b=2", true]);
  });

  test("that does not change makes no step in the history", () => {
    const routed = record();
    app.setUrlState({ a: null });
    assert.deepEqual(routed, []);
  });
});
