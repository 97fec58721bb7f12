// An HTTP server that keeps what it is sent, for tests of webhooks.

import { once } from "node:events";
import { createServer } from "node:http";

/**
 * {url, requests, answer, close()}: `requests` are {method, path, headers, body} in the order they
 * came; `answer` is {status, headers, body} for all that come.
 */
export async function startReceiver() {
  const receiver = { requests: [], answer: { status: 200 } };
  const server = createServer((request, response) => {
    const pieces = [];
    request.on("data", (piece) => pieces.push(piece));
    request.on("end", () => {
      const { method, url: path, headers } = request;
      receiver.requests.push({ method, path, headers, body: Buffer.concat(pieces).toString() });
      const { status, headers: more = {}, body = "" } = receiver.answer;
      response.writeHead(status, more).end(body);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  receiver.url = `http://127.0.0.1:${server.address().port}/`;
  receiver.close = () => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  return receiver;
}
