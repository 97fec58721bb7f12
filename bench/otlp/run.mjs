// Durable spans per second over OTLP in Protocol Buffers with 64 connections, as a ratio to DuckDB's bare appender that
// writes the same rows in the same run; then the same OTLP/JSON load on Genkit's telemetry server, which does not sync
// its files, and on Spindle.
//
//   SPANS=200000 JSON_SPANS=60000 ROUNDS=3 make bench ONLY=otlp

import { execFile, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { bin, cleanUp, freePort, median, scratch, startServer, stop } from '../traces/programs.mjs';

const spans = Number(process.env.SPANS ?? 200_000);
const jsonSpans = Number(process.env.JSON_SPANS ?? 60_000);
const rounds = Number(process.env.ROUNDS ?? 3);
const batch = Number(process.env.BATCH ?? 100);
const connections = 64;
const projects = ['bench/a', 'bench/b', 'bench/c', 'bench/d'];
const run = promisify(execFile);

async function load(server, { count, format, path }) {
  const args = [server.url.hostname, server.url.port, server.key, connections, batch, count, format, path, ...projects];
  const { stdout } = await run(join(bin, 'span_load'), args.map(String));
  return JSON.parse(stdout);
}

async function bareAppender() {
  const file = join(scratch, 'raw-spans.duckdb');
  try {
    const { stdout } = await run(join(bin, 'raw_span_appender'), [file, String(spans), String(batch)]);
    return Number(stdout);
  } finally {
    for (const leftover of [file, `${file}.wal`]) rmSync(leftover, { force: true });
  }
}

async function throughput() {
  const ours = [];
  const bare = [];
  const ratios = [];
  let last;
  for (let round = 0; round < rounds; ++round) {
    bare.push(await bareAppender());
    const server = await startServer(join(scratch, `spans-${round}`));
    last = await load(server, { count: spans, format: 'protobuf', path: '/agents/otel/v1/traces' });
    await stop(server);
    ours.push(last.rate);
    ratios.push(last.rate / bare.at(-1));
  }
  console.log(`protobuf, ${connections} connections, ${batch} a request  ${median(ours).toFixed(0)} spans/s (p50 ${last.p50} ms, p99 ${last.p99} ms, max ${last.max} ms)`);
  console.log(`bare DuckDB appender                     ${median(bare).toFixed(0)} rows/s, ${batch} rows a commit`);
  console.log(`ratio                                    ${median(ratios).toFixed(2)} (${ratios.map((r) => r.toFixed(2)).join(' ')}), aim 0.35 or better`);
  for (const path of ['/otel/v1/traces', '/v1/traces']) {
    const server = await startServer(join(scratch, `other-${path.length}`));
    const other = await load(server, { count: spans, format: 'protobuf', path });
    await stop(server);
    console.log(`the same to ${path.padEnd(29)}${other.rate.toFixed(0)} spans/s`);
  }
}

/** Installs Genkit's server into the scratch folder, from the lock file in this folder. */
function installGenkit() {
  const folder = join(scratch, 'genkit');
  if (existsSync(join(folder, 'node_modules'))) return folder;
  mkdirSync(folder, { recursive: true });
  for (const file of ['package.json', 'package-lock.json', 'genkit_server.mjs']) {
    cpSync(new URL(file, import.meta.url), join(folder, file));
  }
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'ignore' });
  return folder;
}

async function startGenkit() {
  const folder = installGenkit();
  const port = await freePort();
  const data = join(folder, 'data');
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data);
  const child = spawn(process.execPath, ['genkit_server.mjs', data, String(port)], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve, reject) => {
    child.stdout.on('data', (text) => String(text).includes('ready') && resolve());
    child.once('exit', () => reject(new Error('the Genkit server ended')));
  });
  return { child, url: new URL(`http://127.0.0.1:${port}`), key: 'none' };
}

async function sideBySide() {
  const genkit = await startGenkit();
  const theirs = await load(genkit, { count: jsonSpans, format: 'json', path: '/api/otlp/v1/traces' });
  genkit.child.removeAllListeners('exit');
  genkit.child.kill('SIGKILL');
  const measured = async (name, path) => {
    const server = await startServer(join(scratch, name));
    const result = await load(server, { count: jsonSpans, format: 'json', path });
    await stop(server);
    return result;
  };
  // Genkit keeps every span once; the standard path keeps it twice here, as a call and as a step.
  const ours = await measured('json-steps', '/agents/otel/v1/traces');
  const both = await measured('json-both', '/v1/traces');
  console.log(`OTLP/JSON, @genkit-ai/telemetry-server   ${theirs.rate.toFixed(0)} spans/s (p50 ${theirs.p50} ms, p99 ${theirs.p99} ms), not durable`);
  console.log(`OTLP/JSON, spindle, steps of agents      ${ours.rate.toFixed(0)} spans/s (p50 ${ours.p50} ms, p99 ${ours.p99} ms), durable`);
  console.log(`times as fast                            ${(ours.rate / theirs.rate).toFixed(1)}, aim above 1`);
  console.log(`OTLP/JSON, spindle, calls and steps      ${both.rate.toFixed(0)} spans/s, each span kept twice`);
}

try {
  await throughput();
  if (jsonSpans > 0) await sideBySide();
} finally {
  cleanUp();
}
