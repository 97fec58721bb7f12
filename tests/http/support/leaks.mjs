// Checks every byte that a server under test sends to this process, over whatever client, for what
// no response may show: the path of its data folder and the administrator's key. A finding throws
// on the socket that received it, which fails the test that is running.

import * as net from "node:net";
import { Readable } from "node:stream";

const forbidden = new Map(); // port: [{ what, bytes }]
const tails = new WeakMap(); // socket: its last bytes, in which a text may begin

/** Forbids texts in all that comes from the server at a URL: {name: text}. */
export function forbidInResponses(url, texts) {
  const { port, protocol } = new URL(url);
  const known = Object.entries(texts).map(([what, text]) => ({ what, bytes: Buffer.from(text) }));
  forbidden.set(Number(port || (protocol === "https:" ? 443 : 80)), known);
}

/** Allows a text in what comes from the server at a URL, for a test that asks for it. */
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

// All clients receive through net.Socket, decrypted ones through its subclass tls.TLSSocket.
net.Socket.prototype.push = function push(chunk, encoding) {
  if (Buffer.isBuffer(chunk)) check(this, chunk);
  return Readable.prototype.push.call(this, chunk, encoding);
};
