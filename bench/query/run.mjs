// The time of queries of calls over HTTP, compared with hand-written SQL for the same query on the same file with DuckDB
// alone. Both alternate in one run.
//
// The benchmark first sends CALLS calls to 4 projects (BENCH_FOLDER keeps them for a second run). The SQL runs on a copy
// of the server's file and its write-ahead log, so both read the same rows in the same layout; the row counts of both are
// printed.
//
// The lists of the console have no SQL to compare with, but a limit in milliseconds each: pages with previews, by cursor,
// at the start and in the middle of the project; the outlines of a trace of 10,000 calls and of one of 10,000 spans, with
// their sizes; and the search.
// The queries of the explorer (strips and facets) have time limits instead: they are computed over all calls of one
// project. EXPLORER_CALLS (1,000,000) calls are sent for them to a project of their own.
//
//   CALLS=10000000 ROUNDS=7 make bench ONLY=query

import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { largeTraces, sendLargeTraces } from '../traces/large_traces.mjs';
import { post } from '../traces/post.mjs';
import { cleanUp, load, median, scratch, spawnProgram, startServer, stop } from '../traces/programs.mjs';

const calls = Number(process.env.CALLS ?? 10_000_000);
const rounds = Number(process.env.ROUNDS ?? 7);
const projects = ['bench/a', 'bench/b', 'bench/c', 'bench/d'];
const project = projects[1];
const explorerCalls = Number(process.env.EXPLORER_CALLS ?? 1_000_000);
const explorer = 'bench/explorer';
const folder = join(scratch, 'query');
const copy = join(scratch, 'query-copy.duckdb');

// Numbers of calls that no earlier run on the same folder has sent: a repeated call would replace the first.
const fresh = calls * (10 + Math.floor(Math.random() * 1000));

/** Sends a request about a project. */
function ask(server, path, body, { coding = 'identity', name = project } = {}) {
  return post(server, path, { project_id: name, ...body }, { coding, project });
}

/** A separate DuckDB process on the copy. */
class Probe {
  constructor(file) {
    this.child = spawnProgram('duckdb_probe', [file, 2, '384MB']);
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }
  async run(sql) {
    this.child.stdin.write(`${sql.replaceAll('\n', ' ')}\n`);
    const [ms, number] = (await this.lines.next()).value.split(' ').map(Number);
    if (ms < 0) throw new Error(sql);
    this.number = number;
    return ms;
  }
  close() {
    this.child.stdin.end();
  }
}

const literal = (value) => ({ $literal: value });
const field = (name) => ({ $getField: name });
const query = (expression) => ({ query: { $expr: expression } });

/** Returns the queries: the request to the server, and the same as SQL on the table of the project. */
function questions(table, sample) {
  const columns = 'id, trace_id, parent_id, op_name, display_name, started_at, ended_at, exception, attributes, inputs, output, summary, user_id';
  const seen = `presence = 1`;
  return [
    ['count, unfiltered', '/calls/query_stats', {},
      `SELECT count(*) FROM ${table} WHERE ${seen}`],
    ['count, by op name', '/calls/query_stats', { filter: { op_names: ['retrieve'] } },
      `SELECT count(*) FROM ${table} WHERE ${seen} AND op_name = 'retrieve'`],
    ['count, roots with errors', '/calls/query_stats',
      { filter: { trace_roots_only: true }, ...query({ $eq: [field('summary.svc.status'), literal('error')] }) },
      `SELECT count(*) FROM ${table} WHERE ${seen} AND parent_id IS NULL AND exception IS NOT NULL`],
    ['count, by a nested field', '/calls/query_stats', query({ $eq: [field('inputs.model'), literal('gpt-4o')] }),
      `SELECT count(*) FROM ${table} WHERE ${seen} AND json_extract_string(inputs, '$.model') = 'gpt-4o'`],
    ['count, by text in output', '/calls/query_stats',
      query({ $contains: { input: field('output'), substr: literal('refund4242') } }),
      `SELECT count(*) FROM ${table} WHERE ${seen} AND contains(output, 'refund4242')`],
    ['newest 100', '/calls/stream_query',
      { sort_by: [{ field: 'started_at', direction: 'desc' }], limit: 100 },
      `SELECT ${columns} FROM ${table} WHERE ${seen} ORDER BY started_at DESC, id DESC LIMIT 100`],
    ['one call by id', '/call/read', { id: sample.id },
      `SELECT ${columns} FROM ${table} WHERE ${seen} AND id = '${sample.id}'`],
    ['one trace', '/calls/stream_query', { filter: { trace_ids: [sample.trace_id] } },
      `SELECT ${columns} FROM ${table} WHERE ${seen} AND trace_id = '${sample.trace_id}' ORDER BY started_at, id`],
  ];
}

async function measure(server, probe, list, title) {
  console.log(title);
  let worst = 0;
  for (const [name, path, body, sql] of list) {
    const ours = [];
    const theirs = [];
    for (let round = 0; round <= rounds; ++round) {
      const sqlMs = await probe.run(sql);
      const { ms } = await ask(server, path, body);
      if (round === 0) continue; // the first round is the warm-up
      ours.push(ms);
      theirs.push(sqlMs);
    }
    const allowed = 1.5 * median(theirs) + 5;
    worst = Math.max(worst, median(ours) / allowed);
    const verdict = median(ours) <= allowed ? 'within' : 'BEYOND';
    console.log(`  ${name.padEnd(26)} ${median(ours).toFixed(1).padStart(8)} ms   SQL ${median(theirs).toFixed(1).padStart(8)} ms   ${verdict} 1.5 x + 5 ms = ${allowed.toFixed(1)} ms`);
  }
  return worst;
}

/** Measures the lists of the console. */
async function measureLists(server, count, title) {
  console.log(title);
  const list = { include_cursor: true, preview_bytes: 256, limit: 100, sort_by: [{ field: 'started_at', direction: 'desc' }],
    columns: ['op_name', 'display_name', 'started_at', 'ended_at', 'exception', 'svc_user_id', 'inputs', 'output', 'summary.svc'] };
  const cursorOf = ({ text }) => JSON.parse(text.trim().split('\n').at(-1)).next_cursor;
  const page = (fields = {}) => ['/calls/stream_query', { ...list, ...fields }];
  const errors = query({ $eq: [field('summary.svc.status'), literal('error')] });
  const second = cursorOf(await ask(server, ...page()));
  const middle = cursorOf(await ask(server, ...page({ offset: Math.floor(count / 2) })));
  const slowest = { sort_by: [{ field: 'summary.svc.latency_ms', direction: 'desc' }] };
  const slower = cursorOf(await ask(server, ...page(slowest)));
  const requests = [
    ['page of 100 with previews', 100, ...page()],
    ['the same with costs', 100, ...page({ include_costs: true })],
    ['next page by cursor', 100, ...page({ cursor: second })],
    ['page in the middle', 100, ...page({ cursor: middle })],
    ['page of errors', 100, ...page(errors)],
    ['slowest 100', 100, ...page(slowest)],
    ['next page of the slowest', 100, ...page({ ...slowest, cursor: slower })],
    ['outline, 10,000 calls', 200, '/trace/outline', { trace_id: largeTraces.calls }],
    ['outline, 10,000 spans', 200, '/trace/outline', { trace_id: largeTraces.spans }],
    ['search, found', undefined, '/calls/search', { text: 'REFUND4242' }],
    ['search, not found', undefined, '/calls/search', { text: 'not anywhere' }],
  ];
  for (const [name, limit, path, body] of requests) {
    const times = [];
    let answer;
    for (let round = 0; round <= rounds; ++round) {
      answer = await ask(server, path, body, { coding: 'gzip' });
      if (round > 0) times.push(answer.ms); // the first round is the warm-up
    }
    const verdict = limit === undefined ? '' : `${median(times) <= limit ? 'within' : 'BEYOND'} ${limit} ms`;
    const size = `${(answer.text.length / 1000).toFixed(0)} kB, ${(answer.bytes / 1000).toFixed(0)} kB with gzip`;
    console.log(`  ${name.padEnd(26)} ${median(times).toFixed(1).padStart(8)} ms   ${size.padEnd(28)} ${verdict}`);
  }
}

/** Returns the requests behind the explorer, with their limits in milliseconds at a million calls. */
function explorerRequests(range) {
  const calls = [{ metric: 'call_count' }, { metric: 'error_count' }, { metric: 'latency_ms', percentiles: [95] }];
  const costs = [{ metric: 'total_cost' }, { metric: 'total_tokens' }];
  const strip = { ...range, granularity: Math.max(1, Math.ceil((Date.parse(range.end) - Date.parse(range.start)) / 96_000)) };
  const failed = query({ $eq: [field('summary.svc.status'), literal('error')] });
  const tenant = query({ $eq: [field('attributes.user'), literal('42')] });
  const facet = (...fields) => ({ facets: fields.map((name) => ({ field: name })) });
  return [
    ['strip: calls, errors, p95', '/calls/stats', { ...strip, call_metrics: calls }, 150],
    ['strip: with costs', '/calls/stats', { ...strip, call_metrics: calls, usage_metrics: costs }, 150],
    ['strip under a filter', '/calls/stats', { ...strip, ...failed, call_metrics: calls, usage_metrics: costs }, 150],
    ['strip under an attribute', '/calls/stats', { ...strip, ...tenant, call_metrics: calls, usage_metrics: costs }, undefined],
    ['strip by status', '/calls/stats', { ...strip, group_by: 'status', call_metrics: calls.slice(0, 2) }, 150],
    ['strip by op name', '/calls/stats', { ...strip, group_by: 'op_name', call_metrics: calls.slice(0, 2) }, 150],
    ['strip by model, costs', '/calls/stats', { ...strip, group_by: 'model', usage_metrics: costs }, 150],
    ['strip by an attribute', '/calls/stats', { ...strip, group_by: 'attributes.user', call_metrics: calls.slice(0, 2) }, undefined],
    ['facets: four columns', '/calls/facets', facet('op_name', 'status', 'model', 'trace_roots_only'), 200],
    ['facets: with attributes', '/calls/facets', facet('op_name', 'status', 'model', 'attributes.env', 'attributes.user'), 200],
    ['facets under a filter', '/calls/facets', { ...failed, ...facet('op_name', 'model', 'attributes.user') }, 200],
    ['facets under an attribute', '/calls/facets', { ...tenant, ...facet('op_name', 'status') }, 200],
    ['attribute paths', '/calls/attributes', {}, 200],
  ];
}

/** Returns the times of the first and the last call of a project. */
async function timesOf(server, name) {
  const one = async (direction) => {
    const body = { sort_by: [{ field: 'started_at', direction }], limit: 1, columns: ['started_at'] };
    return JSON.parse((await ask(server, '/calls/stream_query', body, { name })).text).started_at;
  };
  const last = new Date(Date.parse(await one('desc')) + 1).toISOString();
  return { start: await one('asc'), end: last };
}

/** Measures the requests behind the explorer. A larger project may take twice the time of a million calls. */
async function measureExplorer(server) {
  const range = await timesOf(server, explorer);
  const { count } = JSON.parse((await ask(server, '/calls/query_stats', {}, { name: explorer })).text);
  console.log(`explorer, ${count} calls in ${((Date.parse(range.end) - Date.parse(range.start)) / 3.6e6).toFixed(1)} h`);
  for (const [name, path, body, limit] of explorerRequests(range)) {
    const times = [];
    let text;
    for (let round = 0; round <= rounds; ++round) {
      const answer = await ask(server, path, body, { name: explorer });
      if (round > 0) times.push(answer.ms); // the first round is the warm-up
      text = answer.text;
    }
    const allowed = limit === undefined ? undefined : limit * (count > 1.1e6 ? 2 : 1);
    const verdict = allowed === undefined ? '' : `${median(times) <= allowed ? 'within' : 'BEYOND'} ${allowed} ms`;
    const sampled = JSON.parse(text).sampled ? '   sampled' : '';
    console.log(`  ${name.padEnd(26)} ${median(times).toFixed(1).padStart(8)} ms   ${verdict}${sampled}`);
  }
}

/** Returns a call from the middle of the project. */
async function sampleCall(server) {
  const { text } = await ask(server, '/calls/stream_query', { limit: 1, offset: 1001, columns: ['id'] });
  return JSON.parse(text);
}

/** Finds the rows of a project by one of its calls: small projects share a table. */
async function tableOf(probe, id) {
  for (let number = 1; number < 64; ++number) {
    const table = `calls_p${number}`;
    try {
      await probe.run(`SELECT 1 / count(*) FROM ${table} WHERE id = '${id}' HAVING count(*) = 1 OR error('not here')`);
      return table;
    } catch {
      continue;
    }
  }
  await probe.run(`SELECT partition_in_store FROM calls_shared WHERE id = '${id}'`);
  return `(SELECT * FROM calls_shared WHERE partition_in_store = ${probe.number})`;
}

try {
  if (!existsSync(folder)) {
    const server = await startServer(folder);
    const sent = await load(server, { connections: 16, batch: 100, calls, projects });
    console.log(`${(calls / 1e6).toFixed(1)} M calls sent at ${sent.rate} calls/s; memory peak ${server.peak().toFixed(0)} MB`);
    await load(server, { connections: 16, batch: 100, calls: explorerCalls, projects: [explorer] });
    await stop(server);
  }
  // The rows that the server flushed last are in DuckDB's write-ahead log.
  for (const end of ['', '.wal']) {
    const from = join(folder, 'traces', `traces.duckdb${end}`);
    if (existsSync(from)) copyFileSync(from, `${copy}${end}`);
    else rmSync(`${copy}${end}`, { force: true });
  }
  const server = await startServer(folder);
  const probe = new Probe(copy);
  const sample = await sampleCall(server);
  const table = await tableOf(probe, sample.id);
  const list = questions(table, sample);
  await probe.run(`SELECT count(*) FROM ${table} WHERE presence = 1`);
  const { text } = await ask(server, '/calls/query_stats', {});
  console.log(`calls of the project: ${JSON.parse(text).count} in the server, ${probe.number} in the copy of its file`);
  await measure(server, probe, list, 'alone');
  await sendLargeTraces(server, project);
  const { count } = JSON.parse(text);
  await measureLists(server, count, 'lists of the console, alone');
  await measureExplorer(server);
  // Long enough that rows are flushed during the measurement: a sustained rate, not a burst.
  const full = await load(server, { connections: 16, batch: 100, calls: 600_000, first: fresh, projects });
  const ingest = load(server, { connections: 16, batch: 100, calls: Math.round(full.rate * 0.5 * 45), first: fresh + 1_000_000, rate: full.rate / 2, projects });
  await measure(server, probe, list, `while ${Math.round(full.rate / 2)} calls/s come in`);
  await measureLists(server, count, 'lists of the console, at the same time');
  await ingest;
  console.log(`memory ${server.rss().toFixed(0)} MB resident, peak ${server.peak().toFixed(0)} MB, aim under 1024 MB`);
  probe.close();
  await stop(server);
} finally {
  cleanUp();
}
