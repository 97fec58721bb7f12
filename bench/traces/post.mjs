// Sends requests on persistent connections and measures them.

import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { gunzipSync } from 'node:zlib';

const agent = new Agent({ keepAlive: true, noDelay: true });

/** Sends a body and measures the time to the last byte of the response. */
export async function measuredPost(url, headers, sent) {
  const began = performance.now();
  const call = request(url, { method: 'POST', agent, headers: { ...headers, 'content-length': Buffer.byteLength(sent) } });
  call.end(sent);
  const [answer] = await once(call, 'response');
  const pieces = [];
  for await (const piece of answer) pieces.push(piece);
  const ms = performance.now() - began;
  const received = Buffer.concat(pieces);
  const text = () => String(answer.headers['content-encoding'] === 'gzip' ? gunzipSync(received) : received);
  if (answer.statusCode !== 200) throw new Error(`${url.pathname}: ${answer.statusCode} ${text()}`);
  return { ms, received, text };
}

/** Sends a JSON body to a server. `bytes` is the size of the response on the wire. */
export async function post(server, path, body, { coding = 'identity', project } = {}) {
  const headers = {
    authorization: `Bearer ${server.key}`,
    'content-type': 'application/json',
    'accept-encoding': coding,
    ...(project ? { project_id: project } : {}),
  };
  const { ms, received, text } = await measuredPost(new URL(path, server.url), headers, JSON.stringify(body));
  return { ms, text: text(), bytes: received.length };
}
