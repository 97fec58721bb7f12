// A proxy between Spindle and a store with an HTTP interface (ClickHouse, S3), whose faults a test scripts. Bodies are
// read completely before they are forwarded. Headers stay, so that the signatures of S3 requests stay valid.

import { once } from "node:events";
import * as http from "node:http";

async function bytesOf(stream) {
  const pieces = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

class FaultProxy {
  /**
   * Called with {method, url, headers, body} of every request. Returns nothing to forward the request, or a fault:
   *
   * answer    {status, headers, body}: the response, without asking the store
   * held      a promise: forward the request when it resolves, also if the client has left
   * headers   changed headers of the request: {name: value}
   * body      changed body of the request
   * response  function of the store's {status, headers, body} that returns a changed one; its member `cut` is the number
   *           of bytes after which the connection closes
   */
  fault = () => undefined;
  /** Number of requests that were not forwarded unchanged. */
  faults = 0;

  constructor(target) {
    this.target = target;
    this.agent = new http.Agent({ keepAlive: true });
    this.server = http.createServer((incoming, outgoing) => {
      this.#serve(incoming, outgoing).catch(() => outgoing.destroy());
    });
  }

  async listen() {
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    this.url = `http://127.0.0.1:${this.server.address().port}`;
  }

  async #serve(incoming, outgoing) {
    const { method, url, headers } = incoming;
    const body = await bytesOf(incoming);
    const fault = this.fault({ method, url, headers, body });
    if (fault) this.faults += 1;
    if (fault?.answer) {
      const { status, headers: given = {}, body: text = "" } = fault.answer;
      outgoing.writeHead(status, { "content-length": Buffer.byteLength(text), ...given }).end(text);
      return;
    }
    await fault?.held;
    const forwarded = await this.#forward(method, url, { ...headers, ...fault?.headers }, fault?.body ?? body);
    const { status, headers: received, body: bytes } = forwarded;
    const changed = fault?.response ? fault.response(forwarded) : { status, headers: received, body: bytes };
    outgoing.writeHead(changed.status, changed.headers);
    if (changed.cut === undefined) outgoing.end(changed.body);
    else outgoing.write(changed.body.subarray(0, changed.cut), () => outgoing.destroy());
  }

  async #forward(method, url, headers, body) {
    const sent = { ...headers, "content-length": body.length, connection: "keep-alive" };
    delete sent["transfer-encoding"];
    delete sent.expect;
    const request = http.request(new URL(url, this.target), { method, path: url, headers: sent, agent: this.agent });
    request.end(body);
    const [response] = await once(request, "response");
    const received = await bytesOf(response);
    const { connection, "transfer-encoding": coding, "keep-alive": kept, ...more } = response.headers;
    const length = method === "HEAD" ? {} : { "content-length": received.length };
    return { status: response.statusCode, headers: { ...more, ...length }, body: received };
  }

  async close() {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    this.agent.destroy();
  }
}

/** Starts a proxy in front of the store at a URL. */
export async function startFaultProxy(target) {
  const proxy = new FaultProxy(target);
  await proxy.listen();
  return proxy;
}
