// The latency that the gateway adds to a request at a constant rate, with and without limits: an embedded server, one
// node, and all nodes, which share the limits through PostgreSQL.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { configureGateway, endPrograms, load, send, startMock } from '../gateway/programs.mjs';
import { bin, median, scratch, startServer, stop } from '../traces/programs.mjs';
import { plainServer } from './deployment.mjs';

const connections = 32;
const tokensPerRequest = 128; // prompt and max_tokens

/** Sets the price of the model, and limits of a project and of a key. Returns the headers of requests that they apply to. */
async function setLimits(server, settings, folder, { rate, requests }) {
  const price = { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 };
  const file = join(scratch, 'prices.json');
  writeFileSync(file, JSON.stringify({ mock: price }));
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SPINDLE_'));
  const options = { env: { ...Object.fromEntries(inherited), ...settings }, stdio: 'ignore' };
  execFileSync(join(bin, 'spindle'), ['prices', 'import', file, '--data-dir', folder], options);
  const limits = {
    concurrency: 16 * connections,
    requests_per_minute: rate * 60 * 4,
    tokens_per_minute: rate * 60 * 4 * tokensPerRequest,
    budget_usd: requests * tokensPerRequest * price.output_cost_per_token * 2,
    period: 'total',
  };
  const { key, key_id } = await send(server, 'POST', '/api-keys?owner=admin', { name: 'limited' });
  await send(server, 'PUT', '/projects/bench/limited/completion-tracing', { enabled: true });
  for (const subject of [{ key: key_id }, { project: 'bench/limited' }]) await send(server, 'POST', '/limits', { ...subject, ...limits });
  return [`Authorization: Bearer ${key}`, 'Compat-Project: bench/limited'];
}

/** Waits until a node knows the model. */
async function answering(node, headers) {
  const url = new URL('/v1/chat/completions', node.url);
  const sent = { 'Content-Type': 'application/json', ...Object.fromEntries(headers.map((header) => header.split(': '))) };
  const body = JSON.stringify({ model: 'mock', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 8 });
  for (let waited = 0; ; ++waited) {
    const answer = await fetch(url, { method: 'POST', headers: sent, body });
    const text = await answer.text();
    if (answer.ok) return;
    if (waited > 200) throw new Error(`the gateway answers ${answer.status}: ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Measures nodes together at the rate: the median of their p50, the worst p99, and the number of refused requests. */
async function through(nodes, headers, { rate, seconds }) {
  const count = Math.ceil(connections / nodes.length);
  const seen = await Promise.all(nodes.map((node) =>
    load({ url: node.url, headers }, 'open', { count, length: seconds, perSecond: rate / nodes.length })));
  const refused = seen.reduce((total, one) => total + one.refused, 0);
  const status = seen.find((one) => one.refused > 0)?.refused_status;
  return { refused, status, p50: median(seen.map(({ p50 }) => p50)), p99: Math.max(...seen.map(({ p99 }) => p99)) };
}

export async function measureGateway(deployment, { rate, seconds, rounds }) {
  const mock = await startMock(8, 0);
  const folder = join(scratch, 'embedded');
  const embedded = await startServer(folder, [], undefined, plainServer);
  const [node] = deployment.nodes;
  try {
    const limits = { rate, requests: rate * seconds * rounds * 3 };
    await configureGateway(embedded, mock);
    await configureGateway(node, mock);
    const embeddedLimited = await setLimits(embedded, plainServer, folder, limits);
    const limited = await setLimits(node, deployment.settings, join(scratch, 'node-1'), limits);
    for (const one of deployment.nodes) await answering(one, limited);
    const variants = {
      'embedded': [[embedded], embedded.headers],
      'embedded, with limits': [[embedded], embeddedLimited],
      'one node': [[node], node.headers],
      'one node, shared limits': [[node], limited],
      [`${deployment.nodes.length} nodes, shared limits`]: [deployment.nodes, limited],
    };
    const added = Object.fromEntries(Object.keys(variants).map((name) => [name, { p50: [], p99: [], refused: 0, status: undefined }]));
    const direct = { p50: [], p99: [] };
    for (let round = 0; round <= rounds; ++round) {
      const plain = await through([mock], [], { rate, seconds });
      for (const [name, [nodes, headers]] of Object.entries(variants)) {
        const measured = await through(nodes, headers, { rate, seconds });
        if (round === 0) continue; // the warm-up
        for (const part of ['p50', 'p99']) added[name][part].push(measured[part] - plain[part]);
        added[name].refused += measured.refused;
        added[name].status ??= measured.status;
      }
      if (round > 0) for (const part of ['p50', 'p99']) direct[part].push(plain[part]);
    }
    const shown = (times) => `${median(times).toFixed(0).padStart(5)} us (${times.map((us) => us.toFixed(0)).join(' ')})`;
    console.log(`  ${'direct'.padEnd(26)} p50 ${shown(direct.p50)}, p99 ${shown(direct.p99)}`);
    for (const [name, { p50, p99, refused, status }] of Object.entries(added))
      console.log(`  ${name.padEnd(26)} added p50 ${shown(p50)}, added p99 ${shown(p99)}${refused > 0 ? `, ${refused} requests REFUSED (${status})` : ''}`);
    for (const [name, server] of [['embedded', embedded], ['nodes', node]]) {
      const { items } = await send(server, 'GET', '/limits');
      console.log(`  ${`spent, ${name}`.padEnd(26)} ${items.map((item) => `${item.project ?? 'key'} ${item.spent_usd.toFixed(3)} of ${item.budget_usd.toFixed(2)} USD`).join(', ')}`);
    }
  } finally {
    await stop(embedded);
    endPrograms();
  }
}
