// Model files in the file store: uploads and their checks, the cache of the server that runs an engine, restarts,
// commands, training, deletion.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { ArtifactProject } from "./support/artifacts.mjs";
import { entryOf } from "./support/audited.mjs";
import { eventually } from "./support/deliveries.mjs";
import { expectError, expectViolations } from "./support/expect.mjs";
import { chat, expectOpenAiError } from "./support/gateway.mjs";
import { makeUpstream } from "./support/inference.mjs";
import { freshName, makeMember, makeTeam, makeUser } from "./support/people.mjs";
import { makeFolder, removeFolder } from "./support/program.mjs";
import { startServer, withServer } from "./support/server.mjs";
import { tinyAdapter } from "./support/tiny_adapter.mjs";
import { tinyModel } from "./support/tiny_model.mjs";

const ONE_THREAD = { SPINDLE_INFERENCE_THREADS: "1", SPINDLE_INFERENCE_SLOTS: "2" };
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");
const GGUF = tinyModel();

let server;
before(async () => (server = await startServer({ env: ONE_THREAD })));
after(() => server.dispose());

const put = (name, bytes, { on = server, query = `?sha256=${sha256(bytes)}`, ...options } = {}) =>
  on.api("PUT", `/api/v1/model-files/${name}${query}`, { body: bytes, ...options });

/** Adds a model that waits for its file. */
async function waiting(fields = {}, on = server) {
  const name = freshName("model");
  const answer = await on.api("POST", "/api/v1/models", { body: { name, upload: true, ...fields } });
  assert.equal(answer.status, 201, answer.text);
  return name;
}

async function uploaded(bytes = GGUF, fields = {}, on = server) {
  const name = await waiting(fields, on);
  const answer = await put(name, bytes, { on });
  assert.equal(answer.status, 200, answer.text);
  return name;
}

const show = async (name, on = server) => (await on.api("GET", `/api/v1/models/${name}`)).json;
const cached = (on = server) => readdirSync(join(on.dataDir, "model-files")).sort();
const blobOf = (bytes, on = server) => {
  const digits = sha256(bytes);
  return join(on.dataDir, "files", digits.slice(0, 2), digits.slice(2));
};

async function said(model, on = server) {
  const answer = await chat(on, model, { max_tokens: 16, temperature: 0 });
  assert.equal(answer.status, 200, answer.text);
  return answer.json.choices[0].message.content;
}

describe("an uploaded model file", () => {
  test("is stored, fetched by its engine once, and served", async () => {
    const name = await waiting();
    const before = await show(name);
    assert.deepEqual([before.file, before.file_sha256, before.file_bytes, before.targets, before.trainable], [null, null, null, [], false]);
    expectOpenAiError(await chat(server, name), 503, "server_error");

    const answer = await put(name, GGUF);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers.etag, '"2"');
    assert.equal(answer.json.file, null);
    assert.equal(answer.json.file_sha256, sha256(GGUF));
    assert.equal(answer.json.file_bytes, GGUF.length);
    assert.deepEqual(answer.json.targets, [{ upstream: null, model: "", tier: 0 }]);
    assert.equal(answer.json.trainable, true);
    assert.deepEqual(await show(name), answer.json);

    const words = await said(name);
    assert.deepEqual(cached(), [`${sha256(GGUF)}.gguf`]);
    const engine = (await server.api("GET", "/api/v1/engines")).json.items.find(({ model }) => model === name);
    assert.equal(engine.state, "ready");

    // The same answer as from a file on the machine.
    const folder = makeFolder();
    const file = join(folder, "same.gguf");
    writeFileSync(file, GGUF);
    const local = freshName("local");
    assert.equal((await server.api("POST", "/api/v1/models", { body: { name: local, file } })).status, 201);
    assert.equal(await said(local), words);
    removeFolder(folder);
  });

  test("leaves an entry in the audit log, with its author", async () => {
    const name = await waiting();
    const answer = await put(name, GGUF);
    const entry = await entryOf(server, answer, "putCatalogueModelFile");
    assert.deepEqual([entry.action, entry.target.name, entry.actor.username], ["model.update", name, "admin"]);
  });

  test("is shown only to administrators", async () => {
    const name = await uploaded();
    const person = await makeUser(server);
    const seen = (await server.api("GET", `/api/v1/models/${name}`, { key: person.key })).json;
    assert.deepEqual([seen.file, seen.file_sha256, seen.file_bytes, seen.trainable], [null, null, null, true]);
  });

  test("replaces the earlier one, and running engines are stopped", async () => {
    const other = tinyModel({ seed: 11 });
    const name = await uploaded();
    const words = await said(name);
    const answer = await put(name, other, { headers: { "if-match": '"2"' } });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.file_sha256, sha256(other));
    assert.notEqual(await said(name), words);
    expectError(await put(name, GGUF, { headers: { "if-match": '"2"' } }), 412, "precondition_failed");
    assert.equal((await show(name)).file_sha256, sha256(other));
  });

  test("is removed by a path, and by null", async () => {
    const name = await uploaded();
    const folder = makeFolder();
    const file = join(folder, "tiny.gguf");
    writeFileSync(file, GGUF);
    const moved = await server.api("PATCH", `/api/v1/models/${name}`, { body: { file } });
    assert.deepEqual([moved.json.file, moved.json.file_sha256], [file, null]);
    assert.equal((await put(name, GGUF)).json.file, null);
    const upstream = (await makeUpstream(server)).name;
    const without = await server.api("PATCH", `/api/v1/models/${name}`, { body: { file: null, targets: [{ upstream }] } });
    assert.equal(without.status, 200, without.text);
    assert.deepEqual([without.json.file_sha256, without.json.trainable], [null, false]);
    removeFolder(folder);
  });

  test("serves adapters of its model", async () => {
    const base = await uploaded();
    const team = await makeTeam(server);
    const adapters = new ArtifactProject(server, team.name);
    const name = freshName("adapter");
    await adapters.put(name, tinyAdapter({ scale: 8 }), { type: "lora", metadata: { base_model: base } });
    assert.notEqual(await said(`svc-artifact:///${team.name}/lab/${name}`), await said(base));
  });

  test("is the base of training", async () => {
    const base = await uploaded();
    const team = await makeTeam(server);
    const made = await server.api("POST", "/v1/preview/models", {
      body: { entity: team.name, project: "lab", name: freshName("trained"), base_model: base },
    });
    assert.equal(made.status, 200, made.text);
    const refused = await server.api("DELETE", `/api/v1/models/${base}`);
    expectError(refused, 409, "model_in_use");
  });
});

describe("an upload", () => {
  test("of something else than a model is refused, and the model stays as it is", async () => {
    const name = await waiting();
    const cases = [
      [Buffer.alloc(0), "not_a_model_file"],
      [Buffer.from("GGU"), "not_a_model_file"],
      [Buffer.from('{"model":"tiny"}'), "not_a_model_file"],
      [Buffer.concat([Buffer.from("GGUF"), Buffer.alloc(1000, 0xff)]), "not_a_model_file"],
      [GGUF.subarray(0, GGUF.length - 100), "not_a_model_file"],
      [GGUF.subarray(0, 200), "not_a_model_file"],
    ];
    for (const [bytes, code] of cases) {
      const answer = await put(name, bytes);
      expectError(answer, 422, code);
      assert.ok(!existsSync(blobOf(bytes)), "the content is stored");
    }
    assert.equal((await show(name)).file_sha256, null);
    assert.deepEqual(readdirSync(join(server.dataDir, "model-headers")).filter((file) => !file.endsWith(".gguf")), []);
  });

  test("with another digest than it says is refused", async () => {
    const name = await waiting();
    const bytes = tinyModel({ seed: 21 });
    expectError(await put(name, bytes, { query: `?sha256=${sha256(GGUF)}` }), 422, "sha256_mismatch");
    assert.ok(!existsSync(blobOf(bytes)));
    expectViolations(await put(name, bytes, { query: "?sha256=abc" }), ["string_pattern_mismatch", "query", "sha256"]);
    assert.equal((await put(name, bytes, { query: "" })).status, 200);
  });

  test("beyond the limit is refused", async () => {
    const small = { ...ONE_THREAD, SPINDLE_INFERENCE_MODEL_FILE_LIMIT: "1MiB" };
    await withServer({ env: small }, async (on) => {
      const name = await waiting({}, on);
      const large = Buffer.concat([GGUF, Buffer.alloc(1 << 20)]);
      expectError(await put(name, large, { on }), 413, "too_large");
      assert.equal((await put(name, GGUF, { on })).status, 200);
    });
  });

  test("is refused for viewers, members, strangers and without a key", async () => {
    const team = await makeTeam(server);
    const name = await waiting({ teams: [team.name] });
    for (const role of ["VIEWER", "MEMBER", "ADMIN"]) {
      const person = await makeMember(server, team.name, role);
      expectError(await put(name, GGUF, { key: person.key }), 403, "forbidden");
    }
    const stranger = await makeUser(server);
    expectError(await put(name, GGUF, { key: stranger.key }), 404, "not_found");
    assert.equal((await put(name, GGUF, { key: null })).status, 401);
    expectError(await put("no/such/model", GGUF), 404, "not_found");
    assert.equal((await show(name)).file_sha256, null);
  });

  test("of a name with slashes works", async () => {
    const name = `${freshName("vendor")}/model`;
    assert.equal((await server.api("POST", "/api/v1/models", { body: { name, upload: true } })).status, 201);
    assert.equal((await put(name, GGUF)).json.name, name);
  });
});

describe("a server with uploaded model files", () => {
  test("keeps them over a restart, and fetches them again when its cache was deleted", async () => {
    const folder = makeFolder();
    const dataDir = join(folder, "data");
    let name;
    await withServer({ env: ONE_THREAD, dataDir }, async (on) => {
      name = await uploaded(GGUF, {}, on);
      await said(name, on);
    });
    const fetched = statSync(join(dataDir, "model-files", `${sha256(GGUF)}.gguf`)).mtimeMs;
    await withServer({ env: ONE_THREAD, dataDir }, async (on) => {
      await said(name, on);
      assert.equal(statSync(join(dataDir, "model-files", `${sha256(GGUF)}.gguf`)).mtimeMs, fetched, "it was fetched again");
    });
    rmSync(join(dataDir, "model-files"), { recursive: true });
    rmSync(join(dataDir, "model-headers"), { recursive: true });
    await withServer({ env: ONE_THREAD, dataDir }, async (on) => {
      await said(name, on);
      assert.deepEqual(cached(on), [`${sha256(GGUF)}.gguf`]);
      assert.equal((await on.api("DELETE", `/api/v1/models/${name}`)).status, 204);
      expectOpenAiError(await chat(on, name), 404, "not_found_error", "model_not_found");
    });
    removeFolder(folder);
  });

  test("whose cache is smaller than the file says so", async () => {
    const env = { ...ONE_THREAD, SPINDLE_INFERENCE_MODEL_CACHE: "1MiB" };
    await withServer({ env }, async (on) => {
      const large = Buffer.concat([GGUF, Buffer.alloc(2 << 20)]);
      const name = await uploaded(large, {}, on);
      const answer = await chat(on, name);
      expectOpenAiError(answer, 503, "server_error", "model_cache_too_small");
    });
  });

  test("answers 503 with Retry-After while the file is missing in the store, and recovers", async () => {
    await withServer({ env: ONE_THREAD }, async (on) => {
      const name = await uploaded(GGUF, {}, on);
      rmSync(blobOf(GGUF, on));
      const answer = await chat(on, name);
      expectOpenAiError(answer, 503, "server_error");
      assert.match(answer.headers["retry-after"], /^\d+$/);
      const engine = (await on.api("GET", "/api/v1/engines")).json.items.find(({ model }) => model === name);
      assert.match(engine.last_error, /cannot be fetched at the moment/);
      assert.equal((await put(name, GGUF, { on })).status, 200);
      await eventually(() => chat(on, name, { max_tokens: 2 }), ({ status }) => status === 200);
    });
  });

  test("serves them after `spindle model add --upload` and `spindle model upload`", async () => {
    const folder = makeFolder();
    const file = join(folder, "tiny.gguf");
    writeFileSync(file, GGUF);
    const name = freshName("model");
    const added = await server.cli("model", "add", name, "--file", file, "--upload");
    assert.equal(added.code, 0, added.stderr);
    assert.equal(added.stdout, `${name} is added.\n`);
    removeFolder(folder);
    const words = await said(name);

    const again = makeFolder();
    const other = join(again, "other.gguf");
    writeFileSync(other, tinyModel({ seed: 31 }));
    const replaced = await server.cli("model", "upload", name, other);
    assert.equal(replaced.stdout, `${name} has a new file.\n`, replaced.stderr);
    assert.notEqual(await said(name), words);
    const listed = await server.cli("model", "ls");
    assert.match(listed.stdout, new RegExp(`${name} .*sha256:[0-9a-f]{12}`));

    writeFileSync(other, "not a model");
    const failed = await server.cli("model", "upload", name, other);
    assert.notEqual(failed.code, 0);
    assert.match(failed.stderr, /does not begin with GGUF/);
    const partly = freshName("model");
    const halfway = await server.cli("model", "add", partly, "--file", other, "--upload");
    assert.notEqual(halfway.code, 0);
    assert.match(halfway.stderr, new RegExp(`${partly} is added without its file`));
    const missing = await server.cli("model", "add", freshName("model"), "--file", join(again, "no.gguf"), "--upload");
    assert.match(missing.stderr, /no\.gguf: No such file/);
    removeFolder(again);
  });
});
