#!/usr/bin/env node
// Takes the pictures of the documentation: runs the demo, opens the console in Chromium, writes docs/images/*.webp.
//
//   screenshots.mjs                     runs the demo in a new folder first
//   screenshots.mjs --folder FOLDER     uses the folder of an earlier run of the demo
//   screenshots.mjs --only trace,home   takes only these pictures

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { chromium } = createRequire(new URL("../tests/package.json", import.meta.url))("playwright-core");

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SPINDLE = join(ROOT, "build/bin/spindle");
const IMAGES = join(ROOT, "docs/images");
const BROWSER = process.env.CHROMIUM ?? "/usr/bin/chromium";
const PROJECT = "demo/desk";
const P = `p/${PROJECT}`;
const SIZE = { width: 1280, height: 800 };
const QUALITY = 82;
const MOST_BYTES = 150_000;
const MOST_BYTES_IN_ALL = 1_500_000;
const MARGIN_MS = 5000;

/** Runs a program to its end and resolves with its output. */
async function run(command, args, options = {}) {
  const child = spawn(command, args, { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"], ...options });
  let said = "";
  child.stdout?.on("data", (text) => (said += text));
  const [status] = await once(child, "close");
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: status ${status}`);
  return said;
}

/** Starts a server on the data of the demo. Resolves with {url, key, link, stop()}. */
async function startServer(folder) {
  const data = join(folder, "data");
  const model = join(ROOT, "models/spindle-nano.gguf");
  const args = ["serve", "--listen", "127.0.0.1:0", "--data-dir", data, "--inference-default-model", model, "--inference-threads", "1"];
  const child = spawn(SPINDLE, args, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  const url = await new Promise((resolve, reject) => {
    const read = (text) => {
      said += text;
      const found = /^listening on (http:\S+)/m.exec(said);
      if (found) resolve(found[1]);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("close", (status) => reject(new Error(`spindle serve ended with status ${status}:\n${said}`)));
  });
  return {
    url,
    key: readFileSync(join(data, "admin-api-key"), "utf8").trim(),
    link: JSON.parse(await run(SPINDLE, ["login-link", "--json", "--data-dir", data])).link,
    stop: async () => {
      child.kill();
      await once(child, "close");
    },
  };
}

/** Reads the lines of a list of calls. */
async function calls({ url, key }, body) {
  const answer = await fetch(`${url}/calls/stream_query`, {
    method: "POST", headers: { authorization: `Bearer ${key}`, "content-type": "application/json" }, body: JSON.stringify({ project_id: PROJECT, ...body }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text.trim().split("\n").map((line) => JSON.parse(line));
}

/** Finds what the pictures show: ids of the demo's report and of its traces. */
async function findSubjects(server, folder) {
  const { exams, lessons } = JSON.parse(readFileSync(join(folder, "report.json"), "utf8"));
  const columns = ["id", "trace_id", "started_at", "attributes", "thread_id"];
  const roots = { trace_roots_only: true, op_names: ["order_desk"] };
  const byTime = (direction, limit) => calls(server, { filter: roots, columns, sort_by: [{ field: "started_at", direction }], limit });
  const [[first], [last, before]] = await Promise.all([byTime("asc", 1), byTime("desc", 2)]);
  const reversed = [last, before].find(({ attributes }) => attributes.task === "reverse");
  const [earliest] = await calls(server, { filter: { ...roots, thread_ids: [reversed.thread_id] }, columns, sort_by: [{ field: "started_at", direction: "asc" }], limit: 1 });
  const moment = (text, shift) => new Date(Date.parse(text) + shift).toISOString();
  return {
    range: encodeURIComponent(`${moment(first.started_at, -MARGIN_MS)}~${moment(last.started_at, MARGIN_MS)}`),
    runs: exams.map(({ evaluation_run_id: id }) => id),
    job: lessons[0].job_id,
    trace: reversed.trace_id,
    traceBefore: earliest.trace_id,
    thread: reversed.thread_id,
  };
}

/** The pictures: address, a text that is there when the screen is complete, and what to do before the picture. */
function pictures({ range, runs, job, trace, traceBefore, thread }) {
  const [before, , after] = runs;
  return {
    home: { path: "", shows: "traces" },
    traces: { path: `${P}/traces?range=${range}&q=agent%3Aorder-desk`, shows: "traces match" },
    trace: { path: `${P}/traces/${trace}`, shows: "find_order" },
    compare_traces: { path: `${P}/compare?ids=${traceBefore},${trace}`, shows: "find_order" },
    threads: { path: `${P}/threads/${thread}?range=all`, shows: thread },
    search: { path: `${P}/search?q=backwards&range=all`, shows: "backwards" },
    dataset: { path: `${P}/datasets/held-out-orders`, shows: "expected" },
    evaluations: { path: `${P}/evals`, shows: "order-desk-exam:v0" },
    comparison: { path: `${P}/evals/compare?runs=${before},${after}`, shows: "verifier.right" },
    annotation: { path: `${P}/queues`, act: (page) => page.getByRole("link", { name: "still-wrong" }).click(), shows: "misspelled item" },
    playground: { path: `${P}/playground`, act: ask, shows: "tok" },
    training_wizard: { path: `${P}/training`, act: (page) => page.getByRole("button", { name: "Train a model" }).click(), shows: "match" },
    training_job: { path: `${P}/training/${job}`, shows: "training ended", plot: true },
    checkpoints: { path: `${P}/models/desk-clerk`, shows: "verifier.right" },
    run: { path: `${P}/runs`, act: (page) => page.getByRole("link", { name: "desk-clerk" }).click(), shows: "loss", plot: true },
    artifact: { path: `${P}/artifacts/expert-answers/v0?tab=used`, shows: "desk-clerk" },
    automation: { path: "t/demo/automations", act: (page) => page.getByRole("link", { name: "to-production" }).click(), shows: "production" },
    delivery: { path: "t/demo/deliveries", act: (page) => page.getByRole("link", { name: "succeeded" }).first().click(), shows: "Signature" },
    usage: { path: "usage?measure=tokens&time=7d", shows: "spindle-nano", plot: true },
    audit: { path: "admin?tab=audit", shows: "admin" },
    palette: { path: `${P}/traces?range=${range}`, act: (page) => page.keyboard.press("Control+k"), shows: "Evaluations" },
    trace_dark: { path: `${P}/traces/${trace}`, shows: "find_order", theme: "dark" },
    training_job_dark: { path: `${P}/training/${job}`, shows: "training ended", plot: true, theme: "dark" },
  };
}

/** Asks the base model and the checkpoint in production the same in the playground. */
async function ask(page) {
  await page.getByRole("button", { name: "Model", exact: true }).click();
  const models = page.getByRole("combobox", { name: /Model/ });
  await models.nth(1).fill("desk-clerk");
  await page.getByRole("option", { name: /desk-clerk:step/ }).click();
  await page.getByPlaceholder(/^Instructions/).fill("Be exact.");
  await page.getByPlaceholder(/^Ask something/).fill("Lowest to highest: 39, 6, 31, 38");
  await page.keyboard.press("Control+Enter");
  await page.waitForFunction(() => document.body.innerText.match(/\d+ tok/g)?.length >= 2);
}

async function take(page, { path, act, shows, plot, theme = "light" }, url) {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
  await page.goto(`${url}/console/${path}`);
  await page.locator("main > *").first().waitFor();
  await act?.(page);
  await page.locator("main, dialog[open]").getByText(shows).first().waitFor();
  if (plot) await page.locator("main canvas").first().waitFor();
  await page.waitForFunction(() => !document.querySelector(".ui-skeleton, .ui-spinner-box, .ui-toast"));
  await page.mouse.move(0, 0); // nothing is hovered
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const devtools = await page.context().newCDPSession(page);
  const { data } = await devtools.send("Page.captureScreenshot", { format: "webp", quality: QUALITY });
  await devtools.detach();
  return Buffer.from(data, "base64");
}

async function takeAll(server, folder, only) {
  const browser = await chromium.launch({ executablePath: BROWSER, args: ["--no-sandbox", "--hide-scrollbars"] });
  try {
    const page = await browser.newPage({ viewport: SIZE });
    await page.goto(server.link);
    await page.getByRole("heading", { name: "Projects" }).waitFor();
    mkdirSync(IMAGES, { recursive: true });
    for (const [name, picture] of Object.entries(pictures(await findSubjects(server, folder)))) {
      if (only && !only.includes(name)) continue;
      const bytes = await take(page, picture, server.url).catch((error) => {
        throw new Error(`${name}: ${error.message}`);
      });
      if (bytes.length > MOST_BYTES) throw new Error(`${name}: ${bytes.length} bytes are too many`);
      writeFileSync(join(IMAGES, `${name}.webp`), bytes);
      console.log(`docs/images/${name}.webp  ${Math.round(bytes.length / 1000)} kB`);
    }
  } finally {
    await browser.close();
  }
}

async function main() {
  const { values } = parseArgs({ options: { folder: { type: "string" }, only: { type: "string" } } });
  const own = values.folder === undefined ? mkdtempSync(join(tmpdir(), "spindle-screenshots-")) : null;
  const folder = values.folder ?? join(own, "demo");
  try {
    if (own) await run("python3", [join(ROOT, "demo/run.py"), "--folder", folder], { stdio: "inherit" });
    const server = await startServer(folder);
    try {
      await takeAll(server, folder, values.only?.split(","));
    } finally {
      await server.stop();
    }
  } finally {
    if (own) rmSync(own, { recursive: true });
  }
  const files = readdirSync(IMAGES).map((name) => join(IMAGES, name));
  const all = files.reduce((sum, file) => sum + statSync(file).size, 0);
  if (all > MOST_BYTES_IN_ALL) throw new Error(`${all} bytes in docs/images are too many`);
  console.log(`${files.length} pictures, ${Math.round(all / 1000)} kB; the largest is ${basename(files.reduce((a, b) => (statSync(a).size > statSync(b).size ? a : b)))}`);
}

await main();
