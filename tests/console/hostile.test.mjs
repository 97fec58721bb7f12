// Hostile texts in every field that the console shows: they stay text on every screen.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";

import { openPage, startConsole } from "./support/console_page.mjs";
import { HostileProject } from "./support/hostile_project.mjs";
import { HOSTILE_TEXTS, MARKER, SHOWN } from "./support/hostile_texts.mjs";

const ROUTES = new URL("../../web/console/src/app/routes.tsx", import.meta.url);
/** Tall enough for the rows of all texts in lists that draw the visible rows alone. */
const VIEW = { width: 1280, height: 4000 };

let started;
let hostile;
let opened;
let page;
let requests = 0;
const failures = [];

before(async () => {
  started = await startConsole();
  hostile = new HostileProject(started);
  await hostile.fill();
  opened = await openPage(started, VIEW);
  ({ page } = opened);
  await page.addInitScript(() => {
    window.violations = [];
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) => window.violations.push(`${violatedDirective} ${blockedURI} ${sample}`));
  });
  const counts = (request) => !request.url().includes("/api/v1/stream");
  page.on("request", (request) => { requests += counts(request) ? 1 : 0; });
  for (const event of ["requestfinished", "requestfailed"]) page.on(event, (request) => { requests -= counts(request) ? 1 : 0; });
  page.on("response", (response) => {
    if (response.status() >= 400 && !response.url().includes("/api/v1/resolve")) failures.push(`${response.status()} ${response.request().method()} ${response.url()}`);
  });
});
after(async () => {
  await opened?.close();
  await hostile?.close();
  await started?.close();
});

/** Waits until the page has no open requests for some frames. */
async function settle() {
  for (let quiet = 0; quiet < 3; quiet = requests === 0 ? quiet + 1 : 0) {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
  }
}

/** Reads what a text could have done to the page. */
function tracks(marker) {
  const all = [...document.querySelectorAll("*")];
  const address = (element) => `${element.getAttribute("href") ?? ""}${element.getAttribute("src") ?? ""}${element.getAttribute("action") ?? ""}`;
  return {
    flag: window.__hostile ?? null,
    violations: window.violations,
    made: document.querySelectorAll(`[${marker}]`).length,
    handlers: all.filter((element) => [...element.attributes].some(({ name }) => name.startsWith("on"))).length,
    elements: document.querySelectorAll("main script, main iframe, main object, main embed, main base, main meta, main style, main link, main form[action]").length,
    addresses: all.map(address).filter((text) => /^\s*(javascript|vbscript|data):/i.test(text) || /evil\.example/.test(new URL(text, document.baseURI).hostname)),
    prototype: Object.keys(Object.prototype),
    failed: [...document.querySelectorAll("h2, h3, strong")].filter((element) => element.textContent === "This screen has failed").length,
    origin: location.origin,
    covered: document.documentElement.scrollWidth > document.documentElement.clientWidth,
  };
}

/** Waits for a text. Choices of selects have it too and are not visible. */
function seen(place, text) {
  return place.getByText(text).filter({ visible: true }).first().waitFor();
}

async function expectHarmless() {
  await settle();
  const { addresses, ...found } = await page.evaluate(tracks, MARKER);
  assert.deepEqual(found, {
    flag: null, violations: [], made: 0, handlers: 0, elements: 0, prototype: [], failed: 0, origin: started.url, covered: false,
  });
  // A link to another site may be shown, as its Markdown says; nothing else may have such an address.
  assert.deepEqual(addresses.filter((text) => !/^http:\/\/evil\.example/.test(text)), []);
  assert.deepEqual(opened.complaints.splice(0), []);
  assert.deepEqual(failures.splice(0), []);
}

const inProject = (rest) => `p/${hostile.team}/${encodeURIComponent(hostile.project)}/${rest}`;
const inTeam = (rest) => `t/${hostile.team}/${rest}`;
const inTraining = (rest) => `p/${hostile.trainingId}/${rest}`;
const shown = encodeURIComponent(SHOWN);

/**
 * All screens with their tabs: what the routes call them, and addresses that show the texts. An address that shows
 * none of the texts with the marker comes with a text that it shows.
 */
const SCREENS = {
  home: () => [""],
  login: () => [[`login?next=${encodeURIComponent("javascript:window.__hostile=1")}`, "Projects"]],
  invitation: () => [[`invite${hostile.invitation.hash}`, hostile.team]],
  traces: () => ["traces", "traces?scope=all", `traces?peek=${hostile.tree.root}`, `traces?q=${encodeURIComponent(`"${MARKER}"`)}&cols=${shown}`].map(inProject),
  trace: () => ["chat", "io", "feedback", "costs", "raw"].map((tab) => inProject(`traces/${hostile.tree.trace}?tab=${tab}`)),
  compare: () => [inProject(`compare?ids=${hostile.tree.trace},${hostile.otherTree.trace}`)],
  threads: () => ["threads", `threads/${shown}`].map(inProject),
  agents: () => ["agents", `agents/${shown}`].map(inProject),
  search: () => [inProject(`search?q=${MARKER}`)],
  datasets: () => ["datasets", "datasets/rows", "datasets/rows?tab=versions", "datasets/rows?tab=diff"].map(inProject),
  objects: () => ["objects", "objects/prompts/prompt", "objects/prompts/prompt?view=diff", "objects/other", "objects/scorers", "objects/models", "objects/ops"].map(inProject),
  evals: () => ["evals", "evals?view=leaderboard", `evals/${hostile.evaluations[0]}`].map(inProject),
  eval_compare: () => [inProject(`evals/compare?runs=${hostile.evaluations.join(",")}`)],
  queues: () => ["queues", `queues/${hostile.queue}`, `queues/${hostile.queue}?view=results`].map(inProject),
  playground: () => [[inProject(`playground?from=${hostile.tree.root}`), "Send"]],
  training: () => [inTraining("training"), inTraining("training?tab=trainers")],
  training_job: () => [inTraining(`training/${hostile.job}`)],
  models: () => ["models", `models/${shown}`, `models/${shown}?tab=jobs`].map(inTraining),
  runs: () => ["runs", "runs/first", "runs/first?tab=config", "runs/first?tab=summary", "runs/first?tab=lineage", "runs?compare=first,second", "runs?compare=first,second&tab=config"].map(inProject),
  artifacts: () => ["artifacts", `artifacts/${shown}`, `artifacts/${shown}/whole`, `artifacts/${shown}/whole?tab=metadata`, `artifacts/${shown}/whole?tab=used`].map(inProject),
  registries: () => ["registries", `registries/${shown}`, `registries/${shown}?tab=access`, `registries/${shown}/${shown}`, `registries/${shown}/${shown}/${shown}`],
  project_settings: () => ["settings", "settings?tab=members", "settings?tab=prices"].map(inProject),
  team: () => [`t/${hostile.team}`, [`t/${hostile.team}?tab=secrets`, "__proto__"]],
  webhooks: () => [[inTeam("webhooks"), "__proto__"], inTeam(`webhooks/${hostile.webhook}`), inTeam(`webhooks/${hostile.webhook}?tab=automations`)],
  automations: () => ["automations", `automations/${hostile.automation}`, `automations/${hostile.automation}?tab=payload`].map(inTeam),
  deliveries: () => [inTeam("deliveries"), `deliveries/${hostile.delivery}`],
  inference: () => ["inference", ["inference?tab=upstreams", "hasOwnProperty"], ["inference?tab=engines", "Engines"], "inference?tab=limits"],
  usage: () => [["usage", "constructor"], "usage?by=project"],
  admin: () => ["admin", "admin?tab=audit"],
  me: () => ["me"],
  // A run has this id; nothing has the other.
  resolve: () => [[`r/${shown}`, "by id"], `r/${shown}${shown}`],
};

test("the texts are stored in every field that takes any text", () => {
  assert.ok(HOSTILE_TEXTS.length >= 60);
  for (const field of ["calls", "notes", "feedback types", "scores", "full names", "API keys", "service accounts", "invitations", "prices", "saved views", "runs", "queues", "automations", "owners of models"]) {
    assert.ok(hostile.stored[field] >= 60, `${field}: ${hostile.stored[field]}`);
  }
  for (const [field, count] of Object.entries(hostile.stored)) assert.ok(count > 0, field);
});

test("the list of screens is complete", () => {
  const names = [...readFileSync(ROUTES, "utf8").matchAll(/^ {2}(\w+): \{ title:/gm)].map(([, name]) => name);
  assert.deepEqual(Object.keys(SCREENS).sort(), names.sort());
});

describe("hostile texts stay text", () => {
  for (const [screen, addresses] of Object.entries(SCREENS)) {
    test(screen, async () => {
      for (const [address, text = MARKER] of addresses().map((entry) => [entry].flat())) {
        await opened.go(address);
        await seen(page.locator("main"), text);
        await expectHarmless();
      }
    });
  }

  test("in the palette and the list of projects", async () => {
    await opened.go(inProject("traces"));
    await seen(page.locator("main"), MARKER);
    await settle();
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").fill(MARKER);
    await seen(page.getByRole("dialog"), MARKER);
    await expectHarmless();
  });

  test("in the answer of a model", async () => {
    await opened.go(inProject("playground?models=constructor"));
    await page.getByRole("textbox", { name: /message/i }).last().fill("Say something hostile.");
    await settle();
    await page.keyboard.press("Control+Enter");
    await seen(page.locator("main"), "HYPERLINK");
    await expectHarmless();
  });
});
