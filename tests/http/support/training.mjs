// Training as its clients and its trainers do it: the calls of a client as the reference client
// makes them, and a trainer that plays a script instead of computing.

import assert from "node:assert/strict";
import { join } from "node:path";

import { ArtifactProject } from "./artifacts.mjs";
import { freshName } from "./people.mjs";
import { writeTinyModel } from "./tiny_model.mjs";

/** A base model on the server, with a file of its own. Resolves with its name. */
export async function addBaseModel(server, name = freshName("tiny")) {
  const file = join(server.dataDir, "..", `${name}.gguf`); // no response may show the data folder
  writeTinyModel(file);
  const answer = await server.api("POST", "/api/v1/models", { body: { name, file } });
  assert.equal(answer.status, 201, answer.text);
  return name;
}

/** What a project's traces come to as training data: the answer, with the lines and metadata of the artifact. */
export async function exportedBy(project, fields) {
  const body = { project: project.id, name: freshName("data"), ...fields };
  const answer = await project.post("/api/v1/trajectories", body);
  assert.equal(answer.status, 201, answer.text);
  const { artifact, version } = answer.json;
  assert.equal(artifact, `svc-artifact:///${project.id}/${body.name}:${version}`);
  const lab = new ArtifactProject(project.server, project.entity, { project: project.project });
  const read = async (path) => (await lab.read(body.name, version, path)).bytes.toString();
  const lines = (await read("trajectories.jsonl")).trim().split("\n").map(JSON.parse);
  const shown = await lab.ok("GET", `/collections/${body.name}/versions/${version}`);
  assert.equal(shown.type, "dataset");
  return { ...answer.json, lines, metadata: JSON.parse(await read("metadata.json")) };
}

const choice = (text) => ({
  finish_reason: "stop",
  index: 0,
  message: { role: "assistant", content: text },
  logprobs: {
    content: [...text].map((token) => ({ token, bytes: [1], logprob: -0.5, top_logprobs: [] })),
  },
  token_ids: [...text].map((_, i) => i),
});

/** A group of trajectories with these rewards. The client leaves a reward of 0 out. */
export function group(rewards, fields = {}) {
  return {
    trajectories: rewards.map((reward, i) => ({
      messages_and_choices: [
        { role: "system", content: "Answer." },
        { role: "user", content: "1 + 1" },
        choice(`answer ${i}`),
      ],
      ...(reward === 0 ? {} : { reward }),
      ...fields,
    })),
  };
}

/** What the reference client does. */
export class TrainingClient {
  constructor(server, { key = server.adminKey } = {}) {
    this.server = server;
    this.key = key;
  }

  as(key) {
    return new TrainingClient(this.server, { key });
  }

  api(method, path, options = {}) {
    return this.server.api(method, `/v1/preview${path}`, { key: this.key, ...options });
  }

  async ok(method, path, options) {
    const answer = await this.api(method, path, options);
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`);
    return answer.json;
  }

  register(fields) {
    return this.ok("POST", "/models", { body: { entity: null, return_existing: true, ...fields } });
  }

  async step(model) {
    const { data } = await this.ok("GET", `/models/${model.id}/checkpoints?limit=1&order=desc`);
    return data.length === 0 ? 0 : data[0].step;
  }

  train(model, groups, config = null) {
    const body = { model_id: model.id, trajectory_groups: groups, experimental_config: config };
    return this.ok("POST", "/training-jobs", { body });
  }

  sft(model, url, config = null) {
    const body = { model_id: model.id, training_data_url: url, config };
    return this.ok("POST", "/sft-training-jobs", { body });
  }

  job(id) {
    return this.ok("GET", `/training-jobs/${id}`);
  }

  /** All events, page by page. */
  async events(id, limit = 100) {
    const all = [];
    let after = "";
    while (true) {
      const page = await this.ok("GET", `/training-jobs/${id}/events?limit=${limit}${after && `&after=${after}`}`);
      all.push(...page.data);
      if (!page.has_more) return all;
      after = page.last_id;
    }
  }

  /**
   * Polls as the client does: behind the last gradient_step, so that training_started is seen again
   * until there is one. `between` is awaited between two polls. Resolves with the metrics of every
   * step; rejects with the message of a failure.
   */
  async poll(id, between) {
    const steps = [];
    let after;
    let expected;
    while (true) {
      const page = await this.ok("GET", `/training-jobs/${id}/events${after ? `?after=${after}` : ""}`);
      for (const { id: event, type, data } of page.data) {
        if (type === "training_started") {
          expected = data.num_sequences;
        } else if (type === "gradient_step") {
          assert.notEqual(expected, undefined, "training_started comes first");
          for (const value of Object.values(data)) assert.equal(typeof value, "number");
          steps.push(data);
          after = event;
        } else if (type === "training_ended") {
          assert.equal(steps.length, expected);
          return steps;
        } else if (type === "training_failed") {
          throw new Error(data.error_message);
        }
      }
      if (!page.has_more) await between();
    }
  }
}

/** A trainer that plays a script. */
export class ScriptedTrainer {
  constructor(server, { key = server.adminKey, worker = freshName("trainer") } = {}) {
    this.server = server;
    this.key = key;
    this.worker = worker;
  }

  api(method, path, options = {}) {
    return this.server.api(method, `/api/v1/trainer${path}`, { key: this.key, ...options });
  }

  /** The next job, or undefined. */
  async lease(wait_seconds = 0) {
    const answer = await this.api("POST", "/lease", { body: { worker: this.worker, wait_seconds } });
    if (answer.status === 204) return undefined;
    assert.equal(answer.status, 200, answer.text);
    return new HeldJob(this, answer.json);
  }
}

export const step = (loss) => ({ type: "gradient_step", data: { loss, grad_norm: 0.25, tokens_per_second: 100 } });
export const started = (num_sequences) => ({ type: "training_started", data: { num_sequences } });

/** A job in the hands of a trainer. */
export class HeldJob {
  constructor(trainer, offer) {
    this.trainer = trainer;
    this.offer = offer;
    this.id = offer.job.id;
    this.headers = { "Lease-Token": offer.lease.token };
  }

  api(method, path, options = {}) {
    return this.trainer.api(method, `/jobs/${this.id}${path}`, {
      ...options,
      headers: { ...this.headers, ...options.headers },
    });
  }

  async ok(method, path, options) {
    const answer = await this.api(method, path, options);
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`);
    return answer;
  }

  async post(path, body) {
    return (await this.ok("POST", path, { body })).json;
  }

  tell(first, ...events) {
    return this.post("/events", { first, events });
  }

  async put(path, bytes) {
    const headers = { "Content-Type": "application/octet-stream" };
    return (await this.ok("PUT", path, { body: Buffer.from(bytes), headers })).json;
  }

  /** The adapter that it was given, as the new one. */
  async bringAdapter() {
    for (const { name } of this.offer.adapter.files) {
      const { bytes } = await this.ok("GET", `/adapter/${name}`);
      await this.put(`/files/${name}`, bytes);
    }
  }

  complete(body = {}) {
    return this.post("/complete", body);
  }

  /** The whole job: so many steps, and the same adapter again. */
  async run(steps = 2, metrics = {}) {
    await this.tell(1, started(steps));
    for (let i = 0; i < steps; ++i) await this.tell(i + 2, step(1 / (i + 1)));
    await this.bringAdapter();
    return this.complete({ metrics });
  }
}

/** Rows for the table of who may do what: see strangers.test.mjs. */
export function trainingRows(server, { everyone, writers, organization }) {
  let base;
  /** A job that waits, in the project `lab` of the team. */
  const job = async (team) => {
    base ??= addBaseModel(server);
    const client = new TrainingClient(server);
    const name = freshName("solver");
    const model = await client.register({ entity: team, project: "lab", name, base_model: await base });
    return client.train(model, [group([0, 1])]);
  };
  const row = (allowed, success, prefix, rest = "", body = undefined) => ({
    allowed,
    success,
    prepare: async (team) => ({ path: `${prefix}/${(await job(team)).id}${rest}`, body }),
    missing: () => ({ path: `${prefix}/00000000-0000-0000-0000-000000000000${rest}`, body }),
  });
  // These requests carry no lease, so that 409 is all that even a trainer gets.
  const held = (rest, body) => ({ ...row(organization, 409, "/api/v1/trainer/jobs", rest, body), denied: 404 });
  const one = "/api/v1/trainer/jobs/{id}";
  return {
    "GET /api/v1/training-jobs/{id}": row(everyone, 200, "/api/v1/training-jobs"),
    "POST /api/v1/training-jobs/{id}/cancel": row(writers, 200, "/api/v1/training-jobs", "/cancel"),
    [`POST ${one}/heartbeat`]: held("/heartbeat", {}),
    [`POST ${one}/events`]: held("/events", { first: 1, events: [] }),
    [`POST ${one}/complete`]: held("/complete", {}),
    [`POST ${one}/fail`]: held("/fail", { message: "x" }),
    [`POST ${one}/release`]: held("/release", {}),
    [`GET ${one}/data`]: held("/data"),
    [`GET ${one}/state`]: held("/state"),
    [`GET ${one}/base`]: held("/base"),
    [`GET ${one}/adapter/{name}`]: held("/adapter/adapter_config.json"),
    [`GET ${one}/reference/{name}`]: held("/reference/adapter_config.json"),
    [`PUT ${one}/state`]: held("/state?sequence=0", "x"),
    [`PUT ${one}/files/{name}`]: held("/files/adapter_config.json", "x"),
  };
}
