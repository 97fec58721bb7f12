// Storage growth of small OTLP requests: limited relative to the request size, rejected with 413 beyond the limit,
// and never an obstacle to a restart.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";

import { Project } from "./support/calls.mjs";
import { PATHS, bytes, newSpanId, newTraceId, rejectionsIn, request, send, span, toProtobuf } from "./support/otlp.mjs";
import { freshName } from "./support/people.mjs";
import { startServer, withServer } from "./support/server.mjs";

const KiB = 1024;
const MiB = 1024 * KiB;
const repeat = (count, make) => Array.from({ length: count }, (_, i) => make(i));
const hex = (text) => Buffer.from(text, "hex");

async function journalBytes(server) {
  const answer = await server.api("GET", "/metrics");
  return Number(/^spindle_columnar_journal_bytes_total (\S+)$/m.exec(answer.text)[1]);
}

const sendGzip = (server, path, body, project) =>
  send(server, path, gzipSync(body), { project: project.id, headers: { "content-encoding": "gzip" } });

const callsOf = async (project, fields = {}) => (await project.ok("/calls/query", { project_id: project.id, ...fields })).calls;

// --- hand-encoded messages that no exporter sends ---

const rawSpan = (...fields) => bytes(2, Buffer.concat([bytes(1, hex(newTraceId())), bytes(2, hex(newSpanId())), ...fields]));
const rawRequest = ({ resource = Buffer.alloc(0), scope = Buffer.alloc(0) }, spans) =>
  bytes(1, Buffer.concat([bytes(1, resource), bytes(2, Buffer.concat([bytes(1, scope), ...spans]))]));

/** Hostile requests, each far smaller in gzip than the data it makes the server store. */
const HOSTILE = {
  "a large resource and many spans": () =>
    toProtobuf(request([{ "service.name": "s", large: "x".repeat(200 * KiB) }, ...repeat(2500, (i) => span(`s${i % 7}`))])),
  "many different resources": () =>
    toProtobuf(request(...repeat(200, (i) => [{ n: i, large: "x".repeat(20 * KiB) }, ...repeat(20, () => span("s"))]))),
  "an extremely large resource": () =>
    toProtobuf(request([{ large: "x".repeat(4 * MiB) }, ...repeat(1000, () => span("s"))])),
  "a large scope": () =>
    rawRequest({ scope: Buffer.concat([bytes(1, "x".repeat(MiB)), bytes(2, "y".repeat(MiB))]) }, repeat(2000, () => rawSpan(bytes(5, "s")))),
  "a run with a long name": () =>
    toProtobuf(request([{ "svcp.svc_run_id": "r".repeat(100 * KiB) }, ...repeat(2000, () => span("s"))])),
  "sparse lists": () =>
    toProtobuf(request([{}, ...repeat(500, () => span("s", { m: "[0]", ...Object.fromEntries(repeat(20, (i) => [`m.${(i + 1) * 1000}`, 1])) }))])),
  "sparse message indexes": () =>
    toProtobuf(request([{}, ...repeat(500, () => span("chat", Object.fromEntries(repeat(20, (i) => [`gen_ai.prompt.${i * 99999999}.content`, "x"]))))])),
  "spans with ids only": () => rawRequest({}, repeat(60_000, () => rawSpan())),
  "empty events": () => rawRequest({}, [rawSpan(Buffer.concat(repeat(400_000, () => bytes(11, ""))))]),
  "empty links": () => rawRequest({}, [rawSpan(Buffer.concat(repeat(400_000, () => bytes(13, ""))))]),
  "control characters": () =>
    toProtobuf(request([{}, span("chat m", { "gen_ai.operation.name": "chat", "gen_ai.input.messages": "\u0001".repeat(2 * MiB) })])),
  "nested quotes": () =>
    toProtobuf(request([{}, span("chat m", { "gen_ai.operation.name": "chat", "gen_ai.input.messages": [{ role: "user", parts: ['"\\'.repeat(MiB)] }] })])),
  "a long name around many values": () =>
    toProtobuf(request([{}, ...repeat(50, () => span("s", { ["n".repeat(4000)]: Object.fromEntries(repeat(1000, (i) => [`v${i}`, i])) }))])),
  "a longer name around many values": () =>
    toProtobuf(request([{}, span("s", { ["n".repeat(MiB)]: Object.fromEntries(repeat(1000, (i) => [`v${i}`, i])) })])),
  "a list of zeros in a text": () =>
    toProtobuf(request([{}, span("s", { "input.value": `[${"0,".repeat(4 * MiB)}0]` })])),
  "keys of dots": () =>
    toProtobuf(request([{}, ...repeat(2000, (i) => span("s", { [`${".".repeat(1000)}${i}`]: 1 }))])),
  "an id without end": () =>
    rawRequest({}, repeat(20, () => bytes(2, Buffer.concat([bytes(1, Buffer.alloc(MiB, 7)), bytes(2, hex(newSpanId()))])))),
  "a name for every span": () =>
    toProtobuf(request([{}, ...repeat(20_000, (i) => span(`name ${i}`))])),
};

/** Accepted requests use at most GROWTH times their size, plus FREE bytes. */
const GROWTH = 20;
const FREE = MiB;

describe("hostile requests", () => {
  let server;
  let bystander;
  before(async () => {
    server = await startServer();
    bystander = `${freshName("team")}/bystander`;
    const project = new Project(server, bystander);
    const answer = await send(server, PATHS.both, request([{ "service.name": "x".repeat(1000) }, span("quiet")]), { project: bystander });
    assert.equal(answer.status, 200, answer.text);
    await project.complete({});
  });
  after(() => server.dispose());

  for (const [name, make] of Object.entries(HOSTILE)) {
    test(`${name}: storage is limited, and the server restarts`, async (t) => {
      const body = make();
      const project = new Project(server, `${freshName("team")}/hostile`);
      const earlier = await journalBytes(server);
      const answer = await sendGzip(server, PATHS.both, body, project);
      const written = (await journalBytes(server)) - earlier;
      t.diagnostic(`${body.length} bytes, status ${answer.status}, journal ${written} (${(written / body.length).toFixed(1)} times)`);
      if (answer.status === 413) {
        assert.match(answer.json.reason, /limits\.stored_(growth|request)|OTLP body/);
        assert.equal(written, 0);
      } else {
        assert.equal(answer.status, 200, answer.text);
        assert.ok(written <= FREE + GROWTH * body.length, `${written} bytes of journal for ${body.length}`);
      }

      await server.kill();
      const again = await startServer({ dataDir: server.dataDir });
      again.ownsFolder = true;
      server = again;
      const [first, ...others] = await callsOf(new Project(server, bystander), { sort_by: [{ field: "op_name", direction: "desc" }] });
      assert.equal(others.length, 1);
      assert.equal([first, ...others].find((call) => call.attributes.otel_span).attributes.otel_span.resource.attributes.service.name.length, 1000);
      const next = await send(server, PATHS.both, request([{}, span("after")]), { project: bystander.replace("bystander", "after") });
      assert.equal(next.status, 200, next.text);
    });
  }
});

describe("limits of a request", () => {
  test("a request that would store too much is rejected completely, with the name of the setting", () =>
    withServer({ env: { SPINDLE_LIMITS_STORED_REQUEST: "1MiB" } }, async (server) => {
      const project = new Project(server, `${freshName("team")}/bounds`);
      const large = request([{}, ...repeat(30, () => span("s", { "input.value": "x".repeat(40 * KiB) }))]);
      const before = await journalBytes(server);
      const answer = await send(server, PATHS.both, large, { project: project.id });
      assert.equal(answer.status, 413, answer.text);
      assert.match(answer.json.reason, /limits\.stored_request/);
      assert.equal(await journalBytes(server), before);
      assert.equal((await send(server, PATHS.both, request([{}, span("s")]), { project: project.id })).status, 200);
      assert.equal((await callsOf(project)).length, 1);

      const call = { project_id: project.id, op_name: "op", started_at: "2024-05-01T00:00:00Z", attributes: {}, inputs: { x: "x".repeat(100 * KiB) } };
      const batch = repeat(20, () => ({ mode: "start", req: { start: call } }));
      const calls = await project.post("/call/upsert_batch", { batch });
      assert.equal(calls.status, 413, calls.text);
      assert.match(calls.json.reason, /limits\.stored_request/);
      assert.equal((await callsOf(project)).length, 1);
    }));

  test("ends of many large calls count with the size of the rewritten calls", () =>
    withServer({ env: { SPINDLE_LIMITS_STORED_REQUEST: "1MiB" } }, async (server) => {
      const project = new Project(server, `${freshName("team")}/rewrites`);
      const started = [];
      for (let i = 0; i < 12; i += 1) started.push(await project.start({ inputs: { x: "x".repeat(100 * KiB) } }));
      const ends = started.map(({ id }) => ({ mode: "end", req: { end: { project_id: project.id, id, ended_at: "2024-05-01T00:00:01Z", summary: {} } } }));
      const refused = await project.post("/call/upsert_batch", { batch: ends });
      assert.equal(refused.status, 413, refused.text);
      assert.match(refused.json.reason, /limits\.stored_request/);
      assert.ok((await callsOf(project)).every((call) => call.ended_at === null));
      await project.ok("/call/upsert_batch", { batch: ends.slice(0, 6) });
      await project.ok("/call/upsert_batch", { batch: ends.slice(6) });
      assert.ok((await callsOf(project)).every((call) => call.ended_at !== null));
    }));

  test("feedback is limited too", () =>
    withServer({ env: { SPINDLE_LIMITS_STORED_REQUEST: "1MiB" } }, async (server) => {
      const project = new Project(server, `${freshName("team")}/feedback`);
      const { id } = await project.start();
      const feedback = { project_id: project.id, svc_ref: `svc:///${project.id}/call/${id}`, feedback_type: "large", payload: { x: "x".repeat(900 * KiB) } };
      assert.equal((await project.post("/feedback/create", feedback)).status, 200);
      const batch = await project.post("/feedback/batch/create", { batch: [feedback, feedback] });
      assert.equal(batch.status, 413, batch.text);
    }));
});

describe("resources", () => {
  test("are returned unchanged with every span and call", () =>
    withServer({}, async (server) => {
      const project = new Project(server, `${freshName("team")}/resources`);
      const large = { "service.name": "shop", "host.name": "h".repeat(500), nested: { a: [1, 2] } };
      const spans = repeat(600, (i) => span(`s${i % 3}`, {}, { start: i }));
      const answer = await send(server, PATHS.both, request([large, ...spans]), { project: project.id });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(rejectionsIn(answer), null);
      const expected = { attributes: { service: { name: "shop" }, host: { name: "h".repeat(500) }, nested: { a: [1, 2] } }, dropped_attributes_count: 0 };
      const pages = [{}, { sort_by: [{ field: "op_name", direction: "desc" }] }, { filter: { trace_ids: spans.map((each) => each.traceId) } }];
      for (const page of pages) {
        const calls = await callsOf(project, page);
        assert.equal(calls.length, 600);
        for (const call of calls) assert.deepEqual(call.attributes.otel_span.resource, expected);
      }
      const read = await project.read(spans[0].spanId);
      assert.deepEqual(read.attributes.otel_span.resource, expected);
      const listed = await project.ok("/agents/spans/query", { project_id: project.id, include_details: true, limit: 1000 });
      assert.equal(listed.spans.length, 600);
      for (const each of listed.spans) assert.deepEqual(JSON.parse(each.raw_span_dump).resource, expected);
    }));
});
