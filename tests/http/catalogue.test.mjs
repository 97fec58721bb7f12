// The catalogue: upstreams, models, and the list of models that OpenAI's clients read.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { expectError, expectId, expectMembers, expectTimestamp, expectViolations } from "./support/expect.mjs";
import { makeModel, makeUpstream } from "./support/inference.mjs";
import { freshName, listAll, makeMember, makeTeam, makeUser } from "./support/people.mjs";
import { startScriptedUpstream } from "./support/scripted_upstream.mjs";
import { startServer } from "./support/server.mjs";
import { writeTinyModel } from "./support/tiny_model.mjs";

const KEY = "sk-upstream-secret-0815";

let server;
let upstream;
before(async () => {
  server = await startServer();
  upstream = await startScriptedUpstream();
});
after(async () => {
  await server.dispose();
  await upstream.close();
});

const post = (path, body, options = {}) => server.api("POST", `/api/v1${path}`, { body, ...options });
const get = (path, options) => server.api("GET", `/api/v1${path}`, options);
const patch = (path, body, options = {}) => server.api("PATCH", `/api/v1${path}`, { body, ...options });
const remove = (path, options) => server.api("DELETE", `/api/v1${path}`, options);
const served = async (key) => (await server.api("GET", "/v1/models", { key })).json.data.map(({ id }) => id);

describe("upstreams", () => {
  test("are stored, and their key is never returned", async () => {
    const name = freshName("vllm");
    const answer = await post("/upstreams", { name, url: "https://api.example.com/v1/", key: KEY });
    assert.equal(answer.status, 201, answer.text);
    const { id, created_at, updated_at, ...rest } = answer.json;
    expectId(id, "ups");
    expectTimestamp(created_at);
    expectTimestamp(updated_at);
    assert.deepEqual(rest, {
      name,
      url: "https://api.example.com/v1",
      has_key: true,
      connect_timeout_ms: 5000,
      first_token_timeout_ms: 120000,
      idle_timeout_ms: 60000,
      stream_usage: true,
      health_path: "/models",
      adapters: "none",
      adapter_path: null,
      adapter_receiver: null,
      adapter_load_timeout_ms: 120000,
      max_adapters: 8,
    });
    const found = await get(`/upstreams/${name}`);
    assert.deepEqual(found.json, answer.json);
    assert.equal(found.headers.etag, '"1"');
    const listed = await listAll(server, "/api/v1/upstreams");
    assert.deepEqual(listed.find((item) => item.name === name), answer.json);
    expectError(await post("/upstreams", { name, url: "https://b.example/v1" }), 409, "upstream_name_taken");
    assert.ok(!server.logs.includes(KEY));
  });

  test("do not return the key in an error", async () => {
    const answer = await post("/upstreams", { url: "https://a.example/v1", key: KEY });
    expectViolations(answer, ["missing", "body", "name"]);
    assert.ok(!answer.text.includes(KEY));
  });

  test("need a valid URL", async () => {
    const name = freshName("bad");
    for (const url of [
      "ftp://a.example/v1",
      "a.example/v1",
      "https://",
      "https://user:secret@a.example/v1",
      "https://a.example/v1?key=1",
      "https://a.example/v1#here",
      "unix:/tmp/a.sock:/v1",
      "https://a.example:99999/v1",
      "https://a example/v1",
    ]) {
      expectViolations(await post("/upstreams", { name, url }), ["url_parsing", "body", "url"]);
    }
    for (const url of ["http://10.0.0.7:8000/v1", "http://[::1]:9/v1", "https://localhost/api/openai"]) {
      assert.equal((await post("/upstreams", { name: freshName("good"), url })).status, 201, url);
    }
  });

  test("are validated member by member", async () => {
    const body = { name: "a b", url: "https://a.example/v1", key: "with space", idle_timeout_ms: 0, health_path: "models", more: 1 };
    expectViolations(
      await post("/upstreams", body),
      ["string_pattern_mismatch", "body", "name"],
      ["string_pattern_mismatch", "body", "key"],
      ["greater_than_equal", "body", "idle_timeout_ms"],
      ["string_pattern_mismatch", "body", "health_path"],
      ["extra_forbidden", "body", "more"],
    );
  });

  test("are changed in the given members, with If-Match", async () => {
    const { name } = await makeUpstream(server, { key: KEY });
    const path = `/upstreams/${name}`;
    const changed = await patch(path, { idle_timeout_ms: 7 }, { headers: { "If-Match": '"1"' } });
    assert.equal(changed.status, 200, changed.text);
    assert.equal(changed.json.idle_timeout_ms, 7);
    assert.equal(changed.json.has_key, true);
    assert.equal(changed.headers.etag, '"2"');
    expectError(await patch(path, {}, { headers: { "If-Match": '"1"' } }), 412, "precondition_failed");
    assert.equal((await patch(path, { key: null })).json.has_key, false);
    expectViolations(await patch(path, { name: "other" }), ["extra_forbidden", "body", "name"]);
    expectError(await remove(path, { headers: { "If-Match": '"1"' } }), 412, "precondition_failed");
    assert.equal((await remove(path)).status, 204);
    expectError(await remove(path), 404, "not_found");
  });

  test("are created once for one Idempotency-Key", async () => {
    const body = { name: freshName("once"), url: "https://a.example/v1" };
    const headers = { "Idempotency-Key": freshName("key") };
    const first = await post("/upstreams", body, { headers });
    const second = await post("/upstreams", body, { headers });
    assert.equal(second.status, 201);
    assert.equal(second.headers["idempotency-replayed"], "true");
    assert.deepEqual(second.json, first.json);
  });

  test("in use are deleted only with force; the model then uses its fallbacks", async () => {
    const { name } = await makeUpstream(server);
    const model = await makeModel(server, { targets: [{ upstream: name }] });
    const refused = await remove(`/upstreams/${name}`);
    expectError(refused, 409, "upstream_in_use");
    assert.ok(refused.json.detail.includes(model.name), refused.text);
    assert.equal((await remove(`/upstreams/${name}?force=true`)).status, 204);
    assert.deepEqual((await get(`/models/${model.name}`)).json.targets, []);
  });

  test("are visible to administrators only", async () => {
    const user = await makeUser(server);
    const options = { key: user.key };
    expectError(await get("/upstreams", options), 403, "forbidden");
    expectError(await post("/upstreams", { name: freshName("x"), url: "https://a.example/v1" }, options), 403, "forbidden");
  });
});

describe("the test of an upstream", () => {
  test("returns its models", async () => {
    const { name } = await makeUpstream(server, { url: upstream.url, key: KEY });
    const before = upstream.probes.length;
    const { status, json } = await post(`/upstreams/${name}/test`);
    assert.equal(status, 200);
    expectMembers(json, ["success", "status", "models", "error", "duration_ms"]);
    assert.equal(json.success, true);
    assert.equal(json.status, 200);
    assert.equal(json.error, null);
    assert.ok(Array.isArray(json.models));
    assert.equal(upstream.probes[before].headers.authorization, `Bearer ${KEY}`);
  });

  test("reports a rejection and an unreachable upstream", async () => {
    const { name } = await makeUpstream(server, { url: upstream.url, key: KEY });
    upstream.probeStatus = 401;
    try {
      const { json } = await post(`/upstreams/${name}/test`);
      assert.equal(json.success, false);
      assert.equal(json.status, 401);
      assert.ok(!JSON.stringify(json).includes(KEY));
    } finally {
      upstream.probeStatus = 200;
    }
    const gone = await makeUpstream(server);
    const { json } = await post(`/upstreams/${gone.name}/test`);
    assert.equal(json.success, false);
    assert.equal(json.status, null);
    assert.ok(json.error.length > 0);
  });
});

describe("models", () => {
  test("are stored as created and served immediately", async () => {
    const { name: of } = await makeUpstream(server);
    const spare = await makeModel(server);
    const team = (await makeTeam(server)).name;
    const name = `${freshName("org")}/model:7b@v1`;
    const targets = [{ upstream: of, model: "theirs", tier: 1 }, { upstream: of }];
    const answer = await post("/models", {
      name,
      targets,
      abilities: ["chat", "embeddings"],
      fallbacks: [spare.name],
      teams: [team],
      owned_by: "org",
      context: 4096,
      max_output_tokens: 512,
    });
    assert.equal(answer.status, 201, answer.text);
    const { id, created_at, updated_at, ...rest } = answer.json;
    expectId(id, "mdl");
    expectTimestamp(created_at);
    expectTimestamp(updated_at);
    assert.deepEqual(rest, {
      name,
      file: null,
      file_bytes: null,
      file_sha256: null,
      folder: null,
      trainable: false,
      context: 4096,
      start_at_boot: false,
      owned_by: "org",
      abilities: ["chat", "embeddings"],
      targets: [{ upstream: of, model: "theirs", tier: 1 }, { upstream: of, model: "", tier: 0 }],
      fallbacks: [spare.name],
      teams: [team],
      max_output_tokens: 512,
    });
    const found = await get(`/models/${name}`);
    assert.deepEqual(found.json, answer.json);
    assert.equal(found.headers.etag, '"1"');
    assert.deepEqual((await get(`/models/${encodeURIComponent(name)}`)).json, answer.json);
    assert.ok((await served()).includes(name));
    expectError(await post("/models", { name, targets }), 409, "model_name_taken");
  });

  test("need a valid name", async () => {
    const { name: of } = await makeUpstream(server);
    const targets = [{ upstream: of }];
    for (const name of ["", " a", "-a", "a b", "a?b", "ä", "a".repeat(201)]) {
      expectViolations(await post("/models", { name, targets }), ["string_pattern_mismatch", "body", "name"]);
    }
    for (const name of ["svc-artifact:///team/project/net:v1", "svc-artifact://t/p/n", "a//b", "a/../b", "a/"]) {
      expectViolations(await post("/models", { name, targets }), ["reserved_name", "body", "name"]);
    }
  });

  test("need a file or a target", async () => {
    const name = freshName("model");
    expectViolations(await post("/models", { name }), ["value_error", "body", "targets"]);
    expectViolations(await post("/models", { name, targets: [{}] }), ["value_error", "body", "targets", 0, "upstream"]);
    expectViolations(
      await post("/models", { name, targets: [{ upstream: "nobody" }] }),
      ["unknown_reference", "body", "targets", 0, "upstream"],
    );
    const { name: of } = await makeUpstream(server);
    expectViolations(
      await post("/models", { name, targets: [{ upstream: of }, { upstream: of, tier: 1 }] }),
      ["value_error", "body", "targets", 1],
    );
    expectViolations(await post("/models", { name, targets: [{ upstream: of, more: 1 }] }), ["extra_forbidden", "body", "targets", 0, "more"]);
    expectViolations(await post("/models", { name, targets: [{ upstream: of }], abilities: ["song"] }), ["enum", "body", "abilities", 0]);
    expectViolations(await post("/models", { name, targets: [{ upstream: of }], abilities: [] }), ["too_short", "body", "abilities"]);
    expectViolations(
      await post("/models", { name, targets: [{ upstream: of }], teams: ["no-such-team"] }),
      ["unknown_reference", "body", "teams", 0],
    );
  });

  test("need a valid model file", async () => {
    const folder = join(server.dataDir, "..", "models"); // outside the data folder, whose path no response may contain
    mkdirSync(folder, { recursive: true });
    const name = freshName("local");
    const said = async (file) => {
      const answer = await post("/models", { name, file });
      expectViolations(answer, ["value_error", "body", "file"]);
      return answer.json.detail[0].msg;
    };
    expectViolations(await post("/models", { name, file: "model.gguf" }), ["string_pattern_mismatch", "body", "file"]);
    assert.match(await said(join(folder, "none.gguf")), /does not exist/);
    const broken = join(folder, "broken.gguf");
    writeFileSync(broken, "this is no model");
    assert.match(await said(broken), /GGUF/);
    assert.ok((await said(folder)).length > 0);
    const file = join(folder, "tiny.gguf");
    writeTinyModel(file);
    const made = await post("/models", { name, file });
    assert.equal(made.status, 201, made.text);
    assert.equal(made.json.file, file);
    assert.deepEqual(made.json.targets, [{ upstream: null, model: "", tier: 0 }]);
    const { name: of } = await makeUpstream(server);
    const both = await patch(`/models/${name}`, { targets: [{ upstream: of }] });
    assert.deepEqual(both.json.targets.map((target) => target.upstream), [null, of]);
    const without = await patch(`/models/${name}`, { file: null });
    assert.deepEqual(without.json.targets.map((target) => target.upstream), [of]);
  });

  test("have fallbacks without cycles", async () => {
    const c = await makeModel(server);
    const b = await makeModel(server, { fallbacks: [c.name] });
    const a = await makeModel(server, { fallbacks: [b.name] });
    expectViolations(await patch(`/models/${c.name}`, { fallbacks: [a.name] }), ["value_error", "body", "fallbacks", 0]);
    expectViolations(await patch(`/models/${c.name}`, { fallbacks: [c.name] }), ["value_error", "body", "fallbacks", 0]);
    expectViolations(await patch(`/models/${c.name}`, { fallbacks: ["no/such"] }), ["unknown_reference", "body", "fallbacks", 0]);
    const refused = await remove(`/models/${c.name}`);
    expectError(refused, 409, "model_in_use");
    assert.equal((await remove(`/models/${c.name}?force=true`)).status, 204);
    assert.deepEqual((await get(`/models/${b.name}`)).json.fallbacks, []);
  });

  test("are changed in the given members, with If-Match", async () => {
    const { name } = await makeModel(server);
    const path = `/models/${name}`;
    const changed = await patch(path, { owned_by: "us" }, { headers: { "If-Match": '"1"' } });
    assert.equal(changed.status, 200, changed.text);
    assert.equal(changed.json.owned_by, "us");
    assert.equal(changed.headers.etag, '"2"');
    expectError(await patch(path, {}, { headers: { "If-Match": '"1"' } }), 412, "precondition_failed");
    expectViolations(await patch(path, { name: "other" }), ["extra_forbidden", "body", "name"]);
    expectError(await remove(path, { headers: { "If-Match": '"1"' } }), 412, "precondition_failed");
    assert.equal((await remove(path)).status, 204);
    expectError(await get(path), 404, "not_found");
    assert.ok(!(await served()).includes(name));
  });

  test("of a team are visible to the team only", async () => {
    const team = (await makeTeam(server)).name;
    const member = await makeMember(server, team, "MEMBER");
    const outsider = await makeUser(server);
    const own = await makeModel(server, { teams: [team] });
    const all = await makeModel(server);
    const names = async (key) => (await listAll(server, "/api/v1/models", { key })).map(({ name }) => name);
    for (const list of [names, served]) {
      assert.ok((await list(member.key)).includes(own.name));
      assert.ok((await list(member.key)).includes(all.name));
      assert.ok(!(await list(outsider.key)).includes(own.name));
      assert.ok((await list(outsider.key)).includes(all.name));
      assert.ok((await list(server.adminKey)).includes(own.name));
    }
    expectError(await get(`/models/${own.name}`, { key: outsider.key }), 404, "not_found");
    assert.equal((await server.api("GET", `/v1/models/${own.name}`, { key: outsider.key })).status, 404);
    const seen = (await get(`/models/${own.name}`, { key: member.key })).json;
    assert.deepEqual([seen.file, seen.targets, seen.teams], [null, null, null], "only administrators see how it is served");
    assert.equal((await patch(`/models/${own.name}`, { teams: null })).json.teams, null);
    assert.ok((await served(outsider.key)).includes(own.name));
  });

  test("of a deleted team are visible to no user", async () => {
    const team = (await makeTeam(server)).name;
    const outsider = await makeUser(server);
    const own = await makeModel(server, { teams: [team] });
    assert.equal((await server.api("DELETE", `/api/v1/teams/${team}?force=true`)).status, 204);
    assert.ok(!(await served(outsider.key)).includes(own.name));
    assert.deepEqual((await get(`/models/${own.name}`)).json.teams, []);
  });

  test("are created by administrators of the deployment only", async () => {
    const user = await makeUser(server);
    const body = { name: freshName("mine"), targets: [{ upstream: "any" }] };
    expectError(await post("/models", body, { key: user.key }), 403, "forbidden");
  });

  test("are listed page by page, newest first", async () => {
    const first = await makeModel(server);
    const second = await makeModel(server);
    const page = (await get("/models?limit=1")).json;
    assert.equal(page.items.length, 1);
    const all = (await listAll(server, "/api/v1/models", { limit: 2 })).map(({ name }) => name);
    assert.equal(new Set(all).size, all.length);
    assert.ok(all.includes(first.name) && all.includes(second.name));
    expectViolations(await get("/models?cursor=nonsense"), ["value_error", "query", "cursor"]);
  });
});

describe("the list of served models", () => {
  test("has exactly the format of the OpenAI API", async () => {
    const { name } = await makeModel(server, { owned_by: "org" });
    const { status, json } = await server.api("GET", "/v1/models");
    assert.equal(status, 200);
    expectMembers(json, ["object", "data"]);
    assert.equal(json.object, "list");
    const expected = { id: name, object: "model", created: 0, owned_by: "org", root: name };
    assert.deepEqual(json.data.find(({ id }) => id === name), expected);
    assert.deepEqual((await server.api("GET", `/v1/models/${name}`)).json, expected);
    assert.deepEqual((await server.api("GET", `/v1/models/${encodeURIComponent(name)}`)).json, expected);
  });

  test("reports errors in the format of the OpenAI API", async () => {
    const { status, json } = await server.api("GET", "/v1/models/no/such");
    assert.equal(status, 404);
    assert.deepEqual(json, {
      error: { message: "The model does not exist.", type: "not_found_error", param: null, code: "model_not_found" },
    });
    for (const path of ["/v1/models", "/v1/models/any"]) {
      const anonymous = await server.api("GET", path, { key: null });
      assert.equal(anonymous.status, 401);
      assert.equal(anonymous.json.error.type, "authentication_error");
      const basic = Buffer.from(`api:${server.adminKey}`).toString("base64");
      const other = await server.api("GET", path, { key: null, headers: { authorization: `Basic ${basic}` } });
      assert.equal(other.status, 401, "/v1 accepts Bearer only");
    }
  });
});

test("the catalogue, with the keys of upstreams, survives a restart", async () => {
  const lasting = await startServer();
  let again;
  try {
    const { name: of } = await makeUpstream(lasting, { url: upstream.url, key: KEY });
    const { name } = await makeModel(lasting, { targets: [{ upstream: of }] });
    await lasting.stop();
    again = await startServer({ dataDir: lasting.dataDir });
    assert.deepEqual((await again.api("GET", "/v1/models")).json.data.map(({ id }) => id), [name]);
    const before = upstream.probes.length;
    assert.equal((await again.api("POST", `/api/v1/upstreams/${of}/test`)).json.success, true);
    assert.ok(upstream.probes.slice(before).some(({ headers }) => headers.authorization === `Bearer ${KEY}`));
  } finally {
    await again?.dispose();
    await lasting.dispose();
  }
});
