// Training and serving outside the server: clients/trainer_adapter runs jobs on TRL, and vLLM serves the adapters that it
// trained. The model is tiny, everything runs on the CPU.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { ArtifactProject } from "../http/support/artifacts.mjs";
import { eventually } from "../http/support/deliveries.mjs";
import { chat } from "../http/support/gateway.mjs";
import { freshName, makeTeam } from "../http/support/people.mjs";
import { BINARY, Program, makeFolder, removeFolder } from "../http/support/program.mjs";
import { startServer } from "../http/support/server.mjs";
import { TrainingClient } from "../http/support/training.mjs";
import { install, makeTinyFolder, python, quiet, startVllm } from "./support/hugging_face.mjs";

const ADAPTER = fileURLToPath(new URL("../../clients/trainer_adapter/adapter.py", import.meta.url));
const ENDED = ["COMPLETED", "FAILED", "CANCELLED"];

let folder;
let server;
let base;
let team;
let client;
let work;
before(async () => {
  install();
  folder = makeFolder();
  work = join(folder, "trainer");
  makeTinyFolder(join(folder, "tiny"));
  execFileSync(BINARY, ["model", "import", join(folder, "tiny"), join(folder, "tiny.gguf")], { stdio: "ignore" });
  server = await startServer({ env: { SPINDLE_TRAINING_LOCAL: "false", SPINDLE_INFERENCE_THREADS: "1" } });
  base = await addBase({ file: join(folder, "tiny.gguf") });
  team = await makeTeam(server);
  client = new TrainingClient(server);
});
after(async () => {
  await server.dispose();
  removeFolder(folder);
});

async function addBase(fields) {
  const name = freshName("tiny");
  const answer = await server.api("POST", "/api/v1/models", { body: { name, folder: join(folder, "tiny"), ...fields } });
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.json.trainable, true);
  return name;
}

/** Creates a model and an artifact with its training data. */
async function prepare(lines, base_model = base) {
  const name = freshName("solver");
  const model = await client.register({ entity: team.name, project: "lab", name, base_model });
  const data = freshName("data");
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  await new ArtifactProject(server, team.name).put(data, { "train.jsonl": text }, { type: "dataset" });
  return { model, name, url: `svc-artifact:///${team.name}/lab/${data}:v0` };
}

async function start({ model, url }, fields = {}) {
  const answer = await server.api("POST", "/api/v1/training-jobs", { body: { model_id: model.id, data_url: url, ...fields } });
  assert.equal(answer.status, 201, answer.text);
  return answer.json;
}

const show = async (job) => (await server.api("GET", `/api/v1/training-jobs/${job.id}`)).json;

function trainer(...options) {
  const args = [ADAPTER, "--server", server.url, "--folder", work, "--rows-per-device", "4", ...options];
  return new Program(args, { binary: python, env: { ...quiet, SPINDLE_API_KEY: server.adminKey } });
}

/** Runs the adapter for one job. Resolves with the job when it has ended. */
async function trained(job, ...options) {
  const { code, stderr } = await trainer("--jobs", "1", ...options).ended;
  assert.equal(code, 0, stderr);
  const ended = await show(job);
  assert.ok(ENDED.includes(ended.status), `${ended.status}: ${stderr}`);
  return ended;
}

const conversation = (number) => ({
  messages: [
    { role: "user", content: `Which of these numbers is the largest? ${number}` },
    { role: "assistant", content: "hello world" },
  ],
});
const conversations = (count) => Array.from({ length: count }, (_, number) => conversation(number));
const question = [{ role: "user", content: "Which of these numbers is the largest? 1" }];

async function said(model) {
  const answer = await chat(server, model, { messages: question, max_tokens: 8, temperature: 0 });
  assert.equal(answer.status, 200, answer.text);
  return answer.json.choices[0].message.content;
}
const latest = (name) => `svc-artifact:///${team.name}/lab/${name}`;

describe("the trainer adapter", () => {
  test("runs an SFT job: events, metrics, a checkpoint that continues and that the engine serves", async () => {
    const prepared = await prepare(conversations(160));
    const job = await start(prepared, { config: { batch_size: 4, learning_rate: 0.005 } });
    const ended = await trained(job);
    assert.equal(ended.status, "COMPLETED", ended.error_message);
    const events = await client.events(job.id);
    assert.deepEqual(events.map(({ type }) => type), ["training_started", ...Array(40).fill("gradient_step"), "training_ended"]);
    assert.equal(events[0].data.num_sequences, 40);
    const losses = events.slice(1, -1).map(({ data }) => data.loss);
    assert.ok(losses.at(-1) < losses[0] / 2, `${losses}`);
    for (const name of ["grad_norm", "learning_rate"]) assert.equal(typeof events[1].data[name], "number");
    assert.equal(events[1].data.learning_rate, 0.005);
    const content = await said(latest(prepared.name));
    assert.notEqual(content, await said(base), "the adapter changes the answers");

    const next = await trained(await start(prepared, { config: { batch_size: 80, learning_rate: [0.002, 0.001] } }));
    assert.equal(next.status, "COMPLETED", next.error_message);
    const steps = (await client.events(next.id)).filter(({ type }) => type === "gradient_step");
    assert.deepEqual(steps.map(({ data }) => data.learning_rate), [0.002, 0.001]);
    assert.ok(steps[0].data.loss < losses[0] / 2, "it continues from the first checkpoint");
    assert.match(await said(latest(prepared.name)), /hello/);
    assert.deepEqual(readdirSync(join(work, "jobs")), []);
  });

  test("runs an RL job with GRPO's loss on recorded choices", async () => {
    const prepared = await prepare([{ trajectories: [] }]);
    const sample = async (reward) => {
      const answer = await chat(server, latest(prepared.name), { messages: question, max_tokens: 6, logprobs: true });
      return { messages_and_choices: [...question, answer.json.choices[0]], reward };
    };
    const group = { trajectories: [] };
    for (const reward of [0, 1, 0, 1]) group.trajectories.push(await sample(reward));
    const { id } = await client.train(prepared.model, [group], { learning_rate: 1e-3, allow_training_without_logprobs: true });
    const ended = await trained({ id }, "--rl-batch", "2");
    assert.equal(ended.status, "COMPLETED", ended.error_message);
    const events = await client.events(id);
    assert.deepEqual(events.map(({ type }) => type), ["training_started", "gradient_step", "gradient_step", "training_ended"]);
    assert.ok(Number.isFinite(events[1].data.loss));
    assert.ok(events[1].data.grad_norm > 0);
    await said(latest(prepared.name));
  });

  test("publishes the unchanged model when there is nothing to learn", async () => {
    const prepared = await prepare([{ messages: [{ role: "user", content: "no answer" }] }]);
    const ended = await trained(await start(prepared));
    assert.equal(ended.status, "COMPLETED", ended.error_message);
    assert.match(ended.note, /nothing to learn/);
    assert.equal(await said(latest(prepared.name)), await said(base));
  });

  test("tells the user why data cannot be trained", async () => {
    const prepared = await prepare([{ ...conversation(1), loss_mask: "none" }]);
    const ended = await trained(await start(prepared));
    assert.equal(ended.status, "FAILED");
    assert.match(ended.error_message, /Line 1 has a loss_mask/);
  });

  test("continues from the saved state after it was killed", async () => {
    const prepared = await prepare(conversations(60));
    const job = await start(prepared, { config: { batch_size: 1, learning_rate: 0.001 } });
    const first = trainer("--save-steps", "5");
    await eventually(async () => (await client.events(job.id)).length, (count) => count >= 8, "no events");
    await eventually(
      async () => server.logs + first.stderr,
      () => existsSync(join(work, "jobs", job.id, "saved.jsonl")) && readFileSync(join(work, "jobs", job.id, "saved.jsonl"), "utf8").includes("\n"),
      "no state was saved",
    );
    await eventually(async () => (await client.events(job.id)).length, (count) => count >= 20, "no further events");
    process.kill(first.pid, "SIGKILL");
    await first.ended;
    const ended = await trained(job, "--save-steps", "5", "--keep");
    assert.equal(ended.status, "COMPLETED", ended.error_message);
    const events = await client.events(job.id);
    assert.equal(events.length, 62, "each step once");
    const kept = JSON.parse(readFileSync(join(work, "jobs", job.id, "job.json"), "utf8"));
    assert.ok(kept.resumed_sequence >= 6, `${kept.resumed_sequence}`);
  });

  test("stops when the job is cancelled", async () => {
    const prepared = await prepare(conversations(400));
    const job = await start(prepared, { config: { batch_size: 1 } });
    const running = trainer("--jobs", "1");
    await eventually(async () => (await client.events(job.id)).length, (count) => count >= 3, "no events");
    assert.equal((await server.api("POST", `/api/v1/training-jobs/${job.id}/cancel`)).status, 200);
    const { code, stderr } = await running.ended;
    assert.equal(code, 0, stderr);
    assert.match(stderr, /"outcome": "lost"/);
    assert.equal((await show(job)).status, "CANCELLED");
  });

  test("takes only jobs that its host can run", async () => {
    const prepared = await prepare(conversations(4));
    const job = await start(prepared, { resources: { gpus: 2, gpu_memory_gib: 40, labels: ["h100"] } });
    const idle = await trainer("--idle-exit", "1").ended;
    assert.equal(idle.code, 0, idle.stderr);
    assert.equal((await show(job)).status, "PENDING");
    const ended = await trained(job, "--gpus", "2", "--gpu-memory-gib", "80", "--label", "h100");
    assert.equal(ended.status, "COMPLETED", ended.error_message);
  });
});

describe("vLLM", () => {
  let vllm;
  let served;
  before(async () => {
    vllm = await startVllm(join(folder, "tiny"), "tiny");
    const upstream = freshName("vllm");
    const added = await server.api("POST", "/api/v1/upstreams", { body: { name: upstream, url: vllm.url, key: vllm.key, adapters: "vllm", max_adapters: 2 } });
    assert.equal(added.status, 201, added.text);
    served = { upstream, name: await addBase({ targets: [{ upstream, model: "tiny" }] }) };
  });
  after(() => vllm?.stop());

  test("serves models that were trained from a base model without a GGUF file", async () => {
    const before = await said(served.name);
    const names = [];
    for (const answer of ["hello world", "say the numbers", "Which world"]) {
      const lines = conversations(80).map(({ messages: [user] }) => ({ messages: [user, { role: "assistant", content: answer }] }));
      const prepared = await prepare(lines, served.name);
      assert.equal(await said(latest(prepared.name)), before, "step 0 is the base model");
      const ended = await trained(await start(prepared, { config: { batch_size: 4, learning_rate: 0.005 } }));
      assert.equal(ended.status, "COMPLETED", ended.error_message);
      names.push(prepared.name);
    }
    const answers = [];
    for (const name of names) answers.push(await said(latest(name)));
    assert.equal(new Set([before, ...answers]).size, 4, `${answers}`);
    const { items } = (await server.api("GET", `/api/v1/upstreams/${served.upstream}/adapters`)).json;
    assert.equal(items.length, 2, "the third adapter replaced the first");
    assert.equal(await said(latest(names[0])), answers[0], "it is loaded again");

    const sampled = await chat(server, latest(names[0]), { messages: question, max_tokens: 4 });
    assert.equal(sampled.json.choices[0].token_ids.length, 4);
    assert.ok(sampled.json.prompt_token_ids.length > 0);

    await vllm.restart();
    assert.equal(await said(latest(names[0])), answers[0], "vLLM was restarted");
    assert.equal((await server.api("GET", `/api/v1/upstreams/${served.upstream}/adapters`)).json.items.length >= 1, true);
  });
});
