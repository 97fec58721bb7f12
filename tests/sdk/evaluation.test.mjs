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
  });

  test("can be logged piece by piece, with scores as feedback", async () => {
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
