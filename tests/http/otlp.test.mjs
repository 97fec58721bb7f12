// OTLP: encodings, content codings, credentials, routing to projects, and the stored calls and
// spans.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { deflateRawSync, deflateSync, gzipSync } from "node:zlib";

import { Project } from "./support/calls.mjs";
import { PATHS, bytes, number, rejectionsIn, request, send, span, toJson, toProtobuf } from "./support/otlp.mjs";
import { freshName, makeTeam, makeUser } from "./support/people.mjs";
import { ADMIN_KEY, startServer, withServer } from "./support/server.mjs";

let server;
before(async () => { server = await startServer(); });
after(() => server.dispose());

const fresh = () => new Project(server, `${freshName("team")}/otlp`);
const calls = async (project) => (await project.ok("/calls/query", { project_id: project.id })).calls;
const chat = (project, traceId) => project.ok("/agents/traces/chat", { project_id: project.id, trace_id: traceId });
const conversing = () => span("chat m", {
  "gen_ai.operation.name": "chat",
  "gen_ai.request.model": "m",
  "gen_ai.input.messages": JSON.stringify([{ role: "user", parts: [{ type: "text", content: "hi" }] }]),
  "gen_ai.output.messages": JSON.stringify([{ role: "assistant", parts: [{ type: "text", content: "hello" }] }]),
  "gen_ai.usage.input_tokens": 3,
  "gen_ai.usage.output_tokens": 4,
});
const types = (view) => view.messages.map((message) => message.type);

async function taken(answer) {
  assert.equal(answer.status, 200, answer.text);
  assert.equal(rejectionsIn(answer), null, answer.text);
}

describe("spans", () => {
  test("are stored as calls on one path, as agent spans on another, as both on the standard path", async () => {
    for (const [kind, path] of Object.entries(PATHS)) {
      const project = fresh();
      const sent = conversing();
      await taken(await send(server, path, request([{}, sent]), { project: project.id }));
      assert.equal((await calls(project)).length, kind === "rows" ? 0 : 1, path);
      const seen = types(await chat(project, sent.traceId));
      assert.deepEqual(seen.slice(-2), ["user_message", "assistant_message"], path);
    }
  });

  test("become calls with ids, inputs, output, usage and the whole span", async () => {
    const project = fresh();
    const parent = conversing();
    const child = { ...conversing(), traceId: parent.traceId, parent: parent.spanId, status: { code: 2, message: "boom" } };
    await taken(await send(server, PATHS.calls, request([{ "service.name": "s" }, parent, child]), { project: project.id }));
    const [first, second] = (await calls(project)).sort((a) => (a.id === parent.spanId ? -1 : 1));
    assert.equal(first.id, parent.spanId);
    assert.equal(first.trace_id, parent.traceId);
    assert.equal(first.parent_id, null);
    assert.match(first.op_name, new RegExp(`^svc:///${project.id}/op/chat_m:`));
    assert.deepEqual(first.inputs["gen_ai.input.messages"][0].role, "user");
    assert.deepEqual(first.output["gen_ai.output.messages"][0].role, "assistant");
    assert.equal(first.summary.usage.m.total_tokens, 7);
    assert.equal(first.summary.svc.status, "success");
    assert.equal(first.attributes.otel_span.resource.attributes.service.name, "s");
    assert.equal(first.started_at, "2024-05-01T00:00:00Z");
    assert.equal(second.parent_id, parent.spanId);
    assert.equal(second.exception, "boom");
    assert.equal(second.summary.svc.status, "error");
    const op = await project.ok("/refs/read_batch", { refs: [first.op_name] });
    assert.equal(op.vals[0].svc_type.type, "Op");
  });

  test("that are sent again replace the first", async () => {
    const project = fresh();
    const sent = { ...conversing(), end: null };
    await taken(await send(server, PATHS.both, request([{}, sent]), { project: project.id }));
    assert.equal((await calls(project))[0].ended_at, null);
    await taken(await send(server, PATHS.both, request([{}, { ...sent, end: 2 }]), { project: project.id }));
    const stored = await calls(project);
    assert.equal(stored.length, 1);
    assert.equal(stored[0].ended_at, "2024-05-01T00:00:02Z");
    assert.equal(types(await chat(project, sent.traceId)).filter((type) => type === "assistant_message").length, 1);
  });

  test("have costs from their token usage", async () => {
    const project = fresh();
    await project.ok("/cost/create", { project_id: project.id, costs: { m: { prompt_token_cost: 3e-5, completion_token_cost: 6e-5 } } });
    const sent = span("chat m", { "gen_ai.response.model": "m", "gen_ai.usage.prompt_tokens": 1e6, "gen_ai.usage.completion_tokens": 2e6 });
    await taken(await send(server, PATHS.calls, request([{}, sent]), { project: project.id }));
    const [call] = (await project.ok("/calls/query", { project_id: project.id, include_costs: true })).calls;
    assert.ok(Math.abs(call.summary.svc.costs.m.prompt_tokens_total_cost - 30) < 1e-9);
    assert.ok(Math.abs(call.summary.svc.costs.m.completion_tokens_total_cost - 120) < 1e-9);
  });

  test("survive a kill of the server after their acknowledgement", async () => {
    const doomed = await startServer();
    const project = new Project(doomed, "acme/otlp");
    const sent = conversing();
    await taken(await send(doomed, PATHS.both, request([{}, sent]), { project: project.id }));
    await doomed.kill();
    const again = await startServer({ dataDir: doomed.dataDir });
    try {
      const reborn = new Project(again, "acme/otlp");
      assert.equal((await calls(reborn)).length, 1);
      assert.ok((await chat(reborn, sent.traceId)).messages.length > 0);
    } finally {
      await again.dispose();
      await doomed.dispose();
    }
  });
});

describe("encodings", () => {
  test("JSON and Protocol Buffers are accepted, and the response has the same encoding", async () => {
    const project = fresh();
    const good = conversing();
    const answer = await server.api("POST", PATHS.both, { body: toJson(request([{}, good])), headers: { project_id: project.id } });
    assert.equal(answer.status, 200, answer.text);
    assert.match(answer.headers["content-type"], /^application\/json/);
    assert.deepEqual(answer.json, {});
    assert.equal((await calls(project)).length, 1);
    const bad = span("x", { "a.b": "1", "a.b.c": "2" });
    const partial = await server.api("POST", PATHS.calls, { body: toJson(request([{}, bad])), headers: { project_id: project.id } });
    assert.equal(partial.json.partialSuccess.rejectedSpans, "1");
    assert.match(partial.json.partialSuccess.errorMessage, /a\.b\.c/);
    const protobuf = await send(server, PATHS.calls, request([{}, good]), { project: project.id });
    assert.equal(protobuf.headers["content-type"], "application/x-protobuf");
    assert.equal(protobuf.bytes.length, 0);
  });

  test("compressed bodies are accepted", async () => {
    const codings = { gzip: gzipSync, "x-gzip": gzipSync, deflate: deflateSync };
    for (const [coding, compress] of [...Object.entries(codings), ["deflate", deflateRawSync]]) {
      const project = fresh();
      const body = compress(toProtobuf(request([{}, conversing()])));
      await taken(await send(server, PATHS.calls, body, { project: project.id, headers: { "content-encoding": coding } }));
      assert.equal((await calls(project)).length, 1, coding);
    }
    const zstd = stored(toProtobuf(request([{}, conversing()])));
    const project = fresh();
    await taken(await send(server, PATHS.calls, zstd, { project: project.id, headers: { "content-encoding": "zstd" } }));
    assert.equal((await calls(project)).length, 1);
    const broken = await send(server, PATHS.calls, Buffer.from("no gzip"), { project: project.id, headers: { "content-encoding": "gzip" } });
    assert.equal(broken.status, 400);
  });

  test("other media types are rejected", async () => {
    for (const type of ["text/plain", "application/octet-stream", ""]) {
      const answer = await send(server, PATHS.both, request([{}, conversing()]), { project: fresh().id, headers: { "content-type": type } });
      assert.equal(answer.status, 415, type);
      assert.match(answer.json.reason, /application\/x-protobuf/);
    }
  });

  test("an invalid body is rejected with the position of the error", async () => {
    const good = toProtobuf(request([{}, conversing()]));
    const cut = await send(server, PATHS.rows, good.subarray(0, good.length - 3), { project: fresh().id });
    assert.equal(cut.status, 400);
    assert.match(cut.json.reason, /at byte 0$/);
    const json = await server.api("POST", PATHS.rows, { body: "{", headers: { project_id: fresh().id } });
    assert.equal(json.status, 400);
    assert.match(json.json.reason, /at character/);
  });

  test("sizes and counts are limited", async () => {
    const many = bytes(1, bytes(2, Buffer.concat(Array.from({ length: 100_001 }, () => bytes(2, Buffer.alloc(0))))));
    assert.equal((await send(server, PATHS.rows, many, { project: fresh().id })).status, 413);
    await withServer({ args: ["--limits-body", "64KiB"] }, async (small) => {
      const large = await send(small, PATHS.rows, Buffer.alloc(65 * 1024), { project: "a/b" });
      assert.equal(large.status, 413);
      const bomb = gzipSync(Buffer.alloc(1024 * 1024));
      assert.equal((await send(small, PATHS.rows, bomb, { project: "a/b", headers: { "content-encoding": "gzip" } })).status, 413);
    });
  });

  test("random bytes are rejected without harm", async () => {
    for (let round = 0; round < 50; ++round) {
      const noise = Buffer.from(Array.from({ length: 200 }, () => Math.floor(Math.random() * 256)));
      const answer = await send(server, PATHS.both, noise, { project: fresh().id });
      assert.ok([200, 400].includes(answer.status), answer.text);
    }
    assert.equal((await server.api("GET", "/health")).status, 200);
  });
});

describe("routing", () => {
  test("prefers the resource to the header; one request can address many projects", async () => {
    const [one, two, three] = [fresh(), fresh(), fresh()];
    const named = (project, prefix) => ({ [`${prefix}.entity`]: project.entity, [`${prefix}.project`]: project.project });
    const body = request([named(one, "svcp"), conversing()], [named(two, "svc"), conversing(), conversing()], [{}, conversing()]);
    await taken(await send(server, PATHS.calls, body, { project: three.id }));
    assert.equal((await calls(one)).length, 1);
    assert.equal((await calls(two)).length, 2);
    assert.equal((await calls(three)).length, 1);
  });

  test("uses the run of the resource for all its spans", async () => {
    const project = fresh();
    const own = { ...span("chat m", { "svcp.svc_run_id": "own" }) };
    await taken(await send(server, PATHS.both, request([{ "svcp.svc_run_id": "r1" }, span("chat m"), own], [{ "svcp.svc_run_id": "a/b/c" }, span("chat m")]), { project: project.id }));
    const runs = [`${project.id}/r1`, `${project.id}/r1`];
    assert.deepEqual((await calls(project)).map((call) => call.svc_run_id).filter((run) => run !== null), runs);
    const { spans } = await project.ok("/agents/spans/query", { project_id: project.id });
    assert.deepEqual(spans.map((each) => each.svc_run_id).filter((run) => run !== ""), runs);
  });

  test("rejects spans without a project, with 400 if no span has one", async () => {
    const nowhere = await send(server, PATHS.calls, request([{}, conversing()]));
    assert.equal(nowhere.status, 400);
    assert.match(nowhere.json.reason, /project_id/);
    const project = fresh();
    const mixed = request([{ "svcp.entity": project.entity, "svcp.project": project.project }, conversing()], [{}, conversing(), conversing()]);
    const answer = await send(server, PATHS.calls, mixed);
    assert.equal(answer.status, 200);
    assert.equal(rejectionsIn(answer).rejected, 2);
    assert.equal((await calls(project)).length, 1);
  });

  test("accepts an empty request", async () => {
    await taken(await send(server, PATHS.both, Buffer.alloc(0)));
    await taken(await send(server, PATHS.both, Buffer.alloc(0), { project: fresh().id }));
  });

  test("rejects an invalid project name", async () => {
    assert.equal((await send(server, PATHS.rows, request([{}, conversing()]), { project: "nameless" })).status, 400);
  });

  test("returns 404 for a repeated path", async () => {
    assert.equal((await send(server, "/agents/otel/v1/traces/v1/traces", Buffer.alloc(0))).status, 404);
  });
});

describe("rejected spans", () => {
  test("do not prevent the storage of others", async () => {
    const project = fresh();
    const good = conversing();
    const bad = span("clash", { "a.b": "1", "a.b.c": "2" });
    const answer = await send(server, PATHS.calls, request([{}, bad, good]), { project: project.id });
    assert.equal(answer.status, 200);
    const { rejected, message } = rejectionsIn(answer);
    assert.equal(rejected, 1);
    assert.ok(message.startsWith(`Rejected span (name='clash' trace_id='${bad.traceId}' span_id='${bad.spanId}'): `), message);
    assert.match(message, /'a\.b\.c'/);
    assert.deepEqual((await calls(project)).map((call) => call.id), [good.spanId]);
  });

  test("are reported by reason only, or by a class of error, on the agents' path", async () => {
    const project = fresh();
    const clash = span("clash", { "a.b": "1", "a.b.c": "2" });
    const video = span("chat", { "gen_ai.output.type": "video" });
    const { rejected, message } = rejectionsIn(await send(server, PATHS.rows, request([{}, clash, video]), { project: project.id }));
    assert.equal(rejected, 2);
    assert.match(message, /^Attribute 'a\.b\.c' conflicts/);
    assert.ok(message.endsWith(`; Extraction failed for span ${video.spanId}: ValidationError`), message);
  });

  test("are reported at most twenty times", async () => {
    const bad = Array.from({ length: 25 }, () => span("clash", { "a.b": "1", "a.b.c": "2" }));
    const { rejected, message } = rejectionsIn(await send(server, PATHS.rows, request([{}, ...bad]), { project: fresh().id }));
    assert.equal(rejected, 25);
    assert.equal(message.split("; ").length, 21);
    assert.ok(message.endsWith("; ..."));
  });
});

describe("sensitive and large content", () => {
  test("credentials are redacted everywhere, files are stored separately", async () => {
    const project = fresh();
    const picture = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(9000, 7)]).toString("base64");
    const sent = span("chat", {
      "http.api_key": "s3cret-1",
      "gen_ai.input.messages": JSON.stringify([{ role: "user", parts: [{ type: "blob", data: picture, api_key: "s3cret-2" }] }]),
    }, { events: [{ name: "e", attributes: { authorization: "s3cret-3" } }] });
    await taken(await send(server, PATHS.both, request([{ client_secret: "s3cret-4" }, sent]), { project: project.id }));
    const [call] = await calls(project);
    const text = JSON.stringify(call);
    assert.ok(!text.includes("s3cret"), text);
    assert.ok(!text.includes(picture.slice(0, 100)));
    const [message] = call.inputs["gen_ai.input.messages"];
    assert.match(message.parts[0].data, new RegExp(`^svc:///${project.id}/object/`));
    assert.equal(message.parts[0].api_key, "REDACTED");
  });
});

describe("sampling", () => {
  const evaluated = () => ({ ...conversing(), attributes: { "gen_ai.operation.name": "chat", "svc.eval.run_id": "r", "gen_ai.prompt": "hi" } });
  const stored = async (where, sent, path) => {
    const project = new Project(where, `${freshName("team")}/otlp`);
    await taken(await send(where, path, request([{}, sent]), { project: project.id }));
    return { rows: (await chat(project, sent.traceId)).root_span_name !== null, calls: (await calls(project)).length };
  };

  test("drops agent traces by their ids, but no traces of evaluations and no calls", async () => {
    await withServer({ args: ["--agents-sample-rate", "0"] }, async (none) => {
      assert.deepEqual(await stored(none, conversing(), PATHS.rows), { rows: false, calls: 0 });
      assert.deepEqual(await stored(none, evaluated(), PATHS.rows), { rows: true, calls: 0 });
      assert.equal((await stored(none, conversing(), PATHS.calls)).calls, 1);
      assert.match((await none.api("GET", "/metrics")).text, /^spindle_agents_sampled_out_spans_total 1$/m);
    });
  });

  test("counts without dropping in a dry run", async () => {
    await withServer({ args: ["--agents-sample-rate", "0", "--agents-sample-dry-run"] }, async (dry) => {
      assert.deepEqual(await stored(dry, conversing(), PATHS.rows), { rows: true, calls: 0 });
      assert.match((await dry.api("GET", "/metrics")).text, /^spindle_agents_sampled_out_spans_total 1$/m);
    });
  });
});

describe("credentials", () => {
  test("a key is accepted as Bearer, as Basic, or in its own header", async () => {
    const basic = `Basic ${Buffer.from(`api:${ADMIN_KEY}`).toString("base64")}`;
    const forms = [{ authorization: `Bearer ${ADMIN_KEY}` }, { authorization: basic }, { "svcp-api-key": ADMIN_KEY }, { "svc-api-key": ADMIN_KEY }, { "api-key": ADMIN_KEY }];
    for (const path of Object.values(PATHS)) {
      for (const headers of forms) {
        const project = fresh();
        await taken(await send(server, path, request([{}, conversing()]), { project: project.id, key: null, headers }));
      }
      assert.equal((await send(server, path, Buffer.alloc(0), { key: null })).status, 401);
      assert.equal((await send(server, path, Buffer.alloc(0), { key: null, headers: { "svcp-api-key": "wrong-key-wrong-key-00" } })).status, 401);
    }
    const elsewhere = await server.api("POST", "/calls/query", { key: null, headers: { "svcp-api-key": ADMIN_KEY }, body: { project_id: "a/b" } });
    assert.equal(elsewhere.status, 401);
  });

  test("outsiders get no information, and their spans are not stored", async () => {
    const { name } = await makeTeam(server);
    const project = new Project(server, `${name}/private`);
    await taken(await send(server, PATHS.calls, request([{}, conversing()]), { project: project.id }));
    const outsider = await makeUser(server);
    for (const path of Object.values(PATHS)) {
      const there = await send(server, path, request([{}, conversing()]), { project: project.id, key: outsider.key });
      const not = await send(server, path, request([{}, conversing()]), { project: `${name}/missing`, key: outsider.key });
      assert.equal(there.status, 404);
      assert.equal(not.status, 404);
      assert.deepEqual(there.json, not.json);
      const empty = await send(server, path, Buffer.alloc(0), { project: project.id, key: outsider.key });
      assert.equal(empty.status, 404);
    }
    assert.equal((await calls(project)).length, 1);
  });

  test("spans for permitted projects are stored although others are rejected", async () => {
    const { name } = await makeTeam(server);
    const outsider = await makeUser(server);
    const own = await makeTeam(server, { admin: outsider.username });
    const mine = new Project(server, `${own.name}/mine`);
    const to = (entity, project) => ({ "svcp.entity": entity, "svcp.project": project });
    const body = request([to(name, "private"), conversing(), conversing()], [to(mine.entity, mine.project), conversing()]);
    const answer = await send(server, PATHS.calls, body, { key: outsider.key });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(rejectionsIn(answer).rejected, 2);
    assert.equal((await calls(mine)).length, 1);
  });
});

/** Returns a zstd frame with uncompressed blocks, built without a library. */
function stored(content) {
  const header = Buffer.alloc(9);
  header.writeUInt32LE(0xfd2fb528, 0);
  header[4] = 0xa0; // single segment, content size in four bytes
  header.writeUInt32LE(content.length, 5);
  const blocks = [];
  for (let from = 0; from < content.length; from += 65536) {
    const piece = content.subarray(from, from + 65536);
    const last = from + piece.length === content.length ? 1 : 0;
    const head = Buffer.alloc(3);
    head.writeUIntLE((piece.length << 3) | last, 0, 3);
    blocks.push(head, piece);
  }
  return Buffer.concat([header, ...blocks]);
}
