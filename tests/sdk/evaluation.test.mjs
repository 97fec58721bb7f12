// Evaluations and scores with the real Node SDK.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { startServer } from "../http/support/server.mjs";
import { opName, parseRef, trace, weave } from "./support/sdk.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

describe("an evaluation", () => {
  test("runs the model over the dataset and scores it", async () => {
    const traced = await trace(server);
    const dataset = new weave.Dataset({
      name: "capitals",
      rows: [
        { question: "France?", expected: "Paris" },
        { question: "Italy?", expected: "Rome" },
        { question: "Broken?", expected: "-" },
      ],
    });
    const model = weave.op(
      async function guess({ datasetRow }) {
        if (datasetRow.question === "Broken?") throw new Error("cannot answer");
        return "Paris";
      },
      { name: "guess" },
    );
    const correct = weave.op(({ modelOutput, datasetRow }) => modelOutput === datasetRow.expected, {
      name: "correct",
    });
    const evaluation = new weave.Evaluation({ name: "quiz", dataset, scorers: [correct] });
    const results = await evaluation.evaluate({ model, maxConcurrency: 1 });
    assert.equal(results.model_success.true_count, 2);
    assert.equal(results.correct.true_count, 1);

    const calls = await traced.calls();
    const root = calls.find((call) => opName(call) === "Evaluation.evaluate");
    assert.equal(root.parent_id, null);
    assert.equal(root.display_name, "quiz_guess");
    assert.deepEqual(root.output, results);
    assert.ok(calls.every((call) => call.trace_id === root.trace_id && call.ended_at !== null));
    const scored = calls.filter((call) => opName(call) === "Evaluation.predictAndScore");
    assert.equal(scored.length, 3);
    assert.ok(scored.every((call) => call.parent_id === root.id));
    assert.deepEqual(
      scored.map((call) => call.output.model_success),
      [true, true, false],
    );
    const guesses = calls.filter((call) => opName(call) === "guess");
    assert.deepEqual(guesses.map((call) => call.summary.svc.status), ["success", "success", "error"]);
    const object = await traced.object("quiz", parseRef(root.inputs.self).digest);
    assert.equal(object.base_object_class, "Evaluation");
    assert.equal(parseRef(object.val.dataset).name, "capitals");
    assert.deepEqual(object.val.scorers.map((ref) => parseRef(ref).name), ["correct"]);

    // The server's view: an evaluation run and its results by row.
    const run = await traced.run(root.id);
    assert.deepEqual([run.status, run.evaluation, run.finished_at], ["completed", root.inputs.self, root.ended_at]);
    assert.equal(run.summary.svc.status, root.summary.svc.status);
    const { rows, summary } = await traced.results({ evaluation_call_ids: [root.id], include_summary: true });
    assert.equal(rows.length, 3);
    const trials = rows.map(({ evaluations }) => evaluations[0].trials[0]);
    assert.deepEqual(trials.map(({ predict_and_score_call_id }) => predict_and_score_call_id).sort(), scored.map(({ id }) => id).sort());
    const answered = trials.filter(({ model_output }) => model_output !== null);
    assert.deepEqual(answered.map(({ model_output }) => model_output), ["Paris", "Paris"]);
    assert.deepEqual(trials.map(({ predict_call_id }) => predict_call_id).sort(), guesses.map(({ id }) => id).sort());
    const [stats] = summary.evaluations[0].scorer_stats;
    assert.deepEqual([stats.scorer_key, stats.value_type, stats.pass_true_count, stats.pass_known_count], ["correct", "binary", 1, 2]);
  });

  test("can be logged step by step, with scores as feedback", async () => {
    const traced = await trace(server);
    const logger = new weave.EvaluationLogger({ name: "logged", dataset: "examples", model: { name: "bot" } });
    for (const [question, answer, score] of [["a", "A", 1], ["b", "B", 0.5]]) {
      const prediction = await logger.logPredictionAsync({ question }, answer);
      await prediction.logScore("exactness", score);
      await prediction.finish();
    }
    await logger.logSummary({ verdict: "fine" });

    const calls = await traced.calls();
    const named = (name) => calls.filter((call) => opName(call) === name);
    const [root] = named("Evaluation.evaluate");
    assert.equal(root.attributes._svc_eval_meta.imperative, true);
    assert.equal(named("Evaluation.predict_and_score").length, 2);
    const predictions = named("Model.predict");
    assert.equal(predictions.length, 2);
    const scores = named("exactness.score");
    assert.deepEqual(scores.map(({ output }) => output), [1, 0.5]);
    assert.equal(scores[0].attributes._svc_eval_meta.score, true);

    const { rows } = await traced.results({ evaluation_run_ids: [root.id], sort_by: [{ field: "scores.exactness", direction: "desc" }] });
    const trials = rows.map(({ evaluations }) => evaluations[0].trials[0]);
    assert.deepEqual(trials.map(({ scores, model_output }) => [scores.exactness, model_output]), [[1, "A"], [0.5, "B"]]);
    assert.deepEqual(trials.map(({ predict_call_id }) => predict_call_id), predictions.map(({ id }) => id));
    assert.deepEqual(trials.map(({ scorer_call_ids }) => scorer_call_ids.exactness), scores.map(({ id }) => id));
    assert.equal((await traced.run(root.id)).status, "completed");

    const feedback = await traced.feedback();
    assert.equal(feedback.length, 2);
    for (const record of feedback) {
      assert.equal(record.feedback_type, "svc.runnable.exactness");
      const prediction = predictions.find(({ id }) => record.svc_ref === `svc:///${traced.project}/call/${id}`);
      const score = scores.find(({ id }) => record.call_ref === `svc:///${traced.project}/call/${id}`);
      assert.ok(prediction && score, JSON.stringify(record));
      assert.equal(score.parent_id, prediction.parent_id);
      assert.equal(record.payload.output, score.output);
      assert.equal(parseRef(record.runnable_ref).name, "exactness");
    }
    const field = { $getField: "feedback.[svc.runnable.exactness].payload.output" };
    const query = { $expr: { $gt: [field, { $literal: 0.7 }] } };
    const good = await traced.calls({ query, include_feedback: true });
    assert.equal(good.length, 1);
    assert.equal(good[0].summary.svc.feedback.length, 1);
    assert.equal(good[0].output, "A");
  });

  test("scores a call of any op", async () => {
    const traced = await trace(server);
    const answer = weave.op(() => "42", { name: "answer" });
    const judge = weave.op((text) => ({ good: text === "42" }), { name: "judge" });
    const [text, call] = await answer.invoke();
    const [verdict, judged] = await judge.invoke(text);
    await traced.client.waitForBatchProcessing();
    const ref = await judge.__savedRef;
    const id = await traced.client.addScore(call.id, judged.id, ref.uri(), verdict);
    const [record] = await traced.feedback();
    assert.equal(record.id, id);
    assert.deepEqual(record.payload, { output: { good: true } });
  });
});
