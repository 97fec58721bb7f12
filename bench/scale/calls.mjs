// Fills ClickHouse with many calls of several projects, spread over a month.
//
// A twentieth at most is sent through a server. ClickHouse then multiplies these calls: every copy has ids of its own
// (UUIDv7, whose times and random parts differ), other times, and the same traces and payloads. The last calls are sent
// through the server again, in batches, so that the newest rows are in small parts as after real ingestion.

import { load } from '../traces/programs.mjs';
import { send } from '../gateway/programs.mjs';

const days = 30;
const dayMs = 86_400_000;
// The first call of call_load starts here, the others 2 milliseconds after each other.
const epochMs = 1_760_000_000_000;
const callMs = 2;
const callsPerTrace = 4;
const liveCalls = 20_000;

export const large = 'scale/large';
const seed = 'scale/seed';
const small = ['scale/a', 'scale/b', 'scale/c'];

/** Returns the number of the call of call_load that starts at a time, the first one of its trace. */
export const numberAt = (ms) => Math.floor((ms - epochMs) / callMs / callsPerTrace) * callsPerTrace;

const numberOfId = (id) => `toInt64(reinterpretAsUInt64(reverse(unhex(concat(substring(${id}, 1, 8), substring(${id}, 10, 4))))))`;

/** Returns the statement that copies the calls of the seed, all to one project and some to each of the others. */
function copyStatement({ from, to, others, seedMs, startMs, stretch, copy }) {
  const time = (ms) => `(${startMs} + (${ms} - ${seedMs}) * ${stretch})`;
  const digits = (id) => `lower(hex(toUInt64(${time(numberOfId(id))})))`;
  const random = (id) => `lower(hex(sipHash128(${id}, p, ${copy})))`;
  const idOf = (id) =>
    `concat(substring(${digits(id)}, 1, 8), '-', substring(${digits(id)}, 9, 4), '-7', substring(${random(id)}, 1, 3), ` +
    `'-8', substring(${random(id)}, 4, 3), '-', substring(${random(id)}, 7, 12))`;
  const startedAt = `${time(numberOfId('r.id'))} * 1000 + toUnixTimestamp64Micro(r.started_at) % 1000`;
  const latency = 'toUnixTimestamp64Micro(r.ended_at) - toUnixTimestamp64Micro(r.started_at)';
  return `
    INSERT INTO calls SELECT r.* REPLACE (
      p AS project_id, ${idOf('r.id')} AS id, ${idOf('r.trace_id')} AS trace_id,
      if(r.parent_id = '', '', ${idOf('r.parent_id')}) AS parent_id,
      fromUnixTimestamp64Milli(${time(numberOfId('r.id'))}, 'UTC') AS id_at,
      fromUnixTimestamp64Micro(${startedAt}, 'UTC') AS started_at,
      fromUnixTimestamp64Micro(${startedAt} + ${latency}, 'UTC') AS ended_at)
    FROM calls AS r FINAL ARRAY JOIN ['${[to, ...others].join("', '")}'] AS p
    WHERE r.project_id = '${from}' AND (p = '${to}' OR cityHash64(r.trace_id, p) % 20 = 0)
    SETTINGS max_partitions_per_insert_block = 0, max_insert_threads = 1`;
}

/** Stores about `count` calls in the large project, and a twentieth of that in each small one. Returns its internal id. */
export async function fill(deployment, count) {
  const node = deployment.nodes[0];
  const seedCalls = Math.floor(Math.min(100_000, count / 20) / 400) * 400;
  const copies = Math.ceil((count - liveCalls) / seedCalls);
  const spanMs = (days * dayMs) / copies;
  const startMs = Date.now() - days * dayMs;
  const first = numberAt(startMs);
  const began = performance.now();
  const sending = { connections: 16, batch: 100 };
  const sent = await load(node, { ...sending, calls: seedCalls, first, projects: [seed] });
  await load(node, { ...sending, calls: 400, first, projects: small });
  await load(node, { ...sending, calls: liveCalls / 2, first: numberAt(Date.now()) - liveCalls / 2, projects: [large] });
  const idOf = async (name) => (await send(node, 'GET', `/projects/${name}`)).id;
  const to = await idOf(large);
  const plan = {
    from: await idOf(seed),
    to,
    others: await Promise.all(small.map(idOf)),
    seedMs: epochMs + first * callMs,
    stretch: Math.floor(spanMs / (seedCalls * callMs)),
  };
  for (let copy = 0; copy < copies; ++copy) {
    await deployment.measure(copyStatement({ ...plan, copy, startMs: Math.floor(startMs + copy * spanMs) }));
  }
  await load(node, { ...sending, calls: liveCalls / 2, first: numberAt(Date.now()), projects: [large] });
  const seconds = (performance.now() - began) / 1000;
  console.log(`  ${seedCalls} calls sent at ${sent.rate} calls/s, ${copies} copies of them; all in ${seconds.toFixed(0)} s`);
  return to;
}

/** Waits until ClickHouse merges nothing for two seconds, at most `limit` seconds. */
export async function awaitMerges(deployment, limit = 300) {
  const merges = `SELECT count() FROM system.merges WHERE database = '${deployment.database}'`;
  for (let quiet = 0, waited = 0; quiet < 4 && waited < 2 * limit; ++waited) {
    const [[running]] = await deployment.rows(merges);
    quiet = Number(running) === 0 ? quiet + 1 : 0;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** Returns the rows, the parts and the bytes per row of the table of calls. */
export async function tableSize(deployment) {
  const [[rows, parts, partitions, bytes]] = await deployment.rows(
    "SELECT sum(rows), count(), uniqExact(partition), sum(bytes_on_disk) FROM system.parts " +
      `WHERE active AND table = 'calls' AND database = '${deployment.database}'`);
  return { rows: Number(rows), parts: Number(parts), partitions: Number(partitions), bytesPerRow: Number(bytes) / Number(rows) };
}
