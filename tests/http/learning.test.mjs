// Learning that is seen. spindle-nano answers questions that nobody trained it on, is trained over the
// training API by the trainer that the server starts, and answers them again.

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

/** Waits for the end of a job, as the reference client does. */
const finished = (job) => client.poll(job.id, () => pause(100));

/** The newest checkpoint's answer to an instance: a chat completion. */
async function ask(model, { messages }, more) {
  const body = { model: `svc-artifact:///${team}/lab/${model.name}`, messages, max_tokens: 48, ...more };
  const { status, json, text } = await server.api("POST", "/v1/chat/completions", { body });
  assert.equal(status, 200, text);
  return json;
}

/** What the verifier gives the answers to each instance: a list of scores for each. */
async function examine(model, instances, more) {
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

  /** Up to the peak and down again as a cosine: one rate for each batch. */
  function schedule(batches) {
    const rising = Math.floor(batches * WARM_UP);
    return Array.from({ length: batches }, (_, step) => {
      if (step < rising) return (PEAK * (step + 1)) / rising;
      return (PEAK / 2) * (1 + Math.cos((Math.PI * (step - rising)) / (batches - rising - 1)));
    });
  }

  test("teaches a skill that the model lacks: at least 30 points more right answers", async (context) => {
    const exam = questions({ skill: "largest", count: 100, seed: 5 });
    const model = await register();
    const accuracy = async () => {
      const found = await examine(model, exam, { temperature: 0 });
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
  /** What counts as learning. Chance moves the mean by a few points, true rewards move it by forty. */
  const POINTS = 0.2;

  /** Lists of five words to reverse: the model was taught with four at most. */
  function lists(count, fields) {
    const all = questions({ skill: "reverse", level: "hard", count: 8 * count, ...fields });
    const short = all.filter(({ expected }) => expected.length === 5).slice(0, count);
    assert.equal(short.length, count);
    return short;
  }

  /** One group: a question, and what was sampled for it, with the rewards. */
  const groupOf = ({ messages }, { choices, prompt_token_ids }, rewards) => ({
    trajectories: choices.map((choice, i) => ({
      messages_and_choices: [...messages, { ...choice, prompt_token_ids }],
      reward: rewards[i],
    })),
  });

  /**
   * Samples answers and trains on them, again and again. `credit` turns the scores of an iteration, a
   * list for each question, into rewards. Resolves with the mean reward on held-out questions before
   * and after.
   */
  async function reinforce(context, credit) {
    const exam = lists(ASKED, { seed: 5 });
    const all = lists(ITERATIONS * GROUPS, { split: "training", seed: 1 });
    const model = await register();
    const reward = async () => mean((await examine(model, exam, { temperature: 1, n: 2 })).flat());
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

  /** Numbers from 0 to 1, always the same. */
  function numbers(seed) {
    let state = seed;
    return () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state / 2 ** 32;
    };
  }

  /** The same rewards, but of anybody's answers. */
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

  test("improves a half-learned skill: at least 20 points more reward", async (context) => {
    const { at_first, at_last } = await reinforce(context, (found) => found);
    assert.ok(at_last - at_first >= POINTS, `${at_first} before, ${at_last} after`);
  });

  test("does not with rewards that were shuffled", async (context) => {
    const { at_first, at_last } = await reinforce(context, shuffler());
    assert.ok(at_last - at_first < POINTS / 2, `${at_first} before, ${at_last} after`);
  });
});
