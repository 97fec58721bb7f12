// The cost of the gateway: the latency it adds to a request at a constant rate; its maximum rate compared with npm's
// @portkey-ai/gateway and nginx as a plain proxy, with the same mock upstream in the same run; its memory with many
// streams. Usage is recorded and every completion is traced.
//
//   RATE=1000 SECONDS=5 ROUNDS=3 STREAMS=2000 make bench ONLY=gateway
//
// Latency is measured with inference.usage_sync = interval (the default), and with usage synced before the end of each
// response. BASELINE=path/to/spindle adds an older build in the same rounds. PARTS=latency
// runs only that part.

import { execFileSync } from 'node:child_process';
import { closeSync, cpSync, existsSync, fdatasyncSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

import { cleanUp, freePort, median, scratch, startServer, stop } from '../traces/programs.mjs';
import { configureGateway, endPrograms, load, startMock, started } from './programs.mjs';

const rate = Number(process.env.RATE ?? 1000);
const seconds = Number(process.env.SECONDS ?? 5);
const rounds = Number(process.env.ROUNDS ?? 3);
const streams = Number(process.env.STREAMS ?? 2000);
const connections = Number(process.env.CONNECTIONS ?? 64);
const paceMs = 200;
const gone = (child) => new Promise((resolve) => child.once('exit', resolve));

/** Waits until a URL responds. */
async function answering(url) {
  for (;;) {
    try {
      await fetch(url);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

async function startNginx(mock) {
  const folder = join(scratch, 'nginx');
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const template = readFileSync(new URL('nginx.conf', import.meta.url), 'utf8');
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, template.replaceAll('FOLDER', folder).replaceAll('PORT', port).replaceAll('UPSTREAM', mock.url.host));
  const child = started('/usr/sbin/nginx', ['-c', file, '-p', folder], { stdio: 'ignore' });
  const url = new URL(`http://127.0.0.1:${port}`);
  await answering(new URL('/v1/models', url));
  return { child, url, headers: [] };
}

async function startPortkey(mock) {
  const folder = join(scratch, 'portkey');
  if (!existsSync(join(folder, 'node_modules'))) {
    mkdirSync(folder, { recursive: true });
    cpSync(new URL('package.json', import.meta.url), join(folder, 'package.json'));
    execFileSync('npm', ['install', '--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'ignore' });
  }
  const port = await freePort();
  const program = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = started(process.execPath, [program, '--headless', `--port=${port}`], { cwd: folder, env, stdio: 'ignore' });
  const url = new URL(`http://127.0.0.1:${port}`);
  await answering(url);
  return { child, url, headers: ['Authorization: Bearer none', 'x-portkey-provider: openai', `x-portkey-custom-host: ${mock.url.origin}/v1`] };
}

/** Starts a gateway with one model, in a project with completion tracing. */
async function startGateway(name, mock, args = [], program = undefined) {
  const server = await startServer(join(scratch, name), args, program);
  await configureGateway(server, mock);
  return server;
}

/** Measures the time of a synced small write on this disk, in microseconds. */
function diskSync() {
  const file = openSync(join(scratch, 'sync'), 'w');
  const times = [];
  for (let i = 0; i < 200; ++i) {
    const begin = process.hrtime.bigint();
    writeSync(file, 'x'.repeat(400));
    fdatasyncSync(file);
    times.push(Number(process.hrtime.bigint() - begin) / 1000);
  }
  closeSync(file);
  times.sort((a, b) => a - b);
  console.log(`one sync of the disk          p50 ${times[100].toFixed(0)} us, p99 ${times[197].toFixed(0)} us`);
}

async function latency(mock, gateways) {
  diskSync();
  const names = Object.keys(gateways);
  const added = Object.fromEntries(names.map((name) => [name, { p50: [], p99: [] }]));
  for (let round = 0; round < rounds; ++round) {
    const direct = await load(mock, 'open', { count: 32, length: seconds, perSecond: rate });
    if (round === 0) console.log(`${rate} requests/s, direct       p50 ${direct.p50} us, p99 ${direct.p99} us`);
    for (const name of names) {
      const through = await load(gateways[name], 'open', { count: 32, length: seconds, perSecond: rate });
      for (const part of ['p50', 'p99']) added[name][part].push(through[part] - direct[part]);
    }
  }
  for (const name of names) {
    const shown = (part) => `${median(added[name][part]).toFixed(0)} (${added[name][part].map((us) => us.toFixed(0)).join(' ')})`;
    console.log(`${name.padEnd(30)}added p50 ${shown('p50')} us, aim under 150`);
    console.log(`${''.padEnd(30)}added p99 ${shown('p99')} us, aim under 1000`);
  }
}

async function throughput(servers) {
  const rates = Object.fromEntries(Object.keys(servers).map((name) => [name, []]));
  for (let round = 0; round < rounds; ++round) {
    for (const [name, server] of Object.entries(servers)) rates[name].push((await load(server, 'closed', { count: connections, length: seconds })).rate);
  }
  for (const [name, values] of Object.entries(rates)) {
    console.log(`${name.padEnd(30)}${median(values).toFixed(0)} requests/s (${values.map((value) => value.toFixed(0)).join(' ')})`);
  }
  const ratio = (name) => median(rates.gateway.map((value, round) => value / rates[name][round]));
  console.log(`to portkey                    ${ratio('portkey').toFixed(1)}, aim 10 or better`);
  console.log(`to nginx                      ${ratio('nginx').toFixed(2)}, aim 0.25 or better`);
}

async function manyStreams() {
  const mock = await startMock(1_000_000, paceMs);
  const gateway = await startGateway('streams', mock);
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, gateway.rss())), 50);
  const held = await load(gateway, 'streams', { count: streams, length: Math.max(seconds, 5) });
  clearInterval(watch);
  console.log(`${held.streams} streams held            ${most.toFixed(0)} MB resident, aim under 200; opened in ${held.opened_in} s, ${held.events_per_second} events/s relayed`);
  gateway.child.kill('SIGKILL');
  mock.child.kill();
}

try {
  const mock = await startMock(8, 0);
  const gateway = await startGateway('gateway', mock);
  const each = await startGateway('each', mock, ['--inference-usage-sync', 'each']);
  const baseline = process.env.BASELINE ? await startGateway('baseline', mock, [], process.env.BASELINE) : undefined;
  await latency(mock, { gateway, 'usage_sync = each': each, ...(baseline && { baseline }) });
  for (const server of [each, baseline]) if (server) await stop(server);
  if (process.env.PARTS !== 'latency') {
    const nginx = await startNginx(mock);
    const portkey = await startPortkey(mock);
    await throughput({ direct: mock, nginx, portkey, gateway });
    const ends = [gone(nginx.child), gone(portkey.child)];
    for (const { child } of [nginx, portkey]) child.kill();
    await Promise.all(ends);
    await manyStreams();
  }
  await stop(gateway);
} finally {
  endPrograms();
  cleanUp();
}
