// Effects of training outside its own API: health, runs, automations, served models.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { ArtifactProject } from "./support/artifacts.mjs";
import { deliveriesOf, eventually, makeAutomation } from "./support/deliveries.mjs";
import { freshName, makeTeam } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";
import { ScriptedTrainer, TrainingClient, addBaseModel, group } from "./support/training.mjs";

let server;
let client;
let trainer;
let base;
let team;
before(async () => {
  server = await startServer();
  client = new TrainingClient(server);
  trainer = new ScriptedTrainer(server);
  base = await addBaseModel(server);
  team = (await makeTeam(server)).name;
});
after(() => server.dispose());

const register = (fields = {}) =>
  client.register({ entity: team, project: "lab", name: freshName("solver"), base_model: base, ...fields });
const artifacts = () => new ArtifactProject(server, team);
const detail = ({ json }) => json.detail;

describe("health", () => {
  test("is public", async () => {
    const health = await server.api("GET", "/v1/health", { key: null });
    assert.deepEqual([health.status, health.json], [200, { status: "ok" }]);
    const check = await server.api("GET", "/v1/system-check", { key: null });
    assert.equal(check.status, 200);
    const { api, database, cpu_queue, gpu_queue } = check.json;
    assert.deepEqual([api, database], [true, true]);
    for (const { success, duration, error } of [cpu_queue, gpu_queue]) {
      assert.deepEqual([success, typeof duration, error], [true, "number", null]);
    }
  });

  test("is the only public route; others need a Bearer key", async () => {
    const basic = `Basic ${Buffer.from(`api:${server.adminKey}`).toString("base64")}`;
    for (const headers of [{}, { Authorization: basic }]) {
      const answer = await server.api("GET", "/v1/preview/training-jobs/x", { key: null, headers });
      assert.equal(answer.status, 401);
      assert.equal(detail(answer), "Not authenticated");
    }
  });
});

describe("runs", () => {
  test("contain every step of every job of their model", async () => {
    const model = await register();
    for (let i = 0; i < 2; ++i) {
      await client.train(model, [group([0, 1])]);
      await (await trainer.lease()).run(3);
    }
    const run = await artifacts().ok("GET", `/runs/${model.run_id}`);
    assert.equal(run.state, "finished");
    assert.equal(run.history_line_count, 6);
    const { items } = await artifacts().ok("GET", `/runs/${model.run_id}/history?keys=loss`);
    assert.deepEqual(items.map(({ loss }) => loss), [1, 1 / 2, 1 / 3, 1, 1 / 2, 1 / 3]);
  });

  test("contain supervised metrics under separate names, with a summary", async () => {
    const model = await register();
    const data = freshName("data");
    const line = { messages: [{ role: "user", content: "1" }, { role: "assistant", content: "one" }] };
    await artifacts().put(data, { "train.jsonl": `${JSON.stringify(line)}\n` });
    const url = `svc-artifact:///${team}/lab/${data}:v0`;
    await client.sft(model, url, { metric_logging: { enabled: true, target_training_step: 5 } });
    await (await trainer.lease()).run(2);
    const run = await artifacts().ok("GET", `/runs/${model.run_id}`);
    assert.equal(run.history_line_count, 3);
    assert.deepEqual(run.metrics["sft/*"], { step_metric: "sft/gradient_step" });
    const { items } = await artifacts().ok("GET", `/runs/${model.run_id}/history`);
    const rows = items.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => /\/|training_step/.test(name))));
    const step = { "sft/grad_norm": 0.25, "sft/tokens_per_second": 100 };
    assert.deepEqual(rows, [
      { "sft/loss": 1, "sft/gradient_step": 1, ...step },
      { "sft/loss": 0.5, "sft/gradient_step": 2, ...step },
      { training_step: 5, "loss/train": 0.75, "loss/grad_norm": 0.25, "data/step_num_gradient_steps": 2 },
    ]);
  });
});

describe("automations", () => {
  test("receive events of completed, failed and cancelled jobs", async () => {
    const model = await register();
    const automations = {};
    for (const type of ["TRAINING_JOB_FINISHED", "TRAINING_JOB_FAILED", "TRAINING_JOB_CANCELLED"]) {
      automations[type] = await makeAutomation(server, team, { type });
    }
    const jobs = [];
    for (let i = 0; i < 3; ++i) jobs.push(await client.train(model, [group([0, 1])]));
    await server.api("POST", `/api/v1/training-jobs/${jobs[0].id}/cancel`);
    await (await trainer.lease()).run(1);
    await (await trainer.lease()).post("/fail", { message: "no memory" });
    for (const { id } of Object.values(automations)) {
      const all = await eventually(
        () => deliveriesOf(server, { automation_id: id }),
        (found) => found.length > 0,
      );
      assert.equal(all.length, 1);
    }
    const eventsOfType = async (type) => {
      const { json } = await server.api("GET", `/api/v1/events?type=${type}&run=${model.run_id}`);
      return json.items;
    };
    const [finished] = await eventsOfType("TRAINING_JOB_FINISHED");
    assert.equal(finished.data.training_job_id, jobs[1].id);
    assert.equal(finished.data.step, 1);
    assert.match(finished.subject.artifact_id, /^art_/);
    assert.equal(finished.data.artifact_version_index, 1);
    assert.equal(finished.data.alias, undefined, "no alias was added");
    const [failed, ...more] = await eventsOfType("TRAINING_JOB_FAILED");
    assert.deepEqual([failed.data.training_job_id, failed.data.error_message], [jobs[2].id, "no memory"]);
    assert.deepEqual(more, []);
    const [cancelled] = await eventsOfType("TRAINING_JOB_CANCELLED");
    assert.equal(cancelled.data.training_job_id, jobs[0].id);
    assert.equal(cancelled.data.training_job_status, "CANCELLED");
  });
});

test("a base model with trained models is deleted only with force", async () => {
  const name = await addBaseModel(server);
  const model = await register({ base_model: name });
  const refused = await server.api("DELETE", `/api/v1/models/${name}`);
  assert.equal(refused.status, 409, refused.text);
  assert.equal(refused.json.code, "model_in_use");
  assert.match(refused.json.detail, new RegExp(`trained from this one: ${team}/lab/${model.name}$`));
  await client.ok("DELETE", `/models/${model.id}`);
  assert.equal((await server.api("DELETE", `/api/v1/models/${name}`)).status, 204);
});

test("a checkpoint is deleted with its artifact version, and training continues from the previous one", async () => {
  const model = await register();
  for (let i = 0; i < 2; ++i) {
    await client.train(model, [group([0, 1])]);
    await (await trainer.lease()).run(1);
  }
  assert.equal(await client.step(model), 2);
  const { status } = await artifacts().api("DELETE", `/collections/${model.name}/versions/step2?delete_aliases=true`);
  assert.equal(status, 204);
  assert.equal(await client.step(model), 1);
  await client.train(model, [group([0, 1])]);
  const held = await trainer.lease();
  assert.equal(held.offer.adapter.step, 1);
  assert.deepEqual(await held.run(1), { step: 3, version: "v3" });
  assert.equal(await client.step(model), 3);
});

test("checkpoints are served as models, by each of their names", async () => {
  const model = await register();
  const job = await client.train(model, [group([0, 1])]);
  await (await trainer.lease()).run(1);
  assert.equal((await client.events(job.id)).at(-1).type, "training_ended");
  const ask = (name) =>
    server.api("POST", "/v1/chat/completions", {
      body: { model: name, messages: [{ role: "user", content: "hello" }], max_tokens: 4, temperature: 0 },
    });
  const says = async (name) => {
    const answer = await ask(name);
    assert.equal(answer.status, 200, `${name}: ${answer.text}`);
    return answer.json.choices[0].message.content;
  };
  const plain = await says(base);
  const path = `svc-artifact:///${team}/lab/${model.name}`;
  // The adapter and its copy do not change the output.
  for (const name of [path, `${path}:step0`, `${path}:v0`, `${path}:step1`, `${path}:latest`]) {
    assert.equal(await says(name), plain, name);
  }
  assert.equal(await says(`svc-artifact://${team}/lab/${model.name}:step1`), plain, "two slashes");
  await client.ok("DELETE", `/models/${model.id}/checkpoints`, { body: { steps: [1] } });
  assert.equal((await ask(`${path}:step1`)).status, 404, "deleted steps are not served");
});
