// Deliveries per second, with a durable outbox and a log of every delivery, compared with BullMQ on Redis (append-only
// file, no log) that sends the same signed requests in the same run; the latency from event to request at a constant
// rate; and the effect of one dead endpoint on the others.
//
//   DELIVERIES=10000 RATE=200 SECONDS=20 ROUNDS=3 make bench ONLY=webhooks

import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';

import { cleanUp, freePort, median, scratch, startServer, stop } from '../traces/programs.mjs';

const deliveries = Number(process.env.DELIVERIES ?? 10_000);
const rate = Number(process.env.RATE ?? 200);
const seconds = Number(process.env.SECONDS ?? 20);
const rounds = Number(process.env.ROUNDS ?? 3);
const endpoints = 50;
const events = Math.ceil(deliveries / endpoints);
const payload = '{"event":"${event_type}","tag":"${tag}","alias":"${alias}","version":"${artifact_version_string}","by":"${event_author}"}';
const children = new Set();

function forked(file, args = [], options = {}) {
  const child = fork(file, args.map(String), options);
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

async function message(child) {
  return (await once(child, 'message'))[0];
}

/** Starts the process with the endpoints. */
async function startReceiver() {
  const child = forked(new URL('receiver.mjs', import.meta.url).pathname);
  const { port, dead } = await message(child);
  return {
    url: `http://127.0.0.1:${port}/`,
    dead: `http://127.0.0.1:${dead}/`,
    /** Resets the count; resolves with a function that resolves when `count` requests have arrived. */
    async expect(count, marks = false) {
      child.send({ expect: count, marks });
      await message(child);
      return () => message(child);
    },
    stop: () => child.kill(),
  };
}

const now = () => performance.timeOrigin + performance.now();

/** A client of the Spindle API with persistent connections. */
class Api {
  constructor(server) {
    this.server = server;
    this.agent = new Agent({ keepAlive: true, maxSockets: 32 });
  }

  send(method, path, body) {
    const text = body === undefined ? '' : JSON.stringify(body);
    const headers = { Authorization: `Bearer ${this.server.key}`, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
    return new Promise((resolve, reject) => {
      const sent = request(new URL(`/api/v1${path}`, this.server.url), { method, headers, agent: this.agent }, (answer) => {
        const pieces = [];
        answer.on('data', (piece) => pieces.push(piece));
        answer.on('end', () => {
          const told = Buffer.concat(pieces).toString();
          if (answer.statusCode >= 300) reject(new Error(`${method} ${path}: ${answer.statusCode} ${told}`));
          else resolve(told === '' ? undefined : JSON.parse(told));
        });
      });
      sent.on('error', reject);
      sent.end(text);
    });
  }
}

/** Starts a server with an automation for each endpoint; `dead` of them never respond. */
async function prepare(name, receiver, event, dead = 0) {
  const server = await startServer(join(scratch, name), ['--webhooks-deliveries-per-minute', '0']);
  const api = new Api(server);
  await api.send('POST', '/teams', { name: 'bench' });
  await api.send('POST', '/teams/bench/secrets', { name: 'KEY', value: 's3cr3t-deploy-key' });
  for (let i = 0; i < endpoints; ++i) {
    const url_endpoint = i < dead ? receiver.dead : `${receiver.url}hook/${i}`;
    const hook = await api.send('POST', '/teams/bench/webhooks', { name: `hook-${i}`, url_endpoint, secret_ref: 'KEY' });
    await api.send('POST', '/automations', {
      name: `automation-${i}`,
      scope: { type: 'project', team: 'bench', project: 'lab' },
      event: event(i),
      action: { type: 'webhook', webhook_id: hook.id, payload },
    });
  }
  const versions = '/projects/bench/lab/collections/model/versions';
  for (const note of ['a', 'b']) {
    const manifest = { [`${note}.txt`]: { digest: '1B2M2Y8AsgTpgAmY7PhCfg==', size: 0 } };
    const { version, uploads } = await api.send('POST', versions, { type: 'model', manifest });
    for (const { url, method, headers } of uploads) await fetch(url, { method, headers, body: '' });
    await api.send('POST', `${versions}/${version.id}/commit`);
  }
  return { server, api, versions };
}

const tagged = () => ({ type: 'ADD_ARTIFACT_TAG', tag_regex: '^fan-' });

/** Returns the deliveries per second to the live endpoints. */
async function fanOut(name, receiver, dead = 0) {
  const { server, api, versions } = await prepare(name, receiver, tagged, dead);
  const finished = await receiver.expect(events * (endpoints - dead));
  const over = finished();
  const began = now();
  const next = { event: 0 };
  const sender = async () => {
    while (next.event < events) await api.send('PUT', `${versions}/v0/tags/fan-${next.event++}`);
  };
  await Promise.all(Array.from({ length: 4 }, sender));
  const { last } = await over;
  const result = (events * (endpoints - dead)) / ((last - began) / 1000);
  if (dead === 0) await stop(server);
  else server.child.kill('SIGKILL');
  return result;
}

/** Returns the sorted milliseconds from the request for a change to the delivery it causes. */
async function latency(receiver) {
  const event = (i) => ({ type: 'ADD_ARTIFACT_TAG', tag_regex: `^e${i}-` });
  const { server, api, versions } = await prepare('latency', receiver, event);
  const count = rate * seconds;
  const finished = await receiver.expect(count, true);
  const over = finished();
  const asked = new Map();
  const sending = [];
  const began = now();
  for (let i = 0; i < count; ++i) {
    const wait = began + (i * 1000) / rate - now();
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
    const tag = `e${i % endpoints}-${i}`;
    asked.set(tag, now());
    sending.push(api.send('PUT', `${versions}/v0/tags/${tag}`));
  }
  await Promise.all(sending);
  const { times } = await over;
  await stop(server);
  return [...asked].map(([tag, when]) => times[tag] - when).sort((a, b) => a - b);
}

/** Installs BullMQ into the scratch folder. */
function installBullmq() {
  const folder = join(scratch, 'bullmq');
  if (existsSync(join(folder, 'node_modules'))) return folder;
  mkdirSync(folder, { recursive: true });
  for (const file of ['package.json', 'bullmq_worker.mjs', 'bullmq_events.mjs']) {
    cpSync(new URL(file, import.meta.url), join(folder, file));
  }
  execFileSync('npm', ['install', '--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'ignore' });
  return folder;
}

async function bullmq(round, receiver) {
  const folder = installBullmq();
  const data = join(scratch, `redis-${round}`);
  mkdirSync(data, { recursive: true });
  const port = await freePort();
  const redis = spawn('redis-server', ['--port', port, '--bind', '127.0.0.1', '--appendonly', 'yes', '--save', '', '--dir', data].map(String), { stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(redis);
  for await (const text of redis.stdout) if (String(text).includes('Ready to accept')) break;
  const worker = forked(join(folder, 'bullmq_worker.mjs'), [port], { cwd: folder });
  await message(worker);
  const body = payload.replaceAll(/\$\{(\w+)\}/g, '$1-0123456789');
  const producer = forked(join(folder, 'bullmq_events.mjs'), [port, events, receiver.url, endpoints, body], { cwd: folder });
  await message(producer);
  const finished = await receiver.expect(events * endpoints);
  const over = finished();
  const began = now();
  producer.send({ go: true });
  const { last } = await over;
  worker.kill();
  redis.kill();
  await once(redis, 'exit');
  return (events * endpoints) / ((last - began) / 1000);
}

const shown = (values) => values.map((value) => value.toFixed(0)).join(' ');

try {
  const receiver = await startReceiver();
  const ours = [];
  const theirs = [];
  const withDead = [];
  for (let round = 0; round < rounds; ++round) {
    theirs.push(await bullmq(round, receiver));
    ours.push(await fanOut(`fan-${round}`, receiver));
    withDead.push(await fanOut(`dead-${round}`, receiver, 1));
  }
  console.log(`${events} events to ${endpoints} endpoints     ${median(ours).toFixed(0)} deliveries/s (${shown(ours)}), durable, with their log`);
  console.log(`bullmq on redis, append-only     ${median(theirs).toFixed(0)} deliveries/s (${shown(theirs)}), no log`);
  console.log(`ratio                            ${(median(ours) / median(theirs)).toFixed(2)}, aim 1 or better`);
  const change = 1 - median(withDead) / median(ours);
  console.log(`with one dead endpoint           ${median(withDead).toFixed(0)} deliveries/s to the others (${shown(withDead)}): ${(change * 100).toFixed(1)} % less, aim under 10 %`);
  const waits = await latency(receiver);
  const at = (part) => waits[Math.floor(waits.length * part)].toFixed(1);
  console.log(`event to call at ${rate}/s           p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms, from the request that makes the change; aim p95 under 20 ms`);
  receiver.stop();
} finally {
  for (const child of children) child.kill('SIGKILL');
  cleanUp();
}
