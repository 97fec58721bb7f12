// Agent spans in the notation of the worked examples, sent like an OpenTelemetry exporter sends them.

import assert from "node:assert/strict";

import { Project } from "./calls.mjs";
import { PATHS, newTraceId, request, send, span } from "./otlp.mjs";
import { freshName } from "./people.mjs";

/** The start time of all examples. */
export const BASE = Date.UTC(2024, 4, 1);
/** Returns the time `seconds` after BASE. */
export const moment = (seconds) => new Date(BASE + seconds * 1000).toISOString();

/** Returns the span id on the wire for a name in an example. */
export const spanId = (name) => Buffer.from(name.padEnd(8, "_")).subarray(0, 8).toString("hex");

const STATUS = { UNSET: 0, OK: 1, ERROR: 2 };

/** Encodes lists and objects as JSON, except references, which stay a list of strings. */
function attribute([name, value]) {
  const structured = typeof value === "object" && name !== "svc.content_refs";
  return [name === "OP" ? "gen_ai.operation.name" : name, structured ? JSON.stringify(value) : value];
}

/** Converts {id, parent, name, t: [start, end], status, attrs} into an exporter's span. */
function described(traceId, { id, parent, name, t: [start, end], status = "OK", attrs = {} }) {
  return span(name, Object.fromEntries(Object.entries(attrs).map(attribute)), {
    traceId, spanId: spanId(id), ...(parent ? { parent: spanId(parent) } : {}), start, end, status: { code: STATUS[status] },
  });
}

/** A project that receives spans. */
export class AgentProject extends Project {
  constructor(server, name = `${freshName("team")}/agents`) {
    super(server, name);
  }

  /** Sends the spans of one trace and resolves with the trace id. */
  async send(spans, traceId = newTraceId()) {
    const body = request([{}, ...spans.map((each) => described(traceId, each))]);
    const answer = await send(this.server, PATHS.rows, body, { project: this.id });
    assert.equal(answer.status, 200, answer.text);
    return traceId;
  }

  chat(traceId, fields = {}) {
    return this.ok("/agents/traces/chat", { project_id: this.id, trace_id: traceId, ...fields });
  }

  ask(path, fields = {}) {
    return this.ok(path, { project_id: this.id, ...fields });
  }
}
