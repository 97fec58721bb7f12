// Writers of every kind of data that record the acknowledged writes, for tests of backups.

import assert from "node:assert/strict";

import { AgentProject } from "./agent_spans.mjs";
import { ArtifactProject } from "./artifacts.mjs";
import { Project } from "./calls.mjs";
import { freshName } from "./people.mjs";
import { RunProject } from "./runs.mjs";

/** Writes calls, feedback, spans, artifacts and runs to one team, and records acknowledged writes. */
export class Load {
  calls = new Map(); // id to output
  feedback = new Set(); // ids
  traces = new Set(); // trace ids of spans
  versions = new Map(); // version index to content
  lines = 0; // rows of the run's history
  acknowledged = 0;
  #waiting = [];

  constructor(team) {
    this.team = team;
    this.run = freshName("run");
  }

  projects(server) {
    return {
      calls: new Project(server, `${this.team}/traces`),
      agents: new AgentProject(server, `${this.team}/agents`),
      artifacts: new ArtifactProject(server, this.team),
      runs: new RunProject(server, this.team),
    };
  }

  /** Creates the run, which must exist before its history. */
  async prepare(server) {
    await this.projects(server).runs.start({ run_id: this.run });
  }

  /** Writes one round of every kind of data. Records each write after its acknowledgement. */
  async write(server) {
    const { calls, agents, artifacts, runs } = this.projects(server);
    const batch = Array.from({ length: 15 }, (_, i) => ({ inputs: { i }, output: `out ${i} ${"x".repeat(800)}` }));
    for (const call of await calls.complete(...batch)) {
      this.calls.set(call.id, call.output);
      this.lastCall = call.id;
    }
    const { id } = await calls.ok("/feedback/create", {
      project_id: calls.id, svc_ref: `svc:///${calls.id}/call/${this.lastCall}`, feedback_type: "custom", payload: { n: this.acknowledged },
    });
    this.feedback.add(id);
    this.traces.add(await agents.send([{ id: "root", name: "chat m", t: [0, 1], attrs: { OP: "chat" } }]));
    const content = `version ${this.acknowledged} ${"y".repeat(5000)}`;
    const version = await artifacts.put("data", { "a.txt": content });
    this.versions.set(version.version_index, content);
    const rows = Array.from({ length: 20 }, (_, i) => ({ step: this.lines + i, metrics: { line: this.lines + i } }));
    await runs.log(this.run, rows, { offset: this.lines });
    this.lines += rows.length;
    this.acknowledged += 1;
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  /** Resolves when the next round is acknowledged. */
  nextRound() {
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** Rejects all waiting callers: the writer has stopped. */
  fail(error) {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  /** Returns a copy of the acknowledged writes. */
  snapshot() {
    const copy = new Load(this.team);
    Object.assign(copy, {
      run: this.run, calls: new Map(this.calls), feedback: new Set(this.feedback), traces: new Set(this.traces),
      versions: new Map(this.versions), lines: this.lines, acknowledged: this.acknowledged,
    });
    return copy;
  }

  /** Expects every acknowledged write on the server, complete and exactly once. */
  async check(server) {
    const { calls, agents, artifacts, runs } = this.projects(server);
    const seen = new Map();
    for (const call of await calls.query({ columns: ["output"] })) {
      assert.ok(!seen.has(call.id), `call ${call.id} is duplicated`);
      seen.set(call.id, call.output);
    }
    for (const [id, output] of this.calls) assert.equal(seen.get(id), output, `call ${id}`);
    const { result } = await calls.ok("/feedback/query", { project_id: calls.id });
    const feedback = new Set(result.map((row) => row.id));
    assert.equal(feedback.size, result.length, "feedback is duplicated");
    for (const id of this.feedback) assert.ok(feedback.has(id), `feedback ${id}`);
    for (const trace of this.traces) {
      const { spans } = await agents.ask("/agents/spans/query", {
        query: { $expr: { $eq: [{ $getField: "trace_id" }, { $literal: trace }] } },
      });
      assert.equal(spans.length, 1, `span of trace ${trace}`);
    }
    for (const [index, content] of this.versions) {
      const answer = await artifacts.read("data", `v${index}`, "a.txt");
      assert.equal(answer.status, 200, `version ${index}: ${answer.text}`);
      assert.equal(answer.text, content);
    }
    const { history_line_count: lines } = await runs.get(this.run);
    assert.ok(lines >= this.lines, `${this.lines} rows were acknowledged, ${lines} are stored`);
  }
}

/**
 * Writes continuously while `work(stop)` runs. An error of a writer fails the test, unless `work` called `stop()`
 * first because it is about to kill the server.
 */
export async function whileWriting(server, loads, work) {
  let running = true;
  const failures = [];
  const writers = loads.map(async (load) => {
    while (running) {
      try {
        await load.write(server);
      } catch (error) {
        if (running) failures.push(error);
        load.fail(error);
        return;
      }
    }
  });
  const stop = () => { running = false; };
  try {
    await work(stop);
  } finally {
    stop();
    await Promise.all(writers);
  }
  if (failures.length > 0) throw failures[0];
}

/** Resolves after `count` more acknowledged rounds of every load; rejects when a writer fails. */
export async function rounds(loads, count) {
  await Promise.all(loads.map(async (load) => {
    const wanted = load.acknowledged + count;
    while (load.acknowledged < wanted) await load.nextRound();
  }));
}

/** Rows of the access table; see access.test.mjs. */
export function backupRows(server, { organization }) {
  const root = "/api/v1/backup/holds";
  let id; // of the active hold; only one exists at a time
  const row = (success, rest = "") => ({
    allowed: organization,
    success,
    denied: 404,
    prepare: async () => {
      if (id !== undefined) await server.api("DELETE", `${root}/${id}`);
      const answer = await server.api("POST", root);
      assert.equal(answer.status, 201, answer.text);
      ({ id } = answer.json);
      return { path: `${root}/${id}${rest}` };
    },
    missing: () => ({ path: `${root}/none${rest}` }),
  });
  return {
    [`POST ${root}/{id}/mark`]: row(200, "/mark"),
    [`POST ${root}/{id}/renew`]: row(200, "/renew"),
    [`DELETE ${root}/{id}`]: row(204),
  };
}
