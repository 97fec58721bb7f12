// SIGKILL at random moments while the server evaluates: it goes on after each restart, and in the
// end every example has been scored exactly once.

import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";

import { Lab } from "./support/evaluations.mjs";
import { freshName } from "./support/people.mjs";
import { makeFolder, removeFolder } from "./support/program.mjs";
import { startServer } from "./support/server.mjs";
import { question, startUpstream } from "./support/upstream.mjs";

const EXAMPLES = 1000;
const KILLS = 6;

test("an evaluation of 1,000 examples survives kills, every example scored once", { timeout: 300_000 }, async () => {
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
    let lab = new Lab(server, name);
    const rows = Array.from({ length: EXAMPLES }, (_, i) => ({ number: i, target: String(i) }));
    const exact = await lab.scorer("exact", { kind: "exact_match" });
    const evaluation = await lab.evaluation(rows, [exact]);
    const run = await lab.evaluate(evaluation, await lab.model({ prompt: "{number}" }));
    for (let kill = 1; kill <= KILLS; ++kill) {
      const target = Math.floor((EXAMPLES * kill) / (KILLS + 2)) + randomInt(20);
      while (upstream.requests.length < target) await new Promise((resolve) => setImmediate(resolve));
      await server.kill();
      server = await start();
      lab = new Lab(server, name);
      assert.equal((await lab.status(run)).code, "running");
    }
    const status = await lab.finished(run);
    assert.equal(status.code, "complete");
    assert.deepEqual(status.output.exact, { passed: { true_count: 750, true_fraction: 0.75 } });

    const found = await lab.rows(run);
    assert.equal(found.length, EXAMPLES);
    assert.equal(new Set(found.map(({ inputs }) => inputs.example)).size, EXAMPLES, "every example once");
    const below = await lab.calls.query({ filter: { parent_ids: found.map(({ id }) => id) } });
    const scores = below.filter(({ op_name }) => op_name === "exact.score");
    const predictions = below.filter(({ op_name }) => op_name === "bot.predict");
    assert.equal(below.length, 2 * EXAMPLES);
    assert.equal(new Set(scores.map(({ parent_id }) => parent_id)).size, EXAMPLES);
    assert.equal(new Set(predictions.map(({ parent_id }) => parent_id)).size, EXAMPLES);
    for (const call of [...found, ...below]) assert.equal(call.exception, null);
    const { result } = await lab.calls.ok("/feedback/query", { project_id: lab.id, fields: ["svc_ref"] });
    assert.equal(result.length, EXAMPLES, "feedback of every prediction");
    assert.equal(new Set(result.map(({ svc_ref }) => svc_ref)).size, EXAMPLES);
    // What was under way at a kill may be asked again; what was answered and kept is not.
    assert.ok(upstream.requests.length <= EXAMPLES + KILLS * 8 * 2, `${upstream.requests.length} requests`);
  } finally {
    await server.kill();
    await upstream.close();
    removeFolder(folder);
  }
});

test("a server that is stopped hands its runs back, and the next goes on", { timeout: 120_000 }, async () => {
  const folder = makeFolder();
  let open = false; // what comes after the tenth example waits until then
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
    let lab = new Lab(server, name);
    const rows = Array.from({ length: 40 }, (_, i) => ({ number: i, target: String(i) }));
    const exact = await lab.scorer("exact", { kind: "exact_match" });
    const run = await lab.evaluate(await lab.evaluation(rows, [exact]), await lab.model({ prompt: "{number}" }));
    await lab.eventually(async () => (await lab.status(run)).completed_rows === 10);
    const ended = await server.stop();
    assert.equal(ended.code, 0);
    open = true;
    server = await start();
    lab = new Lab(server, name);
    const status = await lab.finished(run);
    assert.deepEqual(status.output.exact, { passed: { true_count: 40, true_fraction: 1 } });
    assert.equal((await lab.rows(run)).length, 40);
    assert.equal(upstream.requests.length, 42, "two were under way");
  } finally {
    await server.kill();
    await upstream.close();
    removeFolder(folder);
  }
});
