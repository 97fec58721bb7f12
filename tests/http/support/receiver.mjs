// An HTTP server that keeps what it is sent, for tests of webhooks.

import { once } from "node:events";
import { createServer } from "node:http";

const HANG_MS = 60_000;

/**
 * {url, requests, answer, received(), close()}: `requests` are {method, path, headers, body} in the
 * order they came; `answer` is {status, headers, body} for all that come, or a function of the
 * request and its number from 0 that gives one, or null to never answer.
 */
export async function startReceiver() {
  const receiver = { requests: [], answer: { status: 200 } };
  const waiting = new Set();
  const server = createServer((request, response) => {
    const pieces = [];
    request.on("data", (piece) => pieces.push(piece));
    request.on("end", () => {
      const { method, url: path, headers } = request;
      const body = Buffer.concat(pieces).toString();
      const kept = { method, path, headers, body };
      const number = receiver.requests.push(kept) - 1;
      for (const look of waiting) look();
      const { answer } = receiver;
      const chosen = typeof answer === "function" ? answer(kept, number) : answer;
      if (chosen === null) return;
      const { status, headers: more = {}, body: text = "" } = chosen;
      response.writeHead(status, more).end(text);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  receiver.url = `http://127.0.0.1:${server.address().port}/`;
  /** Waits until so many requests have come, and resolves with all that have. */
  receiver.received = (count) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${receiver.requests.length} of ${count} requests came`)),
        HANG_MS,
      );
      const look = () => {
        if (receiver.requests.length < count) return;
        clearTimeout(timer);
        waiting.delete(look);
        resolve(receiver.requests);
      };
      waiting.add(look);
      look();
    });
  receiver.close = () => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  return receiver;
}
