// Evaluations request models of the catalogue through the gateway, with its replicas, limits and usage. Other
// models go to the configured evaluation upstream.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { EvaluationProject } from "./support/evaluations.mjs";
import { addLimit, addModel, expectUsage } from "./support/gateway.mjs";
import { startScriptedUpstream } from "./support/scripted_upstream.mjs";
import { startServer } from "./support/server.mjs";
import { startUpstream } from "./support/upstream.mjs";

const ROWS = [{ question: "a", target: "Hello there" }, { question: "b", target: "Hello there" }];

let server;
let otherUpstream; // the evaluation upstream
let upstream;
before(async () => {
  otherUpstream = await startUpstream(() => ({ text: "from elsewhere" }));
  upstream = await startScriptedUpstream();
  server = await startServer({
    env: { SPINDLE_EVALUATION_UPSTREAM_URL: otherUpstream.url },
    args: ["--evaluation-retries", "0"],
  });
});
after(async () => {
  await server.dispose();
  await upstream.close();
  await otherUpstream.close();
});

async function evaluated(project, model, scorers = []) {
  const run = await project.evaluate(await project.evaluation(ROWS, scorers), await project.model({ model }));
  return { run, status: await project.finished(run) };
}

test("a model of the catalogue is requested through the gateway, and its usage counts for the project", async () => {
  const project = new EvaluationProject(server);
  const model = await addModel(server, [upstream.url]);
  const before = otherUpstream.requests.length;
  const { status } = await evaluated(project, model, [await project.scorer("exact", { kind: "exact_match" })]);
  assert.deepEqual(status.output.exact, { passed: { true_count: 2, true_fraction: 1 } });
  assert.equal(otherUpstream.requests.length, before);
  await expectUsage(server, model, { requests: 2, prompt: 20, completion: 10 });
  const answer = await server.api("GET", `/api/v1/usage?${new URLSearchParams({ group_by: "project", model })}`);
  assert.equal(answer.json.items[0].project, project.id, answer.text);
});

test("a judge uses the gateway too, also with an unavailable replica", async () => {
  const project = new EvaluationProject(server);
  const judge = await addModel(server, [
    { url: "http://127.0.0.1:9/v1", tier: 0 },
    { url: upstream.url, tier: 1 },
  ]);
  upstream.script = (exchange) => exchange.complete('{"score": 1, "reason": "right"}');
  const scorer = await project.scorer("judge", { kind: "llm_judge", model: judge, rubric: "Is it right?" });
  const { status } = await evaluated(project, "unknown-here", [scorer]);
  assert.deepEqual(status.output.judge, { score: { mean: 1 } });
  await expectUsage(server, judge, { requests: 2, prompt: 20, completion: 10 });
});

test("a limit of the project applies to its evaluations", async () => {
  const project = new EvaluationProject(server);
  const model = await addModel(server, [upstream.url]);
  await evaluated(project, model);
  await addLimit(server, { project: project.id, budget_usd: 0, requests_per_minute: 1 });
  const { run } = await evaluated(project, model);
  const rows = await project.rows(run);
  assert.ok(rows.some(({ output }) => output.output === null), JSON.stringify(rows.map(({ output }) => output)));
});
