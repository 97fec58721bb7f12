// Evaluations that the server runs, with a fake upstream.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { uuid7 } from "./support/calls.mjs";
import { EvaluationProject } from "./support/evaluations.mjs";
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
let answer; // the response of the upstream
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

const forProject = (project) => upstream.requests.filter(({ body }) => body.user === project.id);
/** Creates a model whose requests can be distinguished from those of other tests. */
const botOf = (project, more = {}) => project.model({ parameters: { temperature: 0, user: project.id }, ...more });

describe("/evaluations/evaluate_model", () => {
  test("evaluates a model over a dataset", async () => {
    answer = answering;
    const project = new EvaluationProject(server);
    const exact = await project.scorer("exact", { kind: "exact_match" });
    const near = await project.scorer("near", { kind: "string_distance" });
    const evaluation = await project.evaluation(ROWS, [exact, near]);
    const model = await botOf(project);
    const run = await project.evaluate(evaluation, model);
    const status = await project.finished(run);
    assert.equal(status.code, "complete");
    assert.deepEqual(status.output.exact, { passed: { true_count: 2, true_fraction: 2 / 3 } });
    assert.deepEqual(Object.keys(status.output.near).sort(), ["distance", "similarity"]);
    assert.equal(typeof status.output.model_latency.mean, "number");

    assert.equal(forProject(project).length, 3);
    for (const { path, headers, body } of forProject(project)) {
      assert.equal(path, "/v1/chat/completions");
      assert.equal(headers.authorization, `Bearer ${UPSTREAM_KEY}`);
      assert.equal(body.model, "test-model");
      assert.equal(body.temperature, 0);
    }

    const read = await project.calls.read(run);
    assert.equal(read.op_name, "Evaluation.evaluate");
    assert.deepEqual(read.inputs, { self: evaluation, model });
    assert.equal(read.attributes.svc.evaluation_run, "true");
    const rows = await project.rows(run);
    assert.equal(rows.length, 3);
    for (const row of rows) {
      assert.match(row.inputs.example, new RegExp(`^svc:///${project.id}/object/data:.*/attr/rows/id/`));
      assert.deepEqual(Object.keys(row.output.scores).sort(), ["exact", "near"]);
      const inside = await project.children(row.id);
      assert.deepEqual(inside.map(({ op_name }) => op_name).sort(), ["bot.predict", "exact.score", "near.score"]);
      const predict = inside.find(({ op_name }) => op_name === "bot.predict");
      assert.deepEqual(predict.summary.usage, {
        "test-model": { requests: 1, prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
      });
      assert.equal(predict.output, row.output.output);
    }
    const results = await server.api("POST", `/v2/${project.id}/eval_results/query`, {
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
    await project.ok("/cost/create", { costs: { "test-model": { prompt_token_cost: 0.5, completion_token_cost: 1 } } });
    const [{ id }] = await project.children(rows[0].id);
    const { costs } = (await project.calls.read(id, { include_costs: true })).summary.svc;
    assert.equal(costs["test-model"].prompt_tokens_total_cost, 5);
    assert.equal(costs["test-model"].completion_tokens_total_cost, 5);
    const children = await project.children(run);
    assert.equal(children.filter(({ op_name }) => op_name === "Evaluation.summarize").length, 1);
  });

  test("runs every trial", async () => {
    answer = answering;
    const project = new EvaluationProject(server);
    const run = await project.evaluate(await project.evaluation(ROWS, [], { trials: 4 }), await botOf(project));
    assert.equal((await project.finished(run)).code, "complete");
    assert.equal((await project.rows(run)).length, 12);
  });

  test("retries after 429, 500 and invalid responses", async () => {
    const project = new EvaluationProject(server);
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
    const exact = await project.scorer("exact", { kind: "exact_match" });
    const run = await project.evaluate(await project.evaluation(ROWS, [exact]), await botOf(project));
    const status = await project.finished(run);
    assert.deepEqual(status.output.exact, { passed: { true_count: 2, true_fraction: 2 / 3 } });
    assert.deepEqual([...tried.values()], [2, 2, 2]);
  });

  test("records a row that fails permanently, and continues", async () => {
    const project = new EvaluationProject(server);
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
    const has = await project.scorer("has", { kind: "regex", pattern: "fine" });
    const run = await project.evaluate(await project.evaluation(rows, [has]), await botOf(project));
    const status = await project.finished(run);
    assert.equal(status.code, "complete");
    assert.deepEqual(status.output.has, { passed: { true_count: 1, true_fraction: 1 } });
    const found = await project.rows(run);
    assert.equal(found.length, 6);
    const exceptions = [];
    for (const row of found) {
      assert.notEqual(row.ended_at, null);
      for (const call of await project.children(row.id)) if (call.exception) exceptions.push(call.exception);
    }
    assert.deepEqual(exceptions.sort(), [
      "The example has no field 'question'.",
      "The upstream does not answer.",
      "The upstream failed with status 503: overloaded",
      "The upstream refused the request with status 404: no such model",
      "The upstream took too long to answer.",
    ]);
  });

  test("scores with a judge, and records an invalid answer as an error", async () => {
    const project = new EvaluationProject(server);
    answer = (request) => {
      if (request.body.model !== "judge-model") return answering(request);
      return { text: question(request).includes("Lyon") ? "I would rather not say." : '{"score": 1, "reason": "right"}' };
    };
    const judge = await project.scorer("judge", { kind: "llm_judge", model: "judge-model", rubric: "Is it right?" });
    const run = await project.evaluate(await project.evaluation(ROWS, [judge]), await botOf(project));
    const status = await project.finished(run);
    assert.deepEqual(status.output.judge, { score: { mean: 1 } });
    const rows = await project.rows(run);
    const values = rows.map(({ output }) => output.scores.judge);
    assert.deepEqual(values.filter((value) => value !== null), Array(2).fill({ score: 1, reason: "right" }));
    const failed = rows.find(({ output }) => output.scores.judge === null);
    const score = (await project.children(failed.id)).find(({ op_name }) => op_name === "judge.score");
    assert.equal(score.exception, "The judge's answer is not a JSON object.");
    assert.equal(score.summary.usage["judge-model"].requests, 1);
    // Requests to judges are recorded as agent spans too; requests to the model are recorded as calls.
    const { spans } = await project.ok("/agents/spans/query", { project_id: project.id, include_details: true, custom_attr_columns: [{ source: "custom_attrs_string", key: "svc.source" }] });
    assert.equal(spans.length, ROWS.length);
    for (const span of spans) {
      assert.deepEqual([span.span_name, span.agent_name, span.operation_name, span.span_kind, span.status_code, span.request_model], ["Signal", "Signal", "chat", "CLIENT", "OK", "judge-model"]);
      assert.deepEqual(span.custom_attrs_string, { "svc.source": "signal" });
      assert.ok(span.input_messages.some(({ content }) => content.includes("Is it right?")) || span.system_instructions.join().includes("Is it right?"), JSON.stringify(span));
      assert.equal(span.output_messages.length, 1);
    }
  });

  test("rejects invalid evaluations immediately", async () => {
    const project = new EvaluationProject(server);
    const good = await project.evaluation(ROWS, []);
    const model = await botOf(project);
    const path = "/evaluations/evaluate_model";
    const refused = (evaluation_ref, model_ref, status, reason) =>
      project.refused(path, { evaluation_ref, model_ref }, status, reason);
    await refused("nonsense", model, 400, "Not a reference to an object: nonsense");
    const missing = `svc:///${project.id}/object/none:latest`;
    await refused(missing, model, 404, `Object not found: ${missing}`);
    await refused(good, missing, 404, `Object not found: ${missing}`);
    await refused(good, await project.publish("odd", { files: {} }), 400,
      "Model 'odd': the server can only ask models with kind: chat_completion; others run in an SDK");
    await refused(model, model, 400, "Evaluation 'bot': it has no 'dataset' that is a reference");
    const python = await project.publish("python", { _type: "Scorer", score: "abc" });
    await refused(await project.evaluation(ROWS, [python], {}, "quiz2"), model, 400,
      "Scorer 'python': it is not a built-in scorer: the server runs objects that have a 'kind'");
  });

  test("checks its body", async () => {
    const project = new EvaluationProject(server);
    expectViolations(await project.calls.post("/evaluations/evaluate_model", {}),
      ["missing", "body", "project_id"], ["missing", "body", "evaluation_ref"], ["missing", "body", "model_ref"]);
  });

  test("never returns the upstream's key", async () => {
    assert.ok(!server.logs.includes(UPSTREAM_KEY));
  });
});

describe("/evaluations/status", () => {
  test("returns every phase of a run", async () => {
    const project = new EvaluationProject(server);
    let release;
    const held = new Promise((resolve) => (release = resolve));
    answer = async (request) => {
      if (question(request) === "3+3") await held;
      return answering(request);
    };
    const run = await project.evaluate(await project.evaluation(ROWS, []), await botOf(project));
    const half = await project.eventually(async () => {
      const status = await project.status(run);
      return status.completed_rows === 2 ? status : undefined;
    });
    assert.deepEqual(half, { code: "running", completed_rows: 2, total_rows: 3 });
    release();
    assert.equal((await project.finished(run)).code, "complete");
  });

  test("returns not_found for unknown runs", async () => {
    const project = new EvaluationProject(server);
    assert.deepEqual(await project.status(uuid7()), { code: "not_found" });
    await project.calls.complete({});
    assert.deepEqual(await project.status(uuid7()), { code: "not_found" });
  });

  test("rejects other calls", async () => {
    const project = new EvaluationProject(server);
    const [call] = await project.calls.complete({});
    await project.refused("/evaluations/status", { call_id: call.id }, 400, "Call is not an evaluation");
  });

  test("returns runs of an SDK", async () => {
    const project = new EvaluationProject(server);
    const evaluation = await project.evaluation(ROWS, []);
    const run = await project.calls.start({ op_name: `svc:///${project.id}/op/Evaluation.evaluate:abc`, inputs: { self: evaluation } });
    await project.calls.complete({ parent_id: run.id, trace_id: run.trace_id });
    await project.calls.start({ parent_id: run.id, trace_id: run.trace_id });
    assert.deepEqual(await project.status(run.id), { code: "running", completed_rows: 1, total_rows: 3 });
    await project.calls.end(run.id, { output: { acc: { mean: 1 } } });
    assert.deepEqual(await project.status(run.id), { code: "complete", output: { acc: { mean: 1 } } });
    const failing = await project.calls.start({ op_name: "Evaluation.evaluate" });
    assert.deepEqual(await project.status(failing.id), { code: "running", completed_rows: 0, total_rows: 0 });
    await project.calls.end(failing.id, { exception: "lost" });
    assert.deepEqual(await project.status(failing.id), { code: "failed", error: null });
  });

  test("checks its body", async () => {
    const project = new EvaluationProject(server);
    expectViolations(await project.calls.post("/evaluations/status", {}),
      ["missing", "body", "project_id"], ["missing", "body", "call_id"]);
  });
});

describe("/evaluations/rescore", () => {
  test("scores stored predictions with other scorers", async () => {
    answer = answering;
    const project = new EvaluationProject(server);
    const exact = await project.scorer("exact", { kind: "exact_match" });
    const source = await project.evaluate(await project.evaluation(ROWS, [exact]), await botOf(project));
    await project.finished(source);
    const asked = forProject(project).length;
    const near = await project.scorer("near", { kind: "contains" });
    const answered = await project.ok("/evaluations/rescore", { source_evaluation_run_id: source, scorer_refs: [near] });
    assert.deepEqual(Object.keys(answered).sort(), ["call_id", "evaluation_run_id"]);
    assert.equal(answered.call_id, answered.evaluation_run_id);
    const status = await project.finished(answered.call_id);
    assert.deepEqual(status.output.near, { passed: { true_count: 2, true_fraction: 2 / 3 } });
    assert.equal(forProject(project).length, asked, "no model was requested");
    const read = await project.calls.read(answered.call_id);
    assert.equal(read.attributes.svc.source_evaluation_run_id, source);
    const shown = await server.api("GET", `/v2/${project.id}/evaluation_runs/${answered.call_id}`);
    assert.equal(shown.json.source_evaluation_run_id, source);
    assert.equal(shown.json.status, "completed");
    const before = (await project.rows(source)).map(({ inputs, output }) => [inputs.example, output.output]).sort();
    const now = (await project.rows(answered.call_id)).map(({ inputs, output }) => [inputs.example, output.output]).sort();
    assert.deepEqual(now, before);
  });

  test("scores runs of an SDK", async () => {
    const project = new EvaluationProject(server);
    const run = await project.calls.start({ op_name: "Evaluation.evaluate", inputs: { self: "x", model: "y" } });
    for (const [i, output] of ["4", "5"].entries()) {
      await project.calls.complete({
        parent_id: run.id, trace_id: run.trace_id, op_name: `svc:///${project.id}/op/Evaluation.predict_and_score:abc`,
        inputs: { self: "x", model: "y", example: { i, target: "4" } },
        output: { output, scores: {}, model_latency: 0.5 },
      });
    }
    await project.calls.end(run.id, { output: {} });
    const exact = await project.scorer("exact", { kind: "exact_match" });
    const { call_id } = await project.ok("/evaluations/rescore", { source_evaluation_run_id: run.id, scorer_refs: [exact] });
    const status = await project.finished(call_id);
    assert.deepEqual(status.output, {
      exact: { passed: { true_count: 1, true_fraction: 0.5 } }, model_latency: { mean: 0.5 },
    });
  });

  test("reports errors", async () => {
    const project = new EvaluationProject(server);
    const exact = await project.scorer("exact", { kind: "exact_match" });
    const path = "/evaluations/rescore";
    const id = uuid7();
    await project.refused(path, { source_evaluation_run_id: id, scorer_refs: [exact] }, 404, `Evaluation run ${id} not found`);
    const open = await project.calls.start({ op_name: "Evaluation.evaluate" });
    await project.refused(path, { source_evaluation_run_id: open.id, scorer_refs: [exact] }, 400,
      `Evaluation run ${open.id} is still running`);
    const [call] = await project.calls.complete({});
    await project.refused(path, { source_evaluation_run_id: call.id, scorer_refs: [exact] }, 400, "Call is not an evaluation");
    expectViolations(await project.post(path, { source_evaluation_run_id: id, scorer_refs: [] }),
      ["too_short", "body", "scorer_refs"]);
    expectViolations(await project.calls.post(path, {}), ["missing", "body", "project_id"],
      ["missing", "body", "source_evaluation_run_id"], ["missing", "body", "scorer_refs"]);
  });
});

describe("/calls/score", () => {
  test("scores existing calls", async () => {
    const project = new EvaluationProject(server);
    const [good, bad] = await project.calls.complete(
      { inputs: { target: "yes" }, output: "yes" }, { inputs: { target: "yes" }, output: "no" });
    const exact = await project.scorer("exact", { kind: "exact_match" });
    assert.deepEqual(await project.ok("/calls/score", { call_ids: [good.id, uuid7(), bad.id], scorer_refs: [exact] }), {});
    const said = await project.eventually(async () => {
      const found = await project.calls.ok("/feedback/query", { project_id: project.id });
      return found.result.length === 2 ? found.result : undefined;
    });
    const byCall = Object.fromEntries(said.map((item) => [item.svc_ref.split("/").at(-1), item]));
    assert.equal(byCall[good.id].feedback_type, "svc.runnable.exact");
    assert.equal(byCall[good.id].runnable_ref, exact);
    assert.deepEqual(byCall[good.id].payload, { output: { passed: true } });
    assert.deepEqual(byCall[bad.id].payload, { output: { passed: false } });
    const score = await project.calls.read(byCall[bad.id].call_ref.split("/").at(-1));
    assert.equal(score.op_name, "exact.score");
  });

  test("reports errors", async () => {
    const project = new EvaluationProject(server);
    const odd = await project.publish("odd", { kind: "magic" });
    await project.refused("/calls/score", { call_ids: [uuid7()], scorer_refs: [odd] }, 400,
      "Scorer 'odd': 'magic' is no kind of built-in scorer");
    expectViolations(await project.calls.post("/calls/score", {}), ["missing", "body", "project_id"],
      ["missing", "body", "call_ids"], ["missing", "body", "scorer_refs"]);
  });
});

describe("/evaluations/cancel", () => {
  test("stops a running evaluation", async () => {
    const project = new EvaluationProject(server);
    answer = (request) => (question(request) === "2+2" ? { text: "4" } : { hang: true });
    const run = await project.evaluate(await project.evaluation(ROWS, []), await botOf(project));
    await project.eventually(async () => (await project.status(run)).completed_rows === 1);
    assert.deepEqual(await project.ok("/evaluations/cancel", { call_id: run }), { cancelled: true });
    assert.deepEqual(await project.finished(run), { code: "failed", error: null });
    assert.equal((await project.calls.read(run)).exception, "The evaluation was cancelled.");
    assert.deepEqual(await project.ok("/evaluations/cancel", { call_id: run }), { cancelled: false });
    assert.equal((await project.rows(run)).filter(({ ended_at }) => ended_at !== null).length, 1, "existing scores remain");
  });

  test("reports errors", async () => {
    const project = new EvaluationProject(server);
    const id = uuid7();
    await project.refused("/evaluations/cancel", { call_id: id }, 404, `Evaluation run ${id} not found`);
    const own = await project.calls.start({ op_name: "Evaluation.evaluate" });
    await project.refused("/evaluations/cancel", { call_id: own.id }, 400,
      "The server does not execute this evaluation");
  });
});

describe("outsiders", () => {
  const ask = {
    "/evaluations/evaluate_model": ({ evaluation, model }) => ({ evaluation_ref: evaluation, model_ref: model }),
    "/evaluations/status": ({ run }) => ({ call_id: run }),
    "/evaluations/rescore": ({ run, exact }) => ({ source_evaluation_run_id: run, scorer_refs: [exact] }),
    "/evaluations/cancel": ({ run }) => ({ call_id: run }),
    "/calls/score": ({ run, exact }) => ({ call_ids: [run], scorer_refs: [exact] }),
  };

  test("get the same 404 for existing and unknown runs, and cannot use objects of others in their projects", async () => {
    answer = answering;
    const { name } = await makeTeam(server);
    const project = new EvaluationProject(server, `${name}/lab`);
    const exact = await project.scorer("exact", { kind: "exact_match" });
    const evaluation = await project.evaluation(ROWS, [exact]);
    const model = await botOf(project);
    const run = await project.evaluate(evaluation, model);
    await project.finished(run);
    const made = { evaluation, model, run, exact };
    const outsider = await makeUser(server, "outsider");
    const own = (await makeTeam(server, { admin: outsider.username })).name;
    for (const [path, body] of Object.entries(ask)) {
      const without = await project.post(path, body(made), { key: null });
      assert.equal(without.status, 401, path);
      const hidden = await project.post(path, body(made), { key: outsider.key });
      assert.equal(hidden.status, 404, `${path}: ${hidden.text}`);
      assert.deepEqual(hidden.json, { reason: "Project not found" });
      const here = await server.api("POST", path, {
        key: outsider.key, body: { project_id: `${own}/mine`, ...body(made) },
      });
      const nothing = path === "/evaluations/status" ? [200] : [404];
      assert.ok(nothing.includes(here.status), `${path}: ${here.text}`);
      if (here.status === 200) assert.deepEqual(here.json, { status: { code: "not_found" } });
    }
    assert.equal((await project.calls.read(run)).exception, null);
  });
});

describe("a server without an upstream", () => {
  test("fails the rows with a reason", () =>
    withServer({}, async (bare) => {
      const project = new EvaluationProject(bare);
      const run = await project.evaluate(await project.evaluation([ROWS[0]], []), await project.model());
      assert.equal((await project.finished(run)).code, "complete");
      const [row] = await project.rows(run);
      const [predict] = await project.children(row.id);
      assert.equal(predict.exception, "The server has no upstream for models: set evaluation.upstream_url.");
    }));
});
