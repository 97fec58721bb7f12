// Components in Chromium under the console's policy: accessibility in both themes, keyboard, hostile content; prints timings.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";

import { serveGallery } from "./gallery/serve.mjs";

// The browser driver and axe are packages of the black-box tests.
const require = createRequire(new URL("../../../tests/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const AXE = require.resolve("axe-core/axe.min.js");
const BROWSER = process.env.CHROMIUM ?? "/usr/bin/chromium";

let gallery;
let browser;

before(async () => {
  gallery = await serveGallery();
  browser = await chromium.launch({ executablePath: BROWSER, args: ["--no-sandbox"] });
});
after(async () => {
  await browser?.close();
  await gallery?.close();
});

/** Opens a page of the gallery, passes it on, and checks that nothing failed, left the origin or broke the policy. */
async function withPage(hash, work, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(gallery.url) && !request.url().startsWith("data:,")) complaints.push(`request: ${request.url()}`);
  });
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => console.error(`policy: ${event.violatedDirective} ${event.sourceFile}:${event.lineNumber}`));
  });
  try {
    await page.goto(`${gallery.url}#${hash}`);
    await page.locator("main h1").waitFor();
    // Components set up their texts and keys after the next frame.
    for (let frame = 0; frame < 2; frame++) await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); }));
    await work(page, context);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
}

async function findings(page) {
  // The policy forbids scripts from elsewhere, so axe runs by the driver.
  const { readFileSync } = require("node:fs");
  await page.evaluate(readFileSync(AXE, "utf8"));
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
  return violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ target, failureSummary }) => `${id} ${target.join(" ")}: ${failureSummary?.split("\n").slice(1).join(" ").trim()}`));
}

for (const theme of ["light", "dark"]) {
  for (const name of ["basics", "forms", "layers", "lists", "contents", "plots"]) {
    test(`axe finds nothing: ${name}, ${theme}`, () => withPage(`${name},${theme}`, async (page) => assert.deepEqual(await findings(page), [])));
  }
  test(`axe finds nothing in open layers, ${theme}`, () => withPage(`layers,${theme}`, async (page) => {
    for (const name of ["Open dialog", /^Delete/, "Actions", /^Time range/]) {
      await page.getByRole("button", { name }).first().click();
      assert.deepEqual(await findings(page), []);
      await page.keyboard.press("Escape");
    }
  }));
}

describe("keyboard", () => {
  test("grid: cursor, ends, selection, links", () => withPage("grid", async (page) => {
    const grid = page.getByRole("grid");
    assert.equal(await grid.getAttribute("aria-rowcount"), "1000001");
    await grid.focus();
    await page.keyboard.press("j");
    await page.keyboard.press("ArrowDown");
    assert.match(await grid.getAttribute("aria-activedescendant"), /-row-2$/);
    await page.keyboard.press("x");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Shift+ArrowDown");
    await page.getByText("4 selected").waitFor();
    await page.keyboard.press("End");
    await page.locator("[aria-rowindex='1000001']").waitFor();
    await page.keyboard.press("k");
    assert.match(await grid.getAttribute("aria-activedescendant"), /-row-999998$/);
    await page.keyboard.press("Home");
    await page.locator("[aria-rowindex='2']").waitFor();
    await page.keyboard.press("Enter");
    assert.match(page.url(), /#call-0$/);
  }));
  test("grid: a click while it scrolls goes to the row below the pointer", () => withPage("grid", async (page) => {
    const box = await page.getByRole("grid").boundingBox();
    const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    await page.mouse.move(at.x, at.y);
    await page.mouse.wheel(0, 36 * 50);
    await page.waitForFunction(() => document.querySelector("[role=grid]").scrollTop > 0);
    const index = await page.evaluate(({ x, y }) => {
      const row = document.elementsFromPoint(x, y).map((element) => element.closest(".ui-grid-row")).find(Boolean);
      document.querySelector(".ui-scroll-shield").hidden = false; // as during a scroll that has not ended
      return Number(row.getAttribute("aria-rowindex"));
    }, at);
    await page.mouse.down();
    await page.mouse.up();
    await page.waitForURL(new RegExp(`#call-${index - 2}$`));
  }));
  test("grid beyond the largest element: both ends by keys and by the scroll bar", () => withPage("huge", async (page) => {
    const grid = page.getByRole("grid");
    await grid.focus();
    await page.keyboard.press("End");
    await page.locator("[aria-rowindex='2000001']").waitFor();
    const shown = await page.locator("[aria-rowindex='2000001']").evaluate((row) => {
      const box = row.getBoundingClientRect();
      const area = row.closest("[role=grid]").getBoundingClientRect();
      return box.bottom <= area.bottom + 1 && box.top >= area.top;
    });
    assert.ok(shown, "the last row is inside the grid");
    await grid.evaluate((element) => { element.scrollTop = element.scrollHeight / 2; });
    const middle = await page.waitForFunction(() => {
      const row = Number(document.querySelector(".ui-grid-row")?.getAttribute("aria-rowindex"));
      return row > 990_000 && row < 1_010_000 ? row : 0;
    });
    const before = await middle.jsonValue();
    await grid.hover();
    await page.mouse.wheel(0, 36 * 20);
    await page.waitForFunction((row) => Number(document.querySelector(".ui-grid-row")?.getAttribute("aria-rowindex")) > row, before);
    assert.ok(Number(await page.locator(".ui-grid-row").first().getAttribute("aria-rowindex")) < before + 60, "the wheel moves by rows");
  }));
  test("tree, JSON, tabs, menu, dialog", async () => {
    await withPage("trace", async (page) => {
      const tree = page.getByRole("tree");
      await tree.focus();
      await page.keyboard.press("Home");
      await page.keyboard.press("ArrowLeft");
      await page.getByRole("treeitem").nth(1).waitFor({ state: "detached" });
      await page.keyboard.press("ArrowRight");
      await page.getByRole("treeitem").nth(10).waitFor();
    });
    await withPage("contents", async (page) => {
      const tree = page.getByRole("tree", { name: "inputs" });
      await tree.focus();
      await page.keyboard.press("ArrowLeft");
      await tree.getByRole("treeitem").nth(1).waitFor({ state: "detached" });
      await page.keyboard.press("Enter");
      await page.getByRole("searchbox", { name: "Search in inputs" }).fill("yesterday");
      await page.getByText("1 of 1").waitFor();
      await page.getByLabel("Text of the value").getByText("It was due yesterday").waitFor();
    });
    await withPage("layers", async (page) => {
      await page.getByRole("tab", { name: "Chat" }).focus();
      await page.keyboard.press("ArrowRight");
      await page.getByText("Content of io").waitFor();
      await page.getByRole("button", { name: "Actions" }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("menu", { name: "Actions" }).waitFor();
      await page.locator("[role^=menuitem]:focus").waitFor();
      await page.keyboard.press("End");
      await page.locator("[role^=menuitem]:focus").filter({ hasText: /^Delete$/ }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("menu").waitFor({ state: "detached" });
      await page.getByRole("button", { name: /^Delete/ }).click();
      const remove = (disabled) => page.getByRole("dialog").getByRole("button", { name: "Delete", disabled });
      await remove(true).waitFor();
      await page.getByLabel(/^Type/).fill("1391");
      await remove(false).waitFor();
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.locator(":focus").filter({ hasText: /^Delete/ }).waitFor();
      const border = page.getByRole("separator", { name: "Width of the list" });
      await border.focus();
      await page.keyboard.press("ArrowRight");
      await page.locator('[role=separator][aria-valuenow="52"]').waitFor();
    });
    await withPage("forms", async (page) => {
      const filter = page.getByRole("combobox", { name: "Filter" }).first();
      await filter.fill("sta");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.keyboard.type("ok");
      assert.equal(await filter.inputValue(), "status:ok");
    });
  });
});

test("hostile content runs nothing, loads nothing and breaks nothing", () => withPage("hostile", async (page) => {
  const tree = page.getByRole("tree", { name: "hostile" });
  await tree.focus();
  for (let i = 0; i < 40; i++) await page.keyboard.press("ArrowDown");
  const chat = page.getByRole("region", { name: "Conversation" });
  for (let i = 0; i < 60; i++) {
    await chat.evaluate((element) => element.scrollBy(0, 800));
    await page.evaluate(() => { for (const details of document.querySelectorAll("details")) details.open = true; });
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
  const found = await page.evaluate(() => ({
    hacked: globalThis.hacked ?? null,
    elements: [...document.querySelectorAll("script, iframe, object, embed, base, form, style, video, svg svg, math, img, link[rel=import]")].map((element) => element.outerHTML)
      .filter((html) => !html.includes("gallery.js")),
    handlers: [...document.querySelectorAll("*")].filter((element) => element.getAttributeNames().some((name) => name.startsWith("on"))).length,
    links: [...document.querySelectorAll("a[href]")].filter((link) => !/^(https?|mailto):/.test(link.href) || link.target !== "_blank" || !link.rel.includes("noopener")).map((link) => link.outerHTML),
    bidi: /[\u202a-\u202e\u2066-\u2069]/.test(document.body.textContent ?? ""),
    width: document.documentElement.scrollWidth,
  }));
  assert.deepEqual(found, { ...found, hacked: null, elements: [], handlers: 0, links: [], bidi: false });
  assert.ok(found.width <= 1280, `the page is ${found.width} wide`);
}));

test("the pages fit on a narrow screen", async () => {
  for (const name of ["basics", "forms", "layers", "lists", "contents"]) {
    await withPage(name, async (page) => {
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 390, `${name}: ${width}`);
    }, { viewport: { width: 390, height: 800 } });
  }
});

/** Runs the work and returns the main thread's CPU time in milliseconds. */
async function threadTime(page, client, work) {
  const read = async () => {
    const { metrics } = await client.send("Performance.getMetrics");
    const value = (name) => metrics.find((metric) => metric.name === name)?.value ?? 0;
    return { task: value("TaskDuration") * 1000, heap: value("JSHeapUsedSize") };
  };
  const start = await read();
  await work();
  await page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); }));
  const end = await read();
  return { milliseconds: end.task - start.task, heap: end.heap };
}

test("timings of large lists (printed, not checked)", async (t) => {
  const measure = (hash, work) => withPage(hash, async (page, context) => {
    const client = await context.newCDPSession(page);
    await client.send("Performance.enable", { timeDomain: "threadTicks" });
    await work(page, client);
  });
  const wheel = async (page, client, role) => {
    await page.getByRole(role).first().hover();
    const { milliseconds, heap } = await threadTime(page, client, async () => {
      for (let i = 0; i < 60; i++) {
        await page.mouse.wheel(0, 120);
        await page.evaluate(() => new Promise(requestAnimationFrame));
      }
    });
    return `${(milliseconds / 60).toFixed(1)} ms a frame, heap ${(heap / 1e6).toFixed(1)} MB`;
  };
  await measure("grid", async (page, client) => {
    t.diagnostic(`grid of 1,000,000 rows: first render ${(await page.evaluate(() => globalThis.renderMilliseconds)).toFixed(0)} ms, wheel ${await wheel(page, client, "grid")}`);
    await page.getByRole("grid").focus();
    const { milliseconds } = await threadTime(page, client, async () => { for (let i = 0; i < 20; i++) await page.keyboard.press("j"); });
    t.diagnostic(`grid, a key press: ${(milliseconds / 20).toFixed(1)} ms`);
  });
  await measure("trace", async (page, client) => {
    t.diagnostic(`trace of 10,000 spans: first render ${(await page.evaluate(() => globalThis.renderMilliseconds)).toFixed(0)} ms, wheel ${await wheel(page, client, "tree")}`);
    const { milliseconds } = await threadTime(page, client, async () => {
      await page.getByRole("button", { name: "Close all" }).evaluate((button) => button.click());
      await page.evaluate(() => new Promise(requestAnimationFrame));
      await page.getByRole("button", { name: "Open all" }).evaluate((button) => button.click());
    });
    t.diagnostic(`trace, all closed and opened: ${milliseconds.toFixed(0)} ms`);
  });
  await measure("json", async (page) => {
    await page.getByText("reading…").waitFor({ state: "detached" });
    t.diagnostic(`JSON of 4.5 MB: first render ${(await page.evaluate(() => globalThis.renderMilliseconds)).toFixed(0)} ms`);
  });
  await measure("hugejson", async (page) => page.getByText(/Only the start of/).waitFor());
});
