// Common functions of the benchmarks: a server with its own folder, and the benchmark programs.

import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const bin = process.env.SPINDLE_BENCH_BIN;
if (!bin || !existsSync(join(bin, 'spindle'))) throw new Error('run this with `make bench`');

// A server rejects unknown SPINDLE_ variables.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SPINDLE_')));
const children = new Set();
const run = promisify(execFile);

export const scratch = process.env.BENCH_FOLDER ?? mkdtempSync(join(tmpdir(), 'spindle-bench-'));
mkdirSync(scratch, { recursive: true });

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Starts a spindle server on a folder. `program` names another build. `rss()` is its memory in MB. */
export async function startServer(folder, args = [], program = join(bin, 'spindle'), settings = {}) {
  const log = `${folder}.log`;
  const child = spawn(
    program,
    ['serve', '--listen', '127.0.0.1:0', '--data-dir', folder, '--no-access-log', ...args],
    { stdio: ['ignore', 'ignore', openSync(log, 'w')], env: { ...env, ...settings } },
  );
  children.add(child);
  while (true) {
    const found = /listening on (\S+)/.exec(readFileSync(log, 'utf8'));
    if (found) {
      const url = new URL(found[1]);
      const key = settings.SPINDLE_ADMIN_API_KEY ?? readFileSync(join(folder, 'admin-api-key'), 'utf8').trim();
      const status = () => readFileSync(`/proc/${child.pid}/status`, 'utf8');
      const megabytes = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status())[1]) / 1024;
      return { child, url, key, rss: () => megabytes('VmRSS'), peak: () => megabytes('VmHWM') };
    }
    if (child.exitCode !== null) throw new Error(`spindle ended: ${readFileSync(log, 'utf8')}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export function stop(server) {
  return new Promise((resolve) => {
    server.child.once('exit', () => { children.delete(server.child); resolve(); });
    server.child.kill('SIGTERM');
  });
}

/** Sends calls and resolves with {calls, seconds, rate, p50, p99, max}. */
export async function load(server, { connections, batch, calls, first = 0, rate = 0, projects }) {
  const args = [server.url.hostname, server.url.port, server.key, connections, batch, calls, first, rate, ...projects];
  const { stdout } = await run(join(bin, 'call_load'), args.map(String), { env });
  return JSON.parse(stdout);
}

/** Returns the rows per second of the bare appender. */
export async function rawAppender(calls, commitRows) {
  const file = join(scratch, `raw-${commitRows}.duckdb`);
  try {
    const { stdout } = await run(join(bin, 'raw_appender'), [file, String(calls), String(commitRows)], { env });
    return Number(stdout);
  } finally {
    for (const leftover of [file, `${file}.wal`]) rmSync(leftover, { force: true });
  }
}

export function spawnProgram(name, args) {
  const child = spawn(join(bin, name), args.map(String), { stdio: ['pipe', 'pipe', 'inherit'], env });
  children.add(child);
  return child;
}

/** Returns a free port. */
export async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

export function cleanUp() {
  for (const child of children) child.kill('SIGKILL');
  if (!process.env.BENCH_FOLDER) rmSync(scratch, { recursive: true, force: true });
}
