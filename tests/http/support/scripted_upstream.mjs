// A fake OpenAI-compatible upstream whose response to each request a test scripts: a complete body, a stream
// chunk by chunk, no response, a closed connection, invalid bytes. It uses no timers: a test can hold a request
// open for any time.

import { once } from "node:events";
import * as http from "node:http";

import { waitLimit } from "./time_limits.mjs";

// Makes a test fail when an expected request never arrives.
const HANG_MS = waitLimit(60_000);

export const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/**
 * Starts the upstream on a free port. Calls `script(exchange)` for every request except those for the list of
 * models. A test may replace `upstream.script` at any time. The default script returns a complete response, or
 * a stream if the request asks for one.
 */
export async function startScriptedUpstream(script = answerHello) {
  const upstream = new ScriptedUpstream(script);
  upstream.server.listen(0, "127.0.0.1");
  await once(upstream.server, "listening");
  return upstream;
}

/** Answers "Hello there", streamed if the request asks for a stream. */
export async function answerHello(exchange) {
  if (!exchange.body.stream) return exchange.complete("Hello there");
  exchange.openStream();
  exchange.role();
  exchange.text("Hello");
  exchange.text(" there");
  exchange.finish();
}

class ScriptedUpstream {
  /** Exchanges in order of arrival. */
  exchanges = [];
  /** Requests for the list of models: {headers, path}. */
  probes = [];
  /** The response to requests for the list of models. */
  probeStatus = 200;
  probeBody = undefined;
  #watchers = new Set();

  constructor(script) {
    this.script = script;
    this.server = http.createServer({ keepAliveTimeout: HANG_MS }, (incoming, outgoing) => this.#serve(incoming, outgoing));
    this.server.on("clientError", (error, socket) => socket.destroy());
    this.connections = 0;
    this.server.on("connection", () => (this.connections += 1));
  }

  get url() {
    return `http://127.0.0.1:${this.server.address().port}/v1`;
  }

  /** Waits for `count` requests and resolves with the last of them. */
  async received(count) {
    await this.#until(() => this.exchanges.length >= count, () => `received ${this.exchanges.length} of ${count} requests`);
    return this.exchanges[count - 1];
  }

  /** Waits for `count` requests for the list of models. */
  async probed(count) {
    await this.#until(() => this.probes.length >= count, () => `received ${this.probes.length} of ${count} probes`);
  }

  close() {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }

  async #serve(incoming, outgoing) {
    const pieces = [];
    try {
      for await (const piece of incoming) pieces.push(piece);
    } catch {
      return; // the client disconnected while it was sending
    }
    if (incoming.method === "GET") {
      this.probes.push({ headers: incoming.headers, path: incoming.url });
      this.#look();
      outgoing.writeHead(this.probeStatus, { "content-type": "application/json" }).end(JSON.stringify(this.probeBody ?? { object: "list", data: [] }));
      return;
    }
    const exchange = new Exchange(this.exchanges.length, incoming, Buffer.concat(pieces), outgoing);
    this.exchanges.push(exchange);
    this.#look();
    await this.script(exchange);
  }

  #look() {
    for (const look of this.#watchers) look();
  }

  #until(condition, complaint) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(complaint())), HANG_MS);
      const look = () => {
        if (!condition()) return;
        clearTimeout(timer);
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
      look();
    });
  }
}

/** One request, and the methods that respond to it. */
class Exchange {
  #outgoing;
  #id;

  constructor(number, incoming, bytes, outgoing) {
    this.number = number;
    this.method = incoming.method;
    this.path = incoming.url;
    this.headers = incoming.headers;
    /** The unchanged request body. */
    this.bytes = bytes;
    this.#outgoing = outgoing;
    this.#id = `chatcmpl-${number}`;
    /** Resolves when the client has closed its connection before the end of the response. */
    this.left = new Promise((resolve) => {
      outgoing.on("close", () => {
        if (!outgoing.writableFinished) resolve();
      });
    });
  }

  get body() {
    return JSON.parse(this.bytes.toString("utf8"));
  }

  /** Sends a complete response: a string or bytes unchanged, another value as JSON. */
  answer(body, { status = 200, headers = {} } = {}) {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
    const type = typeof body === "object" ? { "content-type": "application/json" } : {};
    this.#outgoing.writeHead(status, { "content-length": bytes.length, ...type, ...headers }).end(bytes);
  }

  /** Sends a complete chat completion with the answer `text`. `more` extends it, `message` extends its message. */
  complete(text, { usage = USAGE, message = {}, ...more } = {}) {
    this.answer({
      id: this.#id,
      object: "chat.completion",
      created: 1_700_000_000,
      model: this.body.model,
      choices: [{ index: 0, message: { role: "assistant", content: text, ...message }, finish_reason: "stop" }],
      usage,
      ...more,
    });
  }

  /** Sends an error in the format of the OpenAI API. */
  fail(status, message, { type = "server_error", code = null, headers = {} } = {}) {
    this.answer({ error: { message, type, param: null, code } }, { status, headers });
  }

  /** Sends the response head of a stream immediately. */
  openStream(headers = {}) {
    this.#outgoing.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", ...headers });
    this.#outgoing.flushHeaders();
  }

  /** Sends bytes of a stream unchanged; resolves when the socket accepts more. */
  async write(bytes) {
    if (this.#outgoing.destroyed) return;
    if (!this.#outgoing.write(bytes)) await Promise.race([once(this.#outgoing, "drain"), this.left]);
  }

  /** Sends one chunk with this delta and the members of `more`. */
  chunk(delta, { finish_reason = null, ...more } = {}) {
    const choices = delta === null ? [] : [{ index: 0, delta, finish_reason }];
    const chunk = { id: this.#id, object: "chat.completion.chunk", created: 1_700_000_000, model: this.body.model, choices, ...more };
    return this.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }

  role() {
    return this.chunk({ role: "assistant", content: "" });
  }

  text(content) {
    return this.chunk({ content });
  }

  /** Sends the finish reason, the usage if requested, and the end of the stream. */
  finish({ usage = USAGE, finish_reason = "stop" } = {}) {
    this.chunk({}, { finish_reason });
    if (usage && this.body.stream_options?.include_usage) this.chunk(null, { usage });
    this.write("data: [DONE]\n\n");
    this.end();
  }

  end() {
    this.#outgoing.end();
  }

  /** Closes the connection at its current state: before the head, after it, or within the stream. */
  cut() {
    this.#outgoing.socket?.destroy();
  }

  /** Sends raw bytes instead of an HTTP response, and closes the connection. */
  garbage(bytes) {
    this.#outgoing.socket.end(bytes);
  }
}
