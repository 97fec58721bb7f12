// A client of the evaluation API of a project under /v2.

import assert from "node:assert/strict";

import { Project } from "./calls.mjs";
import { expectOk } from "./objects.mjs";

/** Returns the lines of a JSONL response. */
export function linesOf(answer) {
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers["content-type"], "application/jsonl");
  return answer.text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
}

export class V2Project extends Project {
  v2(method, path, body, options = {}) {
    return this.server.api(method, `/v2/${this.id}/${path}`, { body, ...options });
  }

  async make(path, body) {
    return expectOk(await this.v2("POST", path, body));
  }

  async list(path) {
    return linesOf(await this.v2("GET", path));
  }

  ref(name, version = "v0", kind = "object") {
    return `svc:///${this.id}/${kind}/${name}:${version}`;
  }

  /** Creates an evaluation run and returns its id. */
  async run(fields = {}) {
    const body = { evaluation: this.ref("quiz"), model: this.ref("bot"), ...fields };
    return (await this.make("evaluation_runs", body)).evaluation_run_id;
  }

  /** Creates one finished prediction of a run. `scores` maps scorer names to values. */
  async row(run, inputs, output, scores = {}, more = {}) {
    const body = { model: this.ref("bot"), inputs, output, evaluation_run_id: run, ...more };
    const { prediction_id } = await this.make("predictions", body);
    for (const [name, value] of Object.entries(scores)) {
      await this.make("scores", { prediction_id, scorer: this.ref(name), value, evaluation_run_id: run });
    }
    await this.make(`predictions/${prediction_id}/finish`);
    return prediction_id;
  }

  async results(body) {
    return expectOk(await this.v2("POST", "eval_results/query", body));
  }
}
