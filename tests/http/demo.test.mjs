// The demo in its quick mode: all steps succeed in order, the report contains their results, and the console shows them.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { OWN_PAGE } from "./support/browser.mjs";
import { BINARY, makeFolder, removeFolder } from "./support/program.mjs";

const DEMO = fileURLToPath(new URL("../../demo/run.py", import.meta.url));

let folder;
let said;
let status;
let places; // [step, address in the console]
before(async () => {
  folder = makeFolder();
  said = "";
  const demo = spawn("python3", [DEMO, "--quick", "--keep", "--folder", join(folder, "demo"), "--programs", dirname(BINARY)]);
  const ended = once(demo, "close");
  const complete = new Promise((resolve) => {
    for (const stream of [demo.stdout, demo.stderr]) {
      stream.on("data", (text) => {
        said += text;
        if (/^ *webhook requests +\S+\n/m.test(said)) resolve();
      });
    }
  });
  await Promise.race([complete, ended]);
  if (demo.exitCode === null) {
    try {
      await openConsole();
    } finally {
      demo.kill("SIGINT");
    }
  }
  [status] = await ended;
});
after(() => removeFolder(folder));

let session;

/** Signs in with the link that the demo printed, as a browser does, and resolves the ids of the evaluation run and the job. */
async function openConsole() {
  const link = new URL(said.match(/sign in +(\S+)/)[1]);
  const headers = { ...OWN_PAGE, "content-type": "application/json" };
  const answer = await fetch(`${link.origin}/api/v1/session`, { method: "POST", headers, body: JSON.stringify({ code: link.hash.slice("#code=".length) }) });
  session = { status: answer.status, path: link.pathname, ...(await answer.json()) };
  const cookie = answer.headers.get("set-cookie").split(";")[0];
  const printed = [...said.matchAll(/^ {7}(\S[^\n]{0,15}?) +(http\S+\/console\/\S+)$/gm)].filter(([, step]) => step !== "sign in");
  places = printed.map(([, step, address]) => [step, new URL(address)]);
  const addressOf = (wanted) => places.find(([step]) => step === wanted)?.[1];
  const ids = [addressOf("before and after")?.searchParams.get("runs").split(",")[1], addressOf("training, loss")?.pathname.split("/").at(-1)];
  session.resolved = await Promise.all(ids.map(async (id) => {
    const response = await fetch(`${link.origin}/api/v1/resolve?ref=${id}`, { headers: { ...OWN_PAGE, cookie } });
    return response.status;
  }));
}

const read = (name) => readFileSync(join(folder, "demo", name), "utf8");
const figures = () => JSON.parse(read("report.json"));

describe("the demo", () => {
  test("completes all steps in order", () => {
    assert.equal(status, 0, said);
    const steps = [...said.matchAll(/^ *\d+:\d\d {2}(\d+)\. (.*)$/gm)].map(([, number, text]) => [Number(number), text]);
    const words = [/server/, /webhook/, /score before/, /expert/, /SFT/, /RL/, /score after/, /`production`/, /production$/];
    assert.deepEqual(steps.map(([number]) => number), words.map((_, i) => i + 1), said);
    words.forEach((word, i) => assert.match(steps[i][1], word));
  });

  test("shows a trace as a chat, with the tool", () => {
    assert.match(said, /│ user +Check order 10\d\d\./);
    assert.match(said, /│ tool +find_order\(\{"order_id": ?10\d\d\}\) → \{"items":/);
    assert.match(said, /│ verifier +\d\.\d\d/);
  });

  test("scores the same orders before and after, with intervals", () => {
    const { exams, differences } = figures();
    assert.deepEqual(exams.map(({ name }) => name), ["before", "after SFT", "after RL"]);
    assert.equal(exams[0].model, "spindle-nano");
    assert.match(exams[2].model, /^svc-artifact:\/\/\/demo\/desk\/desk-clerk:step2$/);
    for (const { tasks } of exams) {
      for (const { right, asked, low, share, high } of Object.values(tasks)) {
        assert.equal(share, right / asked);
        assert.ok(asked > 0 && low <= share && share <= high);
      }
    }
    for (const task of ["reverse", "sort"]) {
      const { mean, low, high } = differences[task];
      assert.ok(low <= mean && mean <= high);
      const difference = exams[2].tasks[task].share - exams[0].tasks[task].share;
      assert.ok(Math.abs(mean - difference) < 1e-9, "the server compares the same orders");
    }
  });

  test("trains with examples first, then with rewards", () => {
    const { lessons, rewards } = figures();
    assert.deepEqual(lessons.map(({ name }) => name), ["SFT", "RL 1"]);
    assert.equal(lessons[0].steps, 4);
    for (const loss of lessons[0].loss) assert.ok(Number.isFinite(loss) && loss > 0);
    assert.equal(rewards[0].count, 16);
  });

  test("receives a webhook with a valid signature when the alias is set", () => {
    const { webhook, model } = figures();
    assert.equal(model, "svc-artifact:///demo/desk/desk-clerk:production");
    assert.equal(webhook.event, "ADD_ARTIFACT_ALIAS");
    assert.equal(webhook.genuine, true);
    assert.equal(webhook.body.what, "demo/desk/desk-clerk:production");
    const [, lessons] = said.match(/✓ the signatures are right; so were those of the calls about (.*)/);
    assert.deepEqual(lessons.split(", ").sort(), ["v1", "v2"]);
  });

  test("signs in to the console with one link and leads to each step", () => {
    assert.equal(session.status, 201);
    assert.equal(session.username, "admin");
    assert.equal(session.path, "/console/p/demo/desk/traces");
    assert.deepEqual(places.map(([step]) => step), [
      "traces as chats", "before and after", "still wrong", "training data", "training, loss", "checkpoints", "automations", "webhook requests",
    ]);
    assert.deepEqual(session.resolved, [200, 200]);
  });

  test("writes a report with plots and prints the next steps", () => {
    for (const name of ["scores", "loss", "reward"]) assert.match(read(`${name}.svg`), /^<svg /);
    const page = read("report.html");
    assert.equal(page.match(/<svg /g).length, 3);
    for (const words of ["after RL", "production", "Webhook-Signature"]) assert.ok(page.includes(words), words);
    assert.match(said, /the server +http:\S+, until Ctrl-C/);
    assert.match(said, /curl -s \S+\/v1\/chat\/completions/);
    assert.ok(existsSync(join(folder, "demo", "data", "admin-api-key")));
  });
});
