// Runs, predictions and scores through /v2: all of them calls.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { uuid7 } from "./support/calls.mjs";
import { expectTimestamp, expectViolations } from "./support/expect.mjs";
import { good, refused } from "./support/objects.mjs";
import { startServer } from "./support/server.mjs";
import { Lab } from "./support/v2_lab.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

async function readRun(lab, id, options) {
  return good(await lab.v2("GET", `evaluation_runs/${id}`, undefined, options));
}

describe("a run", () => {
  test("is a call, and running until it is finished", async () => {
    const lab = new Lab(server);
    const id = await lab.run();
    const call = await lab.read(id);
    assert.equal(call.op_name, "Evaluation.evaluate");
    assert.deepEqual([call.trace_id, call.parent_id], [id, null]);
    assert.deepEqual(call.inputs, { self: lab.ref("quiz"), model: lab.ref("bot") });
    assert.deepEqual(call.attributes.svc, { evaluation_run: "true", evaluation: lab.ref("quiz"), model: lab.ref("bot") });
    const run = await readRun(lab, id);
    expectTimestamp(run.started_at);
    assert.deepEqual(run, {
      evaluation_run_id: id, evaluation: lab.ref("quiz"), model: lab.ref("bot"), status: "running",
      started_at: call.started_at, finished_at: null,
      summary: { svc: { status: "running", trace_name: "Evaluation.evaluate" } },
      source_evaluation_run_id: null,
    });
  });

  test("is read with Basic and with Bearer", async () => {
    const lab = new Lab(server);
    const id = await lab.run();
    const basic = Buffer.from(`api:${server.adminKey}`).toString("base64");
    const run = await readRun(lab, id, { key: null, headers: { authorization: `Basic ${basic}` } });
    assert.deepEqual(run, await readRun(lab, id));
    assert.equal((await lab.v2("GET", `evaluation_runs/${id}`, undefined, { key: null })).status, 401);
  });

  test("says what it scores again", async () => {
    const lab = new Lab(server);
    const source = await lab.run();
    const id = await lab.run({ source_evaluation_run_id: source });
    assert.equal((await readRun(lab, id)).source_evaluation_run_id, source);
    assert.equal((await lab.read(id)).attributes.svc.source_evaluation_run_id, source);
    assert.ok((await lab.list("evaluation_runs")).every((run) => run.source_evaluation_run_id === null));
  });

  test("adds up when it is finished", async () => {
    const lab = new Lab(server);
    const id = await lab.run();
    await lab.row(id, { q: 1 }, 3, { acc: 0.5 });
    assert.deepEqual(await lab.make(`evaluation_runs/${id}/finish`, { summary: { x: 1 } }), { success: true });
    const call = await lab.read(id);
    assert.deepEqual(call.output, { acc: { mean: 0.5 }, output: { mean: 3 } });
    const run = await readRun(lab, id);
    const { latency_ms } = run.summary.svc;
    assert.ok(Number.isInteger(latency_ms));
    assert.deepEqual(run.summary, { svc: { status: "success", trace_name: "Evaluation.evaluate", latency_ms }, x: 1 });
    assert.deepEqual([run.status, run.finished_at], ["completed", call.ended_at]);
    const children = await lab.query({ filter: { parent_ids: [id] } });
    assert.deepEqual(children.map(({ op_name }) => op_name), ["Evaluation.predict_and_score", "Evaluation.summarize"]);
    assert.deepEqual(children[1].output, call.output);
    assert.deepEqual(children[1].inputs, { self: lab.ref("quiz") });
  });

  test("counts whole numbers and fractions, nothing else", async () => {
    const lab = new Lab(server);
    const id = await lab.run();
    await lab.row(id, { q: 1 }, "text", { acc: 1, ok: true, why: "x" });
    await lab.row(id, { q: 2 }, 2, { acc: 0.5, ok: false, deep: { a: 1 } });
    await lab.make(`evaluation_runs/${id}/finish`, {});
    assert.deepEqual((await lab.read(id)).output, { acc: { mean: 0.75 }, output: { mean: 2 } });
    assert.deepEqual(Object.keys((await readRun(lab, id)).summary), ["svc"]);
  });

  test("that nobody knows finishes too, and leaves nothing", async () => {
    const lab = new Lab(server);
    await lab.run();
    assert.deepEqual(await lab.make(`evaluation_runs/${uuid7()}/finish`, { summary: null }), { success: true });
    assert.equal((await lab.stats()).count, 1);
  });

  test("of an SDK reads the same", async () => {
    const lab = new Lab(server);
    const [failed, old] = await lab.complete(
      { op_name: lab.ref("Evaluation.evaluate", "v0", "op"), inputs: { self: lab.ref("quiz"), model: lab.ref("bot") }, exception: "lost" },
      { inputs: { this: lab.ref("quiz") } },
    );
    const run = await readRun(lab, failed.id);
    assert.deepEqual([run.evaluation, run.model, run.status], [lab.ref("quiz"), lab.ref("bot"), "failed"]);
    assert.equal(run.summary.svc.status, "error");
    const other = await readRun(lab, old.id);
    assert.deepEqual([other.evaluation, other.model, other.status], [lab.ref("quiz"), "", "completed"]);
  });

  test("that is not there is 404", async () => {
    const lab = new Lab(server);
    const id = await lab.run();
    refused(await lab.v2("GET", "evaluation_runs/none"), 404, "Evaluation run none not found");
    await lab.make("predictions", { model: "m", inputs: {}, output: 1 });
    assert.equal(good(await lab.v2("DELETE", `evaluation_runs?evaluation_run_ids=${id}`)).num_deleted, 1);
    refused(await lab.v2("GET", `evaluation_runs/${id}`), 404, `Evaluation run ${id} not found`);
  });

  test("is deleted with all that is below it", async () => {
    const lab = new Lab(server);
    const runs = [await lab.run(), await lab.run()];
    await lab.row(runs[0], { q: 1 }, 1, { acc: 1 });
    const query = runs.map((id) => `evaluation_run_ids=${id}`).join("&");
    assert.deepEqual(good(await lab.v2("DELETE", `evaluation_runs?${query}`)), { num_deleted: 5 });
    assert.equal((await lab.stats()).count, 0);
    assert.deepEqual(good(await lab.v2("DELETE", `evaluation_runs?evaluation_run_ids=${uuid7()}`)), { num_deleted: 0 });
  });

  test("of very many rows is deleted whole", async () => {
    const lab = new Lab(server);
    const id = await lab.run();
    const rows = 10_500;
    const batch = 1500;
    for (let done = 0; done < rows; done += batch) {
      const children = Array.from({ length: batch }, (_, i) => ({ parent_id: id, trace_id: id, op_name: "Evaluation.predict_and_score", inputs: { example: done + i }, output: {} }));
      await lab.complete(...children);
    }
    assert.equal((await lab.stats()).count, rows + 1);
    assert.deepEqual(good(await lab.v2("DELETE", `evaluation_runs?evaluation_run_ids=${id}`)), { num_deleted: rows + 1 });
    assert.equal((await lab.stats()).count, 0);
  });

  test("is found by evaluation, model and id", async () => {
    const lab = new Lab(server);
    const a = await lab.run();
    const b = await lab.run({ model: lab.ref("other") });
    const c = await lab.run({ evaluation: lab.ref("hard") });
    await lab.complete({ op_name: "Evaluation.evaluate" });
    const ids = async (query) => (await lab.list(`evaluation_runs?${query}`)).map((run) => run.evaluation_run_id);
    const ref = (name) => encodeURIComponent(lab.ref(name));
    assert.deepEqual(await ids(""), [a, b, c]);
    assert.deepEqual(await ids(`evaluations=${ref("quiz")}`), [a, b]);
    assert.deepEqual(await ids(`evaluations=${ref("quiz")}&evaluations=${ref("hard")}`), [a, b, c]);
    assert.deepEqual(await ids(`evaluations=${ref("quiz")}&models=${ref("bot")}`), [a]);
    assert.deepEqual(await ids(`evaluation_run_ids=${c}&evaluation_run_ids=${b}`), [b, c]);
    assert.deepEqual(await ids("limit=1&offset=1"), [b]);
    assert.deepEqual(await ids(`evaluation_refs=${ref("none")}`), [a, b, c], "another name filters nothing");
    assert.deepEqual(await new Lab(server).list("evaluation_runs"), []);
  });
});

describe("a prediction", () => {
  test("of a run is a call inside the call of its row", async () => {
    const lab = new Lab(server);
    const run = await lab.run();
    const spans = [{ trace_id: "t", span_id: "s" }];
    const { prediction_id } = await lab.make("predictions", {
      model: lab.ref("bot"), inputs: { q: 1 }, output: { a: [1] }, evaluation_run_id: run, genai_span_ref: spans,
    });
    const predict = await lab.read(prediction_id);
    assert.equal(predict.op_name, "bot.predict");
    assert.deepEqual(predict.inputs, { self: lab.ref("bot"), inputs: { q: 1 } });
    assert.deepEqual(predict.output, { a: [1] });
    assert.deepEqual(predict.attributes.svc, { prediction: "true", model: lab.ref("bot"), evaluation_run_id: run });
    assert.equal(predict.trace_id, run);
    assert.notEqual(predict.ended_at, null);
    const row = await lab.read(predict.parent_id);
    assert.equal(row.op_name, "Evaluation.predict_and_score");
    assert.deepEqual([row.parent_id, row.trace_id, row.ended_at], [run, run, null]);
    assert.deepEqual(row.inputs, { self: lab.ref("quiz"), model: lab.ref("bot"), example: { q: 1 } });
    assert.deepEqual(row.attributes.svc, { predict_call_id: prediction_id, genai_span_ref: spans });
    const { svc_user_id, ...read } = good(await lab.v2("GET", `predictions/${prediction_id}`));
    assert.equal(svc_user_id, predict.svc_user_id);
    assert.deepEqual(read, { prediction_id, model: lab.ref("bot"), inputs: { q: 1 }, output: { a: [1] }, evaluation_run_id: run });
  });

  test("of no run stands alone", async () => {
    const lab = new Lab(server);
    const { prediction_id } = await lab.make("predictions", { model: "no reference", inputs: {}, output: null });
    const call = await lab.read(prediction_id);
    assert.deepEqual([call.op_name, call.parent_id, call.trace_id], ["Model.predict", null, prediction_id]);
    const read = good(await lab.v2("GET", `predictions/${prediction_id}`));
    assert.deepEqual([read.model, read.output, read.evaluation_run_id], ["no reference", null, null]);
  });

  test("of an SDK belongs to the run above its row", async () => {
    const lab = new Lab(server);
    const [run, row, predict] = await lab.complete(
      { id: uuid7() },
      { id: uuid7(), op_name: "Evaluation.predict_and_score" },
      { id: uuid7(), op_name: "Model.predict" },
    );
    await lab.complete({ ...row, parent_id: run.id }, { ...predict, parent_id: row.id, inputs: { self: "m", q: 1 } });
    const read = good(await lab.v2("GET", `predictions/${predict.id}`));
    assert.deepEqual([read.evaluation_run_id, read.model, read.inputs], [run.id, "m", { q: 1 }]);
  });

  test("gathers its scores when it is finished", async () => {
    const lab = new Lab(server);
    const run = await lab.run();
    const id = await lab.row(run, { q: 1 }, "answer", { acc: 0.5, judge: { score: 3 } });
    const predict = await lab.read(id);
    assert.equal(predict.output, "answer", "finishing takes no output away");
    const row = await lab.read(predict.parent_id);
    assert.deepEqual(row.output, { output: "answer", scores: { acc: 0.5, judge: { score: 3 } }, model_latency: row.output.model_latency });
    assert.equal(typeof row.output.model_latency.mean, "number");
    assert.notEqual(row.ended_at, null);
    assert.deepEqual(await lab.make(`predictions/${uuid7()}/finish`), { success: true });
    const { prediction_id } = await lab.make("predictions", { model: "m", inputs: {}, output: 1 });
    assert.deepEqual(await lab.make(`predictions/${prediction_id}/finish`), { success: true });
  });

  test("is listed and deleted", async () => {
    const lab = new Lab(server);
    const runs = [await lab.run(), await lab.run()];
    const ids = [await lab.row(runs[0], { q: 1 }, 1, { acc: 1 }), await lab.row(runs[1], { q: 2 }, 2)];
    const listed = async (query) => (await lab.list(`predictions${query}`)).map(({ prediction_id }) => prediction_id);
    assert.deepEqual(await listed(""), ids);
    assert.deepEqual(await listed(`?evaluation_run_id=${runs[1]}`), [ids[1]]);
    assert.deepEqual(await listed("?limit=1"), [ids[0]]);
    assert.deepEqual(good(await lab.v2("DELETE", `predictions?prediction_ids=${ids[0]}`)), { num_deleted: 1 });
    assert.deepEqual(await listed(""), [ids[1]]);
    refused(await lab.v2("GET", `predictions/${ids[0]}`), 404, `Prediction ${ids[0]} not found`);
  });

  test("of an unknown run is refused", async () => {
    const lab = new Lab(server);
    const id = uuid7();
    const body = { model: "m", inputs: {}, output: 1, evaluation_run_id: id };
    refused(await lab.v2("POST", "predictions", body), 404, `Evaluation run ${id} not found`);
  });
});

describe("a score", () => {
  test("is a call beside its prediction, and feedback on it", async () => {
    const lab = new Lab(server);
    const run = await lab.run();
    const prediction_id = await lab.row(run, { q: 1 }, 3);
    const { score_id } = await lab.make("scores", {
      prediction_id, scorer: lab.ref("acc"), value: { passed: true }, evaluation_run_id: run,
    });
    const score = await lab.read(score_id);
    const { parent_id } = await lab.read(prediction_id);
    assert.deepEqual([score.op_name, score.parent_id, score.trace_id], ["acc.score", parent_id, run]);
    assert.deepEqual(score.inputs, { self: lab.ref("acc"), inputs: { q: 1 }, output: 3 });
    assert.deepEqual(score.output, { passed: true });
    assert.deepEqual(score.attributes.svc, { score: "true", prediction_id, scorer: lab.ref("acc"), evaluation_run_id: run });
    const { result } = await lab.ok("/feedback/query", { project_id: lab.id });
    assert.equal(result.length, 1);
    assert.equal(result[0].feedback_type, "svc.runnable.acc");
    assert.deepEqual(result[0].payload, { output: { passed: true } });
    assert.equal(result[0].runnable_ref, lab.ref("acc"));
    assert.equal(result[0].svc_ref, `svc:///${lab.id}/call/${prediction_id}`);
    const { svc_user_id, ...read } = good(await lab.v2("GET", `scores/${score_id}`));
    assert.equal(svc_user_id, score.svc_user_id);
    assert.deepEqual(read, { score_id, scorer: lab.ref("acc"), value: { passed: true }, evaluation_run_id: run });
  });

  test("without a row stands below the run, or alone", async () => {
    const lab = new Lab(server);
    const run = await lab.run();
    const { prediction_id } = await lab.make("predictions", { model: "m", inputs: {}, output: 1 });
    const score = { prediction_id, scorer: lab.ref("acc"), value: 1 };
    const below = await lab.make("scores", { ...score, evaluation_run_id: run });
    assert.equal((await lab.read(below.score_id)).parent_id, run);
    const alone = await lab.make("scores", score);
    assert.equal((await lab.read(alone.score_id)).parent_id, null);
    const id = uuid7();
    refused(await lab.v2("POST", "scores", { ...score, evaluation_run_id: id }), 404, `Evaluation run ${id} not found`);
  });

  test("of null reads as 0.0", async () => {
    const lab = new Lab(server);
    const { prediction_id } = await lab.make("predictions", { model: "m", inputs: {}, output: 1 });
    const { score_id } = await lab.make("scores", { prediction_id, scorer: lab.ref("acc"), value: null });
    const answer = await lab.v2("GET", `scores/${score_id}`);
    assert.match(answer.text, /"value":0\.0/);
  });

  test("needs a prediction, and a scorer that is an object", async () => {
    const lab = new Lab(server);
    const id = uuid7();
    refused(await lab.v2("POST", "scores", { prediction_id: id, scorer: lab.ref("acc"), value: 1 }), 404, `Prediction ${id} not found`);
    const { prediction_id } = await lab.make("predictions", { model: "m", inputs: {}, output: 1 });
    const before = (await lab.stats()).count;
    for (const scorer of ["acc", `svc:///${lab.id}/call/${id}`]) {
      refused(await lab.v2("POST", "scores", { prediction_id, scorer, value: 1 }), 400, "scorer must be a reference to an object");
    }
    assert.equal((await lab.stats()).count, before);
    refused(await lab.v2("GET", "scores/none"), 404, "Score none not found");
  });

  test("is listed and deleted", async () => {
    const lab = new Lab(server);
    const runs = [await lab.run(), await lab.run()];
    await lab.row(runs[0], { q: 1 }, 1, { acc: 1, ok: true });
    await lab.row(runs[1], { q: 1 }, 1, { acc: 2 });
    const scores = await lab.list("scores");
    assert.deepEqual(scores.map(({ value }) => value), [1, true, 2]);
    assert.equal((await lab.list(`scores?evaluation_run_id=${runs[1]}`)).length, 1);
    assert.equal((await lab.list("scores?limit=2&offset=1")).length, 2);
    assert.deepEqual(good(await lab.v2("DELETE", `scores?score_ids=${scores[0].score_id}`)), { num_deleted: 1 });
    assert.equal((await lab.list("scores")).length, 2);
  });
});

test("bad requests are told what is wrong with them", async () => {
  const lab = new Lab(server);
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
    expectViolations(await lab.v2(method, path, body), ...violations);
  }
  refused(await lab.v2("POST", "evaluation_runs", { evaluation: "svc:///broken", model: "m" }), 400, /./);
  refused(await lab.v2("GET", "predictions?limit=-1"), 400, /Limit/);
});
