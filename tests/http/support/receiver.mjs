// An HTTP server that records its requests, for tests of webhooks.

import { once } from "node:events";
import { createServer } from "node:http";

import { waitLimit } from "./time_limits.mjs";

const HANG_MS = waitLimit(60_000);

/**
 * Starts a receiver: {url, requests, answer, received(), close()}. `requests` are {method, path, headers,
 * body} in order of arrival. `answer` is the response {status, headers, body} to every request, or a
 * function of the request and its index that returns one. A null response never answers.
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
  /** Waits for `count` requests and resolves with all received ones. */
  receiver.received = (count) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`received ${receiver.requests.length} of ${count} requests`)),
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
