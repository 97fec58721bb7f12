// Complete calls per second through one node and through all.

import { load, median } from '../traces/programs.mjs';
import { numberAt } from './calls.mjs';
import { processorBetween, processorSum, processorText } from './deployment.mjs';

const connections = 24;
const projects = ['scale/in-a', 'scale/in-b', 'scale/in-c', 'scale/in-d'];

/** Sends calls through nodes and returns the rate, the worst p99, and the processor time. */
async function send(deployment, nodes, { calls, batch, first }) {
  const before = deployment.processorSeconds();
  const began = performance.now();
  const shares = await Promise.all(nodes.map((node, at) => {
    const share = calls / nodes.length;
    return load(node, { connections: connections / nodes.length, batch, calls: share, first: first + at * share, projects });
  }));
  const seconds = (performance.now() - began) / 1000;
  return { rate: calls / seconds, p99: Math.max(...shares.map(({ p99 }) => p99)), used: processorBetween(before, deployment.processorSeconds()) };
}

export async function measureIngest(deployment, { calls, rounds }) {
  let first = numberAt(Date.now() - 86_400_000);
  const variants = [deployment.nodes.slice(0, 1), deployment.nodes];
  for (const [title, batch, count] of [['batches of 100', 100, calls], ['single calls', 1, Math.ceil(calls / 30)]]) {
    // A multiple of the traces, the batches and the nodes.
    const sent = Math.ceil(count / 1200) * 1200;
    const seen = variants.map(() => []);
    for (let round = 0; round < rounds; ++round) {
      for (const [at, nodes] of variants.entries()) {
        seen[at].push(await send(deployment, nodes, { calls: sent, batch, first }));
        first += sent;
      }
    }
    for (const [at, nodes] of variants.entries()) {
      const rates = seen[at].map(({ rate }) => rate);
      const name = `${title}, ${nodes.length} node${nodes.length > 1 ? 's' : ''}`;
      console.log(`  ${name.padEnd(26)} ${median(rates).toFixed(0).padStart(6)} calls/s (${rates.map((rate) => rate.toFixed(0)).join(' ')}), ` +
        `p99 ${median(seen[at].map(({ p99 }) => p99))} ms`);
      console.log(`  ${''.padEnd(26)} processor time per 1,000 calls: ${processorText(processorSum(seen[at].map(({ used }) => used)), (sent * rounds) / 1000)}`);
    }
  }
}
