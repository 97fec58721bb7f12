// A trace of calls and a trace of agent spans, of 10,000 steps each.

import { post } from './post.mjs';

const steps = 10_000;
const hex = (number, digits) => number.toString(16).padStart(digits, '0');

/** The ids of the traces. */
export const largeTraces = { calls: '0193c0de-0000-7000-8000-00000000bbbb', spans: 'c0de'.repeat(8) };

/** Sends both traces. Sending them again changes nothing. */
export async function sendLargeTraces(server, project) {
  const began = Date.UTC(2024, 0, 1);
  const parent = (i) => (i === 0 ? undefined : Math.floor((i - 1) / 8));
  const id = (i) => `0193c0de-${hex(i & 0xffff, 4)}-7000-8${hex((i * 7919) % 4096, 3)}-${hex((i * 2654435761) % 2 ** 40, 12)}`;
  const time = (i) => new Date(began + i * 7).toISOString();
  const usage = (i) => (i % 3 === 1 ? { usage: { 'gpt-4o': { prompt_tokens: 100 + i, completion_tokens: 40 } } } : {});
  const inputs = { messages: [{ role: 'user', content: 'Where is order 17? '.repeat(10) }] };
  for (let first = 0; first < steps; first += 1000) {
    const batch = Array.from({ length: 1000 }, (_, at) => first + at).map((i) => ({
      project_id: project, id: id(i), trace_id: largeTraces.calls, ...(i ? { parent_id: id(parent(i)) } : {}), op_name: `step_${i % 40}`,
      started_at: time(i), ended_at: time(i + 100), attributes: { kind: i % 5 ? 'tool' : 'agent' }, inputs, output: 'done', summary: usage(i),
    }));
    await post(server, `/v2/${project}/calls/complete`, { batch });
    const spans = batch.map((_, at) => first + at).map((i) => ({
      traceId: largeTraces.spans, spanId: hex((i * 2654435761) % 2 ** 48, 16), ...(i ? { parentSpanId: hex((parent(i) * 2654435761) % 2 ** 48, 16) } : {}),
      name: `chat step_${i % 40}`, startTimeUnixNano: `${began + i * 7}000000`, endTimeUnixNano: `${began + i * 7 + 700}000000`,
      attributes: [
        { key: 'gen_ai.operation.name', value: { stringValue: i % 3 === 1 ? 'chat' : 'execute_tool' } },
        { key: 'gen_ai.request.model', value: { stringValue: 'gpt-4o' } },
        ...(i % 3 === 1 ? [{ key: 'gen_ai.usage.input_tokens', value: { intValue: `${100 + i}` } }] : []),
      ],
    }));
    await post(server, '/agents/otel/v1/traces', { resourceSpans: [{ scopeSpans: [{ spans }] }] }, { project });
  }
}
