// Spans of agents as the worked examples write them, sent as an OpenTelemetry exporter would.

import assert from "node:assert/strict";

import { Project } from "./calls.mjs";
import { PATHS, newTraceId, request, send, span } from "./otlp.mjs";
import { freshName } from "./people.mjs";

/** When examples begin. */
export const BASE = Date.UTC(2024, 4, 1);
/** The moment `seconds` later. */
export const moment = (seconds) => new Date(BASE + seconds * 1000).toISOString();

/** The id of a span of an example on the wire. */
export const spanId = (name) => Buffer.from(name.padEnd(8, "_")).subarray(0, 8).toString("hex");

const STATUS = { UNSET: 0, OK: 1, ERROR: 2 };

/** Lists and objects are sent as JSON, but for references, which are a list of texts. */
function attribute([name, value]) {
  const structured = typeof value === "object" && name !== "svc.content_refs";
  return [name === "OP" ? "gen_ai.operation.name" : name, structured ? JSON.stringify(value) : value];
}

/** {id, parent, name, t: [start, end], status, attrs} as exporters describe it. */
function described(traceId, { id, parent, name, t: [start, end], status = "OK", attrs = {} }) {
  return span(name, Object.fromEntries(Object.entries(attrs).map(attribute)), {
    traceId, spanId: spanId(id), ...(parent ? { parent: spanId(parent) } : {}), start, end, status: { code: STATUS[status] },
  });
}

/** A project that spans are sent to. */
export class AgentProject extends Project {
  constructor(server, name = `${freshName("team")}/agents`) {
    super(server, name);
  }

  /** Sends spans of one trace; resolves with its id. */
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
