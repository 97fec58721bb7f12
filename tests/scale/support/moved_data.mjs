// All kinds of data that `spindle migrate` moves, and what a server returns of them.

import assert from "node:assert/strict";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { createReadStream, readdirSync } from "node:fs";
import { join } from "node:path";

import { AgentProject } from "../../http/support/agent_spans.mjs";
import { ArtifactProject } from "../../http/support/artifacts.mjs";
import { Project, at, uuid7 } from "../../http/support/calls.mjs";
import { addModel, chat, usageOf } from "../../http/support/gateway.mjs";
import { PATHS, request, send, span } from "../../http/support/otlp.mjs";
import { freshName, makeTeam } from "../../http/support/people.mjs";
import { makeFolder, removeFolder } from "../../http/support/program.mjs";
import { RunProject } from "../../http/support/runs.mjs";
import { startUpstream } from "../../http/support/upstream.mjs";

const BATCH = 1000;
const ARTIFACTS = 12;
const RUNS = 4;
/** Lines of a run: more than stay in the metadata. */
const LINES = 2500;
const SPANS = 30;
const COMPLETIONS = 6;
/** A resource that is large enough to be stored apart from its spans. */
const RESOURCE = { "service.name": "shop", "host.description": "h".repeat(200) };

export class MovedData {
  constructor(team) {
    this.team = team;
  }

  /** Fills a server: `calls` calls in one project, and fewer of everything else. */
  static async fill(server, calls) {
    const data = new MovedData((await makeTeam(server)).name);
    const { many, odd, agents, artifacts, runs } = data.projects(server);
    for (let i = 0; i < calls; i += BATCH) {
      const count = Math.min(BATCH, calls - i);
      await many.complete(...Array.from({ length: count }, (_, j) => ({
        inputs: { question: `number ${i + j}`, text: "x".repeat(300) }, output: { answer: i + j },
        started_at: at(i + j), ended_at: at(i + j + 1),
      })));
    }
    await data.#fillOdd(server, odd);
    for (let i = 0; i < SPANS; i += 1) {
      const attrs = { OP: "chat", "gen_ai.conversation.id": `c${i % 3}`, "custom.number": i };
      await agents.send([{ id: "root", name: `chat ${i}`, t: [i, i + 1], attrs }, { id: "tool", parent: "root", name: "look", t: [i, i + 0.5], attrs: { OP: "execute_tool" } }]);
    }
    for (let i = 0; i < ARTIFACTS; i += 1) await artifacts.put("data", { "a.bin": randomBytes(100_000 * (i + 1)), "b.txt": `${i}` });
    data.runs = [];
    for (let i = 0; i < RUNS; i += 1) {
      const { run_id: run } = await runs.start();
      data.runs.push(run);
      const row = (line) => ({ step: line * (i + 1), metrics: { loss: 1 / (line + 1), "a/lines": line, note: `n${line}` } });
      for (let line = 0; line < LINES; line += LINES / 5)
        await runs.log(run, Array.from({ length: LINES / 5 }, (_, j) => row(line + j)), { offset: line });
    }
    await data.#fillUsage(server);
    return data;
  }

  projects(server) {
    return {
      many: new Project(server, `${this.team}/traces`),
      odd: new Project(server, `${this.team}/odd`),
      agents: new AgentProject(server, `${this.team}/agents`),
      artifacts: new ArtifactProject(server, this.team),
      runs: new RunProject(server, this.team),
    };
  }

  /** Calls that are unfinished, deleted, without a start, expiring, renamed, made of spans; and feedback. */
  async #fillOdd(server, odd) {
    const { id } = await odd.start({ inputs: { unfinished: true }, id: randomUUID() });
    await odd.start();
    this.awaited = uuid7();
    await odd.end(this.awaited, { output: "its start arrives after the move" });
    const [gone, renamed, rated] = await odd.complete({ output: "deleted" }, { output: null, exception: "é\t\n" }, { output: [1, 2] });
    this.gone = gone.id;
    await odd.ok("/calls/delete", { project_id: odd.id, call_ids: [gone.id] });
    await odd.ok("/call/update", { project_id: odd.id, call_id: renamed.id, display_name: "renamed" });
    // Longer than since the start of the spans: expired calls are removed after a minute.
    await odd.ok("/project/ttl_settings/update", { project_id: odd.id, retention_days: 36500 });
    await odd.complete({ output: "expires", started_at: new Date().toISOString() });
    const sent = await send(server, PATHS.calls, request([RESOURCE, span("a", { n: 1 }), span("b", { n: 2 })]), { project: odd.id });
    assert.equal(sent.status, 200, sent.text);
    const refs = [id, rated.id].map((call) => `svc:///${odd.id}/call/${encodeURIComponent(call)}`);
    const feedback = [];
    for (const [i, svc_ref] of refs.entries())
      feedback.push(await odd.ok("/feedback/create", { project_id: odd.id, svc_ref, feedback_type: "custom", payload: { i, text: "é" } }));
    await odd.ok("/feedback/purge", { project_id: odd.id, query: { $expr: { $eq: [{ $getField: "id" }, { $literal: feedback[0].id }] } } });
  }

  async #fillUsage(server) {
    const upstream = await startUpstream(() => ({ text: "hello" }));
    try {
      this.model = await addModel(server, [upstream.url]);
      for (let i = 0; i < COMPLETIONS; i += 1) assert.equal((await chat(server, this.model)).status, 200);
      await usageOf(server, this.model, COMPLETIONS);
    } finally {
      await upstream.close();
    }
  }

  /** Returns the SHA-256 of the exported calls of the large project. */
  async exported(server) {
    const folder = makeFolder();
    try {
      const ended = await server.cli("traces", "export", "--project", `${this.team}/traces`, "--output", join(folder, "calls"));
      assert.equal(ended.code, 0, ended.stderr);
      const hash = createHash("sha256");
      for (const name of readdirSync(join(folder, "calls")).filter((each) => /^calls/.test(each)).sort()) {
        for await (const piece of createReadStream(join(folder, "calls", name))) hash.update(piece);
      }
      return hash.digest("hex");
    } finally {
      removeFolder(folder);
    }
  }

  /** Returns what a server answers about everything except the large project. */
  async answers(server) {
    const { odd, agents, artifacts, runs } = this.projects(server);
    const calls = await odd.query({ sort_by: [{ field: "id", direction: "asc" }] });
    assert.equal(calls.length, 7);
    assert.ok(!calls.some((call) => call.id === this.gone));
    assert.ok(calls.some((call) => call.expire_at !== null));
    const dumps = JSON.stringify(calls.map((call) => call.attributes));
    assert.match(dumps, /hhhhh/, "calls made of spans have their resource");
    const { result: feedback } = await odd.ok("/feedback/query", { project_id: odd.id, sort_by: [{ field: "id", direction: "asc" }] });
    assert.equal(feedback.length, 1);
    const { spans } = await agents.ask("/agents/spans/query", { limit: 1000, include_details: true, sort_by: [{ field: "started_at", direction: "asc" }] });
    assert.equal(spans.length, 2 * SPANS);
    const histories = [];
    for (const run of this.runs) {
      let cursor;
      do {
        const page = await runs.history(run, `?limit=1000${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);
        histories.push(page.rows);
        cursor = page.next_cursor;
      } while (cursor);
    }
    assert.equal(histories.flat().length, RUNS * LINES);
    const files = [];
    for (let i = 0; i < ARTIFACTS; i += 1) files.push((await artifacts.read("data", `v${i}`, "b.txt")).text);
    assert.deepEqual(files.slice().sort(), Array.from({ length: ARTIFACTS }, (_, i) => `${i}`).sort());
    const { requests, prompt_tokens, completion_tokens } = await usageOf(server, this.model, COMPLETIONS);
    return JSON.stringify({ calls, feedback, spans: spans.map((each) => JSON.stringify(each)).sort(), histories, files, usage: { requests, prompt_tokens, completion_tokens } });
  }

  /** Writes after a move: the rest of a call, a deleted call again, and more of everything. */
  async continueOn(server) {
    const { odd, many } = this.projects(server);
    await odd.start({ id: this.awaited });
    assert.equal((await odd.read(this.awaited)).output, "its start arrives after the move");
    await odd.complete({ id: this.gone, output: "again" });
    assert.equal((await odd.query()).filter((call) => call.id === this.gone).length, 0, "a deleted call stays deleted");
    const [first] = await many.query({ limit: 1, sort_by: [{ field: "id", direction: "asc" }] });
    await many.ok("/call/update", { project_id: many.id, call_id: first.id, display_name: freshName("renamed") });
    assert.match((await many.read(first.id)).display_name, /renamed/);
  }
}

