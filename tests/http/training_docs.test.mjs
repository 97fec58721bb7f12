// Runs the commands of docs/training.md in a shell.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";

import { Project, at } from "./support/calls.mjs";
import { BINARY, Program, makeFolder, removeFolder } from "./support/program.mjs";
import { startServer } from "./support/server.mjs";
import { ScriptedTrainer, addBaseModel } from "./support/training.mjs";

const text = readFileSync(new URL("../../docs/training.md", import.meta.url), "utf8");
const [tenLines, groupLines] = text.split("```sh\n").slice(1).map((part) => part.split("```")[0]);

let server;
let base;
let folder;
before(async () => {
  server = await startServer();
  base = await addBaseModel(server);
  folder = makeFolder();
  mkdirSync(join(folder, "build"));
  symlinkSync(dirname(BINARY), join(folder, "build", "bin"));
});
after(async () => {
  await server.dispose();
  removeFolder(folder);
});

/** Runs lines of the page in a folder that contains the programs, with the server of this test. */
function run(lines) {
  const script = lines
    .replace("$(cat spindle-data/admin-api-key)", server.adminKey)
    .replace("http://127.0.0.1:8080", server.url)
    .replace("spindle-nano", base);
  const env = { SPINDLE_DATA_DIR: server.dataDir, SPINDLE_ADMIN_API_KEY: server.adminKey };
  return new Program(["-c", script], { binary: "/bin/bash", cwd: folder, env }).ended;
}

/** Traces two answers to one prompt, with feedback of type `quality`. */
async function traceAnswers() {
  const project = new Project(server, "acme/support");
  for (const value of [0, 1]) {
    const call = await project.start({ inputs: { question: "Who?" }, started_at: at(value) });
    await project.end(call.id, { output: `Ada ${value}.`, ended_at: at(value + 0.5) });
    await project.ok("/feedback/create", {
      project_id: project.id, svc_ref: `svc:///${project.id}/call/${call.id}`, feedback_type: "quality", payload: { value },
    });
  }
}

/** Returns the data of the job that these lines create, and cancels the job. */
async function dataOf(walk) {
  const trainer = new ScriptedTrainer(server);
  let over = false;
  walk.finally(() => (over = true));
  let held = await trainer.lease(5);
  while (!held && !over) held = await trainer.lease(5);
  assert.ok(held, "no job was created");
  const lines = (await held.ok("GET", "/data")).text.trim().split("\n").map(JSON.parse);
  const answer = await server.api("POST", `/api/v1/training-jobs/${held.id}/cancel`);
  assert.equal(answer.status, 200, answer.text);
  return lines;
}

test("the ten lines end without training data", async () => {
  assert.ok(tenLines.trim().split("\n").length <= 10);
  const { stderr } = await run(tenLines);
  assert.match(stderr, /There is no project acme\/support yet/);
});

test("the ten lines train on good answers, the other lines on groups", async () => {
  await traceAnswers();
  const walk = run(tenLines);
  const examples = await dataOf(walk);
  assert.deepEqual(examples.map(({ messages }) => messages.at(-1).content), ["Ada 1."]);
  assert.equal((await walk).stderr, "");
  const setUp = tenLines.split("\n").filter((line) => /^(export|api\(\)|MODEL=)/.test(line)).join("\n");
  const more = run(`${setUp}\n${groupLines}`);
  const groups = await dataOf(more);
  assert.equal((await more).stderr, "");
  assert.match((await more).stdout, /calls: 2, trajectories: 2, lines: 1/);
  assert.deepEqual(groups.map(({ trajectories }) => trajectories.map(({ reward }) => reward ?? 0)), [[0, 1]]);
});
