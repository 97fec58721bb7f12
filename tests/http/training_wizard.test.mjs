// The way from traces to a served checkpoint through the endpoints that a training wizard uses, as a member of a team,
// with the trainer that the server starts.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { Project, at } from "./support/calls.mjs";
import { makeMember, makeTeam } from "./support/people.mjs";
import { OWN_TRAINER_ENV, examples } from "./support/real_trainer.mjs";
import { startServer } from "./support/server.mjs";

let server;
let project;
let key;
before(async () => {
  server = await startServer({ env: OWN_TRAINER_ENV });
  const { name: team } = await makeTeam(server);
  key = (await makeMember(server, team, "MEMBER")).key;
  project = new Project(server, `${team}/support`);
  for (const [i, { messages: [question, answer] }] of examples(12).entries()) {
    const call = await project.start({ inputs: { messages: [question] }, started_at: at(i) });
    await project.end(call.id, { output: answer, ended_at: at(i + 0.5) });
    await project.ok("/feedback/create", {
      project_id: project.id, svc_ref: `svc:///${project.id}/call/${call.id}`, feedback_type: "quality", payload: { value: i % 3 ? 1 : 0 },
    });
  }
});
after(() => server.dispose());

const REWARD = { feedback_type: "quality", path: "value" };

async function ok(method, path, body, status = 200) {
  const answer = await server.api(method, path, { key, body });
  assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
  return answer.json;
}

/** Waits for the end of a job. Calls `look` with the job while it is open. */
async function ended(id, look = () => {}) {
  for (;;) {
    const job = await ok("GET", `/api/v1/training-jobs/${id}`);
    if (!["PENDING", "RUNNING"].includes(job.status)) return job;
    await look(job);
    await pause(50);
  }
}

/** Trains on an export of the traces. Returns the ended job. */
async function trainOn(model_id, fields, start, look) {
  const preview = await ok("POST", "/api/v1/trajectories", { project: project.id, dry_run: true, reward: REWARD, ...fields });
  const { artifact, num_calls, num_trajectories, num_lines } = await ok(
    "POST", "/api/v1/trajectories", { project: project.id, reward: REWARD, name: `data-${fields.format}`, ...fields }, 201);
  assert.deepEqual([preview.num_calls, preview.num_trajectories, preview.num_lines], [num_calls, num_trajectories, num_lines],
    "the preview is what the export contains");
  const job = await ok("POST", "/api/v1/training-jobs", { model_id, kind: fields.format, data_url: artifact, ...start }, 201);
  return ended(job.id, look);
}

test("traces become a checkpoint that answers", async () => {
  const bases = (await ok("GET", "/api/v1/models")).items.filter(({ trainable }) => trainable);
  assert.deepEqual(bases.map(({ name }) => name), ["spindle-nano"]);
  const [entity, place] = project.id.split("/");
  const model = await ok("POST", "/v1/preview/models", { entity, project: place, name: "helper", base_model: bases[0].name });

  const trainers = new Map();
  const sft = await trainOn(model.id, { format: "sft", min_reward: 1 }, { config: { batch_size: 2, learning_rate: 1e-3 } }, async (job) => {
    if (!job.trainer) return;
    const { items } = await ok("GET", "/api/v1/trainers");
    for (const trainer of items.filter(({ name }) => name === job.trainer)) trainers.set(trainer.name, trainer);
  });
  assert.deepEqual([sft.status, sft.step, sft.steps_expected, sft.error_message], ["COMPLETED", 1, 4, null]);
  assert.deepEqual([...trainers.values()].map(({ device, job }) => [device, job?.id ?? sft.id]), [["cpu", sft.id]]);
  const { items: [loss] } = await ok("GET", `/api/v1/projects/${project.id}/runs/${sft.run_id}/history/samples?keys=loss`);
  assert.equal(loss.count, 4);

  const rl = await trainOn(model.id, { format: "rl" }, { config: { allow_training_without_logprobs: true } });
  assert.deepEqual([rl.status, rl.step, rl.error_message], ["COMPLETED", 2, null]);

  const again = await ok("POST", `/api/v1/training-jobs/${sft.id}/retry`, { config: { learning_rate: 1e-4 } }, 201);
  const third = await ended(again.id);
  assert.deepEqual([third.status, third.step, third.config.learning_rate], ["COMPLETED", 3, 1e-4]);

  const shown = await ok("GET", `/api/v1/trained-models/${model.id}`);
  assert.deepEqual([shown.step, shown.checkpoints, shown.last_job.id], [3, 4, again.id]);
  const { data: checkpoints } = await ok("GET", `/v1/preview/models/${model.id}/checkpoints`);
  const { items: versions } = await ok("GET", `/api/v1/projects/${project.id}/collections/helper/versions`);
  for (const { step } of checkpoints) assert.ok(versions.some(({ aliases }) => aliases.includes(`step${step}`)), `step ${step}`);
  await ok("PUT", `/api/v1/projects/${project.id}/collections/helper/versions/step1/aliases/production`, undefined, 204);
  const answer = await ok("POST", "/v1/chat/completions", {
    model: `${shown.artifact}:production`, messages: [{ role: "user", content: "Reverse the list: ant bee" }], max_tokens: 8,
  });
  assert.equal(typeof answer.choices[0].message.content, "string");
});
