// Durable rows of history per second over HTTP in batches of 1000; and the time of a plot of one metric of a run with a
// million steps, right after writing and when all rows are flushed.
//
//   ROWS=2000000 CONNECTIONS=4 METRICS=4 make bench ONLY=runs

import { Agent, request } from 'node:http';
import { join } from 'node:path';

import { cleanUp, median, scratch, startServer, stop } from '../traces/programs.mjs';

const rows = Number(process.env.ROWS ?? 2_000_000);
const connections = Number(process.env.CONNECTIONS ?? 4);
const metrics = Number(process.env.METRICS ?? 4);
const batchRows = 1000;
const bodies = 16;
const project = '/api/v1/projects/bench/lab/runs';

const agent = new Agent({ keepAlive: true, maxSockets: connections });

function send(server, method, path, body) {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' };
    if (body !== undefined) headers['content-length'] = Buffer.byteLength(body);
    const { hostname, port } = server.url;
    const sent = request({ hostname, port, path, method, headers, agent }, (answer) => {
      const pieces = [];
      answer.on('data', (piece) => pieces.push(piece));
      answer.on('end', () => {
        const text = Buffer.concat(pieces).toString();
        if (answer.statusCode < 300) resolve(text === '' ? undefined : JSON.parse(text));
        else reject(new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 300)}`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Batches are created before the measurement, so that only the server is measured. */
const batches = Array.from({ length: bodies }, (_, batch) => {
  const list = Array.from({ length: batchRows }, (_, row) => {
    const noise = () => Math.random() / (1 + batch + row / batchRows);
    return { metrics: Object.fromEntries(Array.from({ length: metrics }, (_, i) => [`metric_${i}`, noise()])) };
  });
  return Buffer.from(JSON.stringify({ rows: list }));
});

async function log(server, run, count) {
  await send(server, 'POST', project, JSON.stringify({ run_id: run }));
  const times = [];
  for (let sent = 0; sent < count; sent += batchRows) {
    const start = performance.now();
    await send(server, 'POST', `${project}/${run}/history`, batches[(sent / batchRows) % bodies]);
    times.push(performance.now() - start);
  }
  return times;
}

async function plot(server, run) {
  const times = [];
  for (let i = 0; i < 9; ++i) {
    const start = performance.now();
    const { items } = await send(server, 'GET', `${project}/${run}/history/samples?keys=metric_1&samples=500`);
    times.push(performance.now() - start);
    if (items[0].points.length !== 500) throw new Error(`${items[0].points.length} points`);
  }
  return { first: times[0], median: median(times) };
}

try {
  const folder = join(scratch, 'runs');
  let server = await startServer(folder);
  const start = performance.now();
  const runs = Array.from({ length: connections }, (_, i) => `run-${i}`);
  const times = (await Promise.all(runs.map((run) => log(server, run, rows / connections)))).flat();
  const seconds = (performance.now() - start) / 1000;
  times.sort((a, b) => a - b);
  const at = (part) => times[Math.floor(times.length * part)].toFixed(1);
  console.log(`rows, ${connections} connections             ${(rows / seconds).toFixed(0)} rows/s of ${metrics} metrics (batches: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms), aim 100000 or better`);
  console.log(`memory                           ${server.rss().toFixed(0)} MB resident, peak ${server.peak().toFixed(0)} MB`);

  await log(server, 'long', 1_000_000);
  const recent = await plot(server, 'long');
  console.log(`plot of 1 M steps                ${recent.median.toFixed(1)} ms (first ${recent.first.toFixed(1)} ms), ${(rows / 1e6).toFixed(1)} M other rows`);
  await stop(server);
  server = await startServer(folder);
  const stored = await plot(server, 'long');
  console.log(`the same after a restart         ${stored.median.toFixed(1)} ms (first ${stored.first.toFixed(1)} ms)`);
  await stop(server);
} finally {
  agent.destroy();
  cleanUp();
}
