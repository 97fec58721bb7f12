// The page at /docs in a real browser: it lists, finds and describes operations, sends requests, and contacts
// only its own server.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";

import { chromium } from "playwright-core";

import { freshName } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";

const BROWSER = process.env.CHROMIUM ?? "/usr/bin/chromium";

let server;
let browser;
let page;
let requested;
let complaints;

before(async () => {
  server = await startServer();
  browser = await chromium.launch({ executablePath: BROWSER, args: ["--no-sandbox"] });
});
after(async () => {
  await browser?.close();
  await server.dispose();
});

beforeEach(async () => {
  page = await browser.newPage();
  requested = [];
  complaints = [];
  page.on("request", (request) => requested.push(request.url()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  await page.goto(`${server.url}/docs`);
  await operations().first().waitFor();
});
afterEach(async () => {
  const foreign = requested.filter((url) => !url.startsWith(`${server.url}/`));
  await page.close();
  assert.deepEqual(foreign, [], "requests left the origin");
});

/** Returns the visible links of the side bar. */
function operations() {
  return page.getByRole("navigation", { name: "Operations" }).getByRole("link");
}

/** Opens an operation by its summary in /openapi.json. */
async function open(method, path) {
  const document = (await server.api("GET", "/openapi.json")).json;
  const { operationId } = document.paths[path][method];
  await page.goto(`${server.url}/docs#${operationId}`);
  await page.getByRole("complementary", { name: "Try it" }).waitFor();
  return document.paths[path][method];
}

async function send() {
  await page.getByRole("button", { name: "Send" }).click();
}

describe("the page", () => {
  test("lists every operation of the document", async () => {
    const { paths } = (await server.api("GET", "/openapi.json")).json;
    const summaries = Object.values(paths).flatMap((item) =>
      Object.values(item).map((operation) => operation.summary),
    );
    const shown = (await operations().allInnerTexts()).join("\n");
    assert.equal(await operations().count(), summaries.length);
    for (const summary of summaries) assert.ok(shown.includes(summary), summary);
    assert.deepEqual(complaints, []);
  });

  test("finds operations by words", async () => {
    const all = await operations().count();
    await page.getByRole("searchbox", { name: "Search operations" }).fill("service-accounts");
    await page.getByRole("status").getByText(`1 of ${all}`).waitFor();
    assert.equal(await operations().count(), 1);
    await page.getByRole("searchbox").fill("no such words");
    await page.getByRole("status").getByText(`0 of ${all}`).waitFor();
    assert.equal(await operations().count(), 0);
    await page.getByRole("searchbox").press("Escape");
    await operations().first().waitFor();
    assert.equal(await operations().count(), all);
  });

  test("shows the parameters and responses of an operation", async () => {
    await page.getByRole("searchbox").fill("post /api/v1/users");
    await operations().first().click();
    const main = page.getByRole("main");
    await main.getByRole("heading", { name: "Request body" }).waitFor();
    const text = await main.innerText();
    for (const word of ["/api/v1/users", "username", "email", "required", "201", "422"]) {
      assert.ok(text.includes(word), word);
    }
    assert.deepEqual(complaints, []);
  });

  test("sends a request with the key and shows the response", async () => {
    await open("get", "/api/v1/me");
    await page.getByLabel("API key").fill(server.adminKey);
    await send();
    const panel = page.getByRole("complementary", { name: "Try it" });
    await panel.getByText("200", { exact: false }).first().waitFor();
    await panel.getByText('"organization_admin"').waitFor();
    assert.deepEqual(complaints, []);
  });

  test("shows the 401 without a key", async () => {
    await open("get", "/api/v1/me");
    await send();
    await page.getByRole("complementary").getByText("401", { exact: false }).first().waitFor();
  });

  test("sends a body and path parameters", async () => {
    const name = freshName("from-docs");
    await open("post", "/api/v1/teams");
    await page.getByLabel("API key").fill(server.adminKey);
    await page.getByLabel("Body").fill(JSON.stringify({ name }));
    await send();
    await page.getByRole("complementary").getByText("201", { exact: false }).first().waitFor();
    assert.equal((await server.api("GET", `/api/v1/teams/${name}`)).status, 200);
  });

  test("does not store the key", async () => {
    await page.getByLabel("API key").fill(server.adminKey);
    const kept = await page.evaluate(() => [
      JSON.stringify(localStorage),
      JSON.stringify(sessionStorage),
      document.cookie,
      location.href,
    ]);
    assert.ok(!kept.join().includes(server.adminKey));
    await page.reload();
    assert.equal(await page.getByLabel("API key").inputValue(), "");
  });

  test("fits on a narrow screen", async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await open("get", "/api/v1/me");
    const [content, screen] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      window.innerWidth,
    ]);
    assert.ok(content <= screen, `${content} pixels on a screen of ${screen}`);
  });
});

describe("the files of the page", () => {
  test("have a content security policy for their own origin only", async () => {
    const { headers } = await server.api("GET", "/docs", { key: null });
    const policy = headers["content-security-policy"];
    assert.match(policy, /default-src '(self|none)'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.ok(!/unsafe-inline|unsafe-eval|\*|https?:/.test(policy), policy);
    assert.equal(headers["x-content-type-options"], "nosniff");
  });

  test("are cached until they change", async () => {
    const files = requested.map((url) => new URL(url).pathname).filter((path) => path.startsWith("/docs"));
    assert.ok(files.length > 2, files.join());
    for (const path of new Set(files)) {
      const first = await server.api("GET", path, { key: null });
      assert.equal(first.status, 200, path);
      const headers = { "If-None-Match": first.headers.etag };
      const second = await server.api("GET", path, { key: null, headers });
      assert.equal(second.status, 304, path);
      assert.equal(second.bytes.length, 0);
    }
  });
});
