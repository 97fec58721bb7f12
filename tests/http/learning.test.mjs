// Training improves a model measurably: spindle-nano is evaluated on held-out prompts, trained through the training
// API by the server's own trainer, and evaluated again.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { examples, questions, scores } from "./support/nano.mjs";
import { freshName, makeTeam } from "./support/people.mjs";
import { OWN_TRAINER_ENV, putExamples } from "./support/real_trainer.mjs";
import { startServer } from "./support/server.mjs";
import { TrainingClient } from "./support/training.mjs";

let server;
let client;
let team;
before(async () => {
  server = await startServer({ env: { ...OWN_TRAINER_ENV, SPINDLE_TRAINING_SAVE_INTERVAL: "20s" } });
  client = new TrainingClient(server);
  team = (await makeTeam(server)).name;
});
after(() => server.dispose());

const register = () =>
  client.register({ entity: team, project: "lab", name: freshName("solver"), base_model: "spindle-nano" });

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Waits for the end of a job like the reference client. */
const finished = (job) => client.poll(job.id, () => pause(100));

/** Requests a chat completion for an instance from the newest checkpoint. */
async function ask(model, { messages }, more) {
  const body = { model: `svc-artifact:///${team}/lab/${model.name}`, messages, max_tokens: 48, ...more };
  const { status, json, text } = await server.api("POST", "/v1/chat/completions", { body });
  assert.equal(status, 200, text);
  return json;
}

/** Returns the verifier's scores of the answers, a list for each instance. */
async function evaluate(model, instances, more) {
  const answers = [];
  for (const [i, instance] of instances.entries())
    answers.push(await ask(model, instance, { seed: i, ...more }));
  return scored(instances, answers);
}

function scored(instances, answers) {
  const replies = answers.flatMap(({ choices }, i) =>
    choices.map(({ message }) => ({ instance: instances[i], reply: message })),
  );
  const found = scores(replies);
  return answers.map((answer) => found.splice(0, answer.choices.length));
}

describe("supervised fine-tuning", () => {
  const EXAMPLES = 240;
  const BATCH = 4;
  const PEAK = 3e-3;
  const WARM_UP = 0.1;

  /** Returns a learning rate for each batch: warm-up to the peak, then cosine decay. */
  function schedule(batches) {
    const rising = Math.floor(batches * WARM_UP);
    return Array.from({ length: batches }, (_, step) => {
      if (step < rising) return (PEAK * (step + 1)) / rising;
      return (PEAK / 2) * (1 + Math.cos((Math.PI * (step - rising)) / (batches - rising - 1)));
    });
  }

  test("teaches a new skill: at least 30 percentage points more correct answers", async (context) => {
    const exam = questions({ skill: "largest", count: 100, seed: 5 });
    const model = await register();
    const accuracy = async () => {
      const found = await evaluate(model, exam, { temperature: 0 });
      return mean(found.map(([score]) => Number(score === 1)));
    };
    const at_first = await accuracy();

    const url = await putExamples(server, team, examples({ skill: "largest", count: EXAMPLES, seed: 1 }));
    const steps = await finished(
      await client.sft(model, url, { batch_size: BATCH, learning_rate: schedule(EXAMPLES / BATCH) }),
    );
    assert.equal(steps.length, EXAMPLES / BATCH);

    const at_last = await accuracy();
    context.diagnostic(`right answers: ${at_first.toFixed(3)} before, ${at_last.toFixed(3)} after`);
    assert.ok(at_last - at_first >= 0.3, `${at_first} before, ${at_last} after`);
  });
});

describe("reinforcement learning", () => {
  const ITERATIONS = 3;
  const GROUPS = 64;
  const SAMPLING = { temperature: 1, n: 8, logprobs: true, return_token_ids: true };
  const CONFIG = { learning_rate: 1.5e-4, packed_sequence_length: 1024 };
  const ASKED = 80;
  /** The minimum improvement. Chance changes the mean by a few percentage points, true rewards by forty. */
  const POINTS = 0.2;

  /** Returns lists of five words to reverse; the model was trained with at most four. */
  function lists(count, fields) {
    const all = questions({ skill: "reverse", level: "hard", count: 8 * count, ...fields });
    const short = all.filter(({ expected }) => expected.length === 5).slice(0, count);
    assert.equal(short.length, count);
    return short;
  }

  /** Returns a trajectory group: a prompt and its sampled choices, with rewards. */
  const groupOf = ({ messages }, { choices, prompt_token_ids }, rewards) => ({
    trajectories: choices.map((choice, i) => ({
      messages_and_choices: [...messages, { ...choice, prompt_token_ids }],
      reward: rewards[i],
    })),
  });

  /**
   * Samples answers and trains on them repeatedly. `credit` converts the scores of an iteration, a list for each
   * prompt, into rewards. Resolves with the mean reward on held-out prompts before and after.
   */
  async function reinforce(context, credit) {
    const exam = lists(ASKED, { seed: 5 });
    const all = lists(ITERATIONS * GROUPS, { split: "training", seed: 1 });
    const model = await register();
    const reward = async () => mean((await evaluate(model, exam, { temperature: 1, n: 2 })).flat());
    const at_first = await reward();
    for (let i = 0; i < ITERATIONS; ++i) {
      const instances = all.slice(i * GROUPS, (i + 1) * GROUPS);
      const answers = [];
      for (const [k, instance] of instances.entries())
        answers.push(await ask(model, instance, { ...SAMPLING, seed: 1000 * i + k }));
      const found = scored(instances, answers);
      const rewards = credit(found);
      const groups = instances.map((instance, k) => groupOf(instance, answers[k], rewards[k]));
      const steps = await finished(await client.train(model, groups, CONFIG));
      context.diagnostic(`iteration ${i + 1}: reward ${mean(found.flat()).toFixed(3)}, ${steps.length} steps`);
    }
    assert.equal(await client.step(model), ITERATIONS);
    const at_last = await reward();
    context.diagnostic(`mean reward: ${at_first.toFixed(3)} before, ${at_last.toFixed(3)} after`);
    return { at_first, at_last };
  }

  /** Generates reproducible numbers from 0 to 1. */
  function numbers(seed) {
    let state = seed;
    return () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state / 2 ** 32;
    };
  }

  /** Returns a function that shuffles the rewards among all answers. */
  function shuffler() {
    const random = numbers(7);
    return (found) => {
      const pool = found.flat();
      for (let i = pool.length - 1; i > 0; --i) {
        const other = Math.floor(random() * (i + 1));
        [pool[i], pool[other]] = [pool[other], pool[i]];
      }
      return found.map((group) => pool.splice(0, group.length));
    };
  }

  test("improves a partly learned skill: at least 20 percentage points more reward", async (context) => {
    const { at_first, at_last } = await reinforce(context, (found) => found);
    assert.ok(at_last - at_first >= POINTS, `${at_first} before, ${at_last} after`);
  });

  test("does not improve it with shuffled rewards", async (context) => {
    const { at_first, at_last } = await reinforce(context, shuffler());
    assert.ok(at_last - at_first < POINTS / 2, `${at_first} before, ${at_last} after`);
  });
});
