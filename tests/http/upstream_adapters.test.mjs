// Adapters in upstreams: loaded into vLLM at the first request, unloaded when the limit is reached, loaded again after
// a restart of vLLM; failures, hostile responses, access and audit.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";

import { ArtifactProject } from "./support/artifacts.mjs";
import { eventually } from "./support/deliveries.mjs";
import { addModel, chat, expectOpenAiError, expectUsage } from "./support/gateway.mjs";
import { freshName, makeMember, makeTeam } from "./support/people.mjs";
import { startServer, withServer } from "./support/server.mjs";
import { tinyAdapter, tinyGgufAdapter } from "./support/tiny_adapter.mjs";
import { startVllm } from "./support/vllm_upstream.mjs";

const KEY = "sk-vllm-secret-4711";

let server;
let vllm;
before(async () => {
  vllm = await startVllm();
  server = await startServer();
});
after(async () => {
  await server.dispose();
  await vllm.close();
});
beforeEach(() => {
  vllm.script = undefined;
  vllm.requests = [];
  vllm.restart();
});

/** Adds a model that one vLLM server serves. Resolves with the names of the model and the upstream. */
async function serve(fields = {}, { on = server, at = vllm, ...model } = {}) {
  const name = await addModel(on, [{ url: at.url, model: "base", key: KEY, adapters: "vllm", ...fields }], model);
  const { json } = await on.api("GET", `/api/v1/models/${name}`);
  return { name, upstream: json.targets[0].upstream };
}

/** Creates a project; `put(files)` resolves with the model name of a new adapter of `base`. */
async function adaptersOf(base, on = server) {
  const team = await makeTeam(on);
  const artifacts = new ArtifactProject(on, team.name);
  const put = async (files = tinyAdapter({ strength: Math.random() }), metadata = {}) => {
    const name = freshName("adapter");
    await artifacts.put(name, files, { type: "lora", metadata: { base_model: base, ...metadata } });
    return `svc-artifact:///${team.name}/lab/${name}`;
  };
  return { team, put };
}

async function answered(model, more = {}, on = server) {
  const answer = await chat(on, model, more);
  assert.equal(answer.status, 200, answer.text);
  return answer.json.choices[0].message.content;
}

describe("an adapter of a model that vLLM serves", () => {
  test("is loaded at the first request and used", async () => {
    const { name, upstream } = await serve();
    const { team, put } = await adaptersOf(name);
    const files = tinyAdapter({ strength: 2 });
    const model = await put(files);
    const content = await answered(model);
    assert.match(content, /^from spindle-[0-9a-f]{40}$/);
    const [lora] = vllm.adapters.keys();
    assert.equal(content, `from ${lora}`);
    for (const [file, bytes] of Object.entries(files)) assert.deepEqual(readFileSync(join(vllm.adapters.get(lora), file)), bytes);
    assert.equal(await answered(model), content);
    assert.equal(vllm.count("POST /v1/load_lora_adapter"), 1);
    for (const { headers } of vllm.requests) assert.equal(headers.authorization, `Bearer ${KEY}`);
    assert.equal(await answered(name), "from base", "the base model");
    // A request ends after its response.
    const listed = await eventually(
      () => server.api("GET", `/api/v1/upstreams/${upstream}/adapters`),
      ({ json }) => json.items?.every(({ requests }) => requests === 0),
    );
    const artifact = `${model.slice("svc-artifact:///".length)}:v0`;
    assert.deepEqual(listed.json.items, [{ name: lora, artifact, requests: 0 }]);
    const { stdout } = await server.cli("upstream", "adapters", upstream);
    assert.match(stdout, new RegExp(`^NAME +ARTIFACT +REQUESTS\n${lora} +${team.name}/lab/`));
    await expectUsage(server, model, { requests: 2, prompt: 20, completion: 10 });
  });

  test("is streamed, and counted", async () => {
    const { name } = await serve();
    const model = await (await adaptersOf(name)).put();
    const answer = await chat(server, model, { stream: true });
    assert.match(answer.text, /from spindle-/);
    assert.ok(answer.text.endsWith("data: [DONE]\n\n"));
    await expectUsage(server, model, { requests: 1, prompt: 10, completion: 5 });
  });

  test("is loaded once for concurrent requests, which wait for it", async () => {
    const { name } = await serve();
    const model = await (await adaptersOf(name)).put();
    let open;
    const opened = new Promise((resolve) => (open = resolve));
    const arrived = new Promise((resolve) => {
      vllm.script = async ({ line }) => {
        if (!line.startsWith("POST /v1/load_lora_adapter")) return;
        resolve();
        await opened;
      };
    });
    const answers = Array.from({ length: 8 }, () => answered(model));
    await arrived;
    assert.equal(vllm.count("POST /v1/chat/completions"), 0);
    open();
    assert.equal(new Set(await Promise.all(answers)).size, 1);
    assert.equal(vllm.count("POST /v1/load_lora_adapter"), 1);
  });

  test("is unloaded when the limit is reached, the least recently used first", async () => {
    const { name } = await serve({ max_adapters: 2 });
    const { put } = await adaptersOf(name);
    const [first, second, third] = [await put(), await put(), await put()];
    const a = await answered(first);
    const b = await answered(second);
    await answered(first);
    const c = await answered(third);
    assert.deepEqual([...vllm.adapters.keys()].sort(), [a, c].map((text) => text.slice(5)).sort());
    assert.equal(await answered(second), b, "loaded again");
    assert.equal(vllm.adapters.size, 2);
  });

  test("is loaded again, once, after vLLM was restarted", async () => {
    const { name } = await serve();
    const model = await (await adaptersOf(name)).put();
    const content = await answered(model);
    for (const stream of [false, true]) {
      vllm.restart();
      vllm.requests = [];
      const answer = await chat(server, model, { stream });
      assert.equal(answer.status, 200, answer.text);
      assert.ok(answer.text.includes(content));
      assert.deepEqual(
        vllm.requests.map(({ line }) => line.split(" ")[1]),
        ["/v1/chat/completions", "/v1/load_lora_adapter", "/v1/chat/completions"],
      );
    }
    vllm.script = ({ line }) => (line.startsWith("POST /v1/chat") ? { status: 404, body: { error: { message: "no such model" } } } : undefined);
    vllm.requests = [];
    expectOpenAiErrorMessage(await chat(server, model), 404, "no such model");
    assert.equal(vllm.count("POST /v1/chat/completions"), 2, "one retry");
  });

  test("is used by replicas and tiers that serve adapters only", async () => {
    const other = await startVllm();
    try {
      const name = await addModel(server, [
        { url: vllm.url, model: "base", tier: 0 },
        { url: other.url, model: "base", adapters: "vllm", tier: 1 },
      ]);
      const model = await (await adaptersOf(name)).put();
      await answered(model);
      assert.equal(vllm.requests.length, 0);
      const both = await addModel(server, [
        { url: vllm.url, adapters: "vllm" },
        { url: other.url, adapters: "vllm" },
      ]);
      const shared = await (await adaptersOf(both)).put();
      await answered(shared);
      await answered(shared);
      assert.equal(vllm.count("POST /v1/load_lora_adapter"), 1);
      assert.equal(other.count("POST /v1/load_lora_adapter"), 2);
      vllm.script = ({ line }) => (line.includes("load_lora") ? { status: 500, body: "no" } : undefined);
      vllm.restart();
      for (let i = 0; i < 4; i += 1) await answered(shared);
    } finally {
      await other.close();
    }
  });

  test("reaches a host without the folder through its receiver", async () => {
    const apart = await startVllm({ files: false });
    try {
      const { name } = await serve({ adapter_path: "/srv/adapters", adapter_receiver: apart.receiver }, { at: apart });
      const files = tinyAdapter({ strength: 3 });
      await answered(await (await adaptersOf(name)).put(files));
      const [[lora, path]] = apart.adapters;
      assert.equal(path, `/srv/adapters/${lora}`);
      for (const [file, bytes] of Object.entries(files)) assert.deepEqual(apart.received.get(`${lora}/${file}`), bytes);
      for (const { headers } of apart.requests) assert.equal(headers.authorization, `Bearer ${KEY}`);
    } finally {
      await apart.close();
    }
  });

  test("is refused if it is not one, before vLLM sees it", async () => {
    const { name } = await serve();
    const { put } = await adaptersOf(name);
    const good = tinyAdapter();
    const config = JSON.parse(good["adapter_config.json"]);
    for (const files of [
      { ...good, "adapter_config.json": "[]" },
      { ...good, "adapter_config.json": JSON.stringify({ ...config, use_dora: true }) },
      { ...good, "adapter_model.safetensors": good["adapter_model.safetensors"].subarray(0, 100) },
      { "adapter.gguf": tinyGgufAdapter() },
    ]) {
      const answer = await chat(server, await put(files));
      expectOpenAiError(answer, 400, "invalid_request_error");
      assert.ok(!answer.text.includes(server.dataDir), answer.text);
    }
    assert.equal(vllm.count("POST /v1/load_lora_adapter"), 0);
    const left = readdirSync(join(server.dataDir, "peft-adapters")).filter((entry) => entry.startsWith("."));
    assert.deepEqual(left, []);
  });

  test("is refused by upstreams that serve no adapters", async () => {
    const name = await addModel(server, [vllm.url]);
    const answer = await chat(server, await (await adaptersOf(name)).put());
    expectOpenAiError(answer, 400, "invalid_request_error");
    assert.match(answer.json.error.message, /no upstream serves adapters/);
  });

  test("is the base model itself while it changes nothing", async () => {
    const { name } = await serve();
    const { put } = await adaptersOf(name);
    assert.equal(await answered(await put(undefined, { identity: true })), "from base");
  });

  test("asks vLLM for token ids if this server trains the model", async () => {
    const { name } = await serve();
    const model = await (await adaptersOf(name)).put(undefined, { model_id: "01a1e3f8-83ca-7661-8ba0-1d7d49174623" });
    await answered(model);
    const { body } = vllm.requests.at(-1);
    assert.equal(body.return_token_ids, true);
    assert.equal(body.logprobs, true);
  });
});

const expectOpenAiErrorMessage = (answer, status, message) => {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.json.error.message, message);
};

describe("vLLM that", () => {
  const onLoad = (response) => ({ line }) => (line.includes("load_lora") ? response : undefined);
  const RESPONSES = {
    "refuses": { status: 500, body: { error: { message: "LoRA rank 64 is greater than max_lora_rank 16." } } },
    "has no adapter API": { status: 404, body: { detail: "Not Found" } },
    "wants another key": { status: 401, body: { error: `no ${KEY}` } },
    "redirects": { status: 302, body: "" },
    "sends nonsense": { status: 200 + 300, body: Buffer.alloc(300_000, "[").toString() },
    "names its paths": { status: 500, body: { error: { message: "cannot read /home/vllm/secret" } } },
  };
  for (const [what, response] of Object.entries(RESPONSES)) {
    test(`${what} gives an error without secrets, remembered for a while`, async () => {
      const { name } = await serve();
      const model = await (await adaptersOf(name)).put();
      vllm.script = onLoad(response);
      for (let i = 0; i < 3; i += 1) {
        const answer = await chat(server, model);
        expectOpenAiError(answer, 503, "server_error");
        assert.ok(Number(answer.headers["retry-after"]) >= 1, answer.text);
        for (const secret of [KEY, "/home/vllm", server.dataDir]) assert.ok(!answer.text.includes(secret), answer.text);
      }
      assert.equal(vllm.count("POST /v1/load_lora_adapter"), 1);
      assert.ok(!server.logs.includes(KEY));
      assert.equal(await answered(name), "from base", "the base model is not affected");
    });
  }

  test("says why it refuses tells the client", async () => {
    const { name } = await serve();
    const model = await (await adaptersOf(name)).put();
    vllm.script = onLoad(RESPONSES.refuses);
    assert.match((await chat(server, model)).json.error.message, /rank 64 is greater than max_lora_rank 16/);
  });

  test("takes too long gives an error", async () => {
    const { name } = await serve({ adapter_load_timeout_ms: 50 });
    const model = await (await adaptersOf(name)).put();
    let open;
    const opened = new Promise((resolve) => (open = resolve));
    vllm.script = async ({ line }) => (line.includes("load_lora") ? opened : undefined);
    expectOpenAiError(await chat(server, model), 503, "server_error");
    open();
  });

  test("does not list its models still loads adapters", async () => {
    const { name } = await serve();
    const model = await (await adaptersOf(name)).put();
    vllm.script = ({ line }) => (line === "GET /v1/models" ? { status: 500, body: "no" } : undefined);
    await answered(model);
  });

  test("keeps adapters of an earlier server process has the oldest unloaded", async () => {
    const { name } = await serve({ max_adapters: 2 });
    const { put } = await adaptersOf(name);
    vllm.adapters.set("spindle-0001", "/x").set("spindle-0002", "/x").set("sql-lora", "/x");
    await answered(await put());
    assert.equal([...vllm.adapters.keys()].filter((one) => one.startsWith("spindle-")).length, 2);
    assert.ok(vllm.adapters.has("sql-lora"));
  });
});

describe("access", () => {
  test("to an adapter needs access to its artifact and its base model", async () => {
    const { name } = await serve();
    const { team, put } = await adaptersOf(name);
    const model = await put();
    const insider = await makeMember(server, team.name, "MEMBER");
    const outsider = await makeMember(server, (await makeTeam(server)).name, "MEMBER");
    assert.equal((await chat(server, model, {}, { key: insider.key })).status, 200);
    expectOpenAiError(await chat(server, model, {}, { key: outsider.key }), 404, "not_found_error", "model_not_found");
    const admin = await makeMember(server, team.name, "ADMIN");
    const { upstream } = await serve();
    assert.equal((await server.api("GET", `/api/v1/upstreams/${upstream}/adapters`, { key: admin.key })).status, 404);
  });
});

describe("the setting of an upstream", () => {
  test("is created, changed, removed and audited", async () => {
    const name = freshName("upstream");
    const added = await server.cli(
      "upstream", "add", name, "http://127.0.0.1:1024/v1", "--health-path", "", "--adapters", "vllm", "--adapter-path", "/mnt/adapters/",
      "--adapter-receiver", "http://10.0.0.5:8001/adapters", "--max-adapters", "3", "--adapter-load-timeout", "30s",
    );
    assert.equal(added.code, 0, added.stderr);
    const show = async () => {
      const { adapters, adapter_path, adapter_receiver, max_adapters, adapter_load_timeout_ms } = (await server.api("GET", `/api/v1/upstreams/${name}`)).json;
      return [adapters, adapter_path, adapter_receiver, max_adapters, adapter_load_timeout_ms];
    };
    assert.deepEqual(await show(), ["vllm", "/mnt/adapters", "http://10.0.0.5:8001/adapters", 3, 30_000]);
    const body = { adapters: "none", adapter_path: null, adapter_receiver: null, max_adapters: 8, adapter_load_timeout_ms: 120_000 };
    const changed = await server.api("PATCH", `/api/v1/upstreams/${name}`, { body });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(await show(), ["none", null, null, 8, 120_000]);
    const { items } = (await server.api("GET", "/api/v1/audit?limit=50")).json;
    const actions = items.filter(({ target }) => target.name === name).map(({ action }) => action);
    assert.deepEqual(actions, ["upstream.update", "upstream.create"]);
    for (const wrong of [{ adapters: "sglang" }, { adapter_path: "relative" }, { adapter_receiver: "ftp://x" }, { max_adapters: 0 }, { max_adapters: 1025 }]) {
      assert.equal((await server.api("PATCH", `/api/v1/upstreams/${name}`, { body: wrong })).status, 422, JSON.stringify(wrong));
    }
  });

  test("may name a folder that the server shares with other hosts", async () => {
    await withServer({ env: {} }, async (plain) => {
      const shared = join(plain.dataDir, "..", "shared-adapters");
      await withServer({ env: { SPINDLE_INFERENCE_SHARED_ADAPTERS: shared } }, async (mine) => {
        const { name } = await serve({}, { on: mine });
        await answered(await (await adaptersOf(name, mine)).put(), {}, mine);
        const [[lora, path]] = vllm.adapters;
        assert.equal(path, join(shared, lora));
        assert.ok(existsSync(join(path, "adapter_config.json")));
      });
    });
  });
});
