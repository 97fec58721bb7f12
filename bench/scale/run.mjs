// A deployment of nodes on PostgreSQL and ClickHouse: ingest through one node and through three; the latency of the
// gateway with limits that the nodes share, compared with an embedded server that has the same limits; and reads of
// a project of CALLS calls, compared with SQL that is sent to ClickHouse directly, at most 1.3 x SQL + 5 ms.
//
// All programs and stores are on this machine and share its processors, so ingest through three nodes is no faster than
// the processors allow; the processor times tell what each part costs. The ClickHouse engine comes from PyPI as a
// library behind tests/scale/support/clickhouse_server.py; SPINDLE_TEST_CLICKHOUSE (with
// SPINDLE_TEST_CLICKHOUSE_USER and _PASSWORD) selects a server. PARTS names the parts to run.
//
//   CALLS=10000000 ROUNDS=15 INGEST_CALLS=60000 RATE=500 SECONDS=5 PARTS=ingest,gateway,reads make bench ONLY=scale

import { cleanUp } from '../traces/programs.mjs';
import { awaitMerges, fill, tableSize } from './calls.mjs';
import { Deployment } from './deployment.mjs';
import { measureGateway } from './gateway.mjs';
import { measureIngest } from './ingest.mjs';
import { measureReads } from './reads.mjs';

const { env } = process;
const calls = Number(env.CALLS ?? 400_000);
const rounds = Number(env.ROUNDS ?? 9);
const ingestCalls = Number(env.INGEST_CALLS ?? 60_000);
const rate = Number(env.RATE ?? 500);
const seconds = Number(env.SECONDS ?? 3);
const parts = (env.PARTS ?? 'ingest,gateway,reads').split(',');
const nodes = 3;

let deployment;
try {
  deployment = await Deployment.start(nodes);
  if (parts.includes('ingest')) {
    console.log('ingest, all on the processors of this machine');
    await measureIngest(deployment, { calls: ingestCalls, rounds: 3 });
  }
  if (parts.includes('gateway')) {
    console.log(`gateway, ${rate} requests/s`);
    await measureGateway(deployment, { rate, seconds, rounds: 5 });
  }
  if (parts.includes('reads')) {
    console.log(`reads of a project of ${(calls / 1e6).toFixed(1)} M calls`);
    const project = await fill(deployment, calls);
    await awaitMerges(deployment);
    const size = await tableSize(deployment);
    console.log(`  ${size.rows} rows in ${size.parts} parts of ${size.partitions} partitions, ${size.bytesPerRow.toFixed(0)} bytes each on disk`);
    await measureReads(deployment, project, { rounds });
  }
} finally {
  await deployment?.dispose();
  cleanUp();
}
