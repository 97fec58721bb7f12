// SIGKILL at random moments during an evaluation: it continues after each restart, and in the end every example
// has been scored exactly once.

import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";

import { EvaluationProject } from "./support/evaluations.mjs";
import { freshName } from "./support/people.mjs";
import { makeFolder, removeFolder } from "./support/program.mjs";
import { startServer } from "./support/server.mjs";
import { within } from "./support/time_limits.mjs";
import { question, startUpstream } from "./support/upstream.mjs";

const EXAMPLES = 1000;
const KILLS = 6;

test("an evaluation of 1,000 examples survives kills, every example scored once", within(300_000), async () => {
  const folder = makeFolder();
  const upstream = await startUpstream((request) => {
    const number = Number(question(request));
    return { text: number % 4 === 0 ? "wrong" : String(number) };
  });
  const start = () =>
    startServer({
      dataDir: join(folder, "data"),
      env: { SPINDLE_EVALUATION_UPSTREAM_URL: upstream.url },
      args: ["--evaluation-concurrency", "8", "--traces-recent", "1MiB"],
    });
  const name = `${freshName("team")}/crash`;
  let server = await start();
  try {
    let project = new EvaluationProject(server, name);
    const rows = Array.from({ length: EXAMPLES }, (_, i) => ({ number: i, target: String(i) }));
    const exact = await project.scorer("exact", { kind: "exact_match" });
    const evaluation = await project.evaluation(rows, [exact]);
    const run = await project.evaluate(evaluation, await project.model({ prompt: "{number}" }));
    for (let kill = 1; kill <= KILLS; ++kill) {
      const target = Math.floor((EXAMPLES * kill) / (KILLS + 2)) + randomInt(20);
      while (upstream.requests.length < target) await new Promise((resolve) => setImmediate(resolve));
      await server.kill();
      server = await start();
      project = new EvaluationProject(server, name);
      assert.equal((await project.status(run)).code, "running");
    }
    const status = await project.finished(run);
    assert.equal(status.code, "complete");
    assert.deepEqual(status.output.exact, { passed: { true_count: 750, true_fraction: 0.75 } });

    const found = await project.rows(run);
    assert.equal(found.length, EXAMPLES);
    assert.equal(new Set(found.map(({ inputs }) => inputs.example)).size, EXAMPLES, "every example once");
    const below = await project.calls.query({ filter: { parent_ids: found.map(({ id }) => id) } });
    const scores = below.filter(({ op_name }) => op_name === "exact.score");
    const predictions = below.filter(({ op_name }) => op_name === "bot.predict");
    assert.equal(below.length, 2 * EXAMPLES);
    assert.equal(new Set(scores.map(({ parent_id }) => parent_id)).size, EXAMPLES);
    assert.equal(new Set(predictions.map(({ parent_id }) => parent_id)).size, EXAMPLES);
    for (const call of [...found, ...below]) assert.equal(call.exception, null);
    const { result } = await project.calls.ok("/feedback/query", { project_id: project.id, fields: ["svc_ref"] });
    assert.equal(result.length, EXAMPLES, "feedback of every prediction");
    assert.equal(new Set(result.map(({ svc_ref }) => svc_ref)).size, EXAMPLES);
    // Requests in flight at a kill may be repeated; stored answers are not requested again.
    assert.ok(upstream.requests.length <= EXAMPLES + KILLS * 8 * 2, `${upstream.requests.length} requests`);
  } finally {
    await server.kill();
    await upstream.close();
    removeFolder(folder);
  }
});

test("a stopped server releases its evaluation runs, and the next server continues them", within(120_000), async () => {
  const folder = makeFolder();
  let open = false; // requests after the tenth example wait until it is true
  const upstream = await startUpstream((request) =>
    upstream.requests.length > 10 && !open ? { hang: true } : { text: question(request) });
  const start = () =>
    startServer({
      dataDir: join(folder, "data"),
      env: { SPINDLE_EVALUATION_UPSTREAM_URL: upstream.url },
      args: ["--evaluation-concurrency", "2"],
    });
  const name = `${freshName("team")}/stop`;
  let server = await start();
  try {
    let project = new EvaluationProject(server, name);
    const rows = Array.from({ length: 40 }, (_, i) => ({ number: i, target: String(i) }));
    const exact = await project.scorer("exact", { kind: "exact_match" });
    const run = await project.evaluate(await project.evaluation(rows, [exact]), await project.model({ prompt: "{number}" }));
    await project.eventually(async () => (await project.status(run)).completed_rows === 10);
    const ended = await server.stop();
    assert.equal(ended.code, 0);
    open = true;
    server = await start();
    project = new EvaluationProject(server, name);
    const status = await project.finished(run);
    assert.deepEqual(status.output.exact, { passed: { true_count: 40, true_fraction: 1 } });
    assert.equal((await project.rows(run)).length, 40);
    assert.equal(upstream.requests.length, 42, "two requests were in flight");
  } finally {
    await server.kill();
    await upstream.close();
    removeFolder(folder);
  }
});
