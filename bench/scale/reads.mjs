// Reads through the server beside SQL that is sent to ClickHouse directly. Both alternate.

import { post } from '../traces/post.mjs';
import { median } from '../traces/programs.mjs';
import { large } from './calls.mjs';
import { processorBetween, processorSum, processorText } from './deployment.mjs';

const page = 100;

// The settings that the server sends too.
const fields = {
  max_execution_time: 60,
  max_query_size: 33_554_432,
  max_ast_elements: 500_000,
  max_expanded_ast_elements: 500_000,
  readonly: 2,
  cancel_http_readonly_queries_on_client_close: 1,
  max_memory_usage: 4_294_967_296,
  max_bytes_before_external_sort: 1_073_741_824,
  max_bytes_before_external_group_by: 1_073_741_824,
};
const final = 'SETTINGS do_not_merge_across_partitions_select_final = 1';

const lightColumns = 'id, trace_id, parent_id, op_name, display_name, started_at, ended_at, exception, set_fields';
const wholeColumns =
  `${lightColumns}, thread_id, turn_id, attributes, inputs, output, summary, otel_dump, user_id, run_id, run_step, run_step_end, expire_at`;

/** Returns the queries: the request to the server, and SQL for the same rows. `ids` reads the ids of a response. */
function questions(project, sample) {
  const here = `project_id = '${project}' AND presence = 1`;
  const newest = { sort_by: [{ field: 'started_at', direction: 'desc' }], limit: page };
  const light = ['op_name', 'display_name', 'trace_id', 'parent_id', 'started_at', 'ended_at', 'exception'];
  const order = `ORDER BY started_at DESC, id DESC LIMIT ${page}`;
  const idsOf = (text) => text.trim().split('\n').map((line) => JSON.parse(line).id).filter(Boolean);
  return [
    { name: 'count', path: '/calls/query_stats', body: {}, ids: (text) => [String(JSON.parse(text).count)],
      sql: `SELECT count() FROM calls FINAL WHERE ${here} ${final}` },
    { name: 'newest 100, light columns', path: '/calls/stream_query', body: { ...newest, columns: light, include_cursor: true }, ids: idsOf,
      sql: `SELECT ${lightColumns} FROM calls FINAL WHERE ${here} ${order} ${final}` },
    { name: 'newest 100, whole calls', path: '/calls/stream_query', body: newest, ids: idsOf,
      // The ids first: FINAL would read the payloads of all calls.
      sql: `SELECT ${wholeColumns} FROM calls FINAL WHERE ${here} AND (id_at, id) IN ` +
        `(SELECT id_at, id FROM calls FINAL WHERE ${here} ${order}) ${order} ${final}` },
    { name: 'one trace', path: '/calls/stream_query', body: { filter: { trace_ids: [sample.trace_id] } }, ids: idsOf,
      sql: `SELECT ${wholeColumns} FROM calls FINAL WHERE ${here} AND (id_at, id) IN ` +
        `(SELECT id_at, id FROM calls WHERE ${here} AND trace_id = '${sample.trace_id}') AND trace_id = '${sample.trace_id}' ORDER BY started_at, id ${final}` },
    { name: 'one call by id', path: '/call/read', body: { id: sample.id }, ids: (text) => [JSON.parse(text).call.id],
      sql: `SELECT ${wholeColumns} FROM calls FINAL WHERE ${here} AND id_at = '${sample.id_at}' AND id = '${sample.id}' ${final}` },
  ];
}

/** Returns a call from the middle of the project. */
async function sampleCall(deployment, project) {
  const [[id, trace_id, id_at]] = await deployment.rows(
    `SELECT id, trace_id, toString(id_at) FROM calls WHERE project_id = '${project}' AND id_at >= now() - INTERVAL 15 DAY ORDER BY id_at LIMIT 1`);
  return { id, trace_id, id_at };
}

/** Throws unless the server and the SQL have the same answer. */
async function checkAnswers(deployment, server, { name, path, body, sql, ids }) {
  const { text } = await post(server, path, { project_id: large, ...body });
  const ours = ids(text);
  const theirs = (await deployment.rows(sql, fields)).map(([first]) => String(first));
  if (JSON.stringify(ours) !== JSON.stringify(theirs)) throw new Error(`${name}: the answers differ: ${ours.slice(0, 3)}; ${theirs.slice(0, 3)}`);
}

const spread = (times) => `(${Math.min(...times).toFixed(1)} to ${Math.max(...times).toFixed(1)})`;

/** Measures the reads of the large project. */
export async function measureReads(deployment, project, { rounds }) {
  const server = deployment.nodes[0];
  for (const question of questions(project, await sampleCall(deployment, project))) {
    await checkAnswers(deployment, server, question); // the warm-up, too
    const ours = [];
    const raw = [];
    const work = { SQL: [], server: [] };
    for (let round = 0; round < rounds; ++round) {
      const moments = [deployment.processorSeconds()];
      raw.push((await deployment.measure(question.sql, fields)).ms);
      moments.push(deployment.processorSeconds());
      ours.push((await post(server, question.path, { project_id: large, ...question.body })).ms);
      moments.push(deployment.processorSeconds());
      work.SQL.push(processorBetween(moments[0], moments[1]));
      work.server.push(processorBetween(moments[1], moments[2]));
    }
    const allowed = 1.3 * median(raw) + 5;
    const within = median(ours) <= allowed;
    console.log(`  ${question.name.padEnd(26)} ${median(ours).toFixed(1).padStart(7)} ms ${spread(ours).padEnd(18)} SQL ${median(raw).toFixed(1).padStart(7)} ms ` +
      `${spread(raw).padEnd(18)} ratio ${(median(ours) / median(raw)).toFixed(2)}   ${within ? 'within' : 'BEYOND'} 1.3 x + 5 ms = ${allowed.toFixed(1)} ms`);
    const used = processorSum(work.server);
    const { ClickHouse: engine } = processorSum(work.SQL);
    const text = engine === undefined ? '' :
      `, of the SQL ${((engine * 1000) / rounds).toFixed(1)} ms; ratio ${((used.nodes + used.ClickHouse) / engine).toFixed(2)}`;
    console.log(`  ${''.padEnd(26)} processor time of a request: ${processorText(used, rounds)}${text}`);
  }
}
