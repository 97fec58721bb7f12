// A client of the evaluations that the server runs: creates their objects, starts them and waits for them.

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";

import { Project, expectReason } from "./calls.mjs";
import { waitLimit } from "./time_limits.mjs";

const POLL_MS = 10;

/** A project in which the server runs evaluations. */
export class EvaluationProject {
  constructor(server, name) {
    this.calls = name === undefined ? new Project(server) : new Project(server, name);
    this.id = this.calls.id;
  }

  post(path, body = {}, options = {}) {
    return this.calls.post(path, { project_id: this.id, ...body }, options);
  }

  ok(path, body = {}) {
    return this.calls.ok(path, { project_id: this.id, ...body });
  }

  async refused(path, body, status, reason) {
    expectReason(await this.post(path, body), status, reason);
  }

  /** Publishes an object and returns its reference. */
  async publish(object_id, val) {
    const { digest } = await this.calls.ok("/obj/create", { obj: { project_id: this.id, object_id, val } });
    return `svc:///${this.id}/object/${object_id}:${digest}`;
  }

  model(more = {}) {
    return this.publish("bot", { kind: "chat_completion", model: "test-model", prompt: "{question}", ...more });
  }

  scorer(name, parameters) {
    return this.publish(name, parameters);
  }

  /** Publishes an evaluation of these rows and returns its reference. */
  async evaluation(rows, scorers, more = {}, name = "quiz") {
    const { digest } = await this.calls.ok("/table/create", { table: { project_id: this.id, rows } });
    const dataset = await this.publish("data", { rows: `svc:///${this.id}/table/${digest}` });
    return this.publish(name, { dataset, scorers, ...more });
  }

  /** Starts an evaluation run and returns its id. */
  async evaluate(evaluation_ref, model_ref) {
    return (await this.ok("/evaluations/evaluate_model", { evaluation_ref, model_ref })).call_id;
  }

  async status(call_id) {
    return (await this.ok("/evaluations/status", { call_id })).status;
  }

  /** Polls `look` until it returns a truthy value, and resolves with the value. */
  async eventually(look) {
    const deadline = Date.now() + waitLimit(60_000);
    for (;;) {
      const found = await look();
      if (found) return found;
      assert.ok(Date.now() < deadline, "timed out");
      await pause(POLL_MS);
    }
  }

  /** Waits for the end of a run and resolves with its status. */
  finished(call_id) {
    return this.eventually(async () => {
      const status = await this.status(call_id);
      return status.code === "running" ? undefined : status;
    });
  }

  children(id) {
    return this.calls.query({ filter: { parent_ids: [id] } });
  }

  /** Returns the rows of a run, one for each example and trial. */
  async rows(run) {
    return (await this.children(run)).filter(({ op_name }) => op_name === "Evaluation.predict_and_score");
  }
}
