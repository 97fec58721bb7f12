// A server and a team for tests that train models with a real trainer.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";

import { ArtifactProject } from "./artifacts.mjs";
import { freshName, makeTeam } from "./people.mjs";
import { putExamples } from "./real_trainer.mjs";
import { startServer } from "./server.mjs";
import { TrainingClient } from "./training.mjs";

export const ENDED = /^(COMPLETED|FAILED|CANCELLED)$/;

/** A server with a team, and the requests of the training tests. */
export class TrainingServer {
  static async start(env) {
    const training = new TrainingServer();
    training.env = env;
    training.use(await startServer({ env }));
    training.team = (await makeTeam(training.server)).name;
    return training;
  }

  use(server) {
    this.server = server;
    this.client = new TrainingClient(server);
  }

  /** Sends SIGKILL and restarts the server at the same address. */
  async killServer() {
    const { dataDir, url } = this.server;
    await this.server.kill();
    const again = await startServer({ env: this.env, dataDir, listen: new URL(url).host });
    again.ownsFolder = true;
    this.use(again);
  }

  dispose() {
    return this.server.dispose();
  }

  model(fields = {}) {
    const name = freshName("solver");
    return this.client.register({ entity: this.team, project: "lab", name, base_model: "spindle-nano", ...fields });
  }

  async sft(model, rows, config = { batch_size: 1, learning_rate: 1e-3 }) {
    return this.client.sft(model, await putExamples(this.server, this.team, rows), config);
  }

  async until(job, condition) {
    while (true) {
      const now = await this.client.job(job.id);
      if (condition(now)) return now;
      assert.doesNotMatch(now.status, ENDED, `${now.status} ${now.error_message}`);
    }
  }

  ended(job) {
    return this.until(job, ({ status }) => ENDED.test(status));
  }

  async completed(job) {
    const { status, error_message } = await this.ended(job);
    assert.equal(status, "COMPLETED", error_message);
  }

  async failed(job) {
    const { status, error_message } = await this.ended(job);
    assert.equal(status, "FAILED");
    const events = await this.client.events(job.id);
    assert.equal(events.at(-1).type, "training_failed");
    assert.equal(events.at(-1).data.error_message, error_message);
    return error_message;
  }

  /** Returns the digests of a checkpoint's files. */
  async weights(model, version) {
    const project = new ArtifactProject(this.server, this.team);
    const digests = [];
    for (const file of ["adapter_model.safetensors", "adapter.gguf"]) {
      const { status, bytes } = await project.read(model.name, version, file);
      assert.equal(status, 200);
      digests.push(createHash("sha256").update(bytes).digest("hex"));
    }
    return digests;
  }

  /** Returns the gradient steps of a job without time-dependent values. Expects them in order and without gaps. */
  async gradientSteps(job) {
    const events = await this.client.events(job.id);
    assert.equal(events[0].type, "training_started");
    assert.equal(events.at(-1).type, "training_ended");
    const steps = events.slice(1, -1).map(({ type, data }) => {
      assert.equal(type, "gradient_step");
      const { tokens_per_second, ...rest } = data;
      assert.ok(tokens_per_second > 0);
      return rest;
    });
    assert.equal(steps.length, events[0].data.num_sequences);
    assert.deepEqual(steps.map(({ gradient_step }) => gradient_step), steps.map((_, i) => i + 1));
    return steps;
  }

  chat(model, fields) {
    const body = { model, messages: [{ role: "user", content: "Sort: 3 1 2" }], max_tokens: 8, ...fields };
    return this.server.api("POST", "/v1/chat/completions", { body });
  }
}
