// The overhead of a training job: the time from the request that creates a job on spindle-nano to its first gradient
// step (at the trainer and at a polling client) and to its end, with a running trainer, and with one that the server
// has to start first.
//
//   JOBS=20 make bench ONLY=jobs

import { join } from 'node:path';

import { cleanUp, median, scratch, startServer, stop } from '../traces/programs.mjs';

const jobs = Number(process.env.JOBS ?? 20);
const model = new URL('../../models/spindle-nano.gguf', import.meta.url).pathname;

const server = await startServer(join(scratch, 'jobs'), ['--inference-default-model', model]);

async function api(method, path, body) {
  const headers = { Authorization: `Bearer ${server.key}`, 'Content-Type': 'application/json' };
  const answer = await fetch(new URL(path, server.url), { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

/** Returns one group of short trajectories, for a job of one step. */
function group(seed) {
  const prompt = Array.from({ length: 40 }, (_, i) => 300 + ((seed * 17 + i * 5) % 1000));
  return {
    trajectories: Array.from({ length: 8 }, (_, t) => {
      const tokens = Array.from({ length: 8 }, (_, i) => 300 + ((seed * 31 + t * 13 + i * 7) % 1000));
      const content = tokens.map((id) => ({ token: `token_id:${id}`, bytes: null, logprob: -1, top_logprobs: [] }));
      const choice = {
        finish_reason: 'stop',
        index: 0,
        message: { role: 'assistant', content: '…' },
        logprobs: { content, refusal: null },
        prompt_token_ids: prompt,
        token_ids: tokens,
      };
      return { messages_and_choices: [{ role: 'user', content: '…' }, choice], reward: t % 2 };
    }),
  };
}

/** Returns the milliseconds until a client receives the first step, and the end. */
async function timed(trained, seed) {
  const began = performance.now();
  const job = await api('POST', '/v1/preview/training-jobs', { model_id: trained.id, trajectory_groups: [group(seed)] });
  let step;
  for (;;) {
    const { data } = await api('GET', `/v1/preview/training-jobs/${job.id}/events`);
    const types = data.map(({ type }) => type);
    if (types.includes('training_failed')) throw new Error(JSON.stringify(data.at(-1)));
    if (types.includes('gradient_step')) step ??= performance.now() - began;
    if (types.includes('training_ended')) return { step, end: performance.now() - began };
  }
}

const tell = (what, numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b);
  console.log(`${what.padEnd(52)} ${median(sorted).toFixed(0).padStart(6)} ms  (${sorted[0].toFixed(0)} to ${sorted.at(-1).toFixed(0)})`);
};

await api('POST', '/api/v1/teams', { name: 'bench' });
const trained = await api('POST', '/v1/preview/models', { entity: 'bench', project: 'jobs', name: 'solver', base_model: 'spindle-nano' });
const cold = await timed(trained, 0);
const warm = [];
for (let i = 1; i <= jobs; ++i) warm.push(await timed(trained, i));
console.log(`${jobs} jobs of one step each on spindle-nano`);
tell('create to first gradient step, warm trainer', warm.map(({ step }) => step));
tell('create to end, warm trainer (checkpoint published)', warm.map(({ end }) => end));
tell('create to first gradient step, trainer to be started', [cold.step]);
console.log('aim: first gradient step under 3000 ms with a warm trainer');
await stop(server);
await cleanUp();
