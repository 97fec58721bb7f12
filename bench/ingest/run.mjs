// Durable calls per second over HTTP, as a ratio to DuckDB's bare appender that writes the same rows to the same disk
// in the same run; single calls with many connections; memory during many calls.
//
//   CALLS=300000 MEMORY_CALLS=5000000 ROUNDS=3 make bench ONLY=ingest

import { join } from 'node:path';

import { cleanUp, load, median, rawAppender, scratch, startServer, stop } from '../traces/programs.mjs';

const calls = Number(process.env.CALLS ?? 300_000);
const memoryCalls = Number(process.env.MEMORY_CALLS ?? 5_000_000);
const rounds = Number(process.env.ROUNDS ?? 3);
const projects = ['bench/a', 'bench/b', 'bench/c', 'bench/d'];
const commitRows = 100;

async function throughput() {
  const ours = [];
  const bare = [];
  const ratios = [];
  let last;
  for (let round = 0; round < rounds; ++round) {
    bare.push(await rawAppender(calls, commitRows));
    const server = await startServer(join(scratch, `batches-${round}`));
    last = await load(server, { connections: 16, batch: commitRows, calls, projects });
    await stop(server);
    ours.push(last.rate);
    ratios.push(last.rate / bare.at(-1));
  }
  console.log(`batches of ${commitRows}, 16 connections   ${median(ours).toFixed(0)} calls/s (p50 ${last.p50} ms, p99 ${last.p99} ms, max ${last.max} ms)`);
  console.log(`bare DuckDB appender             ${median(bare).toFixed(0)} rows/s, ${commitRows} rows a commit`);
  console.log(`ratio                            ${median(ratios).toFixed(2)} (${ratios.map((r) => r.toFixed(2)).join(' ')}), aim 0.35 or better`);
}

async function singleCalls() {
  const server = await startServer(join(scratch, 'single'));
  const result = await load(server, { connections: 64, batch: 1, calls: 60_000, projects });
  await stop(server);
  console.log(`single calls, 64 connections     ${result.rate.toFixed(0)} calls/s (p50 ${result.p50} ms, p99 ${result.p99} ms), aim 4000 or better`);
}

async function memory() {
  const server = await startServer(join(scratch, 'memory'));
  const steps = 10;
  const seen = [];
  const rates = [];
  for (let step = 0; step < steps; ++step) {
    const first = (memoryCalls / steps) * step;
    const result = await load(server, { connections: 16, batch: 100, calls: memoryCalls / steps, first, projects });
    rates.push(Math.round(result.rate));
    seen.push(Math.round(server.rss()));
  }
  console.log(`memory over ${(memoryCalls / 1e6).toFixed(1)} M calls        ${seen.join(' ')} MB resident after each tenth; peak ${server.peak().toFixed(0)} MB, aim flat and under 1024 MB`);
  console.log(`rate over them                   ${rates.join(' ')} calls/s`);
  await stop(server);
}

try {
  await throughput();
  await singleCalls();
  if (memoryCalls > 0) await memory();
} finally {
  cleanUp();
}
