// OTLP requests in Protocol Buffers and JSON, encoded without a library.

import { randomBytes } from "node:crypto";

const BASE = 1_714_521_600_000_000_000n; // 2024-05-01T00:00:00Z

export const nanos = (seconds) => BASE + BigInt(Math.round(seconds * 1e9));
export const newTraceId = () => randomBytes(16).toString("hex");
export const newSpanId = () => randomBytes(8).toString("hex");

/** Describes a span; times are seconds after a fixed start. */
export function span(name, attributes = {}, fields = {}) {
  return {
    traceId: newTraceId(), spanId: newSpanId(), name, kind: 1, start: 0, end: 1, status: { code: 1 }, events: [],
    ...fields,
    attributes,
  };
}

/** Describes one request: spans by resource. */
export const request = (...resources) => resources.map(([attributes, ...spans]) => ({ attributes, spans }));

// --- Protocol Buffers ---

function varint(value) {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
export const number = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
function fixed64(field, value) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return Buffer.concat([varint((field << 3) | 1), bytes]);
}
export function bytes(field, value) {
  const held = Buffer.isBuffer(value) ? value : Buffer.from(value);
  return Buffer.concat([varint((field << 3) | 2), varint(held.length), held]);
}

function protobufValue(value) {
  if (typeof value === "string") return bytes(1, value);
  if (typeof value === "boolean") return number(2, value ? 1 : 0);
  if (typeof value === "number" && Number.isInteger(value)) return number(3, value);
  if (typeof value === "number") {
    const real = Buffer.alloc(8);
    real.writeDoubleLE(value);
    return Buffer.concat([varint((4 << 3) | 1), real]);
  }
  if (Array.isArray(value)) return bytes(5, Buffer.concat(value.map((item) => bytes(1, protobufValue(item)))));
  if (value === null) return Buffer.alloc(0);
  return bytes(6, protobufAttributes(1, value));
}
function protobufAttributes(field, attributes) {
  return Buffer.concat(Object.entries(attributes).map(([key, value]) =>
    bytes(field, Buffer.concat([bytes(1, key), bytes(2, protobufValue(value))]))));
}
function protobufSpan(of) {
  const hex = (text) => Buffer.from(text, "hex");
  return Buffer.concat([
    bytes(1, hex(of.traceId)), bytes(2, hex(of.spanId)),
    ...(of.parent ? [bytes(4, hex(of.parent))] : []),
    bytes(5, of.name), number(6, of.kind), fixed64(7, nanos(of.start)),
    ...(of.end === null ? [] : [fixed64(8, nanos(of.end))]),
    protobufAttributes(9, of.attributes),
    ...of.events.map((event) => bytes(11, Buffer.concat([bytes(2, event.name), protobufAttributes(3, event.attributes)]))),
    bytes(15, Buffer.concat([bytes(2, of.status.message ?? ""), number(3, of.status.code)])),
  ]);
}
export function toProtobuf(resources) {
  return Buffer.concat(resources.map(({ attributes, spans }) => bytes(1, Buffer.concat([
    bytes(1, protobufAttributes(1, attributes)),
    bytes(2, Buffer.concat(spans.map((each) => bytes(2, protobufSpan(each))))),
  ]))));
}

// --- JSON ---

function jsonValue(value) {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(jsonValue) } };
  if (value === null) return {};
  return { kvlistValue: { values: jsonAttributes(value) } };
}
const jsonAttributes = (attributes) => Object.entries(attributes).map(([key, value]) => ({ key, value: jsonValue(value) }));
export function toJson(resources) {
  return {
    resourceSpans: resources.map(({ attributes, spans }) => ({
      resource: { attributes: jsonAttributes(attributes) },
      scopeSpans: [{
        spans: spans.map((of) => ({
          traceId: of.traceId, spanId: of.spanId, ...(of.parent ? { parentSpanId: of.parent } : {}), name: of.name, kind: of.kind,
          startTimeUnixNano: String(nanos(of.start)), ...(of.end === null ? {} : { endTimeUnixNano: String(nanos(of.end)) }),
          attributes: jsonAttributes(of.attributes), status: of.status,
          events: of.events.map((event) => ({ name: event.name, attributes: jsonAttributes(event.attributes) })),
        })),
      }],
    })),
  };
}

/** Returns the rejections in a Protocol Buffers response, or null if it has none. */
export function rejectionsIn(answer) {
  if (answer.bytes.length === 0) return null;
  let at = 0;
  const read = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = answer.bytes[at++];
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(value);
    }
  };
  read(); read(); // partial_success and its length
  const found = {};
  while (at < answer.bytes.length) {
    const tag = read();
    const value = read();
    if (tag === 8) found.rejected = value;
    if (tag === 18) {
      found.message = answer.bytes.subarray(at, at + value).toString();
      at += value;
    }
  }
  return found;
}

export const PATHS = { calls: "/otel/v1/traces", rows: "/agents/otel/v1/traces", both: "/v1/traces" };

/** Sends a Protocol Buffers request. The header names the project unless a resource names one. */
export function send(server, path, resources, { project, headers = {}, ...options } = {}) {
  return server.api("POST", path, {
    body: Buffer.isBuffer(resources) ? resources : toProtobuf(resources),
    headers: { "content-type": "application/x-protobuf", ...(project ? { project_id: project } : {}), ...headers },
    ...options,
  });
}
