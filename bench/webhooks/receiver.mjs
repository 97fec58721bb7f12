// The endpoints of the benchmark in a separate process: counts requests and records their times.
//
// Messages in: {expect, marks} resets the count. Messages out: {port, dead}, then {last, times} when `expect` requests
// have arrived; with `marks`, `times` contains the arrival time of each tag.

import { createServer } from 'node:http';
import { createServer as createSocketServer } from 'node:net';

let expected = 0;
let marked = false;
let seen = new Set();
let times = {};

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (piece) => {
    if (marked) body += piece;
  });
  request.on('end', () => {
    response.writeHead(204).end();
    // A repeated attempt counts once.
    const id = request.headers['webhook-id'];
    if (seen.has(id)) return;
    seen.add(id);
    const now = performance.timeOrigin + performance.now();
    if (marked) times[JSON.parse(body).tag] = now;
    if (seen.size === expected) process.send({ last: now, times });
  });
});
server.keepAliveTimeout = 60_000;
// Accepts connections and never responds.
const dead = createSocketServer((socket) => socket.on('error', () => {}).on('data', () => {}));

process.on('message', ({ expect, marks = false }) => {
  expected = expect;
  marked = marks;
  seen = new Set();
  times = {};
  process.send({ ready: true });
});
server.listen(0, '127.0.0.1', () => {
  dead.listen(0, '127.0.0.1', () => process.send({ port: server.address().port, dead: dead.address().port }));
});
