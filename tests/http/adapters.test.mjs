// Adapters that members upload: checked before an engine loads them, quarantined when an engine ends
// while it uses one; the sandbox of engines.

import assert from "node:assert/strict";
import { readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { ArtifactProject } from "./support/artifacts.mjs";
import { eventually } from "./support/deliveries.mjs";
import { chat, expectOpenAiError, openChat, question } from "./support/gateway.mjs";
import { freshName, makeMember, makeTeam } from "./support/people.mjs";
import { makeFolder, removeFolder } from "./support/program.mjs";
import { startServer, withServer } from "./support/server.mjs";
import { tinyAdapter, tinyGgufAdapter } from "./support/tiny_adapter.mjs";
import { Bytes, writeTinyModel } from "./support/tiny_model.mjs";

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

async function serve(on = server) {
  const name = freshName("model");
  const answer = await on.api("POST", "/api/v1/models", { body: { name, file: tiny, context: CONTEXT } });
  assert.equal(answer.status, 201, answer.text);
  return name;
}

async function engineOf(model, on = server) {
  const answer = await on.api("GET", "/api/v1/engines");
  return answer.json.items.find((engine) => engine.model === model) ?? { state: "unknown" };
}

/** Creates a team with a project for adapters of a base model. */
async function adapterProject(base, on = server) {
  const team = await makeTeam(on);
  const adapters = new ArtifactProject(on, team.name);
  const put = async (files) => {
    const name = freshName("adapter");
    await adapters.put(name, files, { type: "lora", metadata: { base_model: base } });
    return `svc-artifact:///${team.name}/lab/${name}`;
  };
  return { team, put };
}

async function said(model, on = server) {
  const answer = await chat(on, model, { max_tokens: 24, temperature: 0 });
  assert.equal(answer.status, 200, answer.text);
  return answer.json.choices[0].message.content;
}

const u32 = (number) => ({ type: 4, bytes: new Bytes().u32(number).whole() });
const f32 = (number) => ({ type: 6, bytes: new Bytes().f32(number).whole() });
const A = "blk.0.ffn_down.weight.lora_a";
const B = "blk.0.ffn_down.weight.lora_b";
const NAN = Buffer.alloc(4 * 128, Buffer.from([0, 0, 0xc0, 0x7f]));

/** Adapters that crash llama.cpp when it loads or uses them, or that it would misinterpret. */
const malformed = {
  "metadata of another type": { values: { "general.type": u32(1) } },
  "an alpha that is no F32": { values: { "adapter.lora.alpha": u32(4) } },
  "an alpha that is not finite": { values: { "adapter.lora.alpha": f32(NaN) } },
  "an alignment of another type": { values: { "general.alignment": { type: 10, bytes: new Bytes().u64(32).whole() } } },
  "another architecture": { values: { "general.architecture": "qwen2" } },
  "8-bit tensors": { tensors: { [A]: { dimensions: [64, 2], type: 24, data: Buffer.alloc(128) } } },
  "integer tensors": { tensors: { [A]: { dimensions: [64, 2], type: 26 }, [B]: { dimensions: [2, 32], type: 26 } } },
  "a third dimension": { tensors: { [A]: { dimensions: [64, 2, 2] } } },
  "a third dimension on both": { tensors: { [A]: { dimensions: [64, 2, 2] }, [B]: { dimensions: [2, 32, 3] } } },
  "a rank of zero": { tensors: { [A]: { dimensions: [64, 0] }, [B]: { dimensions: [0, 32] } } },
  "a transposed matrix": { tensors: { [A]: { dimensions: [2, 64] } } },
  "ranks that differ": { tensors: { [A]: { dimensions: [64, 3] } } },
  "one matrix of a pair": { tensors: { "blk.1.attn_q.weight.lora_a": { dimensions: [32, 2] } } },
  "embeddings of the wrong rank": {
    tensors: {
      "token_embd.weight.lora_a": { dimensions: [2, 262] },
      "token_embd.weight.lora_b": { dimensions: [3, 32] },
    },
  },
  "numbers that are not finite": { tensors: { [A]: { dimensions: [64, 2], data: NAN } } },
  "dimensions beyond the file": { tensors: { [A]: { dimensions: [64, 2 ** 40], data: Buffer.alloc(512) } } },
};

describe("an adapter.gguf", () => {
  let base;
  let adapters;
  let plain;
  before(async () => {
    base = await serve();
    adapters = await adapterProject(base);
    plain = await said(base);
  });

  test("that fits the base model is used unchanged", async () => {
    const good = await adapters.put({ "adapter.gguf": tinyGgufAdapter({ strength: 3 }) });
    assert.notEqual(await said(good), plain);
    assert.notEqual(await said(await adapters.put(tinyAdapter({ strength: 3 }))), plain, "the same from PEFT files");
  });

  for (const [what, changes] of Object.entries(malformed)) {
    test(`with ${what} is rejected, and the engine keeps running`, async () => {
      const { pid } = await engineOf(base);
      const model = await adapters.put({ "adapter.gguf": tinyGgufAdapter(changes) });
      const answer = await chat(server, model, { max_tokens: 4 });
      expectOpenAiError(answer, 400, "invalid_request_error");
      assert.ok(!answer.text.includes(folder), answer.text);
      assert.equal(await said(base), plain);
      const engine = await engineOf(base);
      assert.equal(engine.pid, pid, "the same process");
      assert.equal(engine.restarts, 0);
    });
  }

  test("truncated at any length is rejected, and the engine keeps running", async () => {
    const whole = tinyGgufAdapter();
    const { pid } = await engineOf(base);
    for (const size of [0, 3, 4, 8, 24, 100, 300, 500, whole.length - 600]) {
      const answer = await chat(server, await adapters.put({ "adapter.gguf": whole.subarray(0, size) }), { max_tokens: 4 });
      expectOpenAiError(answer, 400, "invalid_request_error");
    }
    assert.equal((await engineOf(base)).pid, pid);
  });

  test("with overflowing numbers does not crash the engine", async () => {
    const { pid } = await engineOf(base);
    const model = await adapters.put({ "adapter.gguf": tinyGgufAdapter({ strength: 3e38 }) });
    for (const more of [{ temperature: 0 }, { temperature: 1, top_p: 0.5, logprobs: true, top_logprobs: 3 }]) {
      const answer = await chat(server, model, { max_tokens: 4, ...more });
      assert.ok([200, 400].includes(answer.status), answer.text);
    }
    assert.equal(await said(base), plain);
    assert.equal((await engineOf(base)).pid, pid);
  });

  test("from PEFT files that do not fit is rejected without server paths in the message", async () => {
    const good = tinyAdapter();
    const config = JSON.parse(good["adapter_config.json"]);
    for (const changed of [
      { ...config, r: 1e300 },
      { ...config, lora_alpha: 1e300 },
      { ...config, rank_pattern: { down_proj: 1e300 } },
      { ...config, alpha_pattern: { down_proj: 1e300 } },
      { ...config, target_modules: "(" },
      [],
    ]) {
      const files = { ...good, "adapter_config.json": JSON.stringify(changed) };
      const answer = await chat(server, await adapters.put(files), { max_tokens: 4 });
      expectOpenAiError(answer, 400, "invalid_request_error");
      assert.ok(!answer.text.includes(folder), answer.text);
    }
  });
});

describe("an adapter in use when its engine ends", () => {
  /** Kills the engine during a stream of the model. */
  async function killDuring(model, base, on) {
    const body = { model, messages: question, stream: true, max_tokens: 16_000, ignore_eos: true, temperature: 0 };
    const stream = await openChat(on, body);
    assert.equal(stream.status, 200);
    await new Promise((resolve) => stream.incoming.once("data", resolve));
    const { pid } = await engineOf(base, on);
    process.kill(pid, "SIGKILL");
    await new Promise((resolve) => stream.incoming.resume().on("close", resolve));
    await eventually(
      () => engineOf(base, on),
      (engine) => engine.state === "ready" && engine.pid !== pid,
      "the engine never came back",
    );
  }
  const quarantined = async (on) => (await on.api("GET", "/api/v1/quarantined-adapters")).json.items;

  test("is quarantined; its base model and other adapters are not", async () => {
    const first = await startServer({ env: ONE_THREAD });
    try {
      const base = await serve(first);
      const { team, put } = await adapterProject(base, first);
      const bad = await put({ "adapter.gguf": tinyGgufAdapter({ strength: 2 }) });
      const other = await put({ "adapter.gguf": tinyGgufAdapter({ strength: 3 }) });
      await said(other, first);
      await killDuring(bad, base, first);

      await eventually(() => quarantined(first), (all) => all.length === 1, "nothing was quarantined");
      const [entry] = await quarantined(first);
      assert.equal(entry.artifact, `${bad.slice("svc-artifact:///".length)}:v0`);
      assert.equal(entry.model, base);
      assert.equal(entry.reason, "was terminated by signal 9");
      assert.ok(Math.abs(Date.parse(entry.created_at) - Date.now()) < 600_000);
      const refused = await chat(first, bad, { max_tokens: 4 });
      expectOpenAiError(refused, 400, "invalid_request_error", "adapter_quarantined");
      await said(base, first);
      await said(other, first);
      const engine = await engineOf(base, first);
      assert.equal(engine.restarts, 1);

      const { key } = await makeMember(first, team.name, "ADMIN");
      assert.equal((await first.api("GET", "/api/v1/quarantined-adapters", { key })).status, 403);
      assert.equal((await first.api("DELETE", `/api/v1/quarantined-adapters/${entry.id}`, { key })).status, 404);

      await first.stop();
      const second = await startServer({ env: ONE_THREAD, dataDir: first.dataDir });
      try {
        expectOpenAiError(await chat(second, bad), 400, "invalid_request_error", "adapter_quarantined");
        const listed = await second.cli("engine", "quarantine");
        assert.equal(listed.code, 0, listed.stderr);
        assert.match(listed.stdout, /^ID +ARTIFACT +MODEL +REASON +CREATED AT/);
        assert.ok(listed.stdout.includes(entry.id), listed.stdout);
        const released = await second.cli("engine", "release", entry.id);
        assert.equal(released.code, 0, released.stderr);
        assert.equal(released.stdout, `${entry.id} is released from quarantine.\n`);
        assert.deepEqual(await quarantined(second), []);
        await said(bad, second);
        const again = await second.api("DELETE", `/api/v1/quarantined-adapters/${entry.id}`);
        assert.equal(again.status, 404);
        assert.deepEqual(again.json, { detail: "This adapter is not quarantined.", code: "not_found" });
      } finally {
        await second.kill();
      }
    } finally {
      await first.dispose();
    }
  });

  test("is not quarantined if no request uses it", async () => {
    await withServer({ env: ONE_THREAD }, async (mine) => {
      const base = await serve(mine);
      const { put } = await adapterProject(base, mine);
      const idle = await put({ "adapter.gguf": tinyGgufAdapter({ strength: 2 }) });
      await said(idle, mine);
      await killDuring(base, base, mine);
      await said(idle, mine);
      assert.deepEqual(await quarantined(mine), []);
    });
  });
});

describe("the sandbox of an engine", () => {
  const statusOf = (pid) => readFileSync(`/proc/${pid}/status`, "utf8");

  test("is on by default, and the log lists its active restrictions", async () => {
    const base = await serve();
    await said(base);
    const { pid } = await engineOf(base);
    assert.match(statusOf(pid), /^NoNewPrivs:\s+1$/m);
    const line = await eventually(
      async () => /"event":"engine_output"[^\n]*\\"event\\":\\"sandbox\\"[^\n]*/.exec(server.logs)?.[0] ?? "",
      (found) => found !== "",
      "no line about the sandbox",
    );
    const active = /\\"active\\":\\"([^\\]*)\\"/.exec(line)[1].split(" ");
    assert.ok(active.includes("no_new_privs") && active.includes("rlimits"), line);
    if (active.includes("seccomp")) assert.match(statusOf(pid), /^Seccomp:\s+2$/m);
    if (active.includes("network_namespace")) {
      assert.notEqual(readlinkSync(`/proc/${pid}/ns/net`), readlinkSync("/proc/self/ns/net"));
    }
  });

  test("can be turned off", async () => {
    await withServer({ env: { ...ONE_THREAD, SPINDLE_INFERENCE_SANDBOX: "off" } }, async (mine) => {
      const base = await serve(mine);
      await said(base, mine);
      assert.match(statusOf((await engineOf(base, mine)).pid), /^NoNewPrivs:\s+0$/m);
    });
  });
});
