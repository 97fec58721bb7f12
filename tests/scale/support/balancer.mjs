// A load balancer for tests: an HTTP proxy that sends each request to the next node whose /health/ready answers 200. While
// no node is ready, it sends requests to any node, as balancers do that "fail open": the node says why. Bodies and streams
// pass through unbuffered. Only a request of which no byte was sent, because a node refuses the connection, is sent to
// another node. Responses of the balancer itself (502, 503) have the header BALANCER_ERROR.

import { once } from "node:events";
import * as http from "node:http";
import { setTimeout as pause } from "node:timers/promises";

export const BALANCER_ERROR = "x-balancer-error";

const PROBE_INTERVAL_MS = 100;
const PROBE_TIMEOUT_MS = 3000;
// Unused connections are closed before the node closes them (limits.idle_timeout, 75 s).
const UNUSED_MS = 20_000;
const HOP_BY_HOP = new Set(["connection", "keep-alive", "proxy-connection", "expect", "upgrade"]);

/** Returns the pairs of a raw header list that a proxy forwards. The transfer coding stays, so that both sides chunk. */
function forwarded(rawHeaders) {
  const kept = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!HOP_BY_HOP.has(rawHeaders[i].toLowerCase())) kept.push(rawHeaders[i], rawHeaders[i + 1]);
  }
  return kept;
}

class Node {
  ready = false;

  constructor(url) {
    this.url = url;
    this.agent = new http.Agent({ keepAlive: true, timeout: UNUSED_MS });
  }

  async probe() {
    try {
      const answer = await fetch(`${this.url}/health/ready`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
      await answer.text();
      this.ready = answer.status === 200;
    } catch {
      this.ready = false;
    }
  }
}

class Balancer {
  #turn = 0;
  #stopped = false;

  constructor(urls) {
    this.nodes = urls.map((url) => new Node(url));
    this.server = http.createServer({ keepAliveTimeout: UNUSED_MS * 2, requestTimeout: 0 }, (incoming, outgoing) => this.#forward(incoming, outgoing));
    this.server.on("clientError", (error, socket) => socket.destroy());
  }

  async listen() {
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    await Promise.all(this.nodes.map((node) => node.probe()));
    this.probing = Promise.all(this.nodes.map((_, i) => this.#watch(i)));
  }

  async #watch(i) {
    while (!this.#stopped) {
      await this.nodes[i].probe();
      await pause(PROBE_INTERVAL_MS);
    }
  }

  /** Replaces a node that has started again at another address. */
  async replace(i, url) {
    this.nodes[i].agent.destroy();
    this.nodes[i] = new Node(url);
    await this.nodes[i].probe();
  }

  /** Returns the nodes to try, the next one first. */
  #candidates() {
    const first = (this.#turn += 1);
    const turned = this.nodes.map((_, i) => this.nodes[(first + i) % this.nodes.length]);
    const ready = turned.filter((node) => node.ready);
    return ready.length > 0 ? ready : turned;
  }

  #forward(incoming, outgoing) {
    incoming.on("error", () => {}); // the client has left: "close" of `outgoing` follows
    const candidates = this.#candidates();
    const tryNext = () => {
      const node = candidates.shift();
      if (node === undefined) {
        refuse(outgoing, 503, "No node accepts connections.");
        return;
      }
      this.#send(node, incoming, outgoing, tryNext);
    };
    tryNext();
  }

  #send(node, incoming, outgoing, tryNext) {
    const headers = forwarded(incoming.rawHeaders);
    const request = http.request(new URL(incoming.url, node.url), {
      method: incoming.method,
      path: incoming.url,
      headers,
      agent: node.agent,
      setHost: false,
    });
    let connected = false;
    request.on("socket", (socket) => {
      const send = () => {
        connected = true;
        incoming.pipe(request);
      };
      if (socket.connecting) socket.once("connect", send);
      else send();
    });
    request.on("response", (response) => {
      outgoing.writeHead(response.statusCode, response.statusMessage, forwarded(response.rawHeaders));
      outgoing.flushHeaders();
      response.pipe(outgoing);
      response.on("error", () => {}); // "close" follows
      // A response that the node did not finish must not look finished to the client.
      response.on("close", () => {
        if (!response.complete) outgoing.destroy();
      });
    });
    request.on("error", (error) => {
      if (!connected && error.code === "ECONNREFUSED") {
        node.ready = false;
        tryNext();
      } else if (!outgoing.headersSent) {
        refuse(outgoing, 502, "The connection to the node was lost.");
      }
    });
    // The rest of a body whose response came early is read, so that the client reads the response.
    request.on("close", () => connected && incoming.unpipe(request).resume());
    outgoing.on("close", () => {
      if (!outgoing.writableFinished) request.destroy();
    });
  }

  async close() {
    this.#stopped = true;
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    for (const { agent } of this.nodes) agent.destroy();
    await this.probing;
  }
}

function refuse(outgoing, status, detail) {
  if (outgoing.destroyed) return;
  const headers = { "content-type": "application/json", "retry-after": "1", [BALANCER_ERROR]: "1", connection: "close" };
  outgoing.writeHead(status, headers).end(JSON.stringify({ detail }));
}

/** Starts a balancer in front of these URLs. */
export async function startBalancer(urls) {
  const balancer = new Balancer(urls);
  await balancer.listen();
  return balancer;
}
