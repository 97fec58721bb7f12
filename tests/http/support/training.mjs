// A client of the training API that sends the requests of the reference client, and a fake trainer that follows
// a script instead of training.

import assert from "node:assert/strict";
import { join } from "node:path";

import { ArtifactProject } from "./artifacts.mjs";
import { freshName } from "./people.mjs";
import { writeTinyModel } from "./tiny_model.mjs";

/** Adds a base model with its own file to the server. Resolves with its name. */
export async function addBaseModel(server, name = freshName("tiny")) {
  const file = join(server.dataDir, "..", `${name}.gguf`); // outside the data folder, whose path no response may contain
  writeTinyModel(file);
  const answer = await server.api("POST", "/api/v1/models", { body: { name, file } });
  assert.equal(answer.status, 201, answer.text);
  return name;
}

/** Exports a project's traces as training data. Resolves with the response, and the lines and metadata of the artifact. */
export async function exportedBy(project, fields) {
  const body = { project: project.id, name: freshName("data"), ...fields };
  const answer = await project.post("/api/v1/trajectories", body);
  assert.equal(answer.status, 201, answer.text);
  const { artifact, version } = answer.json;
  assert.equal(artifact, `svc-artifact:///${project.id}/${body.name}:${version}`);
  const artifacts = new ArtifactProject(project.server, project.entity, { project: project.project });
  const read = async (path) => (await artifacts.read(body.name, version, path)).bytes.toString();
  const lines = (await read("trajectories.jsonl")).trim().split("\n").map(JSON.parse);
  const shown = await artifacts.ok("GET", `/collections/${body.name}/versions/${version}`);
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

/** Returns a trajectory group with these rewards. Omits a reward of 0, as the client does. */
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

/** The requests of the reference client. */
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

  /** Reads all pages of a job's events. */
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
   * Polls like the reference client: after the last gradient_step, so that it receives training_started repeatedly
   * until the first step. Awaits `between` between two polls. Resolves with the metrics of every step; rejects
   * with the message of a failure.
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

/** A fake trainer that a test controls. */
export class ScriptedTrainer {
  constructor(server, { key = server.adminKey, worker = freshName("trainer") } = {}) {
    this.server = server;
    this.key = key;
    this.worker = worker;
  }

  api(method, path, options = {}) {
    return this.server.api(method, `/api/v1/trainer${path}`, { key: this.key, ...options });
  }

  /** Leases the next job; resolves with undefined if there is none. */
  async lease(wait_seconds = 0) {
    const answer = await this.api("POST", "/lease", { body: { worker: this.worker, wait_seconds } });
    if (answer.status === 204) return undefined;
    assert.equal(answer.status, 200, answer.text);
    return new LeasedJob(this, answer.json);
  }
}

export const step = (loss) => ({ type: "gradient_step", data: { loss, grad_norm: 0.25, tokens_per_second: 100 } });
export const started = (num_sequences) => ({ type: "training_started", data: { num_sequences } });

/** A job that a trainer has leased. */
export class LeasedJob {
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

  postEvents(first, ...events) {
    return this.post("/events", { first, events });
  }

  async put(path, bytes) {
    const headers = { "Content-Type": "application/octet-stream" };
    return (await this.ok("PUT", path, { body: Buffer.from(bytes), headers })).json;
  }

  /** Uploads the received adapter unchanged as the new one. */
  async uploadAdapter() {
    for (const { name } of this.offer.adapter.files) {
      const { bytes } = await this.ok("GET", `/adapter/${name}`);
      await this.put(`/files/${name}`, bytes);
    }
  }

  complete(body = {}) {
    return this.post("/complete", body);
  }

  /** Executes the whole job: posts `steps` steps and uploads the same adapter. */
  async run(steps = 2, metrics = {}) {
    await this.postEvents(1, started(steps));
    for (let i = 0; i < steps; ++i) await this.postEvents(i + 2, step(1 / (i + 1)));
    await this.uploadAdapter();
    return this.complete({ metrics });
  }
}

/** Rows of the access table; see access.test.mjs. */
export function trainingRows(server, { everyone, writers, organization }) {
  let base;
  /** Registers a model in the project `lab` of the team. */
  const newModel = async (client, team) => {
    base ??= addBaseModel(server);
    return client.register({ entity: team, project: "lab", name: freshName("solver"), base_model: await base });
  };
  /** Creates a pending job. The server is known only when the tests run. */
  const job = async (team) => {
    const client = new TrainingClient(server);
    return client.train(await newModel(client, team), [group([0, 1])]);
  };
  const row = (allowed, success, prefix, rest = "", body = undefined) => ({
    allowed,
    success,
    prepare: async (team) => ({ path: `${prefix}/${(await job(team)).id}${rest}`, body }),
    missing: () => ({ path: `${prefix}/00000000-0000-0000-0000-000000000000${rest}`, body }),
  });
  // These requests have no lease token, so even a trainer receives 409.
  const held = (rest, body) => ({ ...row(organization, 409, "/api/v1/trainer/jobs", rest, body), denied: 404 });
  const one = "/api/v1/trainer/jobs/{id}";
  return {
    "GET /api/v1/training-jobs/{id}": row(everyone, 200, "/api/v1/training-jobs"),
    "POST /api/v1/training-jobs/{id}/cancel": row(writers, 200, "/api/v1/training-jobs", "/cancel"),
    // A pending job cannot be repeated: even a writer receives 409.
    "POST /api/v1/training-jobs/{id}/retry": row(writers, 409, "/api/v1/training-jobs", "/retry", {}),
    "GET /api/v1/trained-models/{id}": {
      ...row(everyone, 200, "/api/v1/trained-models"),
      prepare: async (team) => ({
        path: `/api/v1/trained-models/${(await newModel(new TrainingClient(server), team)).id}`,
      }),
    },
    [`POST ${one}/heartbeat`]: held("/heartbeat", {}),
    [`POST ${one}/events`]: held("/events", { first: 1, events: [] }),
    [`POST ${one}/complete`]: held("/complete", {}),
    [`POST ${one}/fail`]: held("/fail", { message: "x" }),
    [`POST ${one}/release`]: held("/release", {}),
    [`GET ${one}/data`]: held("/data"),
    [`GET ${one}/state`]: held("/state"),
    [`GET ${one}/base`]: held("/base"),
    [`GET ${one}/base/{name}`]: held("/base/config.json"),
    [`GET ${one}/adapter/{name}`]: held("/adapter/adapter_config.json"),
    [`GET ${one}/reference/{name}`]: held("/reference/adapter_config.json"),
    [`PUT ${one}/state`]: held("/state?sequence=0", "x"),
    [`PUT ${one}/files/{name}`]: held("/files/adapter_config.json", "x"),
  };
}
