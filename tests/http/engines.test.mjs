// Supervision of real spindle-engine processes: start, sharing, kills, memory limits, unloading, end with the
// server; adapters from artifacts.

import assert from "node:assert/strict";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { ArtifactProject } from "./support/artifacts.mjs";
import { eventually } from "./support/deliveries.mjs";
import { chat, expectOpenAiError, openChat, question } from "./support/gateway.mjs";
import { freshName, makeMember, makeTeam, makeUser } from "./support/people.mjs";
import { makeFolder, removeFolder } from "./support/program.mjs";
import { startServer, withServer } from "./support/server.mjs";
import { tinyAdapter } from "./support/tiny_adapter.mjs";
import { writeTinyModel } from "./support/tiny_model.mjs";

const ONE_THREAD = { SPINDLE_INFERENCE_THREADS: "1", SPINDLE_INFERENCE_SLOTS: "2" };
const CONTEXT = 16_384;

const folder = makeFolder();
const tiny = join(folder, "tiny.gguf");
writeTinyModel(tiny, { context: CONTEXT });

let server;
before(async () => (server = await startServer({ env: ONE_THREAD })));
after(async () => {
  await server.dispose();
  removeFolder(folder);
});

async function serve(file, fields = {}, on = server) {
  const name = freshName("model");
  const answer = await on.api("POST", "/api/v1/models", { body: { name, file, context: CONTEXT, ...fields } });
  assert.equal(answer.status, 201, answer.text);
  return name;
}

async function engineOf(model, on = server) {
  const answer = await on.api("GET", "/api/v1/engines");
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.json.next_cursor, null);
  return answer.json.items.find((engine) => engine.model === model) ?? { state: "unknown" };
}

const whenEngine = (model, holds, on = server) =>
  eventually(() => engineOf(model, on), holds, `the engine of ${model} never got there`);

async function expectAnswer(model, on = server) {
  const answer = await chat(on, model, { max_tokens: 4, temperature: 0 });
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

/** Starts a long stream. Resolves when it has begun, with the rest of its text. */
async function beginStream(model, tokens, on = server) {
  const body = { model, messages: question, stream: true, max_tokens: tokens, ignore_eos: true, temperature: 0 };
  const stream = await openChat(on, body);
  assert.equal(stream.status, 200);
  let text = "";
  const ended = new Promise((resolve) => {
    stream.incoming.setEncoding("utf8").on("data", (piece) => (text += piece));
    stream.incoming.on("close", () => resolve(text));
  });
  await new Promise((resolve) => stream.incoming.once("data", resolve));
  return { ended, destroy: stream.destroy };
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    // A zombie process has ended.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

const gone = (pid) => eventually(async () => isAlive(pid), (alive) => !alive, `${pid} is still there`);

describe("an engine", () => {
  test("is started by the first request and shared by later ones", async () => {
    const model = await serve(tiny);
    assert.equal((await engineOf(model)).state, "unknown");
    const answers = await Promise.all(Array.from({ length: 6 }, () => expectAnswer(model)));
    const said = answers.map(({ choices }) => choices[0].message.content);
    assert.deepEqual(new Set(said).size, 1);
    const engine = await whenEngine(model, ({ leases }) => leases === 0);
    assert.equal(engine.state, "ready");
    assert.equal(engine.progress, 1);
    assert.ok(isAlive(engine.pid));
    assert.ok(engine.memory_bytes > 1_000_000, `${engine.memory_bytes}`);
    assert.equal(engine.restarts, 0);
    assert.equal(engine.last_error, null);
    assert.deepEqual(engine.adapters, []);
    assert.equal(engine.waiting, 0);
    assert.ok(Math.abs(Date.parse(engine.since) - Date.now()) < 600_000);
    const up = `spindle_inference_engine_up{model="${model}"} 1\n`;
    await eventually(async () => (await server.api("GET", "/metrics")).text.includes(up), (found) => found, up);
  });

  test("that is killed ends its streams with an error, and the next request works", async () => {
    const model = await serve(tiny);
    const other = await serve(tiny);
    await expectAnswer(other);
    const bystander = await engineOf(other);
    const stream = await beginStream(model, 16_000);
    const { pid, leases } = await engineOf(model);
    assert.equal(leases, 1);
    const whole = chat(server, model, { max_tokens: 16_000, ignore_eos: true });
    await whenEngine(model, (engine) => engine.leases === 2);
    process.kill(pid, "SIGKILL");
    const text = await stream.ended;
    assert.ok(!text.includes("[DONE]"), text.slice(-300));
    const last = text.trim().split("\n").filter((line) => line.startsWith("data: ")).at(-1);
    assert.ok(JSON.parse(last.slice(6)).error.message.length > 0, last);
    const failed = await whole;
    expectOpenAiError(failed, 503, "server_error");
    const engine = await whenEngine(model, (now) => now.state === "ready" && now.pid !== pid);
    assert.equal(engine.restarts, 1);
    assert.equal(engine.last_error.split(":")[0], "was terminated by signal 9");
    await expectAnswer(model);
    assert.equal((await engineOf(other)).pid, bystander.pid, "other engines are not affected");
  });

  test("whose file is invalid is rejected with a reason, and works when the file is valid", async () => {
    const file = join(folder, "broken.gguf");
    writeTinyModel(file);
    const model = await serve(file);
    writeFileSync(file, "this is no model at all");
    const refused = await chat(server, model);
    expectOpenAiError(refused, 400, "invalid_request_error");
    assert.match(refused.json.error.message, /GGUF/);
    assert.ok(!refused.text.includes(folder), refused.text);
    writeTinyModel(file);
    truncateSync(file, 20_000);
    expectOpenAiError(await chat(server, model), 400, "invalid_request_error");
    const engine = await engineOf(model);
    assert.equal(engine.state, "failed");
    assert.equal(engine.pid, null);
    assert.ok(engine.last_error.length > 0);
    writeTinyModel(file);
    await expectAnswer(model);
  });

  test("of a removed model is stopped", async () => {
    const model = await serve(tiny);
    await expectAnswer(model);
    const { pid } = await engineOf(model);
    assert.equal((await server.api("DELETE", `/api/v1/models/${model}`)).status, 204);
    await gone(pid);
  });

  test("is visible to administrators of the deployment only", async () => {
    const model = await serve(tiny);
    await expectAnswer(model);
    const team = await makeTeam(server);
    for (const { key } of [await makeMember(server, team.name, "ADMIN"), await makeUser(server)]) {
      assert.equal((await server.api("GET", "/api/v1/engines", { key })).status, 403);
      const answer = await server.api("POST", `/api/v1/engines/${model}/unload`, { key });
      assert.equal(answer.status, 404);
      assert.deepEqual(answer.json, (await server.api("POST", "/api/v1/engines/none/unload", { key })).json);
    }
  });
});

describe("unloading", () => {
  test("waits for a stream", async () => {
    const model = await serve(tiny);
    await expectAnswer(model);
    const { pid } = await engineOf(model);
    const stream = await beginStream(model, 800);
    const answer = await server.api("POST", `/api/v1/engines/${model}/unload`);
    assert.equal(answer.status, 202, answer.text);
    assert.equal(answer.json.state, "draining");
    assert.match(await stream.ended, /data: \[DONE\]\n\n$/);
    await whenEngine(model, ({ state }) => state === "stopped");
    await gone(pid);
    await expectAnswer(model);
    assert.notEqual((await engineOf(model)).pid, pid);
  });

  test("is rejected for models that are not loaded", async () => {
    const answer = await server.api("POST", "/api/v1/engines/none/unload");
    assert.equal(answer.status, 404);
    assert.deepEqual(answer.json, { detail: "This model is not loaded.", code: "not_found" });
  });

  test("works by command, also for names with slashes", async () => {
    const name = `${freshName("vendor")}/tiny`;
    const made = await server.api("POST", "/api/v1/models", { body: { name, file: tiny } });
    assert.equal(made.status, 201, made.text);
    await expectAnswer(name);
    await whenEngine(name, ({ leases }) => leases === 0);
    const listed = await server.cli("engine", "ls");
    assert.equal(listed.code, 0, listed.stderr);
    assert.match(listed.stdout, /^MODEL +STATE +PROGRESS +PID/);
    assert.match(listed.stdout, new RegExp(`^${name} +ready +1\\.0 +\\d+ +\\d+ +0 +0 +0 `, "m"));
    const unloaded = await server.cli("engine", "unload", name);
    assert.equal(unloaded.code, 0, unloaded.stderr);
    assert.equal(unloaded.stdout, `${name} is stopping.\n`);
    await whenEngine(name, ({ state }) => state === "stopped");
  });
});

test("two models alternate if memory suffices for one", async () => {
  const model = await serve(tiny);
  await expectAnswer(model);
  const { memory_bytes: size } = await engineOf(model);
  const env = { ...ONE_THREAD, SPINDLE_INFERENCE_MEMORY: String(Math.floor(size * 1.5)) };
  await withServer({ env }, async (small) => {
    const one = await serve(tiny, {}, small);
    const two = await serve(tiny, {}, small);
    for (const name of [one, two, one, two]) {
      await expectAnswer(name, small);
      await whenEngine(name, ({ leases }) => leases === 0, small);
      const other = await engineOf(name === one ? two : one, small);
      assert.ok(["stopped", "unknown"].includes(other.state), other.state);
    }
    const stream = await beginStream(two, 16_000, small);
    const refused = await chat(small, one);
    expectOpenAiError(refused, 503, "server_error");
    assert.match(refused.json.error.message, /needs [\d.]+ MiB of memory; [\d.]+ MiB of [\d.]+ MiB/);
    assert.ok(Number(refused.headers["retry-after"]) >= 1);
    stream.destroy();
    await whenEngine(two, ({ leases }) => leases === 0, small);
    await expectAnswer(one, small);
  });
  const tight = { ...ONE_THREAD, SPINDLE_INFERENCE_MEMORY: "100000" };
  await withServer({ env: tight }, async (small) => {
    const refused = await chat(small, await serve(tiny, {}, small));
    expectOpenAiError(refused, 503, "server_error");
    assert.match(refused.json.error.message, /all models together may use 0\.1 MiB \(inference\.memory\)/);
  });
});

describe("with its server", () => {
  test("an engine starts when configured to, and ends by SIGTERM", async () => {
    const first = await startServer({ env: ONE_THREAD });
    try {
      const model = await serve(tiny, { start_at_boot: true }, first);
      const { pid } = await whenEngine(model, ({ state }) => state === "ready", first);
      assert.equal((await first.stop()).code, 0);
      await gone(pid);
      const second = await startServer({ env: ONE_THREAD, dataDir: first.dataDir });
      const again = await whenEngine(model, ({ state }) => state === "ready", second);
      assert.equal((await second.kill()).signal, "SIGKILL");
      await gone(again.pid);
      const third = await startServer({ env: ONE_THREAD, dataDir: first.dataDir });
      await expectAnswer(model, third);
      await third.kill();
    } finally {
      await first.dispose();
    }
  });

  test("an engine ends also during a completion", async () => {
    await withServer({ env: ONE_THREAD }, async (mine) => {
      const model = await serve(tiny, {}, mine);
      const stream = await beginStream(model, 16_000, mine);
      const { pid } = await engineOf(model, mine);
      await mine.kill();
      await stream.ended;
      await gone(pid);
    });
  });

  test("a server without the spindle-engine program reports it", async () => {
    await withServer({ env: { SPINDLE_INFERENCE_ENGINE_PATH: "/no/such/engine" } }, async (mine) => {
      const model = await serve(tiny, {}, mine);
      expectOpenAiError(await chat(mine, model), 503, "server_error");
      assert.match((await engineOf(model, mine)).last_error, /cannot be started/);
    });
  });
});

describe("an artifact as a model", () => {
  let base;
  let team;
  let project;
  before(async () => {
    base = await serve(tiny);
    team = await makeTeam(server);
    project = new ArtifactProject(server, team.name);
    await project.put("agent", { "README.md": "nothing yet" }, { type: "lora", metadata: { base_model: base }, aliases: ["step0"] });
    await project.put("agent", tinyAdapter({ strength: 3 }), { type: "lora", metadata: { base_model: base }, aliases: ["step1"] });
    await project.put("agent", tinyAdapter({ strength: 0 }), { type: "lora", metadata: { base_model: base }, aliases: ["step2"] });
  });
  const uri = (rest = "") => `svc-artifact:///${team.name}/lab/agent${rest}`;
  const said = async (model) => {
    const answer = await chat(server, model, { max_tokens: 24, temperature: 0 });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.model, model);
    return answer.json.choices[0].message.content;
  };

  test("is its adapter applied to the base model", async () => {
    const plain = (await chat(server, base, { max_tokens: 24, temperature: 0 })).json.choices[0].message.content;
    const trained = await said(uri(":step1"));
    assert.notEqual(trained, plain);
    assert.equal(await said(uri(":v1")), trained);
    assert.equal(await said(uri(":step1").replace(":///", "://")), trained);
    assert.equal(await said(uri(":v0")), plain);
    assert.equal(await said(uri(":step2")), plain, "it changes nothing");
    assert.equal(await said(uri(":latest")), plain);
    assert.equal(await said(uri()), plain, "the highest step");
    assert.equal((await engineOf(base)).adapters.length, 2);
  });

  test("is listed for users who may read it", async () => {
    const list = async (key) => (await server.api("GET", "/v1/models", { key })).json.data.map(({ id }) => id);
    assert.ok((await list(server.adminKey)).includes(uri()));
    const { key } = await makeMember(server, (await makeTeam(server)).name, "ADMIN");
    assert.ok(!(await list(key)).includes(uri()));
  });

  test("does not exist for others", async () => {
    const { key } = await makeMember(server, (await makeTeam(server)).name, "ADMIN");
    const hidden = await chat(server, uri(":step1"), {}, { key });
    expectOpenAiError(hidden, 404, "not_found_error");
    const missing = await chat(server, `svc-artifact:///${team.name}/lab/none:step1`, {}, { key });
    assert.deepEqual(missing.json, hidden.json);
  });

  test("needs an available base model and files that fit it", async () => {
    const refusal = async (name) => {
      const answer = await chat(server, `svc-artifact:///${team.name}/lab/${name}`);
      expectOpenAiError(answer, 400, "invalid_request_error");
      return answer.json.error.message;
    };
    await project.put("lost", tinyAdapter(), { type: "lora", metadata: { base_model: "no/such" } });
    assert.match(await refusal("lost"), /its base model no\/such is not in the catalogue/);
    await project.put("silent", tinyAdapter(), { type: "lora", metadata: {} });
    assert.match(await refusal("silent"), /base_model/);
    await project.put("data", tinyAdapter(), { type: "dataset", metadata: { base_model: base } });
    assert.match(await refusal("data"), /of type dataset/);
    const wrong = { ...tinyAdapter(), "adapter_model.safetensors": Buffer.from("no numbers") };
    await project.put("wrong", wrong, { type: "lora", metadata: { base_model: base } });
    assert.ok((await refusal("wrong")).length > 0);
    await project.put("garbage", { "adapter.gguf": "no adapter" }, { type: "lora", metadata: { base_model: base } });
    assert.ok((await refusal("garbage")).length > 0);
  });
});
