// Projects with rated answers to train on, and a model that was trained on them.

import assert from "node:assert/strict";

import { Project, at } from "../../http/support/calls.mjs";
import { examples } from "../../http/support/real_trainer.mjs";

const ENDED = /^(COMPLETED|FAILED|CANCELLED)$/;
const TEACHER = "teacher";

async function ok(server, method, path, body) {
  const answer = await server.api(method, path, { body });
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
  return answer.json;
}

/** Records answers of a model with feedback `quality`: `value` is 1 for two of three, 0 for the others. */
export async function recordRatedAnswers(server, id, count = 12) {
  const project = new Project(server, id);
  for (const [i, { messages: [question, answer] }] of examples(count).entries()) {
    const call = await project.start({ op_name: TEACHER, inputs: { messages: [question] }, started_at: at(i) });
    await project.end(call.id, { output: answer, ended_at: at(i + 0.5) });
    await project.ok("/feedback/create", {
      project_id: id, svc_ref: `svc:///${id}/call/${call.id}`, feedback_type: "quality", payload: { value: i % 3 ? 1 : 0 },
    });
  }
}

/** Polls until a training job has ended. */
export async function ended(server, id) {
  for (;;) {
    const job = await ok(server, "GET", `/api/v1/training-jobs/${id}`);
    if (ENDED.test(job.status)) return job;
  }
}

/** Exports the good answers as `good-answers:v0` and trains the model `helper` on them: one checkpoint. Resolves with the job. */
export async function trainHelper(server, id) {
  const [entity, project] = id.split("/");
  const data = await ok(server, "POST", "/api/v1/trajectories", {
    project: id, name: "good-answers", format: "sft", reward: { feedback_type: "quality", path: "value" }, min_reward: 1,
  });
  const model = await ok(server, "POST", "/v1/preview/models", { entity, project, name: "helper", base_model: "spindle-nano" });
  const job = await ok(server, "POST", "/api/v1/training-jobs", {
    model_id: model.id, kind: "sft", data_url: data.artifact, config: { learning_rate: 1e-3, batch_size: 4 },
  });
  const done = await ended(server, job.id);
  assert.equal(done.status, "COMPLETED", done.error_message);
  return done;
}
