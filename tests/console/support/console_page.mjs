// The console in Chromium with a real server: signed in, with traps for errors, dialogs and requests to other origins.

import assert from "node:assert/strict";

import { chromium } from "playwright-core";

import { startServer } from "../../http/support/server.mjs";

const BROWSER = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Starts a server and a browser. Call close() at the end. */
export async function startConsole(options) {
  const server = await startServer(options);
  const browser = await chromium.launch({ executablePath: BROWSER, args: ["--no-sandbox"] });
  return {
    server,
    browser,
    url: server.url,
    key: server.adminKey,
    close: async () => {
      await browser.close();
      await server.dispose();
    },
  };
}

/**
 * Opens a page whose session belongs to the key; null: without a session. The page may send requests to the server and
 * lead to pages of `origins`, whose own requests are not checked.
 */
export async function openPage(started, { key = started.key, width = 1280, height = 800, theme = "light", origins = [] } = {}) {
  const context = await started.browser.newContext({ viewport: { width, height }, colorScheme: theme });
  const page = await context.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    // Refused requests are part of the tests; violations of the policy are not.
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) complaints.push(message.text());
  });
  page.on("request", (request) => {
    const address = request.url();
    const foreign = (text) => origins.some((origin) => text.startsWith(`${origin}/`));
    const allowed = address.startsWith(`${started.url}/`) || /^(blob|data):/.test(address) ||
      foreign(address) || (!request.isNavigationRequest() && foreign(request.frame().url()));
    if (!allowed) complaints.push(`request to ${address}`);
  });
  if (key !== null) {
    const answer = await context.request.post(`${started.url}/api/v1/session`, {
      data: { api_key: key }, headers: { origin: started.url, "sec-fetch-site": "same-origin" },
    });
    assert.equal(answer.status(), 201, await answer.text());
  }
  return {
    page,
    context,
    complaints,
    go: (path) => page.goto(`${started.url}/console/${path}`),
    /** Waits until what is on the screen obeys keys: it registers its shortcuts after the next frame. */
    keysReady: async () => {
      for (let frame = 0; frame < 2; frame += 1) await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
    },
    close: async () => {
      await context.close();
      assert.deepEqual(complaints, [], "the page complained");
    },
  };
}
