// Evaluation runs, predictions and scores through /v2; all are stored as calls.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { uuid7 } from "./support/calls.mjs";
import { expectTimestamp, expectViolations } from "./support/expect.mjs";
import { expectOk, expectRefusal } from "./support/objects.mjs";
import { startServer } from "./support/server.mjs";
import { V2Project } from "./support/v2_project.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

async function readRun(project, id, options) {
  return expectOk(await project.v2("GET", `evaluation_runs/${id}`, undefined, options));
}

describe("a run", () => {
  test("is a call, and is running until it is finished", async () => {
    const project = new V2Project(server);
    const id = await project.run();
    const call = await project.read(id);
    assert.equal(call.op_name, "Evaluation.evaluate");
    assert.deepEqual([call.trace_id, call.parent_id], [id, null]);
    assert.deepEqual(call.inputs, { self: project.ref("quiz"), model: project.ref("bot") });
    assert.deepEqual(call.attributes.svc, { evaluation_run: "true", evaluation: project.ref("quiz"), model: project.ref("bot") });
    const run = await readRun(project, id);
    expectTimestamp(run.started_at);
    assert.deepEqual(run, {
      evaluation_run_id: id, evaluation: project.ref("quiz"), model: project.ref("bot"), status: "running",
      started_at: call.started_at, finished_at: null,
      summary: { svc: { status: "running", trace_name: "Evaluation.evaluate" } },
      source_evaluation_run_id: null,
    });
  });

  test("is read with Basic and with Bearer", async () => {
    const project = new V2Project(server);
    const id = await project.run();
    const basic = Buffer.from(`api:${server.adminKey}`).toString("base64");
    const run = await readRun(project, id, { key: null, headers: { authorization: `Basic ${basic}` } });
    assert.deepEqual(run, await readRun(project, id));
    assert.equal((await project.v2("GET", `evaluation_runs/${id}`, undefined, { key: null })).status, 401);
  });

  test("names the run that it rescores", async () => {
    const project = new V2Project(server);
    const source = await project.run();
    const id = await project.run({ source_evaluation_run_id: source });
    assert.equal((await readRun(project, id)).source_evaluation_run_id, source);
    assert.equal((await project.read(id)).attributes.svc.source_evaluation_run_id, source);
    assert.ok((await project.list("evaluation_runs")).every((run) => run.source_evaluation_run_id === null));
  });

  test("has a summary when it is finished", async () => {
    const project = new V2Project(server);
    const id = await project.run();
    await project.row(id, { q: 1 }, 3, { acc: 0.5 });
    assert.deepEqual(await project.make(`evaluation_runs/${id}/finish`, { summary: { x: 1 } }), { success: true });
    const call = await project.read(id);
    assert.deepEqual(call.output, { acc: { mean: 0.5 }, output: { mean: 3 } });
    const run = await readRun(project, id);
    const { latency_ms } = run.summary.svc;
    assert.ok(Number.isInteger(latency_ms));
    assert.deepEqual(run.summary, { svc: { status: "success", trace_name: "Evaluation.evaluate", latency_ms }, x: 1 });
    assert.deepEqual([run.status, run.finished_at], ["completed", call.ended_at]);
    const children = await project.query({ filter: { parent_ids: [id] } });
    assert.deepEqual(children.map(({ op_name }) => op_name), ["Evaluation.predict_and_score", "Evaluation.summarize"]);
    assert.deepEqual(children[1].output, call.output);
    assert.deepEqual(children[1].inputs, { self: project.ref("quiz") });
  });

  test("summarizes integers and fractions only", async () => {
    const project = new V2Project(server);
    const id = await project.run();
    await project.row(id, { q: 1 }, "text", { acc: 1, ok: true, why: "x" });
    await project.row(id, { q: 2 }, 2, { acc: 0.5, ok: false, deep: { a: 1 } });
    await project.make(`evaluation_runs/${id}/finish`, {});
    assert.deepEqual((await project.read(id)).output, { acc: { mean: 0.75 }, output: { mean: 2 } });
    assert.deepEqual(Object.keys((await readRun(project, id)).summary), ["svc"]);
  });

  test("that does not exist can be finished without effect", async () => {
    const project = new V2Project(server);
    await project.run();
    assert.deepEqual(await project.make(`evaluation_runs/${uuid7()}/finish`, { summary: null }), { success: true });
    assert.equal((await project.stats()).count, 1);
  });

  test("of an SDK has the same format", async () => {
    const project = new V2Project(server);
    const [failed, old] = await project.complete(
      { op_name: project.ref("Evaluation.evaluate", "v0", "op"), inputs: { self: project.ref("quiz"), model: project.ref("bot") }, exception: "lost" },
      { inputs: { this: project.ref("quiz") } },
    );
    const run = await readRun(project, failed.id);
    assert.deepEqual([run.evaluation, run.model, run.status], [project.ref("quiz"), project.ref("bot"), "failed"]);
    assert.equal(run.summary.svc.status, "error");
    const other = await readRun(project, old.id);
    assert.deepEqual([other.evaluation, other.model, other.status], [project.ref("quiz"), "", "completed"]);
  });

  test("that does not exist is 404", async () => {
    const project = new V2Project(server);
    const id = await project.run();
    expectRefusal(await project.v2("GET", "evaluation_runs/none"), 404, "Evaluation run none not found");
    await project.make("predictions", { model: "m", inputs: {}, output: 1 });
    assert.equal(expectOk(await project.v2("DELETE", `evaluation_runs?evaluation_run_ids=${id}`)).num_deleted, 1);
    expectRefusal(await project.v2("GET", `evaluation_runs/${id}`), 404, `Evaluation run ${id} not found`);
  });

  test("is deleted with all its descendants", async () => {
    const project = new V2Project(server);
    const runs = [await project.run(), await project.run()];
    await project.row(runs[0], { q: 1 }, 1, { acc: 1 });
    const query = runs.map((id) => `evaluation_run_ids=${id}`).join("&");
    assert.deepEqual(expectOk(await project.v2("DELETE", `evaluation_runs?${query}`)), { num_deleted: 5 });
    assert.equal((await project.stats()).count, 0);
    assert.deepEqual(expectOk(await project.v2("DELETE", `evaluation_runs?evaluation_run_ids=${uuid7()}`)), { num_deleted: 0 });
  });

  test("with very many rows is deleted completely", async () => {
    const project = new V2Project(server);
    const id = await project.run();
    const rows = 10_500;
    const batch = 1500;
    for (let done = 0; done < rows; done += batch) {
      const children = Array.from({ length: batch }, (_, i) => ({ parent_id: id, trace_id: id, op_name: "Evaluation.predict_and_score", inputs: { example: done + i }, output: {} }));
      await project.complete(...children);
    }
    assert.equal((await project.stats()).count, rows + 1);
    assert.deepEqual(expectOk(await project.v2("DELETE", `evaluation_runs?evaluation_run_ids=${id}`)), { num_deleted: rows + 1 });
    assert.equal((await project.stats()).count, 0);
  });

  test("is found by evaluation, model and id", async () => {
    const project = new V2Project(server);
    const a = await project.run();
    const b = await project.run({ model: project.ref("other") });
    const c = await project.run({ evaluation: project.ref("hard") });
    await project.complete({ op_name: "Evaluation.evaluate" });
    const ids = async (query) => (await project.list(`evaluation_runs?${query}`)).map((run) => run.evaluation_run_id);
    const ref = (name) => encodeURIComponent(project.ref(name));
    assert.deepEqual(await ids(""), [a, b, c]);
    assert.deepEqual(await ids(`evaluations=${ref("quiz")}`), [a, b]);
    assert.deepEqual(await ids(`evaluations=${ref("quiz")}&evaluations=${ref("hard")}`), [a, b, c]);
    assert.deepEqual(await ids(`evaluations=${ref("quiz")}&models=${ref("bot")}`), [a]);
    assert.deepEqual(await ids(`evaluation_run_ids=${c}&evaluation_run_ids=${b}`), [b, c]);
    assert.deepEqual(await ids("limit=1&offset=1"), [b]);
    assert.deepEqual(await ids(`evaluation_refs=${ref("none")}`), [a, b, c], "an unknown reference filters nothing");
    assert.deepEqual(await new V2Project(server).list("evaluation_runs"), []);
  });
});

describe("a prediction", () => {
  test("of a run is a child of the call of its row", async () => {
    const project = new V2Project(server);
    const run = await project.run();
    const spans = [{ trace_id: "t", span_id: "s" }];
    const { prediction_id } = await project.make("predictions", {
      model: project.ref("bot"), inputs: { q: 1 }, output: { a: [1] }, evaluation_run_id: run, genai_span_ref: spans,
    });
    const predict = await project.read(prediction_id);
    assert.equal(predict.op_name, "bot.predict");
    assert.deepEqual(predict.inputs, { self: project.ref("bot"), inputs: { q: 1 } });
    assert.deepEqual(predict.output, { a: [1] });
    assert.deepEqual(predict.attributes.svc, { prediction: "true", model: project.ref("bot"), evaluation_run_id: run });
    assert.equal(predict.trace_id, run);
    assert.notEqual(predict.ended_at, null);
    const row = await project.read(predict.parent_id);
    assert.equal(row.op_name, "Evaluation.predict_and_score");
    assert.deepEqual([row.parent_id, row.trace_id, row.ended_at], [run, run, null]);
    assert.deepEqual(row.inputs, { self: project.ref("quiz"), model: project.ref("bot"), example: { q: 1 } });
    assert.deepEqual(row.attributes.svc, { predict_call_id: prediction_id, genai_span_ref: spans });
    const { svc_user_id, ...read } = expectOk(await project.v2("GET", `predictions/${prediction_id}`));
    assert.equal(svc_user_id, predict.svc_user_id);
    assert.deepEqual(read, { prediction_id, model: project.ref("bot"), inputs: { q: 1 }, output: { a: [1] }, evaluation_run_id: run });
  });

  test("without a run has no parent", async () => {
    const project = new V2Project(server);
    const { prediction_id } = await project.make("predictions", { model: "no reference", inputs: {}, output: null });
    const call = await project.read(prediction_id);
    assert.deepEqual([call.op_name, call.parent_id, call.trace_id], ["Model.predict", null, prediction_id]);
    const read = expectOk(await project.v2("GET", `predictions/${prediction_id}`));
    assert.deepEqual([read.model, read.output, read.evaluation_run_id], ["no reference", null, null]);
  });

  test("of an SDK belongs to the run above its row", async () => {
    const project = new V2Project(server);
    const [run, row, predict] = await project.complete(
      { id: uuid7() },
      { id: uuid7(), op_name: "Evaluation.predict_and_score" },
      { id: uuid7(), op_name: "Model.predict" },
    );
    await project.complete({ ...row, parent_id: run.id }, { ...predict, parent_id: row.id, inputs: { self: "m", q: 1 } });
    const read = expectOk(await project.v2("GET", `predictions/${predict.id}`));
    assert.deepEqual([read.evaluation_run_id, read.model, read.inputs], [run.id, "m", { q: 1 }]);
  });

  test("collects its scores when it is finished", async () => {
    const project = new V2Project(server);
    const run = await project.run();
    const id = await project.row(run, { q: 1 }, "answer", { acc: 0.5, judge: { score: 3 } });
    const predict = await project.read(id);
    assert.equal(predict.output, "answer", "finishing keeps the output");
    const row = await project.read(predict.parent_id);
    assert.deepEqual(row.output, { output: "answer", scores: { acc: 0.5, judge: { score: 3 } }, model_latency: row.output.model_latency });
    assert.equal(typeof row.output.model_latency.mean, "number");
    assert.notEqual(row.ended_at, null);
    assert.deepEqual(await project.make(`predictions/${uuid7()}/finish`), { success: true });
    const { prediction_id } = await project.make("predictions", { model: "m", inputs: {}, output: 1 });
    assert.deepEqual(await project.make(`predictions/${prediction_id}/finish`), { success: true });
  });

  test("is listed and deleted", async () => {
    const project = new V2Project(server);
    const runs = [await project.run(), await project.run()];
    const ids = [await project.row(runs[0], { q: 1 }, 1, { acc: 1 }), await project.row(runs[1], { q: 2 }, 2)];
    const listed = async (query) => (await project.list(`predictions${query}`)).map(({ prediction_id }) => prediction_id);
    assert.deepEqual(await listed(""), ids);
    assert.deepEqual(await listed(`?evaluation_run_id=${runs[1]}`), [ids[1]]);
    assert.deepEqual(await listed("?limit=1"), [ids[0]]);
    assert.deepEqual(expectOk(await project.v2("DELETE", `predictions?prediction_ids=${ids[0]}`)), { num_deleted: 1 });
    assert.deepEqual(await listed(""), [ids[1]]);
    expectRefusal(await project.v2("GET", `predictions/${ids[0]}`), 404, `Prediction ${ids[0]} not found`);
  });

  test("of an unknown run is rejected", async () => {
    const project = new V2Project(server);
    const id = uuid7();
    const body = { model: "m", inputs: {}, output: 1, evaluation_run_id: id };
    expectRefusal(await project.v2("POST", "predictions", body), 404, `Evaluation run ${id} not found`);
  });
});

describe("a score", () => {
  test("is a sibling call of its prediction, and feedback on it", async () => {
    const project = new V2Project(server);
    const run = await project.run();
    const prediction_id = await project.row(run, { q: 1 }, 3);
    const { score_id } = await project.make("scores", {
      prediction_id, scorer: project.ref("acc"), value: { passed: true }, evaluation_run_id: run,
    });
    const score = await project.read(score_id);
    const { parent_id } = await project.read(prediction_id);
    assert.deepEqual([score.op_name, score.parent_id, score.trace_id], ["acc.score", parent_id, run]);
    assert.deepEqual(score.inputs, { self: project.ref("acc"), inputs: { q: 1 }, output: 3 });
    assert.deepEqual(score.output, { passed: true });
    assert.deepEqual(score.attributes.svc, { score: "true", prediction_id, scorer: project.ref("acc"), evaluation_run_id: run });
    const { result } = await project.ok("/feedback/query", { project_id: project.id });
    assert.equal(result.length, 1);
    assert.equal(result[0].feedback_type, "svc.runnable.acc");
    assert.deepEqual(result[0].payload, { output: { passed: true } });
    assert.equal(result[0].runnable_ref, project.ref("acc"));
    assert.equal(result[0].svc_ref, `svc:///${project.id}/call/${prediction_id}`);
    const { svc_user_id, ...read } = expectOk(await project.v2("GET", `scores/${score_id}`));
    assert.equal(svc_user_id, score.svc_user_id);
    assert.deepEqual(read, { score_id, scorer: project.ref("acc"), value: { passed: true }, evaluation_run_id: run });
  });

  test("without a row is a child of the run, or has no parent", async () => {
    const project = new V2Project(server);
    const run = await project.run();
    const { prediction_id } = await project.make("predictions", { model: "m", inputs: {}, output: 1 });
    const score = { prediction_id, scorer: project.ref("acc"), value: 1 };
    const below = await project.make("scores", { ...score, evaluation_run_id: run });
    assert.equal((await project.read(below.score_id)).parent_id, run);
    const alone = await project.make("scores", score);
    assert.equal((await project.read(alone.score_id)).parent_id, null);
    const id = uuid7();
    expectRefusal(await project.v2("POST", "scores", { ...score, evaluation_run_id: id }), 404, `Evaluation run ${id} not found`);
  });

  test("of null is returned as 0.0", async () => {
    const project = new V2Project(server);
    const { prediction_id } = await project.make("predictions", { model: "m", inputs: {}, output: 1 });
    const { score_id } = await project.make("scores", { prediction_id, scorer: project.ref("acc"), value: null });
    const answer = await project.v2("GET", `scores/${score_id}`);
    assert.match(answer.text, /"value":0\.0/);
  });

  test("needs a prediction, and a scorer that is an object", async () => {
    const project = new V2Project(server);
    const id = uuid7();
    expectRefusal(await project.v2("POST", "scores", { prediction_id: id, scorer: project.ref("acc"), value: 1 }), 404, `Prediction ${id} not found`);
    const { prediction_id } = await project.make("predictions", { model: "m", inputs: {}, output: 1 });
    const before = (await project.stats()).count;
    for (const scorer of ["acc", `svc:///${project.id}/call/${id}`]) {
      expectRefusal(await project.v2("POST", "scores", { prediction_id, scorer, value: 1 }), 400, "scorer must be a reference to an object");
    }
    assert.equal((await project.stats()).count, before);
    expectRefusal(await project.v2("GET", "scores/none"), 404, "Score none not found");
  });

  test("is listed and deleted", async () => {
    const project = new V2Project(server);
    const runs = [await project.run(), await project.run()];
    await project.row(runs[0], { q: 1 }, 1, { acc: 1, ok: true });
    await project.row(runs[1], { q: 1 }, 1, { acc: 2 });
    const scores = await project.list("scores");
    assert.deepEqual(scores.map(({ value }) => value), [1, true, 2]);
    assert.equal((await project.list(`scores?evaluation_run_id=${runs[1]}`)).length, 1);
    assert.equal((await project.list("scores?limit=2&offset=1")).length, 2);
    assert.deepEqual(expectOk(await project.v2("DELETE", `scores?score_ids=${scores[0].score_id}`)), { num_deleted: 1 });
    assert.equal((await project.list("scores")).length, 2);
  });
});

test("invalid requests are rejected with their violations", async () => {
  const project = new V2Project(server);
  const cases = [
    ["POST", "evaluation_runs", {}, ["missing", "body", "evaluation"], ["missing", "body", "model"]],
    ["POST", "evaluation_runs/x/finish", { summary: 1 }, ["dict_type", "body", "summary"]],
    ["DELETE", "evaluation_runs", undefined, ["missing", "query", "evaluation_run_ids"]],
    ["GET", "evaluation_runs?limit=x", undefined, ["int_parsing", "query", "limit"]],
    ["POST", "predictions", { inputs: [] }, ["missing", "body", "model"], ["dict_type", "body", "inputs"], ["missing", "body", "output"]],
    ["POST", "predictions", { model: "m", inputs: {}, output: 1, genai_span_ref: [{ trace_id: "t" }] }, ["missing", "body", "genai_span_ref", 0, "span_id"]],
    ["DELETE", "predictions", undefined, ["missing", "query", "prediction_ids"]],
    ["POST", "scores", {}, ["missing", "body", "prediction_id"], ["missing", "body", "scorer"], ["missing", "body", "value"]],
    ["DELETE", "scores", undefined, ["missing", "query", "score_ids"]],
  ];
  for (const [method, path, body, ...violations] of cases) {
    expectViolations(await project.v2(method, path, body), ...violations);
  }
  expectRefusal(await project.v2("POST", "evaluation_runs", { evaluation: "svc:///broken", model: "m" }), 400, /./);
  expectRefusal(await project.v2("GET", "predictions?limit=-1"), 400, /Limit/);
});
