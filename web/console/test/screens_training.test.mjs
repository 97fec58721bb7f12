// The logic of the training screens: draft of the wizard, texts of the preview, configuration, advice, events, scores.

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, test } from "node:test";

import { importSources } from "./support/bundle.mjs";
import { installPage } from "./support/page.mjs";

const draft = await importSources("screens/training/draft.ts", "screens/training/preview_text.ts", "screens/training/feedback_types.ts");
const shared = await importSources(
  "screens/shared_training/config.ts", "screens/shared_training/advice.ts", "screens/shared_training/artifact_path.ts", "screens/shared_training/md5.ts",
  "screens/shared_training/dataset_examples.ts", "screens/shared_training/scores.ts", "screens/shared_training/checkpoints.ts",
);
const job = await importSources("screens/training_job/events.ts");
const models = await importSources("screens/models/ladder.ts");

let page;
beforeEach(() => (page = installPage()));
afterEach(() => page.remove());

describe("types of feedback", () => {
  test("are counted, with the time of the newest", () => {
    const rows = [["note", 3], ["quality", 2], ["quality", 1]].map(([feedback_type, day]) => ({ feedback_type, created_at: `2026-01-0${day}T00:00:00Z` }));
    const types = draft.countTypes(rows);
    assert.deepEqual(types.map(({ name, count }) => [name, count]), [["quality", 2], ["note", 1]]);
    assert.equal(types[0].newest, Date.UTC(2026, 0, 2));
  });

  test("are inspected for 31 days up to the newest", () => {
    const { start, end } = draft.inspectedTime({ newest: Date.UTC(2026, 1, 1) });
    assert.equal(Date.parse(end) - Date.parse(start), 31 * 86_400_000);
    assert.ok(Date.parse(end) > Date.UTC(2026, 1, 1));
  });
});

describe("draft of the wizard", () => {
  test("is written shortly and read back", () => {
    assert.equal(draft.draftCodec.write(null), null);
    assert.equal(draft.draftCodec.write(draft.FIRST), "1");
    const changed = { ...draft.FIRST, step: "reward", kind: "rl", min: 0.5, config: { learning_rate: 1e-4 } };
    const text = draft.draftCodec.write(changed);
    assert.deepEqual(JSON.parse(text), { step: "reward", kind: "rl", min: 0.5, config: { learning_rate: 1e-4 } });
    assert.deepEqual(draft.draftCodec.read(text), changed);
  });

  test("ignores members of wrong types and broken text", () => {
    assert.deepEqual(draft.readDraft("{"), draft.FIRST);
    assert.deepEqual(draft.readDraft("[]"), draft.FIRST);
    assert.deepEqual(draft.readDraft('{"step":"x","kind":7,"min":"1","config":[],"model":"m1","__proto__":{"a":1}}'), { ...draft.FIRST, model: "m1" });
  });

  test("becomes the body of an export", () => {
    const body = draft.exportBody("acme/support", { ...draft.FIRST, reward: "feedback", feedbackType: "quality", path: "value", min: 1, name: " good " }, 0, "utc");
    assert.deepEqual(body, {
      project: "acme/support", name: "good", format: "sft", source: "calls", unit: "call", limit: 10_000,
      reward: { path: "value", feedback_type: "quality" }, min_reward: 1,
    });
    const agents = draft.exportBody("acme/support", { ...draft.FIRST, from: "agents", kind: "rl", reward: "call", path: "attributes.score", group: "thread" }, 0, "utc");
    assert.deepEqual(agents, { project: "acme/support", name: "", format: "rl", source: "agents", reward: { path: "attributes.score" }, group_by: "thread", limit: 10_000 });
  });

  test("takes the filter and the time along", () => {
    const { query } = draft.exportBody("a/b", { ...draft.FIRST, filter: "status:error", range: "24h" }, Date.parse("2026-11-18T00:00:00Z"), "utc");
    assert.match(JSON.stringify(query), /started_at.*2026-11-17T00:00:00/);
  });

  test("says what is missing in each step", () => {
    assert.equal(draft.problemOf(draft.FIRST, "data"), null);
    assert.match(draft.problemOf({ ...draft.FIRST, from: "artifact" }, "data"), /artifact/);
    assert.match(draft.problemOf({ ...draft.FIRST, kind: "rl" }, "reward"), /needs a reward/);
    assert.match(draft.problemOf({ ...draft.FIRST, reward: "feedback" }, "reward"), /feedback/);
    assert.match(draft.problemOf(draft.FIRST, "start"), /Name the new model/);
    assert.deepEqual(draft.stepsOf({ ...draft.FIRST, from: "dataset" }), ["data", "start"]);
  });
});

describe("preview", () => {
  const preview = {
    num_lines: 40, num_trainable_groups: null, num_trajectories: 40, num_with_logprobs: 0,
    excluded: { failed: 2, no_answer: 0, repeated_trace: 0, no_reward: 3, below_min_reward: 0 },
  };

  test("names what is left out", () => assert.deepEqual(draft.excludedTexts(preview), ["2 failed", "3 without a reward"]));

  test("warns of too little and of nothing to learn", () => {
    const sft = { kind: "sft", config: {}, reward: "none" };
    assert.deepEqual(draft.warningsOf(preview, sft), []);
    assert.match(draft.warningsOf({ ...preview, num_lines: 3 }, sft)[0], /Only 3 examples/);
    assert.match(draft.warningsOf({ ...preview, num_lines: 0 }, sft)[0], /no answer has this reward/);
    const rl = draft.warningsOf({ ...preview, num_trainable_groups: 0 }, { ...sft, kind: "rl" });
    assert.match(rl.join(), /nothing to learn.*log probabilities/);
    assert.doesNotMatch(draft.warningsOf({ ...preview, num_trainable_groups: 4 }, { kind: "rl", reward: "call", config: { allow_training_without_logprobs: true } }).join(), /log/);
  });
});

describe("configuration", () => {
  test("differences from the defaults come first", () => {
    const rows = shared.configRows("sft", { batch_size: 4, learning_rate: 5e-5, assistant_turns: "all", seed: 3407 });
    assert.deepEqual(rows.map(({ name, differs }) => [name, differs]), [["batch_size", true], ["learning_rate", false], ["assistant_turns", false], ["seed", false]]);
  });

  test("defaults follow the fields that they depend on", () => {
    assert.equal(shared.defaultsOf("rl").epsilon, 1);
    assert.equal(shared.defaultsOf("rl", { loss_fn: "ppo", epsilon: 0.3 }).epsilon_high, 0.3);
    assert.equal(shared.configRows("rl", { loss_fn: "ppo", epsilon: 0.2, epsilon_high: 0.2 }).filter(({ differs }) => differs).length, 1);
  });

  test("only changes are sent", () => {
    assert.deepEqual(shared.changesOf({ a: 1, b: null, c: [1] }, { a: 2, b: null, c: [1] }), { a: 2 });
    assert.deepEqual(shared.changesOf({ a: 1 }, { a: null }), { a: null });
    assert.deepEqual(shared.setMembers({ a: 1, b: null, c: "", d: false }), { a: 1, d: false });
  });

  test("is written on one line", () => {
    assert.deepEqual([5e-5, 3 * 1e-4, 0.1, null, "all", [1, 2, 3, 4, 5]].map(shared.configText), ["5e-5", "3e-4", "0.1", "none", "all", "1 … 5, 5 values"]);
  });
});

test("failures come with advice", () => {
  assert.deepEqual(shared.adviceFor("sft", "The loss is not a number at step 3").fields, ["learning_rate"]);
  assert.deepEqual(shared.adviceFor("rl", "The trainer ran out of memory").fields, ["packed_sequence_length"]);
  assert.match(shared.adviceFor("sft", "line 4: no messages").text, /Correct the data/);
  assert.equal(shared.adviceFor("sft", "something else"), null);
  assert.equal(shared.adviceFor("sft", null), null);
});

test("paths of artifacts", () => {
  assert.deepEqual(shared.parseArtifactPath("svc-artifact:///a/b/c:v1"), { project: "a/b", name: "c", version: "v1" });
  assert.deepEqual(shared.parseArtifactPath(" a/b/c "), { project: "a/b", name: "c", version: "latest" });
  for (const wrong of ["", "c:v1", "https://x/y/z", "a/b/c/d", "a/b/c:v1:v2"]) assert.equal(shared.parseArtifactPath(wrong), null, wrong);
});

test("MD5 is that of others", () => {
  for (const size of [0, 1, 55, 56, 63, 64, 65, 1000, 70_001]) {
    const bytes = randomBytes(size);
    assert.equal(shared.md5Base64(new Uint8Array(bytes)), createHash("md5").update(bytes).digest("base64"), `${size} bytes`);
  }
});

test("rows of datasets become examples", () => {
  const members = { question: "q", answer: "a" };
  assert.deepEqual(shared.exampleOf({ q: "1+1", a: 2 }, members), { line: { messages: [{ role: "user", content: "1+1" }, { role: "assistant", content: "2" }] } });
  assert.deepEqual(shared.exampleOf({ q: "1+1" }, members), { problem: "a is missing" });
  const messages = [{ role: "user", content: "x" }, { role: "assistant", content: "y" }];
  assert.deepEqual(shared.exampleOf({ messages, other: 1 }, { question: "", answer: "" }), { line: { messages } });
  assert.ok("problem" in shared.exampleOf({ messages: messages.slice(0, 1) }, { question: "", answer: "" }));
  assert.ok("problem" in shared.exampleOf("text", members));
});

describe("events", () => {
  test("have the time of their id", () => {
    assert.equal(job.timeOfId("01a1e3f3-d4e4-7ae6-be51-7c9b497e8e88"), 0x01a1e3f3d4e4);
    assert.equal(job.timeOfId("4f1c2a10-0000-4000-8000-000000000000"), null);
  });

  test("become series, the main ones first", () => {
    const step = (gradient_step, data) => ({ id: "", type: "gradient_step", data: { gradient_step, ...data } });
    const { x, series } = job.seriesOf([{ id: "", type: "training_started", data: {} }, step(1, { zeta: 1, loss: 3 }), step(2, { loss: 2, grad_norm: 1, note: "text" })]);
    assert.deepEqual(x, [1, 2]);
    assert.deepEqual(series, [{ name: "loss", values: [3, 2] }, { name: "grad_norm", values: [null, 1] }, { name: "zeta", values: [1, null] }]);
  });
});

describe("scores", () => {
  const score = (evaluation, metric, value, run = "r") => ({ run, evaluation, metric, value, share: true });

  test("pair before and after", () => {
    const changes = shared.scoreChanges([score("quiz", "exact", 0.06)], [score("quiz", "exact", 0.9), score("other", "f1", 0.5)]);
    assert.deepEqual(changes.map(({ evaluation, before, after }) => [evaluation, before?.value ?? null, after?.value ?? null]), [["quiz", 0.06, 0.9], ["other", null, 0.5]]);
  });

  test("the newest run of an evaluation counts", () => {
    assert.deepEqual(shared.newest([score("quiz", "exact", 0.9, "new"), score("quiz", "exact", 0.1, "old")]).map(({ run }) => run), ["new"]);
  });

  test("shares of passed examples come first", () => {
    const stats = (scorer_key, pass_rate, numeric_mean) => ({ scorer_key, path: null, pass_rate, numeric_mean });
    const found = shared.scoresOf({ evaluation_call_id: "r", evaluation_ref: "svc:///a/b/object/quiz:abc", scorer_stats: [stats("f1", null, 0.3), stats("exact", 0.5, 0.5), stats("text", null, null)] });
    assert.deepEqual(found.map(({ evaluation, metric, share }) => [evaluation, metric, share]), [["quiz", "exact", true], ["quiz", "f1", false]]);
  });

  test("stand on the ladder, newest checkpoint on top", () => {
    const version = (step, aliases) => ({ id: `art_${step}`, version_index: step, aliases: [`step${step}`, ...aliases], created_at: "2026-11-18T00:00:00Z", size: 10 });
    const versions = [version(0, []), version(1, ["latest", "production"])];
    const rungs = models.rungsOf([{ id: "a", step: 0, metrics: {} }, { id: "b", step: 1, metrics: { loss: 2, text: "x" } }], versions, new Map([[1, [score("quiz", "exact", 0.9)]]]));
    assert.deepEqual(rungs.map(({ step, aliases, metrics, version: name }) => [step, aliases, metrics, name]), [[1, ["production"], { loss: 2 }, "v1"], [0, [], {}, "v0"]]);
    assert.deepEqual(models.scoreColumns(rungs).map(({ key, best }) => [key, best]), [["quiz exact", 0.9]]);
    assert.equal(shared.stepWithAlias(versions), 1);
    assert.equal(shared.stepWithAlias(versions, "staging"), null);
  });
});
