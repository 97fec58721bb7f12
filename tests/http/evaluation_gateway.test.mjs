// Evaluations ask the models of the catalogue through the gateway: with its replicas, its limits and
// its usage. Models that it does not know go where they used to.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Lab } from "./support/evaluations.mjs";
import { addLimit, addModel, expectUsage } from "./support/gateway.mjs";
import { startScriptedUpstream } from "./support/scripted_upstream.mjs";
import { startServer } from "./support/server.mjs";
import { startUpstream } from "./support/upstream.mjs";

const ROWS = [{ question: "a", target: "Hello there" }, { question: "b", target: "Hello there" }];

let server;
let elsewhere; // what evaluations were told to ask before there was a gateway
let upstream;
before(async () => {
  elsewhere = await startUpstream(() => ({ text: "from elsewhere" }));
  upstream = await startScriptedUpstream();
  server = await startServer({
    env: { SPINDLE_EVALUATION_UPSTREAM_URL: elsewhere.url },
    args: ["--evaluation-retries", "0"],
  });
});
after(async () => {
  await server.dispose();
  await upstream.close();
  await elsewhere.close();
});

async function evaluated(lab, model, scorers = []) {
  const run = await lab.evaluate(await lab.evaluation(ROWS, scorers), await lab.model({ model }));
  return { run, status: await lab.finished(run) };
}

test("a model of the catalogue is asked through the gateway, and its usage counts for the project", async () => {
  const lab = new Lab(server);
  const model = await addModel(server, [upstream.url]);
  const before = elsewhere.requests.length;
  const { status } = await evaluated(lab, model, [await lab.scorer("exact", { kind: "exact_match" })]);
  assert.deepEqual(status.output.exact, { passed: { true_count: 2, true_fraction: 1 } });
  assert.equal(elsewhere.requests.length, before);
  await expectUsage(server, model, { requests: 2, prompt: 20, completion: 10 });
  const answer = await server.api("GET", `/api/v1/usage?${new URLSearchParams({ group_by: "project", model })}`);
  assert.equal(answer.json.items[0].project, lab.id, answer.text);
});

test("a judge is asked there too, and a replica that is down does not disturb it", async () => {
  const lab = new Lab(server);
  const judge = await addModel(server, [
    { url: "http://127.0.0.1:9/v1", tier: 0 },
    { url: upstream.url, tier: 1 },
  ]);
  upstream.script = (exchange) => exchange.complete('{"score": 1, "reason": "right"}');
  const scorer = await lab.scorer("judge", { kind: "llm_judge", model: judge, rubric: "Is it right?" });
  const { status } = await evaluated(lab, "unknown-here", [scorer]);
  assert.deepEqual(status.output.judge, { score: { mean: 1 } });
  await expectUsage(server, judge, { requests: 2, prompt: 20, completion: 10 });
});

test("a limit of the project holds for its evaluations", async () => {
  const lab = new Lab(server);
  const model = await addModel(server, [upstream.url]);
  await evaluated(lab, model);
  await addLimit(server, { project: lab.id, budget_usd: 0, requests_per_minute: 1 });
  const { run } = await evaluated(lab, model);
  const rows = await lab.rows(run);
  assert.ok(rows.some(({ output }) => output.output === null), JSON.stringify(rows.map(({ output }) => output)));
});
