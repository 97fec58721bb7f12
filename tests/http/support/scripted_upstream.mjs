// An OpenAI-compatible server that does, request by request, what a test tells it to: answers whole
// or piece by piece when the test says so, hangs, breaks off, talks nonsense. Nothing here waits for
// a clock: a test holds a request for as long as it likes.

import { once } from "node:events";
import * as http from "node:http";

// Only so that what never comes fails a test instead of stopping the run.
const HANG_MS = 60_000;

export const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/**
 * Starts it on a free port. `script(exchange)` is called with every request but those for the list
 * of models; it may be replaced through `upstream.script` at any time. Without one every request
 * gets a whole answer, or a stream where it asked for one.
 */
export async function startScriptedUpstream(script = answerKindly) {
  const upstream = new ScriptedUpstream(script);
  upstream.server.listen(0, "127.0.0.1");
  await once(upstream.server, "listening");
  return upstream;
}

/** The words "Hello there", whole or streamed, as the request wants it. */
export async function answerKindly(exchange) {
  if (!exchange.body.stream) return exchange.complete("Hello there");
  exchange.openStream();
  exchange.role();
  exchange.text("Hello");
  exchange.text(" there");
  exchange.finish();
}

class ScriptedUpstream {
  /** Exchanges in the order in which they came. */
  exchanges = [];
  /** What asked for the list of models: {headers}. */
  probes = [];
  /** How the list of models is answered. */
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

  /** Waits until so many requests have come; resolves with the last of them. */
  async received(count) {
    await this.#until(() => this.exchanges.length >= count, () => `${this.exchanges.length} of ${count} requests came`);
    return this.exchanges[count - 1];
  }

  /** Waits until the list of models has been asked for so many times. */
  async probed(count) {
    await this.#until(() => this.probes.length >= count, () => `${this.probes.length} of ${count} probes came`);
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
      return; // the client left while it was still sending
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

/** One request and what is done about it. */
class Exchange {
  #outgoing;
  #id;

  constructor(number, incoming, bytes, outgoing) {
    this.number = number;
    this.method = incoming.method;
    this.path = incoming.url;
    this.headers = incoming.headers;
    /** Exactly what came. */
    this.bytes = bytes;
    this.#outgoing = outgoing;
    this.#id = `chatcmpl-${number}`;
    /** Resolves when the client has closed its connection before the answer was over. */
    this.left = new Promise((resolve) => {
      outgoing.on("close", () => {
        if (!outgoing.writableFinished) resolve();
      });
    });
  }

  get body() {
    return JSON.parse(this.bytes.toString("utf8"));
  }

  /** A whole answer: text or bytes as they are, anything else as JSON. */
  answer(body, { status = 200, headers = {} } = {}) {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
    const type = typeof body === "object" ? { "content-type": "application/json" } : {};
    this.#outgoing.writeHead(status, { "content-length": bytes.length, ...type, ...headers }).end(bytes);
  }

  /** A whole chat completion that says `text`; `more` goes into it and `message` into its message. */
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

  /** An error in the shape of the API. */
  fail(status, message, { type = "server_error", code = null, headers = {} } = {}) {
    this.answer({ error: { message, type, param: null, code } }, { status, headers });
  }

  /** The head of a stream, sent at once. */
  openStream(headers = {}) {
    this.#outgoing.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", ...headers });
    this.#outgoing.flushHeaders();
  }

  /** Bytes of a stream as they are; resolves when there is room for more. */
  async write(bytes) {
    if (this.#outgoing.destroyed) return;
    if (!this.#outgoing.write(bytes)) await Promise.race([once(this.#outgoing, "drain"), this.left]);
  }

  /** One chunk with this delta, or whatever else stands in `more`. */
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

  /** The chunk with the reason, the one with the usage where it was asked for, and the end. */
  finish({ usage = USAGE, finish_reason = "stop" } = {}) {
    this.chunk({}, { finish_reason });
    if (usage && this.body.stream_options?.include_usage) this.chunk(null, { usage });
    this.write("data: [DONE]\n\n");
    this.end();
  }

  end() {
    this.#outgoing.end();
  }

  /** Breaks the connection off, wherever it is: before the head, behind it, within the stream. */
  cut() {
    this.#outgoing.socket?.destroy();
  }

  /** Bytes on the connection that no HTTP library has made, and the end of it. */
  garbage(bytes) {
    this.#outgoing.socket.end(bytes);
  }
}
