// Evaluations that the server carries out itself, against a scripted upstream.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { uuid7 } from "./support/calls.mjs";
import { Lab } from "./support/evaluations.mjs";
import { expectViolations } from "./support/expect.mjs";
import { makeTeam, makeUser } from "./support/people.mjs";
import { startServer, withServer } from "./support/server.mjs";
import { question, startUpstream } from "./support/upstream.mjs";

const UPSTREAM_KEY = "upstream-secret-0123456789";
const ROWS = [
  { question: "2+2", target: "4" },
  { question: "capital of France", target: "Paris" },
  { question: "3+3", target: "6" },
];
const ANSWERS = { "2+2": "4", "capital of France": "Lyon", "3+3": "6" };
const answering = (request) => ({ text: ANSWERS[question(request)] ?? "no idea" });

let server;
let upstream;
let answer; // what the upstream does
before(async () => {
  upstream = await startUpstream((request) => answer(request));
  server = await startServer({
    env: { SPINDLE_EVALUATION_UPSTREAM_URL: upstream.url, SPINDLE_EVALUATION_UPSTREAM_KEY: UPSTREAM_KEY },
    args: ["--evaluation-retries", "2", "--evaluation-upstream-timeout", "1s"],
  });
});
after(async () => {
  await server.dispose();
  await upstream.close();
});

const forProject = (lab) => upstream.requests.filter(({ body }) => body.user === lab.id);
/** A model whose requests can be told from those of other tests. */
const botOf = (lab, more = {}) => lab.model({ parameters: { temperature: 0, user: lab.id }, ...more });

describe("/evaluations/evaluate_model", () => {
  test("evaluates a model over a dataset", async () => {
    answer = answering;
    const lab = new Lab(server);
    const exact = await lab.scorer("exact", { kind: "exact_match" });
    const near = await lab.scorer("near", { kind: "string_distance" });
    const evaluation = await lab.evaluation(ROWS, [exact, near]);
    const model = await botOf(lab);
    const run = await lab.evaluate(evaluation, model);
    const status = await lab.finished(run);
    assert.equal(status.code, "complete");
    assert.deepEqual(status.output.exact, { passed: { true_count: 2, true_fraction: 2 / 3 } });
    assert.deepEqual(Object.keys(status.output.near).sort(), ["distance", "similarity"]);
    assert.equal(typeof status.output.model_latency.mean, "number");

    assert.equal(forProject(lab).length, 3);
    for (const { path, headers, body } of forProject(lab)) {
      assert.equal(path, "/v1/chat/completions");
      assert.equal(headers.authorization, `Bearer ${UPSTREAM_KEY}`);
      assert.equal(body.model, "test-model");
      assert.equal(body.temperature, 0);
    }

    const read = await lab.calls.read(run);
    assert.equal(read.op_name, "Evaluation.evaluate");
    assert.deepEqual(read.inputs, { self: evaluation, model });
    assert.equal(read.attributes.svc.evaluation_run, "true");
    const rows = await lab.rows(run);
    assert.equal(rows.length, 3);
    for (const row of rows) {
      assert.match(row.inputs.example, new RegExp(`^svc:///${lab.id}/object/data:.*/attr/rows/id/`));
      assert.deepEqual(Object.keys(row.output.scores).sort(), ["exact", "near"]);
      const inside = await lab.children(row.id);
      assert.deepEqual(inside.map(({ op_name }) => op_name).sort(), ["bot.predict", "exact.score", "near.score"]);
      const predict = inside.find(({ op_name }) => op_name === "bot.predict");
      assert.deepEqual(predict.summary.usage, {
        "test-model": { requests: 1, prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
      });
      assert.equal(predict.output, row.output.output);
    }
    const results = await server.api("POST", `/v2/${lab.id}/eval_results/query`, {
      body: { evaluation_call_ids: [run], include_summary: true },
    });
    assert.equal(results.json.total_rows, 3, results.text);
    for (const { row_digest, evaluations } of results.json.rows) {
      assert.ok(rows.some(({ inputs }) => inputs.example.endsWith(`/id/${row_digest}`)));
      assert.equal(evaluations[0].trials[0].total_tokens, 15);
    }
    const [{ scorer_stats }] = results.json.summary.evaluations;
    const passed = scorer_stats.find(({ scorer_key }) => scorer_key === "exact");
    assert.deepEqual([passed.path, passed.value_type, passed.pass_rate], ["passed", "binary", 2 / 3]);
    await lab.ok("/cost/create", { costs: { "test-model": { prompt_token_cost: 0.5, completion_token_cost: 1 } } });
    const [{ id }] = await lab.children(rows[0].id);
    const { costs } = (await lab.calls.read(id, { include_costs: true })).summary.svc;
    assert.equal(costs["test-model"].prompt_tokens_total_cost, 5);
    assert.equal(costs["test-model"].completion_tokens_total_cost, 5);
    const children = await lab.children(run);
    assert.equal(children.filter(({ op_name }) => op_name === "Evaluation.summarize").length, 1);
  });

  test("makes every trial", async () => {
    answer = answering;
    const lab = new Lab(server);
    const run = await lab.evaluate(await lab.evaluation(ROWS, [], { trials: 4 }), await botOf(lab));
    assert.equal((await lab.finished(run)).code, "complete");
    assert.equal((await lab.rows(run)).length, 12);
  });

  test("asks again after 429, 500 and nonsense", async () => {
    const lab = new Lab(server);
    const tried = new Map();
    const troubles = {
      "2+2": { status: 429, headers: { "retry-after": "0" }, raw: '{"error":{"message":"slow down"}}' },
      "capital of France": { status: 500, raw: "oops" },
      "3+3": { raw: "nonsense" },
    };
    answer = (request) => {
      const asked = question(request);
      tried.set(asked, (tried.get(asked) ?? 0) + 1);
      return tried.get(asked) === 1 ? troubles[asked] : answering(request);
    };
    const exact = await lab.scorer("exact", { kind: "exact_match" });
    const run = await lab.evaluate(await lab.evaluation(ROWS, [exact]), await botOf(lab));
    const status = await lab.finished(run);
    assert.deepEqual(status.output.exact, { passed: { true_count: 2, true_fraction: 2 / 3 } });
    assert.deepEqual([...tried.values()], [2, 2, 2]);
  });

  test("records a row that fails for good, and goes on", async () => {
    const lab = new Lab(server);
    const rows = [
      { question: "fails" }, { question: "hangs" }, { question: "drops" }, { question: "refused" }, { other: 1 },
      { question: "works" },
    ];
    answer = (request) => ({
      fails: { status: 503, raw: '{"error":{"message":"overloaded"}}' },
      hangs: { hang: true },
      drops: { drop: true },
      refused: { status: 404, raw: '{"error":{"message":"no such model"}}' },
      works: { text: "fine" },
    })[question(request)];
    const has = await lab.scorer("has", { kind: "regex", pattern: "fine" });
    const run = await lab.evaluate(await lab.evaluation(rows, [has]), await botOf(lab));
    const status = await lab.finished(run);
    assert.equal(status.code, "complete");
    assert.deepEqual(status.output.has, { passed: { true_count: 1, true_fraction: 1 } });
    const found = await lab.rows(run);
    assert.equal(found.length, 6);
    const exceptions = [];
    for (const row of found) {
      assert.notEqual(row.ended_at, null);
      for (const call of await lab.children(row.id)) if (call.exception) exceptions.push(call.exception);
    }
    assert.deepEqual(exceptions.sort(), [
      "The example has no field 'question'.",
      "The upstream does not answer.",
      "The upstream failed with status 503: overloaded",
      "The upstream refused the request with status 404: no such model",
      "The upstream took too long to answer.",
    ]);
  });

  test("lets a judge score, and takes nonsense for an error", async () => {
    const lab = new Lab(server);
    answer = (request) => {
      if (request.body.model !== "judge-model") return answering(request);
      return { text: question(request).includes("Lyon") ? "I would rather not say." : '{"score": 1, "reason": "right"}' };
    };
    const judge = await lab.scorer("judge", { kind: "llm_judge", model: "judge-model", rubric: "Is it right?" });
    const run = await lab.evaluate(await lab.evaluation(ROWS, [judge]), await botOf(lab));
    const status = await lab.finished(run);
    assert.deepEqual(status.output.judge, { score: { mean: 1 } });
    const rows = await lab.rows(run);
    const values = rows.map(({ output }) => output.scores.judge);
    assert.deepEqual(values.filter((value) => value !== null), Array(2).fill({ score: 1, reason: "right" }));
    const failed = rows.find(({ output }) => output.scores.judge === null);
    const score = (await lab.children(failed.id)).find(({ op_name }) => op_name === "judge.score");
    assert.equal(score.exception, "The judge's answer is not a JSON object.");
    assert.equal(score.summary.usage["judge-model"].requests, 1);
    // What judges were asked are steps of an agent too; what the model itself was asked is in calls.
    const { spans } = await lab.ok("/agents/spans/query", { project_id: lab.id, include_details: true, custom_attr_columns: [{ source: "custom_attrs_string", key: "svc.source" }] });
    assert.equal(spans.length, ROWS.length);
    for (const span of spans) {
      assert.deepEqual([span.span_name, span.agent_name, span.operation_name, span.span_kind, span.status_code, span.request_model], ["Signal", "Signal", "chat", "CLIENT", "OK", "judge-model"]);
      assert.deepEqual(span.custom_attrs_string, { "svc.source": "signal" });
      assert.ok(span.input_messages.some(({ content }) => content.includes("Is it right?")) || span.system_instructions.join().includes("Is it right?"), JSON.stringify(span));
      assert.equal(span.output_messages.length, 1);
    }
  });

  test("says at once what cannot work", async () => {
    const lab = new Lab(server);
    const good = await lab.evaluation(ROWS, []);
    const model = await botOf(lab);
    const path = "/evaluations/evaluate_model";
    const refused = (evaluation_ref, model_ref, status, reason) =>
      lab.refused(path, { evaluation_ref, model_ref }, status, reason);
    await refused("nonsense", model, 400, "Not a reference to an object: nonsense");
    const missing = `svc:///${lab.id}/object/none:latest`;
    await refused(missing, model, 404, `Object not found: ${missing}`);
    await refused(good, missing, 404, `Object not found: ${missing}`);
    await refused(good, await lab.publish("odd", { files: {} }), 400,
      "Model 'odd': the server can only ask models with kind: chat_completion; others run in an SDK");
    await refused(model, model, 400, "Evaluation 'bot': it has no 'dataset' that is a reference");
    const python = await lab.publish("python", { _type: "Scorer", score: "abc" });
    await refused(await lab.evaluation(ROWS, [python], {}, "quiz2"), model, 400,
      "Scorer 'python': it is not a built-in scorer: the server runs objects that have a 'kind'");
  });

  test("checks its body", async () => {
    const lab = new Lab(server);
    expectViolations(await lab.calls.post("/evaluations/evaluate_model", {}),
      ["missing", "body", "project_id"], ["missing", "body", "evaluation_ref"], ["missing", "body", "model_ref"]);
  });

  test("shows nobody the upstream's key", async () => {
    assert.ok(!server.logs.includes(UPSTREAM_KEY));
  });
});

describe("/evaluations/status", () => {
  test("tells every stage of a run", async () => {
    const lab = new Lab(server);
    let release;
    const held = new Promise((resolve) => (release = resolve));
    answer = async (request) => {
      if (question(request) === "3+3") await held;
      return answering(request);
    };
    const run = await lab.evaluate(await lab.evaluation(ROWS, []), await botOf(lab));
    const half = await lab.eventually(async () => {
      const status = await lab.status(run);
      return status.completed_rows === 2 ? status : undefined;
    });
    assert.deepEqual(half, { code: "running", completed_rows: 2, total_rows: 3 });
    release();
    assert.equal((await lab.finished(run)).code, "complete");
  });

  test("does not find what is not there", async () => {
    const lab = new Lab(server);
    assert.deepEqual(await lab.status(uuid7()), { code: "not_found" });
    await lab.calls.complete({});
    assert.deepEqual(await lab.status(uuid7()), { code: "not_found" });
  });

  test("refuses other calls", async () => {
    const lab = new Lab(server);
    const [call] = await lab.calls.complete({});
    await lab.refused("/evaluations/status", { call_id: call.id }, 400, "Call is not an evaluation");
  });

  test("tells of runs that an SDK makes", async () => {
    const lab = new Lab(server);
    const evaluation = await lab.evaluation(ROWS, []);
    const run = await lab.calls.start({ op_name: `svc:///${lab.id}/op/Evaluation.evaluate:abc`, inputs: { self: evaluation } });
    await lab.calls.complete({ parent_id: run.id, trace_id: run.trace_id });
    await lab.calls.start({ parent_id: run.id, trace_id: run.trace_id });
    assert.deepEqual(await lab.status(run.id), { code: "running", completed_rows: 1, total_rows: 3 });
    await lab.calls.end(run.id, { output: { acc: { mean: 1 } } });
    assert.deepEqual(await lab.status(run.id), { code: "complete", output: { acc: { mean: 1 } } });
    const failing = await lab.calls.start({ op_name: "Evaluation.evaluate" });
    assert.deepEqual(await lab.status(failing.id), { code: "running", completed_rows: 0, total_rows: 0 });
    await lab.calls.end(failing.id, { exception: "lost" });
    assert.deepEqual(await lab.status(failing.id), { code: "failed", error: null });
  });

  test("checks its body", async () => {
    const lab = new Lab(server);
    expectViolations(await lab.calls.post("/evaluations/status", {}),
      ["missing", "body", "project_id"], ["missing", "body", "call_id"]);
  });
});

describe("/evaluations/rescore", () => {
  test("scores stored predictions with other scorers", async () => {
    answer = answering;
    const lab = new Lab(server);
    const exact = await lab.scorer("exact", { kind: "exact_match" });
    const source = await lab.evaluate(await lab.evaluation(ROWS, [exact]), await botOf(lab));
    await lab.finished(source);
    const asked = forProject(lab).length;
    const near = await lab.scorer("near", { kind: "contains" });
    const answered = await lab.ok("/evaluations/rescore", { source_evaluation_run_id: source, scorer_refs: [near] });
    assert.deepEqual(Object.keys(answered).sort(), ["call_id", "evaluation_run_id"]);
    assert.equal(answered.call_id, answered.evaluation_run_id);
    const status = await lab.finished(answered.call_id);
    assert.deepEqual(status.output.near, { passed: { true_count: 2, true_fraction: 2 / 3 } });
    assert.equal(forProject(lab).length, asked, "no model was asked");
    const read = await lab.calls.read(answered.call_id);
    assert.equal(read.attributes.svc.source_evaluation_run_id, source);
    const shown = await server.api("GET", `/v2/${lab.id}/evaluation_runs/${answered.call_id}`);
    assert.equal(shown.json.source_evaluation_run_id, source);
    assert.equal(shown.json.status, "completed");
    const before = (await lab.rows(source)).map(({ inputs, output }) => [inputs.example, output.output]).sort();
    const now = (await lab.rows(answered.call_id)).map(({ inputs, output }) => [inputs.example, output.output]).sort();
    assert.deepEqual(now, before);
  });

  test("scores runs that an SDK made", async () => {
    const lab = new Lab(server);
    const run = await lab.calls.start({ op_name: "Evaluation.evaluate", inputs: { self: "x", model: "y" } });
    for (const [i, output] of ["4", "5"].entries()) {
      await lab.calls.complete({
        parent_id: run.id, trace_id: run.trace_id, op_name: `svc:///${lab.id}/op/Evaluation.predict_and_score:abc`,
        inputs: { self: "x", model: "y", example: { i, target: "4" } },
        output: { output, scores: {}, model_latency: 0.5 },
      });
    }
    await lab.calls.end(run.id, { output: {} });
    const exact = await lab.scorer("exact", { kind: "exact_match" });
    const { call_id } = await lab.ok("/evaluations/rescore", { source_evaluation_run_id: run.id, scorer_refs: [exact] });
    const status = await lab.finished(call_id);
    assert.deepEqual(status.output, {
      exact: { passed: { true_count: 1, true_fraction: 0.5 } }, model_latency: { mean: 0.5 },
    });
  });

  test("says what is wrong", async () => {
    const lab = new Lab(server);
    const exact = await lab.scorer("exact", { kind: "exact_match" });
    const path = "/evaluations/rescore";
    const id = uuid7();
    await lab.refused(path, { source_evaluation_run_id: id, scorer_refs: [exact] }, 404, `Evaluation run ${id} not found`);
    const open = await lab.calls.start({ op_name: "Evaluation.evaluate" });
    await lab.refused(path, { source_evaluation_run_id: open.id, scorer_refs: [exact] }, 400,
      `Evaluation run ${open.id} is still running`);
    const [call] = await lab.calls.complete({});
    await lab.refused(path, { source_evaluation_run_id: call.id, scorer_refs: [exact] }, 400, "Call is not an evaluation");
    expectViolations(await lab.post(path, { source_evaluation_run_id: id, scorer_refs: [] }),
      ["too_short", "body", "scorer_refs"]);
    expectViolations(await lab.calls.post(path, {}), ["missing", "body", "project_id"],
      ["missing", "body", "source_evaluation_run_id"], ["missing", "body", "scorer_refs"]);
  });
});

describe("/calls/score", () => {
  test("scores calls as they are", async () => {
    const lab = new Lab(server);
    const [good, bad] = await lab.calls.complete(
      { inputs: { target: "yes" }, output: "yes" }, { inputs: { target: "yes" }, output: "no" });
    const exact = await lab.scorer("exact", { kind: "exact_match" });
    assert.deepEqual(await lab.ok("/calls/score", { call_ids: [good.id, uuid7(), bad.id], scorer_refs: [exact] }), {});
    const said = await lab.eventually(async () => {
      const found = await lab.calls.ok("/feedback/query", { project_id: lab.id });
      return found.result.length === 2 ? found.result : undefined;
    });
    const byCall = Object.fromEntries(said.map((item) => [item.svc_ref.split("/").at(-1), item]));
    assert.equal(byCall[good.id].feedback_type, "svc.runnable.exact");
    assert.equal(byCall[good.id].runnable_ref, exact);
    assert.deepEqual(byCall[good.id].payload, { output: { passed: true } });
    assert.deepEqual(byCall[bad.id].payload, { output: { passed: false } });
    const score = await lab.calls.read(byCall[bad.id].call_ref.split("/").at(-1));
    assert.equal(score.op_name, "exact.score");
  });

  test("says what is wrong", async () => {
    const lab = new Lab(server);
    const odd = await lab.publish("odd", { kind: "magic" });
    await lab.refused("/calls/score", { call_ids: [uuid7()], scorer_refs: [odd] }, 400,
      "Scorer 'odd': 'magic' is no kind of built-in scorer");
    expectViolations(await lab.calls.post("/calls/score", {}), ["missing", "body", "project_id"],
      ["missing", "body", "call_ids"], ["missing", "body", "scorer_refs"]);
  });
});

describe("/evaluations/cancel", () => {
  test("ends a run in the middle", async () => {
    const lab = new Lab(server);
    answer = (request) => (question(request) === "2+2" ? { text: "4" } : { hang: true });
    const run = await lab.evaluate(await lab.evaluation(ROWS, []), await botOf(lab));
    await lab.eventually(async () => (await lab.status(run)).completed_rows === 1);
    assert.deepEqual(await lab.ok("/evaluations/cancel", { call_id: run }), { cancelled: true });
    assert.deepEqual(await lab.finished(run), { code: "failed", error: null });
    assert.equal((await lab.calls.read(run)).exception, "The evaluation was cancelled.");
    assert.deepEqual(await lab.ok("/evaluations/cancel", { call_id: run }), { cancelled: false });
    assert.equal((await lab.rows(run)).filter(({ ended_at }) => ended_at !== null).length, 1, "what was scored stays");
  });

  test("says what is wrong", async () => {
    const lab = new Lab(server);
    const id = uuid7();
    await lab.refused("/evaluations/cancel", { call_id: id }, 404, `Evaluation run ${id} not found`);
    const own = await lab.calls.start({ op_name: "Evaluation.evaluate" });
    await lab.refused("/evaluations/cancel", { call_id: own.id }, 400,
      "The evaluation is not carried out by the server");
  });
});

describe("strangers", () => {
  const ask = {
    "/evaluations/evaluate_model": ({ evaluation, model }) => ({ evaluation_ref: evaluation, model_ref: model }),
    "/evaluations/status": ({ run }) => ({ call_id: run }),
    "/evaluations/rescore": ({ run, exact }) => ({ source_evaluation_run_id: run, scorer_refs: [exact] }),
    "/evaluations/cancel": ({ run }) => ({ call_id: run }),
    "/calls/score": ({ run, exact }) => ({ call_ids: [run], scorer_refs: [exact] }),
  };

  test("cannot tell a run from none, and name nothing of others in their own projects", async () => {
    answer = answering;
    const { name } = await makeTeam(server);
    const lab = new Lab(server, `${name}/lab`);
    const exact = await lab.scorer("exact", { kind: "exact_match" });
    const evaluation = await lab.evaluation(ROWS, [exact]);
    const model = await botOf(lab);
    const run = await lab.evaluate(evaluation, model);
    await lab.finished(run);
    const made = { evaluation, model, run, exact };
    const stranger = await makeUser(server, "stranger");
    const own = (await makeTeam(server, { admin: stranger.username })).name;
    for (const [path, body] of Object.entries(ask)) {
      const without = await lab.post(path, body(made), { key: null });
      assert.equal(without.status, 401, path);
      const hidden = await lab.post(path, body(made), { key: stranger.key });
      assert.equal(hidden.status, 404, `${path}: ${hidden.text}`);
      assert.deepEqual(hidden.json, { reason: "Project not found" });
      const here = await server.api("POST", path, {
        key: stranger.key, body: { project_id: `${own}/mine`, ...body(made) },
      });
      const nothing = path === "/evaluations/status" ? [200] : [404];
      assert.ok(nothing.includes(here.status), `${path}: ${here.text}`);
      if (here.status === 200) assert.deepEqual(here.json, { status: { code: "not_found" } });
    }
    assert.equal((await lab.calls.read(run)).exception, null);
  });
});

describe("a server without an upstream", () => {
  test("fails the rows and says why", () =>
    withServer({}, async (bare) => {
      const lab = new Lab(bare);
      const run = await lab.evaluate(await lab.evaluation([ROWS[0]], []), await lab.model());
      assert.equal((await lab.finished(run)).code, "complete");
      const [row] = await lab.rows(run);
      const [predict] = await lab.children(row.id);
      assert.equal(predict.exception, "The server has no upstream for models: set evaluation.upstream_url.");
    }));
});
