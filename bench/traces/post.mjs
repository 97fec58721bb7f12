// Sends requests on persistent connections and measures them.

import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { gunzipSync } from 'node:zlib';

const agent = new Agent({ keepAlive: true, noDelay: true });

/** Sends a JSON body and measures the time to the last byte. `bytes` is the size on the wire. */
export async function post(server, path, body, { coding = 'identity', project } = {}) {
  const sent = JSON.stringify(body);
  const began = performance.now();
  const call = request(new URL(path, server.url), {
    method: 'POST',
    agent,
    headers: {
      authorization: `Bearer ${server.key}`,
      'content-type': 'application/json',
      'accept-encoding': coding,
      ...(project ? { project_id: project } : {}),
      'content-length': Buffer.byteLength(sent),
    },
  });
  call.end(sent);
  const [answer] = await once(call, 'response');
  const pieces = [];
  for await (const piece of answer) pieces.push(piece);
  const ms = performance.now() - began;
  const received = Buffer.concat(pieces);
  const text = String(answer.headers['content-encoding'] === 'gzip' ? gunzipSync(received) : received);
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`);
  return { ms, text, bytes: received.length };
}
