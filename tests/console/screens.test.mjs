// Every screen, with data, in both themes: loads without a fault, is accessible, has a heading and a title, fits a phone.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";

import { openPage, startConsole } from "./support/console_page.mjs";
import { makeFullProject } from "./support/full_project.mjs";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const ROUTES = new URL("../../web/console/src/app/routes.tsx", import.meta.url);
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const STREAM = "/api/v1/stream";
const WIDE = { width: 1280, height: 800 };
const RESIZE_MS = 30_000;
const PHONE = { width: 390, height: 800 };

let started;
let made;

before(async () => {
  started = await startConsole();
  made = await makeFullProject(started);
});
after(async () => {
  await made?.close();
  await started?.close();
});

/** The addresses to visit, by the path of their route. */
function addresses() {
  const { team, project, invitation, traces, runs, queue, job, run, webhook, automation, delivery, registry } = made;
  const P = `p/${project}`;
  const [first, second] = traces;
  return {
    "/": ["", "?find=lab"],
    "/login": ["login"],
    "/invite": [`invite${invitation}`],
    "P": [P],
    "P/traces": [`${P}/traces`, `${P}/traces?q=status%3Aerror&scope=all`, `${P}/traces?q=op%3Anothing`],
    "P/traces/:id": [`${P}/traces/${first.trace}`, `${P}/traces/${second.trace}?span=${second.model}`, `${P}/traces/none`],
    "P/compare": [`${P}/compare?ids=${first.trace},${second.trace}`, `${P}/compare`],
    "P/threads/:id?": [`${P}/threads`, `${P}/threads/conversation-1`],
    "P/agents/:name?": [`${P}/agents`, `${P}/agents/planner`],
    "P/search": [`${P}/search`, `${P}/search?q=order`],
    "P/datasets/:id?": [`${P}/datasets`, `${P}/datasets/quiz_rows`],
    "P/objects/:class?/:id?": [`${P}/objects`, `${P}/objects/prompts`, `${P}/objects/prompts/greeting`],
    "P/evals/compare": [`${P}/evals/compare?runs=${runs.join(",")}`, `${P}/evals/compare`],
    "P/evals/:run?": [`${P}/evals`, `${P}/evals?view=leaderboard`, `${P}/evals/${runs[0]}`],
    "P/queues/:id?": [`${P}/queues`, `${P}/queues/${queue}`],
    "P/playground": [`${P}/playground`, `${P}/playground?from=${first.model}`],
    "P/training": [`${P}/training`, `${P}/training?tab=trainers`],
    "P/training/:job": [`${P}/training/${job.id}`],
    "P/models/:name?": [`${P}/models`, `${P}/models/solver`],
    "P/runs/:id?": [`${P}/runs`, `${P}/runs/${run}`],
    "P/artifacts/:collection?/:version?": [`${P}/artifacts`, `${P}/artifacts/answers`, `${P}/artifacts/answers/v0`],
    "P/settings": [`${P}/settings`, `${P}/settings?tab=prices`],
    "/registries/:registry?/:collection?/:version?": ["registries", `registries/${registry}`, `registries/${registry}/answers`, `registries/${registry}/answers/v0`],
    "/t/:team": [`t/${team}`, `t/${team}?tab=secrets`],
    "/t/:team/webhooks/:id?": [`t/${team}/webhooks`, `t/${team}/webhooks/${webhook.id}`],
    "/t/:team/automations/:id?": [`t/${team}/automations`, `t/${team}/automations/${automation.id}`],
    "/t/:team/deliveries": [`t/${team}/deliveries`],
    "/deliveries/:id": [`deliveries/${delivery.id}`],
    "/inference": ["inference", "inference?tab=upstreams", "inference?tab=engines", "inference?tab=limits"],
    "/usage": ["usage"],
    "/admin": ["admin", "admin?tab=audit"],
    "/me": ["me"],
    "/r/:ref+": [`r/${first.trace}`, "r/nothing-of-that-name"],
  };
}

/** The requests of a page that are under way, without the stream of changes, which never ends. */
class OpenRequests {
  #open = new Set();
  #ended = () => {};

  constructor(page) {
    page.on("request", (request) => !request.url().includes(STREAM) && this.#open.add(request));
    for (const event of ["requestfinished", "requestfailed"]) {
      page.on(event, (request) => {
        this.#open.delete(request);
        if (this.#open.size === 0) this.#ended();
      });
    }
  }

  get some() {
    return this.#open.size > 0;
  }

  async end() {
    if (this.some) await new Promise((done) => (this.#ended = done));
  }
}

/** Waits for two frames: one to render, one for layouts that follow observers of sizes. */
function rendered(page) {
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** Waits until the screen has its data: no request under way, nothing that still loads. */
async function settle(page, requests) {
  await page.locator("main > *").first().waitFor();
  do {
    await requests.end();
    await rendered(page);
  } while (requests.some);
  await page.waitForFunction(() => !document.querySelector(".ui-skeleton, .ui-spinner-box"));
}

/** Returns what is wrong with the page, one line for each fault. */
async function faultsOf(page) {
  const { violations } = await page.evaluate((values) => globalThis.axe.run(document, { runOnly: { type: "tag", values }, resultTypes: ["violations"] }), RULES);
  const faults = violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id} ${target.join(" ")}: ${failureSummary.replaceAll("\n", " ")}`));
  const { headings, title, alerts } = await page.evaluate(() => ({
    headings: [...document.querySelectorAll("h1")].map((heading) => heading.textContent.trim()),
    title: document.title,
    alerts: [...document.querySelectorAll(".ui-error-note strong")].map((alert) => alert.textContent),
  }));
  if (headings.length !== 1 || headings[0] === "") faults.push(`headings: ${JSON.stringify(headings)}`);
  if (!/\S.* · Spindle$/.test(title)) faults.push(`title: ${title}`);
  return [...faults, ...alerts.map((text) => `error note: ${text}`)];
}

/** Returns a fault if the page scrolls sideways on a phone. Layouts may follow the new size a few frames later. */
async function overflowOf(page) {
  await page.setViewportSize(PHONE);
  const widest = (most) => {
    const width = Math.max(document.documentElement.scrollWidth, document.getElementById("main")?.scrollWidth ?? 0);
    return most === undefined || width <= most ? width : 0;
  };
  const fits = await page.waitForFunction(widest, PHONE.width, { timeout: RESIZE_MS }).then(() => true, () => false);
  const faults = fits ? [] : [`${await page.evaluate(widest)} px wide on a phone`];
  await page.setViewportSize(WIDE);
  return faults;
}

async function visitAll(theme) {
  const opened = await openPage(started, { theme });
  const { page, complaints } = opened;
  // Without transitions, whose colours between two states are nobody's choice.
  await page.emulateMedia({ reducedMotion: "reduce" });
  // As a script of the test, because the page's policy allows no other.
  await page.addInitScript({ path: AXE });
  const requests = new OpenRequests(page);
  const faults = {};
  const { "/login": login, "/invite": invite, ...signedIn } = addresses();
  for (const address of [...Object.values(signedIn).flat(), ...login, ...invite]) {
    if (address === login[0]) await page.context().clearCookies();
    await opened.go(address);
    await settle(page, requests);
    // Layouts are the same in both themes.
    const wide = theme === "light" ? await overflowOf(page) : [];
    const found = [...(await faultsOf(page)), ...wide, ...complaints.splice(0)];
    if (found.length > 0) faults[address] = found;
  }
  await opened.close();
  return faults;
}

describe("every screen", () => {
  test("is visited by this test", () => {
    const [, table] = readFileSync(ROUTES, "utf8").match(/const PATHS[^=]*= \[\n([\s\S]*?)\n\];/);
    const paths = [...table.matchAll(/^ {2}\[(.+?), "\w+"\],$/gm)].map(([, path]) => (path === "P" ? path : path.slice(1, -1).replace("${P}", "P")));
    assert.ok(paths.length > 30, "the table of routes has another form");
    assert.deepEqual(Object.keys(addresses()).sort(), paths.sort());
  });

  for (const theme of ["light", "dark"]) {
    test(`works and is accessible in the ${theme} theme`, async () => {
      assert.deepEqual(await visitAll(theme), {});
    });
  }
});
