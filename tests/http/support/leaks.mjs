// Checks every byte that a server under test sends to this process, through any client, for texts that
// no response may contain: the path of the data folder and the administrator's key. A match throws on
// the socket that received it, which fails the running test.

import * as net from "node:net";
import { Readable } from "node:stream";

const forbidden = new Map(); // port: [{ what, bytes }]
const tails = new WeakMap(); // socket: its last bytes, where a forbidden text may start

/** Forbids texts, {name: text}, in every response of the server at a URL. */
export function forbidInResponses(url, texts) {
  const { port, protocol } = new URL(url);
  const known = Object.entries(texts).map(([what, text]) => ({ what, bytes: Buffer.from(text) }));
  forbidden.set(Number(port || (protocol === "https:" ? 443 : 80)), known);
}

/** Allows a forbidden text again, for a test that expects it in a response. */
export function allowInResponses(url, what) {
  const port = Number(new URL(url).port);
  forbidden.set(port, (forbidden.get(port) ?? []).filter((each) => each.what !== what));
}

function check(socket, chunk) {
  const texts = forbidden.get(socket.remotePort);
  if (texts === undefined || texts.length === 0) return;
  const whole = Buffer.concat([tails.get(socket) ?? Buffer.alloc(0), chunk]);
  for (const { what, bytes } of texts) {
    const at = whole.indexOf(bytes);
    if (at === -1) continue;
    tails.delete(socket);
    const around = whole.subarray(Math.max(0, at - 200), at + bytes.length + 200).toString("latin1");
    throw new Error(`A response shows ${what}: …${around}…`);
  }
  const longest = Math.max(...texts.map(({ bytes }) => bytes.length));
  tails.set(socket, whole.subarray(Math.max(0, whole.length - longest + 1)));
}

// All clients receive through net.Socket; TLS clients through its subclass tls.TLSSocket, after decryption.
net.Socket.prototype.push = function push(chunk, encoding) {
  if (Buffer.isBuffer(chunk)) check(this, chunk);
  return Readable.prototype.push.call(this, chunk, encoding);
};
