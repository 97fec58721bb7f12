// clients/vllm_host/adapter_receiver.py: what it accepts and refuses, and the way of an adapter from the server through
// the receiver into a vLLM server that reads the receiver's folder.

import assert from "node:assert/strict";
import { readFileSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { ArtifactProject } from "./support/artifacts.mjs";
import { addModel, chat } from "./support/gateway.mjs";
import { freshName, makeTeam } from "./support/people.mjs";
import { Program, makeFolder, removeFolder } from "./support/program.mjs";
import { startServer } from "./support/server.mjs";
import { tinyAdapter } from "./support/tiny_adapter.mjs";
import { startVllm } from "./support/vllm_upstream.mjs";

const SCRIPT = fileURLToPath(new URL("../../clients/vllm_host/adapter_receiver.py", import.meta.url));
const KEY = "sk-receiver-4711";
const CONFIG = "adapter_config.json";
const WEIGHTS = "adapter_model.safetensors";

const name = (digit) => `spindle-${`${digit}`.repeat(40)}`;

let folder;
let receiver;
let url;
before(async () => {
  folder = makeFolder();
  receiver = new Program(["python3", "-u", SCRIPT, "--folder", folder, "--listen", "127.0.0.1:0", "--limit-gib", "0.001"], { binary: "/usr/bin/env", env: { ADAPTER_KEY: KEY } });
  while (!receiver.stdout.includes("\n")) await new Promise((resolve) => receiver.child.stdout.once("data", resolve));
  [, url] = /(http:\S+)/.exec(receiver.stdout);
});
after(async () => {
  receiver.signal("SIGKILL");
  await receiver.ended;
  removeFolder(folder);
});

async function call(method, path, { body, key = KEY } = {}) {
  const answer = await fetch(url + path, { method, body, headers: key ? { authorization: `Bearer ${key}` } : {} });
  await answer.text();
  return answer.status;
}
const put = (adapter, file, bytes) => call("PUT", `/${adapter}/${file}`, { body: bytes });

test("an adapter is complete when both files have arrived", async () => {
  const adapter = name(1);
  assert.equal(await call("GET", `/${adapter}`), 404);
  assert.equal(await put(adapter, WEIGHTS, "weights"), 200);
  assert.equal(await call("GET", `/${adapter}`), 404);
  assert.equal(await put(adapter, CONFIG, "{}"), 200);
  assert.equal(await call("GET", `/${adapter}`), 200);
  assert.equal(readFileSync(join(folder, adapter, WEIGHTS), "utf8"), "weights");
  assert.equal(await put(adapter, WEIGHTS, "other"), 200, "another server sends the same adapter");
  assert.equal(readFileSync(join(folder, adapter, WEIGHTS), "utf8"), "weights");
  assert.deepEqual(readdirSync(folder).filter((entry) => entry.startsWith(".")), []);
});

test("other names, files, keys and methods are refused", async () => {
  const adapter = name(2);
  for (const path of ["/", "/..", "/spindle-1", `/${adapter}/adapter_model.bin`, `/${adapter}/..%2f..%2fx`, `/${adapter}/${CONFIG}/x`, `/sql-lora/${CONFIG}`]) {
    assert.equal(await call("PUT", path, { body: "x" }), 404, path);
  }
  for (const key of ["", "wrong"]) assert.equal(await call("PUT", `/${adapter}/${CONFIG}`, { body: "x", key }), 401);
  assert.equal(await call("DELETE", `/${adapter}`), 501);
  assert.equal(await call("GET", `/${adapter}/${CONFIG}`), 404);
  assert.equal(await put(adapter, WEIGHTS, Buffer.alloc(2_000_000)), 413);
  assert.ok(!readdirSync(folder).includes(adapter));
});

test("old adapters make room", async () => {
  for (const digit of [3, 4, 5]) {
    assert.equal(await put(name(digit), WEIGHTS, Buffer.alloc(600_000)), 200);
    assert.equal(await put(name(digit), CONFIG, "{}"), 200);
    const before = (Date.now() - 3 * 3600 * 1000) / 1000;
    if (digit !== 5) utimesSync(join(folder, name(digit)), before, before);
  }
  assert.equal(await put(name(6), WEIGHTS, "x"), 200);
  assert.equal(await put(name(6), CONFIG, "{}"), 200);
  assert.equal(await call("GET", `/${name(5)}`), 200);
  assert.equal(await call("GET", `/${name(3)}`), 404);
  assert.equal(await call("GET", `/${name(4)}`), 404);
});

test("an adapter of the server gets into a vLLM server without a shared folder", async () => {
  const server = await startServer();
  const vllm = await startVllm();
  try {
    const model = await addModel(server, [{ url: vllm.url, key: KEY, adapters: "vllm", adapter_path: folder, adapter_receiver: url }]);
    const team = await makeTeam(server);
    const adapter = freshName("adapter");
    const files = tinyAdapter();
    await new ArtifactProject(server, team.name).put(adapter, files, { type: "lora", metadata: { base_model: model } });
    const answer = await chat(server, `svc-artifact:///${team.name}/lab/${adapter}`);
    assert.equal(answer.status, 200, answer.text);
    const [[, path]] = vllm.adapters;
    assert.ok(path.startsWith(folder));
    for (const [file, bytes] of Object.entries(files)) assert.deepEqual(readFileSync(join(path, file)), bytes);
  } finally {
    await server.dispose();
    await vllm.close();
  }
});

test("it does not start without a key", async () => {
  const { code, stderr } = await new Program(["python3", SCRIPT, "--folder", folder], { binary: "/usr/bin/env" }).ended;
  assert.equal(code, 2);
  assert.match(stderr, /ADAPTER_KEY/);
});
