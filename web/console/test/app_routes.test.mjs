// The table of screens.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { importSources } from "./support/bundle.mjs";
import { installPage } from "./support/page.mjs";

let page;
let app;
before(async () => {
  page = installPage("http://console.test/console/");
  app = await importSources("app/routes.tsx", "app/navigation_items.ts", "app/location.ts");
});
after(() => page.remove());

describe("routes", () => {
  test("lead to screens and decode names", () => {
    assert.equal(app.matchRoute("/")?.screen, "home");
    assert.equal(app.matchRoute("/invite")?.screen, "invitation");
    const found = app.matchRoute(app.paths.resolve("svc:///acme/a b/call/1"));
    assert.deepEqual([found.screen, found.params.ref], ["resolve", "svc:///acme/a b/call/1"]);
  });

  test("are none for anything else", () => {
    for (const path of ["/nothing", "/me/more", "/%zz", "/p/%E0%A4%A/x/traces"]) assert.equal(app.matchRoute(path), null, path);
  });

  test("of the navigation all exist", () => {
    const sections = app.navigationSections({ project: "acme/a b", team: "acme", organizationAdmin: true });
    for (const { items } of sections) {
      for (const item of items) {
        assert.equal(app.matchRoute(app.innerPath(item.href))?.screen, item.screen, item.href);
      }
    }
  });

  test("have shortcuts that differ", () => {
    const sections = app.navigationSections({ project: "acme/b", team: "acme", organizationAdmin: true });
    const keys = sections.flatMap(({ items }) => items).map(({ key }) => key).filter(Boolean);
    assert.equal(new Set(keys).size, keys.length);
  });
});
