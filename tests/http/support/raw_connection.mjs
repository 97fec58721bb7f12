// A TCP connection that sends any bytes and reads HTTP/1.1 answers from it, for what a well-behaved
// client would never send.

import { once } from "node:events";
import { connect } from "node:net";

const HANG_MS = 30_000;

export class RawConnection {
  static async open(url) {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const connection = new RawConnection(socket);
    await once(socket, "connect");
    return connection;
  }

  constructor(socket) {
    this.socket = socket.setNoDelay(true);
    this.received = Buffer.alloc(0);
    this.ended = false; // no more bytes will come
    this.error = undefined; // why, when the peer did not close cleanly
    this.wake = () => {};
    socket.on("data", (chunk) => {
      this.received = Buffer.concat([this.received, chunk]);
      this.wake();
    });
    socket.on("error", (error) => (this.error = error));
    for (const event of ["end", "close"]) {
      socket.on(event, () => {
        this.ended = true;
        this.wake();
      });
    }
  }

  /** Resolves true when the kernel has taken the bytes, false when the connection is gone. */
  async send(bytes) {
    if (this.socket.destroyed || !this.socket.writable) return false;
    const taken = await new Promise((resolve) =>
      this.socket.write(bytes, (error) => resolve(!error)),
    );
    await new Promise(setImmediate); // lets what has come be read: a write alone does not
    return taken;
  }

  /** Says that nothing more will be sent, and goes on reading. */
  finish() {
    this.socket.end();
  }

  /** The next whole answer, or undefined when the connection ended without one byte of it. */
  async response({ bodyless = false } = {}) {
    for (;;) {
      const answer = parseResponse(this.received, bodyless, this.ended);
      if (answer) {
        this.received = this.received.subarray(answer.length);
        return answer;
      }
      if (this.ended && this.received.length === 0) return undefined;
      if (this.ended) throw new Error(`answer cut short: ${this.received.toString("latin1")}`);
      await this.more();
    }
  }

  /** Resolves when the server has closed the connection. */
  async closed() {
    while (!this.ended) await this.more();
  }

  async more() {
    let timer;
    await new Promise((resolve, reject) => {
      this.wake = resolve;
      timer = setTimeout(() => reject(new Error("no answer and no close")), HANG_MS);
    }).finally(() => clearTimeout(timer));
  }

  destroy() {
    this.socket.destroy();
  }
}

/** Opens a connection, sends the bytes, reads one answer. */
export async function exchange(url, bytes) {
  const connection = await RawConnection.open(url);
  try {
    connection.send(bytes);
    return await connection.response();
  } finally {
    connection.destroy();
  }
}

/** A request as bytes; `fields` are header lines, in order, as they shall be sent. */
export function rawRequest(line, fields = [], body = "") {
  const head = [line, "Host: test", ...fields].join("\r\n");
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, "latin1"), Buffer.from(body)]);
}

/** {status, headers, text, json, length} once the bytes hold a whole answer, else undefined. */
function parseResponse(bytes, bodyless, ended) {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const [statusLine, ...fields] = bytes.subarray(0, headEnd).toString("latin1").split("\r\n");
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1]);
  const headers = Object.fromEntries(
    fields.map((field) => [
      field.slice(0, field.indexOf(":")).toLowerCase(),
      field.slice(field.indexOf(":") + 1).trim(),
    ]),
  );
  const body = bodyOf(bytes.subarray(headEnd + 4), status, headers, bodyless, ended);
  if (!body) return undefined;
  const text = body.content.toString("utf8");
  const isJson = (headers["content-type"] ?? "").startsWith("application/json");
  const json = isJson && text !== "" ? JSON.parse(text) : undefined;
  return { status, headers, text, json, length: headEnd + 4 + body.length };
}

function bodyOf(bytes, status, headers, bodyless, ended) {
  if (bodyless || status < 200 || status === 204 || status === 304) {
    return { content: Buffer.alloc(0), length: 0 };
  }
  if (headers["transfer-encoding"] === "chunked") return chunkedBody(bytes);
  if (headers["content-length"] === undefined) {
    return ended ? { content: bytes, length: bytes.length } : undefined;
  }
  const length = Number(headers["content-length"]);
  return bytes.length < length ? undefined : { content: bytes.subarray(0, length), length };
}

function chunkedBody(bytes) {
  const parts = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = parseInt(bytes.subarray(at, lineEnd).toString("latin1"), 16);
    const next = lineEnd + 2 + size + 2;
    if (bytes.length < next) return undefined;
    if (size === 0) return { content: Buffer.concat(parts), length: next };
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}
