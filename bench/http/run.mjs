// Requests per second of an authenticated, schema-validated POST as a ratio to a bare Beast server that returns the
// same bytes; time from start to ready on an empty folder; idle memory.
//
// The two servers alternate within one run, with the same number of I/O threads, under the same load from wrk on the
// same machine. Access logging is on, as in production, and goes to a file.

import { spawn, execFileSync } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

const bin = process.env.SPINDLE_BENCH_BIN;
const rounds = Number(process.env.ROUNDS ?? 5);
const seconds = Number(process.env.SECONDS ?? 3);
const connections = Number(process.env.CONNECTIONS ?? 64);
const ioThreads = 2;
const workerThreads = Number(process.env.WORKERS ?? 4);
const scratch = mkdtempSync(join(tmpdir(), 'spindle-bench-'));
const children = new Set();
let started = 0;
// A server rejects unknown SPINDLE_ variables.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SPINDLE_')));

const body = JSON.stringify({
  project_id: 'team/project',
  costs: {
    'gpt-4o': { prompt_token_cost: 0.0000025, completion_token_cost: 0.00001, effective_date: '2024-05-01T10:00:00Z' },
    'gpt-4o-mini': { prompt_token_cost: 1.5e-7, completion_token_cost: 6e-7, provider_id: 'openai' },
  },
});

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Starts a program that prints `listening on URL` to stderr; stderr goes to a file. */
async function start(program, args, options = {}) {
  const log = join(scratch, `${program}-${++started}.log`);
  const began = performance.now();
  const child = spawn(join(bin, program), args, { stdio: ['ignore', 'ignore', openSync(log, 'a')], env, ...options });
  children.add(child);
  while (true) {
    const found = /listening on (\S+)/.exec(readFileSync(log, 'utf8'));
    if (found) return { child, url: found[1], startedIn: performance.now() - began };
    if (child.exitCode !== null) throw new Error(`${program} ended: ${readFileSync(log, 'utf8')}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

function stop(server) {
  return new Promise((resolve) => {
    server.child.once('exit', () => { children.delete(server.child); resolve(); });
    server.child.kill('SIGTERM');
  });
}

/** Runs wrk as a separate process, so that this one waits without using the CPU. */
function load(url, script) {
  const out = execFileSync('wrk', ['-t2', `-c${connections}`, `-d${seconds}s`, '--latency', '-s', script, `${url}/cost/create`], { encoding: 'utf8' });
  const errors = /Non-2xx or 3xx responses: (\d+)/.exec(out) ?? /Socket errors: (.*)/.exec(out);
  if (errors) throw new Error(`wrk reported errors: ${errors[0]}`);
  const p99 = /99%\s+(\S+)/.exec(out)[1];
  return { rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(out)[1]), p99 };
}

async function compare() {
  const folder = join(scratch, 'post');
  const post = await start('validated_post', ['0', String(ioThreads), String(workerThreads), folder]);
  const key = readFileSync(join(folder, 'admin-api-key'), 'utf8').trim();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(`${post.url}/cost/create`, { method: 'POST', headers, body });
  if (answer.status !== 200) throw new Error(`the server answered ${answer.status}: ${await answer.text()}`);
  const bare = await start('bare_beast', ['0', String(ioThreads), await answer.text()]);

  const script = join(scratch, 'post.lua');
  writeFileSync(script, `wrk.method = "POST"\nwrk.body = [==[${body}]==]\n`
    + `wrk.headers["Authorization"] = "Bearer ${key}"\nwrk.headers["Content-Type"] = "application/json"\n`);
  const rates = { bare: [], post: [] };
  let p99 = {};
  for (let round = 0; round <= rounds; ++round) {
    for (const [name, server] of [['bare', bare], ['post', post]]) {
      const measured = load(server.url, script);
      if (round === 0) continue; // the first round is the warm-up
      rates[name].push(measured.rate);
      p99[name] = measured.p99;
    }
  }
  const ratios = rates.post.map((rate, i) => rate / rates.bare[i]);
  console.log(`validated POST      ${median(rates.post).toFixed(0)} requests/s (p99 ${p99.post})`);
  console.log(`bare Beast          ${median(rates.bare).toFixed(0)} requests/s (p99 ${p99.bare})`);
  console.log(`ratio               ${median(ratios).toFixed(2)} (${ratios.map((r) => r.toFixed(2)).join(' ')}), aim 0.6 or better`);
  console.log(`                    ${connections} connections, ${ioThreads} I/O threads, ${workerThreads} workers, wrk on the same machine`);
  await stop(bare);
  await stop(post);
}

async function startAndIdle() {
  const times = [];
  let resident = 0;
  for (let round = 0; round < 5; ++round) {
    const folder = join(scratch, `empty-${round}`);
    const server = await start('spindle', ['serve', '--listen', '127.0.0.1:0', '--data-dir', folder], { cwd: scratch });
    const health = await fetch(`${server.url}/health`);
    if (!health.ok) throw new Error('the server is not healthy');
    times.push(server.startedIn);
    resident = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, 'utf8'))[1]) / 1024;
    await stop(server);
  }
  console.log(`start to ready      ${(median(times) / 1000).toFixed(3)} s on an empty folder, aim under 0.5 s`);
  console.log(`idle memory         ${resident.toFixed(1)} MB resident, aim under 60 MB`);
}

try {
  if (!bin || !existsSync(join(bin, 'spindle'))) throw new Error('run this with `make bench`');
  await compare();
  await startAndIdle();
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
}
