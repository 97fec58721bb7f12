// Which trainer gets which job: capabilities of trainers, resources of jobs, and base models that are Hugging Face folders.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { ArtifactProject } from "./support/artifacts.mjs";
import { addUpstream } from "./support/gateway.mjs";
import { freshName, makeTeam } from "./support/people.mjs";
import { makeFolder, removeFolder } from "./support/program.mjs";
import { startServer } from "./support/server.mjs";
import { LeasedJob, ScriptedTrainer, TrainingClient, addBaseModel, group, started, step } from "./support/training.mjs";

let server;
let client;
let base;
let team;
before(async () => {
  server = await startServer();
  client = new TrainingClient(server);
  base = await addBaseModel(server);
  team = (await makeTeam(server)).name;
});
after(() => server.dispose());

const register = (fields = {}) =>
  client.register({ entity: team, project: "lab", name: freshName("solver"), base_model: base, ...fields });

/** Creates a model of a base model that has a Hugging Face folder and an upstream, and no GGUF file. */
async function folderBase() {
  const folder = makeFolder();
  writeFileSync(join(folder, "config.json"), '{"model_type":"qwen3"}');
  writeFileSync(join(folder, "model.safetensors"), "weights");
  writeFileSync(join(folder, "pytorch_model.bin"), "pickle");
  const upstream = await addUpstream(server, "http://127.0.0.1:1024/v1");
  const name = freshName("base");
  const answer = await server.api("POST", "/api/v1/models", { body: { name, folder, targets: [{ upstream }] } });
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.json.folder, folder);
  assert.equal(answer.json.trainable, true);
  return { name, folder };
}
const asking = (capabilities) => {
  const trainer = new ScriptedTrainer(server);
  return { trainer, ask: () => trainer.api("POST", "/lease", { body: { worker: trainer.worker, capabilities } }) };
};

test("capabilities decide which jobs a trainer gets; a folder is downloaded file by file", async () => {
  const { name, folder } = await folderBase();
  const model = await register({ base_model: name });
  const job = await client.train(model, [group([0, 1])]);
  for (const capabilities of [undefined, { formats: ["gguf"] }, { formats: ["huggingface"], kinds: ["sft"] }, { formats: ["huggingface"], families: ["llama"] }]) {
    assert.equal((await asking(capabilities).ask()).status, 204, JSON.stringify(capabilities));
  }
  const { trainer, ask } = asking({ formats: ["huggingface", "gguf"], families: ["qwen3"], gpus: 1 });
  const answer = await ask();
  assert.equal(answer.status, 200, answer.text);
  const held = new LeasedJob(trainer, answer.json);
  assert.equal(held.id, job.id);
  const { file, folder: offered } = held.offer.base_model;
  assert.equal(file, null);
  assert.equal(offered.path, folder);
  assert.deepEqual(offered.files, [{ name: "config.json", size: 22 }, { name: "model.safetensors", size: 7 }]);
  assert.equal(held.offer.adapter, null);
  assert.equal((await held.ok("GET", "/base/model.safetensors")).text, "weights");
  assert.equal((await held.api("GET", "/base/model.safetensors", { headers: { Range: "bytes=2-4" } })).text, "igh");
  for (const other of ["pytorch_model.bin", "..%2fconfig.json", "none.json"]) {
    assert.ok([404, 422].includes((await held.api("GET", `/base/${other}`)).status), other);
  }
  await held.postEvents(1, started(1));
  await held.postEvents(2, step(0.5));
  await held.put("/files/adapter_config.json", "{}");
  await held.put("/files/adapter_model.safetensors", "new weights");
  assert.deepEqual(await held.complete(), { step: 1, version: "v1" });
  removeFolder(folder);
});

test("capabilities include the resources that jobs require", async () => {
  const model = await register();
  const artifacts = new ArtifactProject(server, team);
  const data = freshName("data");
  await artifacts.put(data, { "train.jsonl": '{"messages":[]}\n' }, { type: "dataset" });
  const resources = { gpus: 2, gpu_memory_gib: 40, labels: ["h100"] };
  const body = { model_id: model.id, data_url: `svc-artifact:///${team}/lab/${data}:v0`, resources };
  const created = await server.api("POST", "/api/v1/training-jobs", { body });
  assert.equal(created.status, 201, created.text);
  assert.deepEqual(created.json.resources, resources);
  for (const capabilities of [undefined, { gpus: 2, gpu_memory_gib: 40 }, { gpus: 1, gpu_memory_gib: 80, labels: ["h100"] }]) {
    assert.equal((await asking(capabilities).ask()).status, 204, JSON.stringify(capabilities));
  }
  const { ask } = asking({ gpus: 4, gpu_memory_gib: 80, labels: ["berlin", "h100"] });
  const answer = await ask();
  assert.equal(answer.json.job.id, created.json.id);
  assert.deepEqual(answer.json.resources, resources);
  for (const wrong of [{ gpus: -1 }, { labels: ["a b"] }, { tpus: 1 }]) {
    assert.equal((await server.api("POST", "/api/v1/training-jobs", { body: { ...body, resources: wrong } })).status, 422, JSON.stringify(wrong));
  }
  for (const wrong of [{ kinds: [] }, { formats: ["onnx"] }, { gpus: "two" }, { unknown: 1 }]) {
    assert.equal((await asking(wrong).ask()).status, 422, JSON.stringify(wrong));
  }
  await server.api("POST", `/api/v1/training-jobs/${created.json.id}/cancel`);
});

test("a waiting trainer gets jobs that it can execute only", async () => {
  const { name } = await folderBase();
  const waiting = new ScriptedTrainer(server);
  const body = { worker: waiting.worker, wait_seconds: 60, capabilities: { formats: ["huggingface"] } };
  const answer = waiting.api("POST", "/lease", { body });
  const usual = await client.train(await register(), [group([0, 1])]);
  const job = await client.train(await register({ base_model: name }), [group([0, 1])]);
  assert.equal((await answer).json.job.id, job.id);
  const other = await new ScriptedTrainer(server).lease();
  assert.equal(other.id, usual.id);
});
