// The cost of many projects: the same calls in PROJECTS projects and in one project, on two servers one after
// another. Prints ratios; the target is at most 1.5 for each.
//
//   CALLS=10000000 PROJECTS=10000 make bench ONLY=projects

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';

import { cleanUp, load, median, scratch, startServer, stop } from '../traces/programs.mjs';

const calls = Number(process.env.CALLS ?? 10_000_000);
const count = Number(process.env.PROJECTS ?? 10_000);
const rounds = Number(process.env.ROUNDS ?? 9);
const agent = new Agent({ keepAlive: true, noDelay: true });

async function send(server, method, path, body) {
  const sent = body === undefined ? '' : JSON.stringify(body);
  const began = performance.now();
  const call = request(new URL(path, server.url), {
    method,
    agent,
    headers: {
      authorization: `Bearer ${server.key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(sent),
    },
  });
  call.end(sent);
  const [answer] = await once(call, 'response');
  let text = '';
  for await (const piece of answer.setEncoding('utf8')) text += piece;
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`);
  return { ms: performance.now() - began, text };
}

/** Returns the sum and count of a histogram of the server's metrics. */
async function histogram(server, name) {
  const { text } = await send(server, 'GET', '/metrics');
  const read = (end) => Number(new RegExp(`^${name}_${end} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
  return { seconds: read('sum'), times: read('count') };
}

async function measure(title, projects) {
  const folder = join(scratch, title);
  const figures = {};
  if (!existsSync(folder)) {
    const server = await startServer(folder);
    const sent = await load(server, { connections: 16, batch: 100, calls, projects });
    figures['write, us per call'] = 1e6 / sent.rate;
    figures['write p99, ms'] = sent.p99;
    const flushes = await histogram(server, 'spindle_columnar_flush_seconds');
    figures['flush, s per generation'] = flushes.seconds / flushes.times;
    figures['memory peak, MB'] = server.peak();
    await stop(server);
  }
  const began = performance.now();
  const server = await startServer(folder);
  figures['restart, ms'] = performance.now() - began;
  const first = [];
  const counts = [];
  const pages = [];
  for (let round = 0; round < rounds; ++round) {
    // A different project each time, as in real use.
    const project_id = projects[Math.floor((round * projects.length) / rounds)];
    first.push((await send(server, 'POST', '/calls/query_stats', { project_id })).ms);
    counts.push((await send(server, 'POST', '/calls/query_stats', { project_id })).ms);
    const newest = { project_id, sort_by: [{ field: 'started_at', direction: 'desc' }], limit: 100 };
    await send(server, 'POST', '/calls/stream_query', newest);
    pages.push((await send(server, 'POST', '/calls/stream_query', newest)).ms);
  }
  figures['first count, ms'] = median(first);
  figures['count, ms'] = median(counts);
  figures['newest 100, ms'] = median(pages);
  figures['memory after reading, MB'] = server.rss();
  await stop(server);
  return figures;
}

try {
  const one = await measure('one', ['bench/only']);
  const many = await measure('many', Array.from({ length: count }, (_, i) => `bench/p${i}`));
  console.log(`${calls} calls in one project, and in ${count}`);
  for (const [name, base] of Object.entries(one)) {
    const ratio = many[name] / base;
    console.log(`  ${name.padEnd(26)} ${base.toFixed(1).padStart(9)} ${many[name].toFixed(1).padStart(9)}   ${ratio.toFixed(2)} x`);
  }
} finally {
  cleanUp();
}
