// A client of GET /api/v1/stream that reads like a browser's EventSource.

import assert from "node:assert/strict";
import * as http from "node:http";

import { waitLimit } from "./time_limits.mjs";

const HANG_MS = waitLimit(30_000);

/** An open stream. Events are {event, id, data}, with parsed data. */
export class EventStream {
  constructor(outgoing, incoming) {
    this.outgoing = outgoing;
    this.incoming = incoming;
    this.headers = incoming.headers;
    this.events = [];
    this.comments = 0;
    this.ended = false;
    this.text = "";
    this.waiting = [];
    incoming.setEncoding("utf8");
    incoming.on("data", (chunk) => this.read(chunk));
    incoming.on("end", () => this.settle({ ended: true }));
    incoming.on("error", () => this.settle({ ended: true }));
  }

  read(chunk) {
    this.text += chunk;
    for (let end = this.text.indexOf("\n\n"); end >= 0; end = this.text.indexOf("\n\n")) {
      const lines = this.text.slice(0, end).split("\n");
      this.text = this.text.slice(end + 2);
      if (lines[0].startsWith(":")) this.comments += 1;
      else this.events.push(parsed(lines));
    }
    this.settle({});
  }

  settle({ ended = this.ended }) {
    this.ended = ended;
    for (const look of this.waiting.splice(0)) look();
  }

  /** Resolves with the result of `find` as soon as it is not undefined. Rejects when the stream ends before. */
  until(find, what = "the event") {
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => reject(new Error(`${what} did not arrive: ${JSON.stringify(this.events)}`)), HANG_MS);
      const look = () => {
        const found = find(this.events);
        if (found === undefined && !this.ended) return this.waiting.push(look);
        clearTimeout(limit);
        if (found !== undefined) resolve(found);
        else reject(new Error(`the stream ended before ${what}: ${JSON.stringify(this.events)}`));
      };
      look();
    });
  }

  /** Resolves with the first event of a kind. */
  next(kind) {
    return this.until((events) => events.find(({ event }) => event === kind), kind);
  }

  /** Resolves when the events of a kind count this many changes. */
  counted(kind, count) {
    const sum = () => this.events.filter(({ event }) => event === kind).reduce((n, { data }) => n + data.count, 0);
    return this.until(() => (sum() >= count ? sum() : undefined), `${count} ${kind}`);
  }

  /** Resolves when the server has ended the stream. */
  end() {
    return this.until(() => (this.ended ? true : undefined), "the end");
  }

  close() {
    this.outgoing.destroy();
  }
}

function parsed(lines) {
  const event = { event: "message", id: undefined, data: "" };
  for (const line of lines) {
    const [, field, value] = /^([a-z]+): ?(.*)$/.exec(line);
    event[field] = value;
  }
  return { ...event, data: JSON.parse(event.data) };
}

/** Opens a stream, with `key: null` without an API key. Resolves with an EventStream, or with {status, text, headers} of a refusal. */
export function openStream(server, topics, { key = server.adminKey, headers = {}, prefix = "" } = {}) {
  const url = new URL(`${prefix}/api/v1/stream`, server.url);
  url.searchParams.set("topics", topics);
  return new Promise((resolve, reject) => {
    const credential = key === null ? {} : { authorization: `Bearer ${key}` };
    const sent = { accept: "text/event-stream", ...credential, ...headers };
    const outgoing = http.get(url, { headers: sent, agent: false }, async (incoming) => {
      if (incoming.statusCode === 200) return resolve(new EventStream(outgoing, incoming));
      let text = "";
      for await (const chunk of incoming) text += chunk;
      resolve({ status: incoming.statusCode, text, headers: incoming.headers });
    });
    outgoing.on("error", reject);
  });
}

/** Opens a stream that must succeed, calls `use`, and closes it. */
export async function withStream(server, topics, options, use) {
  const stream = await openStream(server, topics, options);
  assert.ok(stream instanceof EventStream, `${stream.status}: ${stream.text}`);
  try {
    await stream.next("ready");
    return await use(stream);
  } finally {
    stream.close();
  }
}
