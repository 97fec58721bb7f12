// The engine compared with plain llama.cpp, on a generated model of about 100 million parameters in the same run:
// tokens per second with 1, 4 and 16 concurrent requests over HTTP, streamed; a prompt of 1,000 tokens shared by 16
// requests; the time from the start of the program to the first token.
//
//   TOKENS=96 ROUNDS=3 THREADS=2 make bench ONLY=engine

import { execFile, spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { request } from 'node:http';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { bin, cleanUp, median, scratch } from '../traces/programs.mjs';

const tokens = Number(process.env.TOKENS ?? 96);
const rounds = Number(process.env.ROUNDS ?? 3);
const threads = Number(process.env.THREADS ?? availableParallelism());
const prompt = 16;
const model = join(scratch, 'bench.gguf');
const socket = join(scratch, 'engine.sock');
const log = openSync(join(scratch, 'engine.log'), 'w');
const run = promisify(execFile);

function startEngine() {
  const args = ['--model', model, '--socket', socket, '--slots', 16, '--context', 2048, '--threads', threads];
  return spawn(join(bin, 'spindle-engine'), args.map(String), { stdio: ['ignore', 'ignore', log] });
}

async function stop(child) {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}

/** Sends a request over the socket and returns the status, 0 if nothing listens. */
function ask(path, body) {
  return new Promise((resolve) => {
    const asked = request({ socketPath: socket, path, method: body ? 'POST' : 'GET' }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    asked.on('error', () => resolve(0));
    asked.end(body && JSON.stringify(body));
  });
}

async function untilAnswered(path, body) {
  while ((await ask(path, body)) !== 200) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function load({ requests, shared, own, count, salt }) {
  const { stdout } = await run(join(bin, 'engine_load'), [socket, requests, shared, own, count, salt].map(String));
  return JSON.parse(stdout);
}

async function bare(sequences) {
  const { stdout } = await run(join(bin, 'bare_llama'), [model, sequences, prompt, tokens, threads].map(String));
  return Number(stdout);
}

async function decoding() {
  for (const requests of [1, 4, 16]) {
    const [ours, theirs, ratios] = [[], [], []];
    for (let round = 0; round < rounds; ++round) {
      theirs.push(await bare(requests));
      const child = startEngine();
      await untilAnswered('/health');
      const { tokens: made, seconds } = await load({ requests, shared: 0, own: prompt, count: tokens, salt: `d${round}` });
      await stop(child);
      ours.push(made / seconds);
      ratios.push(ours.at(-1) / theirs.at(-1));
    }
    const each = ratios.map((ratio) => ratio.toFixed(2)).join(' ');
    console.log(
      `${String(requests).padStart(2)} at a time  ${median(ours).toFixed(0)} tokens/s, llama.cpp alone ` +
        `${median(theirs).toFixed(0)}, ratio ${median(ratios).toFixed(2)} (${each}), aim 0.90 or better`,
    );
  }
}

async function sharing() {
  const child = startEngine();
  await untilAnswered('/health');
  const shape = { shared: 1000, own: 8, count: 1 };
  const [alone, together, cached] = [[], [], []];
  for (let round = 0; round < rounds; ++round) {
    alone.push((await load({ ...shape, requests: 1, salt: `a${round}` })).begun);
    const all = await load({ ...shape, requests: 16, salt: `t${round}` });
    together.push(all.begun);
    cached.push(all.cached);
  }
  await stop(child);
  const seconds = (values) => median(values).toFixed(2);
  console.log(
    `1,000 tokens shared by 16  ${seconds(together)} s, one alone ${seconds(alone)} s; ` +
      `${median(cached)} of ${16 * 1008} prompt tokens not read again (15 x 1,000 are shared)`,
  );
}

async function starting() {
  const took = [];
  for (let round = 0; round < rounds; ++round) {
    const begin = performance.now();
    const child = startEngine();
    await untilAnswered('/v1/completions', { model: 'bench', prompt: 'Hi', max_tokens: 1 });
    took.push((performance.now() - begin) / 1000);
    await stop(child);
  }
  console.log(`start to first token  ${median(took).toFixed(2)} s (${took.map((one) => one.toFixed(2)).join(' ')}), aim under 2 s`);
}

try {
  if (!existsSync(model)) await run(join(bin, 'engine_model'), [model]);
  console.log(`${threads} threads, ${tokens} tokens per answer, ${rounds} rounds`);
  await decoding();
  await sharing();
  await starting();
} finally {
  await cleanUp();
}
