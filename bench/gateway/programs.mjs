// The programs of the benchmarks of the gateway: a mock upstream, a gateway with one model, and the load.

import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { bin } from '../traces/programs.mjs';

const run = promisify(execFile);
const children = new Set();

/** Starts a program that `endPrograms()` ends. */
export function started(file, args, options = {}) {
  const child = spawn(file, args.map(String), options);
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

export function endPrograms() {
  for (const child of children) child.kill('SIGKILL');
}

/** Starts the mock upstream. A stream has `events` events, one every `pace` milliseconds. */
export async function startMock(events, pace) {
  const child = started(join(bin, 'mock_upstream'), [events, pace], { stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const text of child.stderr.setEncoding('utf8')) {
    const found = /listening on (\S+)/.exec(text);
    if (found) return { child, url: new URL(found[1]), headers: [] };
  }
  throw new Error('the mock upstream exited');
}

/** Sends a request to the API of a server. */
export async function send(server, method, path, body) {
  const headers = { Authorization: `Bearer ${server.key}`, 'Content-Type': 'application/json' };
  const answer = await fetch(new URL(`/api/v1${path}`, server.url), { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Creates a model in a project with completion tracing, and sets the headers of its requests. */
export async function configureGateway(server, mock) {
  await send(server, 'POST', '/teams', { name: 'bench' });
  await send(server, 'POST', '/upstreams', { name: 'mock', url: `${mock.url.origin}/v1` });
  await send(server, 'POST', '/models', { name: 'mock', targets: [{ upstream: 'mock' }] });
  await send(server, 'PUT', '/projects/bench/lab/completion-tracing', { enabled: true });
  server.headers = [`Authorization: Bearer ${server.key}`, 'Compat-Project: bench/lab'];
}

/** Runs the load and returns {requests, refused, refused_status, rate, p50, p90, p99, max}; times in microseconds. */
export async function load(server, mode, { count, length, perSecond = 0 }) {
  const args = [mode, server.url.hostname, server.url.port, '/v1/chat/completions', count, length, perSecond, ...server.headers];
  const { stdout } = await run(join(bin, 'gateway_load'), args.map(String));
  return JSON.parse(stdout);
}
