// A client of the bulk jobs of a project.

import assert from "node:assert/strict";

import { Project, uuid7 } from "./calls.mjs";
import { eventually } from "./deliveries.mjs";

const FINAL = ["succeeded", "failed", "cancelled"];

export class BulkProject extends Project {
  path(rest = "") {
    return `/api/v1/projects/${this.id}/bulk-jobs${rest}`;
  }

  request(body, options = {}) {
    return this.server.api("POST", this.path(), { body, ...options });
  }

  /** Creates a job that must be accepted. */
  async begin(body, options) {
    const answer = await this.request(body, options);
    assert.equal(answer.status, 202, answer.text);
    return answer.json;
  }

  async job(id) {
    const answer = await this.server.api("GET", this.path(`/${id}`));
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  }

  cancel(id, options = {}) {
    return this.server.api("POST", this.path(`/${id}/cancel`), options);
  }

  /** Waits for the end of a job. */
  ended(id) {
    return eventually(() => this.job(id), ({ state }) => FINAL.includes(state), "the job did not end");
  }

  /** Creates a job and waits for its end. */
  async run(body, options) {
    const { id } = await this.begin(body, options);
    return this.ended(id);
  }

  async queue(name = "review") {
    return (await this.ok("/annotation_queues", { project_id: this.id, name, scorer_refs: [] })).id;
  }

  async items(queue) {
    return (await this.ok(`/annotation_queues/${queue}/items/query`, { project_id: this.id })).items;
  }

  /** Returns the rows of the latest version of a dataset, and its version number. */
  async dataset(object_id) {
    const { obj } = await this.ok("/obj/read", { project_id: this.id, object_id, digest: "latest" });
    const digest = /\/table\/(.*)$/.exec(obj.val.rows)[1];
    const { rows } = await this.ok("/table/query", { project_id: this.id, digest });
    return { rows: rows.map(({ val }) => val), version: obj.version_index, val: obj.val };
  }
}

/** Rows of the table of access.test.mjs. */
export function bulkRows(server, { everyone, writers }) {
  const row = (allowed, success, rest, body) => ({
    allowed,
    success,
    prepare: async (team) => {
      const project = new BulkProject(server, `${team}/lab`);
      await project.complete({});
      const { id } = await project.run({ action: "delete", call_ids: [uuid7()] });
      return { path: project.path(rest.replace("{job}", id)), body };
    },
    missing: ({ path }, team) => ({ path: path.replace(`/${team}/`, "/no-such-team/"), body }),
  });
  const all = "/api/v1/projects/{team}/{project}/bulk-jobs";
  return {
    [`POST ${all}`]: row(writers, 202, "", { action: "delete", call_ids: [uuid7()] }),
    [`GET ${all}`]: row(everyone, 200, ""),
    [`GET ${all}/{job}`]: row(everyone, 200, "/{job}"),
    [`POST ${all}/{job}/cancel`]: row(writers, 200, "/{job}/cancel"),
  };
}
