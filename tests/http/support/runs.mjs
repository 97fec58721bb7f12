// A client of the runs of a project.

import assert from "node:assert/strict";

import { ArtifactProject } from "./artifacts.mjs";
import { freshName } from "./people.mjs";

/** A project that runs are logged to. */
export class RunProject {
  constructor(server, team, { project = "lab", key } = {}) {
    this.server = server;
    this.team = team;
    this.project = project;
    this.key = key ?? server.adminKey;
    this.path = `/api/v1/projects/${team}/${project}/runs`;
  }

  as(key) {
    return new RunProject(this.server, this.team, { project: this.project, key });
  }

  api(method, rest, options = {}) {
    return this.server.api(method, this.path + rest, { key: this.key, ...options });
  }

  async ok(method, rest, options) {
    const answer = await this.api(method, rest, options);
    assert.ok([200, 201, 202, 204].includes(answer.status), `${method} ${rest}: ${answer.text}`);
    return answer.json;
  }

  /** Starts a new run and resolves with it. */
  async start(fields = {}) {
    const answer = await this.api("POST", "", { body: { run_id: freshName("run"), ...fields } });
    assert.equal(answer.status, 201, answer.text);
    return answer.json.run;
  }

  get(id) {
    return this.ok("GET", `/${id}`);
  }

  log(id, rows, fields = {}) {
    return this.ok("POST", `/${id}/history`, { body: { rows, ...fields } });
  }

  finish(id, body = {}) {
    return this.ok("POST", `/${id}/finish`, { body });
  }

  /** Returns rows of history without their timestamps. */
  async history(id, query = "") {
    const { items, next_cursor } = await this.ok("GET", `/${id}/history${query}`);
    const rows = items.map(({ _timestamp, _runtime, ...rest }) => {
      assert.equal(typeof _timestamp, "number");
      assert.equal(typeof _runtime, "number");
      return rest;
    });
    return { rows, next_cursor };
  }
}

/** Rows of the access table; see access.test.mjs. */
export function runRows(server, { everyone, writers, admins }) {
  const root = "/api/v1/projects/{team}/{project}/runs";
  const one = `${root}/{run}`;
  /** `rest` is the end of the path, after the run. `make` prepares the run and may resolve with another end. */
  const row = (allowed, success, rest = "", { body, make = () => {} } = {}) => ({
    allowed,
    success,
    missing: ({ path, body: same }, team) => ({
      path: path.replace(`/projects/${team}/`, "/projects/no-such-team/"),
      body: same,
    }),
    prepare: async (team) => {
      const runs = new RunProject(server, team);
      const { run_id } = await runs.start();
      const made = await make(runs, run_id);
      return { path: `${runs.path}/${run_id}${made ?? rest}`, body: body?.() };
    },
  });
  const inList = (base) => ({
    ...base,
    prepare: async (team) => {
      const { path, body } = await base.prepare(team);
      return { path: path.replace(/\/[^/]+$/, ""), body };
    },
  });
  const rows = () => ({ rows: [{ metrics: { loss: 1 } }] });
  const logged = { make: (runs, id) => runs.log(id, rows().rows).then(() => undefined) };
  return {
    [`GET ${root}`]: inList(row(everyone, 200)),
    [`POST ${root}`]: inList(row(writers, 201, "", { body: () => ({ name: "new" }) })),
    [`GET ${one}`]: row(everyone, 200),
    [`PATCH ${one}`]: row(writers, 200, "", { body: () => ({ name: "new" }) }),
    [`DELETE ${one}`]: row(admins, 204), // run of another user; own runs: runs.test.mjs
    [`POST ${one}/history`]: row(writers, 200, "/history", { body: rows }),
    [`GET ${one}/history`]: row(everyone, 200, "/history", logged),
    [`GET ${one}/history/samples`]: row(everyone, 200, "/history/samples?keys=loss", logged),
    [`POST ${one}/system-metrics`]: row(writers, 200, "/system-metrics", { body: rows }),
    [`GET ${one}/system-metrics`]: row(everyone, 200, "/system-metrics"),
    [`GET ${one}/system-metrics/samples`]: row(everyone, 200, "/system-metrics/samples?keys=cpu"),
    [`POST ${one}/heartbeat`]: row(writers, 200, "/heartbeat"),
    [`POST ${one}/finish`]: row(writers, 200, "/finish", { body: () => ({}) }),
    [`POST ${one}/state`]: row(writers, 200, "/state", { body: () => ({ state: "failed" }) }),
    [`POST ${one}/stop`]: row(admins, 202, "/stop"),
    [`POST ${one}/kill`]: row(admins, 202, "/kill"),
    [`PUT ${one}/inputs/{artifact}`]: row(writers, 204, "", {
      make: async ({ team }) => {
        const { id } = await new ArtifactProject(server, team).put(freshName("data"), { a: "1" });
        return `/inputs/${id}`;
      },
    }),
    [`GET ${one}/inputs`]: row(everyone, 200, "/inputs"),
    [`GET ${one}/outputs`]: row(everyone, 200, "/outputs"),
  };
}
