// A TCP connection that sends arbitrary bytes and reads HTTP/1.1 responses, for invalid requests.

import { once } from "node:events";
import { connect } from "node:net";

import { waitLimit } from "./time_limits.mjs";

const HANG_MS = waitLimit(30_000);

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
    this.ended = false; // the peer sends no more bytes
    this.error = undefined; // the reason, if the peer did not close cleanly
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

  /** Resolves with true when the kernel has accepted the bytes, with false when the connection is closed. */
  async send(bytes) {
    if (this.socket.destroyed || !this.socket.writable) return false;
    const taken = await new Promise((resolve) =>
      this.socket.write(bytes, (error) => resolve(!error)),
    );
    await new Promise(setImmediate); // lets received bytes be read; a write alone does not
    return taken;
  }

  /** Closes the sending side and keeps reading. */
  finish() {
    this.socket.end();
  }

  /** Returns the next complete response, or undefined if the connection ended before its first byte. */
  async response({ bodyless = false } = {}) {
    for (;;) {
      const answer = parseResponse(this.received, bodyless, this.ended);
      if (answer) {
        this.received = this.received.subarray(answer.length);
        return answer;
      }
      if (this.ended && this.received.length === 0) return undefined;
      if (this.ended) throw new Error(`incomplete response: ${this.received.toString("latin1")}`);
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
      timer = setTimeout(() => reject(new Error("neither a response nor a close")), HANG_MS);
    }).finally(() => clearTimeout(timer));
  }

  destroy() {
    this.socket.destroy();
  }
}

/** Opens a connection, sends the bytes and reads one response. */
export async function exchange(url, bytes) {
  const connection = await RawConnection.open(url);
  try {
    connection.send(bytes);
    return await connection.response();
  } finally {
    connection.destroy();
  }
}

/** Returns a request as bytes. `fields` are the header lines in order, sent unchanged. */
export function rawRequest(line, fields = [], body = "") {
  const head = [line, "Host: test", ...fields].join("\r\n");
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, "latin1"), Buffer.from(body)]);
}

/** Returns {status, headers, text, json, length} if the bytes contain a complete response, else undefined. */
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
