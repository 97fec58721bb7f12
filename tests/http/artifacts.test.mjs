// The artifact API: collections, versions from creation to commit, deduplication, aliases and tags, files and
// ranges, and the forms of version names.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { request } from "node:http";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";

import { ArtifactProject, digestOf, manifestDigest, manifestOf } from "./support/artifacts.mjs";
import { expectError, expectGrowthBelow, expectId, expectMembers, expectTimestamp, expectViolations } from "./support/expect.mjs";
import { freshName, listAll, makeMember, makeTeam, makeUser } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";

let server;
let artifacts;
before(async () => {
  server = await startServer();
  artifacts = new ArtifactProject(server, (await makeTeam(server)).name);
});
after(() => server.dispose());

const EXAMPLE = { "a.txt": "hello\n", "dir/b.bin": Buffer.from([0, 1]) };
const here = (url) => new URL(url).pathname;
const at = (collection, version = "") => `/collections/${collection}/versions${version && `/${version}`}`;

describe("a version", () => {
  test("is created, uploaded and committed", async () => {
    const name = freshName("data");
    const metadata = { acc: 0.93, nested: { x: [1] } };
    const fields = { metadata, description: "first", aliases: ["best"], tags: ["good"], run_id: "r1" };
    const begun = await artifacts.begin(name, EXAMPLE, fields);
    expectMembers(begun, ["version", "uploads", "deduplicated"]);
    assert.equal(begun.deduplicated, false);
    assert.equal(begun.version.state, "PENDING");
    assert.equal(begun.version.version_index, null);
    assert.equal(begun.version.digest, "0c9bd2fc68f0743e201b662c0681b4d6");
    assert.match(begun.version.id, /^art_[1-9][0-9]*$/);
    assert.deepEqual(begun.uploads.map(({ path }) => path), ["a.txt", "dir/b.bin"]);
    const [upload] = begun.uploads;
    expectMembers(upload, ["path", "digest", "method", "url", "headers"]);
    assert.equal(upload.digest, "sZRqySSS0jR8YjW00mERhA==");
    assert.equal(upload.method, "PUT");
    assert.deepEqual(upload.headers, { "Content-MD5": upload.digest });

    const early = await artifacts.api("POST", `${at(name, begun.version.id)}/commit`);
    assert.equal(early.status, 409);
    assert.equal(early.json.code, "missing_files");
    assert.deepEqual(early.json.missing_files, ["a.txt", "dir/b.bin"]);

    await artifacts.upload(begun.uploads, EXAMPLE);
    const version = await artifacts.commit(name, begun.version.id);
    assert.equal(version.state, "COMMITTED");
    assert.equal(version.version_index, 0);
    assert.equal(version.size, 8);
    assert.equal(version.file_count, 2);
    assert.deepEqual(version.metadata, metadata);
    assert.equal(version.description, "first");
    assert.deepEqual(version.aliases, ["best", "latest"]);
    assert.deepEqual(version.tags, ["good"]);
    assert.equal(version.run_id, "r1");
    assert.equal(version.ttl_seconds, -1);
    assert.equal(version.expires_at, null);
    expectTimestamp(version.committed_at);
    assert.deepEqual(await artifacts.commit(name, version.id), version);
    for (const spelled of ["v0", "latest", "best", version.id]) {
      assert.deepEqual(await artifacts.ok("GET", at(name, spelled)), version);
    }
  });

  test("is deduplicated by content", async () => {
    const name = freshName("data");
    const first = await artifacts.put(name, { a: "1" });
    await artifacts.put(name, { a: "2" });
    const body = { type: "dataset", manifest: manifestOf({ a: "1" }), aliases: ["again"] };
    const answer = await artifacts.api("POST", at(name), { body });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.deduplicated, true);
    assert.deepEqual(answer.json.uploads, []);
    assert.equal(answer.json.version.id, first.id);
    assert.equal(answer.json.version.state, "COMMITTED");
    assert.deepEqual(answer.json.version.aliases, ["again"]);
    const indexes = (await listAll(server, artifacts.path + at(name))).map((each) => each.version_index);
    assert.deepEqual(indexes, [1, 0]);
  });

  test("needs no upload of a file that the team already has, and records the uploader", async () => {
    const shared = freshName("shared content");
    const first = await artifacts.put(freshName("data"), { a: shared });
    const name = freshName("data");
    const begun = await artifacts.begin(name, { b: shared, c: "new", d: "new" });
    assert.deepEqual(begun.uploads.map(({ path }) => path), ["c"]);
    await artifacts.upload(begun.uploads, { c: "new" });
    await artifacts.commit(name, begun.version.id);
    const { contents } = await artifacts.ok("GET", `${at(name, "v0")}/manifest`);
    assert.equal(contents.b.birthArtifactID, first.id);
    assert.equal(contents.d.birthArtifactID, begun.version.id);
    const outsider = new ArtifactProject(server, (await makeTeam(server)).name);
    assert.equal((await outsider.begin("data", { b: shared })).uploads.length, 1);
  });

  test("keeps its number reserved after deletion", async () => {
    const name = freshName("data");
    await artifacts.put(name, { a: "1" });
    expectError(await artifacts.api("DELETE", at(name, "v0")), 409, "has_aliases");
    await artifacts.ok("DELETE", `${at(name, "v0")}?delete_aliases=true`);
    expectError(await artifacts.api("GET", at(name, "v0")), 404, "not_found");
    expectError(await artifacts.api("DELETE", at(name, "v0")), 404, "not_found");
    assert.equal((await artifacts.put(name, { a: "1" })).version_index, 1);
  });

  test("passes `latest` to the newest remaining version when it is deleted", async () => {
    const name = freshName("data");
    const first = await artifacts.put(name, { a: "1" });
    await artifacts.put(name, { a: "2" });
    await artifacts.ok("DELETE", `${at(name, "latest")}?delete_aliases=true`);
    assert.equal((await artifacts.ok("GET", at(name, "latest"))).id, first.id);
  });

  test("is rejected in a collection of another type", async () => {
    const name = freshName("data");
    await artifacts.put(name, { a: "1" });
    const body = { type: "model", manifest: manifestOf({ a: "2" }) };
    expectError(await artifacts.api("POST", at(name), { body }), 409, "type_clash");
  });

  test("is compared with the digest that the client expects", async () => {
    const name = freshName("data");
    const manifest = manifestOf({ "ü/☃": "1", Z: "2", a: "3" });
    const body = { type: "dataset", manifest, digest: manifestDigest(manifest) };
    assert.equal((await artifacts.api("POST", at(name), { body })).status, 201);
    const wrong = { ...body, digest: "0c9bd2fc68f0743e201b662c0681b4d6" };
    expectViolations(await artifacts.api("POST", at(name), { body: wrong }), ["value_error", "body", "digest"]);
  });

  test("is rejected with all violations at once", async () => {
    const good = { digest: digestOf("x"), size: 1 };
    const rows = [
      [{ manifest: {} }, ["missing", "body", "type"]],
      [{ type: "dataset" }, ["missing", "body", "manifest"]],
      [{ type: "a/b", manifest: {} }, ["string_pattern_mismatch", "body", "type"]],
      [{ type: "dataset", manifest: {}, aliases: ["v3"] }, ["reserved_name", "body", "aliases", 0]],
      [{ type: "dataset", manifest: {}, aliases: ["a:b"] }, ["string_pattern_mismatch", "body", "aliases", 0]],
      [{ type: "dataset", manifest: {}, aliases: [""] }, ["string_too_short", "body", "aliases", 0]],
      [{ type: "dataset", manifest: {}, tags: ["no.dots"] }, ["string_pattern_mismatch", "body", "tags", 0]],
      [{ type: "dataset", manifest: {}, ttl_seconds: 0 }, ["value_error", "body", "ttl_seconds"]],
      [{ type: "dataset", manifest: {}, more: 1 }, ["extra_forbidden", "body", "more"]],
      [{ type: "dataset", manifest: {}, metadata: [] }, ["dict_type", "body", "metadata"]],
      [{ type: "dataset", manifest: { a: { ...good, digest: "x" } } }, ["value_error", "body", "manifest", "a"]],
      [{ type: "dataset", manifest: { a: { ...good, size: -1 } } }, ["greater_than_equal", "body", "manifest", "a", "size"]],
    ];
    for (const [body, ...violations] of rows) {
      expectViolations(await artifacts.api("POST", at("x"), { body }), ...violations);
    }
    for (const path of ["", "/a", "../a", "a/../b", "a\\b", "C:/a", "a//b"]) {
      const body = { type: "dataset", manifest: { [path]: good } };
      assert.equal((await artifacts.api("POST", at("x"), { body })).status, 422, path);
    }
    for (const type of ["job", "svc-history"]) {
      const body = { type, manifest: {} };
      expectViolations(await artifacts.api("POST", at("x"), { body }), ["reserved_name", "body"]);
    }
    const metadata = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`m${i}`, i]));
    const body = { type: "dataset", manifest: {}, metadata };
    expectViolations(await artifacts.api("POST", at("x"), { body }), ["value_error", "body", "metadata"]);
  });

  test("has a changeable description, with ETag and If-Match", async () => {
    const name = freshName("data");
    await artifacts.put(name, { a: "1" }, { metadata: { a: 1, b: 2 } });
    const before = await artifacts.api("GET", at(name, "v0"));
    const etag = before.headers.etag;
    const body = { metadata_merge: { b: 3, c: null } };
    const merged = await artifacts.api("PATCH", at(name, "v0"), { body, headers: { "If-Match": etag } });
    assert.equal(merged.status, 200, merged.text);
    assert.deepEqual(merged.json.metadata, { a: 1, b: 3, c: null });
    assert.notEqual(merged.headers.etag, etag);
    const late = await artifacts.api("PATCH", at(name, "v0"), { body, headers: { "If-Match": etag } });
    expectError(late, 412, "precondition_failed");
    const replaced = await artifacts.ok("PATCH", at(name, "v0"), { body: { metadata: {}, description: "text" } });
    assert.deepEqual(replaced.metadata, {});
    assert.equal(replaced.description, "text");
    const both = await artifacts.api("PATCH", at(name, "v0"), { body: { metadata: {}, metadata_merge: {} } });
    expectViolations(both, ["value_error", "body"]);
  });

  test("has a time to live that only permitted roles set", async () => {
    const name = freshName("data");
    await artifacts.put(name, { a: "1" });
    const member = artifacts.as((await makeMember(server, artifacts.team, "MEMBER")).key);
    const body = { ttl_seconds: 3600 };
    expectError(await member.api("PATCH", at(name, "v0"), { body }), 403, "forbidden");
    const { expires_at, created_at } = await artifacts.ok("PATCH", at(name, "v0"), { body });
    assert.equal(Date.parse(expires_at) - Date.parse(created_at), 3_600_000);
    const settings = { ttl_permission: "admins_and_members", default_artifact_ttl_days: 2 };
    assert.equal((await server.api("PATCH", `/api/v1/teams/${artifacts.team}`, { body: settings })).status, 200);
    const never = await member.ok("PATCH", at(name, "v0"), { body: { ttl_seconds: -2 } });
    assert.equal(never.expires_at, null);
    const inherited = await member.ok("PATCH", at(name, "v0"), { body: { ttl_seconds: -1 } });
    assert.equal(Date.parse(inherited.expires_at) - Date.parse(created_at), 2 * 86_400_000);
    const unchanged = await member.ok("PATCH", at(name, "v0"), { body: { ttl_seconds: null } });
    assert.equal(unchanged.ttl_seconds, -1);
    const reset = { default_artifact_ttl_days: null };
    await server.api("PATCH", `/api/v1/teams/${artifacts.team}`, { body: reset });
  });

  test("is listed newest first, by tag and by alias, page by page", async () => {
    const name = freshName("data");
    for (const content of ["1", "2", "3"]) await artifacts.put(name, { a: content }, content === "2" ? { tags: ["good"] } : {});
    const indexes = (answer) => answer.items.map((each) => each.version_index);
    assert.deepEqual(indexes(await artifacts.ok("GET", at(name))), [2, 1, 0]);
    assert.deepEqual(indexes(await artifacts.ok("GET", `${at(name)}?tag=good`)), [1]);
    assert.deepEqual(indexes(await artifacts.ok("GET", `${at(name)}?alias=latest`)), [2]);
    const first = await artifacts.ok("GET", `${at(name)}?limit=2`);
    assert.deepEqual(indexes(first), [2, 1]);
    assert.deepEqual(indexes(await artifacts.ok("GET", `${at(name)}?limit=2&cursor=${first.next_cursor}`)), [0]);
    const bad = await artifacts.api("GET", `${at(name)}?cursor=zzz`);
    expectViolations(bad, ["value_error", "query", "cursor"]);
  });

  test("is hidden from viewers and omitted from lists while it is pending", async () => {
    const name = freshName("data");
    const { version } = await artifacts.begin(name, { a: freshName("content") });
    const viewer = artifacts.as((await makeMember(server, artifacts.team, "VIEWER")).key);
    expectError(await viewer.api("GET", at(name, version.id)), 404, "not_found");
    assert.equal((await artifacts.ok("GET", at(name, version.id))).state, "PENDING");
    assert.deepEqual((await artifacts.ok("GET", at(name))).items, []);
    expectError(await artifacts.api("PUT", `${at(name, version.id)}/aliases/x`), 409, "not_committed");
  });
});

describe("an upload", () => {
  async function pending(content = freshName("content")) {
    const name = freshName("data");
    const begun = await artifacts.begin(name, { a: content });
    return { name, content, id: begun.version.id, upload: begun.uploads[0] };
  }
  const put = (url, body, headers) => server.api("PUT", here(url), { key: null, body, headers });

  test("returns the MD5 as ETag, also when it is repeated", async () => {
    const { content, upload } = await pending();
    for (let i = 0; i < 2; ++i) {
      const answer = await put(upload.url, Buffer.from(content), upload.headers);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.headers.etag, `"${createHash("md5").update(content).digest("hex")}"`);
    }
  });

  test("of other bytes is rejected", async () => {
    const { name, content, id, upload } = await pending();
    const other = Buffer.from(content.replace(/^./, "X"));
    expectError(await put(upload.url, other), 422, "md5_mismatch");
    expectError(await put(upload.url, other, { "Content-MD5": digestOf(other) }), 422, "md5_mismatch");
    expectError(await put(upload.url, Buffer.from(content.slice(1))), 422, "size_mismatch");
    expectError(await put(upload.url, Buffer.from(`${content}!`)), 413, "too_large");
    assert.equal((await artifacts.api("POST", `${at(name, id)}/commit`)).json.code, "missing_files");
  });

  test("needs the signed URL from the server", async () => {
    const { content, upload } = await pending();
    const bytes = Buffer.from(content);
    expectError(await put("http://x/api/v1/blobs/abc.def", bytes), 404, "not_found");
    expectError(await put(upload.url.slice(0, -4) + "AAAA", bytes), 404, "not_found");
    expectError(await server.api("GET", here(upload.url), { key: null }), 404, "not_found");
  });

  test("gets new URLs for the files that are still missing", async () => {
    const name = freshName("data");
    const files = { a: freshName("a"), b: freshName("b") };
    const { version, uploads } = await artifacts.begin(name, files);
    await artifacts.upload(uploads.slice(0, 1), files);
    const body = { paths: ["a", "b"] };
    const renewed = await artifacts.ok("POST", `${at(name, version.id)}/uploads`, { body });
    assert.deepEqual(renewed.uploads.map(({ path }) => path), ["b"]);
    const unknown = await artifacts.api("POST", `${at(name, version.id)}/uploads`, { body: { paths: ["c"] } });
    assert.equal(unknown.status, 422);
    await artifacts.upload(renewed.uploads, files);
    await artifacts.commit(name, version.id);
    expectError(await artifacts.api("POST", `${at(name, version.id)}/uploads`, { body }), 409, "not_pending");
    expectError(await put(uploads[0].url, Buffer.from(files.a)), 409, "not_pending");
  });

  test("that is interrupted leaves no files, and neither does a killed server", async () => {
    const own = await startServer();
    try {
      const project = new ArtifactProject(own, (await makeTeam(own)).name);
      const content = Buffer.alloc(3_000_000, "x");
      const begun = await project.begin("data", { a: content });
      const half = request(begun.uploads[0].url, {
        method: "PUT",
        headers: { "content-length": content.length, "content-md5": begun.uploads[0].digest },
      });
      half.on("error", () => {});
      await new Promise((sent) => half.write(content.subarray(0, 1_500_000), sent));
      await own.kill();
      const again = await startServer({ dataDir: own.dataDir });
      try {
        const back = new ArtifactProject(again, project.team);
        const early = await back.api("POST", `${at("data", begun.version.id)}/commit`);
        assert.equal(early.json.code, "missing_files", early.text);
        const body = { paths: ["a"] };
        const { uploads } = await back.ok("POST", `${at("data", begun.version.id)}/uploads`, { body });
        await back.upload(uploads, { a: content });
        assert.equal((await back.commit("data", begun.version.id)).version_index, 0);
      } finally {
        await again.kill();
      }
    } finally {
      await own.dispose();
    }
  });
});

describe("a file", () => {
  const TEXT = "0123456789";
  let name;
  before(async () => {
    name = freshName("data");
    await artifacts.put(name, { "t.txt": TEXT, "dir/ü b.bin": Buffer.from([0, 255]), empty: "" });
  });

  test("is read completely", async () => {
    const answer = await artifacts.read(name, "latest", "t.txt");
    assert.equal(answer.status, 200);
    assert.equal(answer.text, TEXT);
    assert.equal(answer.headers["content-length"], "10");
    assert.equal(answer.headers["accept-ranges"], "bytes");
    assert.equal(answer.headers["x-content-type-options"], "nosniff");
    assert.deepEqual((await artifacts.read(name, "v0", "dir/ü b.bin")).bytes, Buffer.from([0, 255]));
    assert.equal((await artifacts.read(name, "v0", "empty")).text, "");
    const escaped = await artifacts.api("GET", `${at(name, "v0")}/files/dir%2F%C3%BC%20b.bin`);
    assert.equal(escaped.bytes.length, 2);
    const head = await artifacts.api("HEAD", `${at(name, "v0")}/files/t.txt`);
    assert.equal(head.headers["content-length"], "10");
  });

  test("is read in ranges", async () => {
    const rows = [
      ["bytes=2-5", 206, "2345", "bytes 2-5/10"],
      ["bytes=7-", 206, "789", "bytes 7-9/10"],
      ["bytes=-3", 206, "789", "bytes 7-9/10"],
      ["bytes=0-999", 206, TEXT, "bytes 0-9/10"],
      ["bytes=1-2,4-5", 200, TEXT, undefined],
      ["bytes=10-", 416, "", "bytes */10"],
    ];
    for (const [range, status, text, contentRange] of rows) {
      const answer = await artifacts.read(name, "v0", "t.txt", { range });
      assert.equal(answer.status, status, range);
      assert.equal(answer.text, text, range);
      assert.equal(answer.headers["content-range"], contentRange, range);
    }
    const { etag } = (await artifacts.read(name, "v0", "t.txt")).headers;
    const same = await artifacts.read(name, "v0", "t.txt", { range: "bytes=1-1", "if-range": etag });
    assert.equal(same.text, "1");
  });

  test("is downloaded without a key through a redirect", async () => {
    const answer = await artifacts.api("GET", `${at(name, "v0")}/files/t.txt?redirect=true`);
    assert.equal(answer.status, 302);
    const signed = here(answer.headers.location);
    const part = await server.api("GET", signed, { key: null, headers: { range: "bytes=-2" } });
    assert.equal(part.status, 206);
    assert.equal(part.text, "89");
    assert.equal((await server.api("PUT", signed, { key: null, body: Buffer.from(TEXT) })).status, 404);
  });

  test("that does not exist is 404", async () => {
    expectError(await artifacts.read(name, "v0", "none"), 404, "not_found");
    expectError(await artifacts.read(name, "v9", "t.txt"), 404, "not_found");
    expectError(await artifacts.read("none", "v0", "t.txt"), 404, "not_found");
  });

  test("can be a reference", async () => {
    const data = freshName("data");
    const ref = "https://example.test/big.bin";
    const manifest = {
      web: { digest: "etag-1", size: 5, ref, extra: { versionID: "7" } },
      bucket: { digest: "s3://bucket/key", size: 0, ref: "s3://bucket/key" },
    };
    const { version, uploads } = await artifacts.ok("POST", at(data), { body: { type: "dataset", manifest } });
    assert.deepEqual(uploads, []);
    await artifacts.commit(data, version.id);
    const { contents } = await artifacts.ok("GET", `${at(data, "v0")}/manifest`);
    assert.deepEqual(contents, manifest);
    const answer = await artifacts.read(data, "v0", "web");
    assert.equal(answer.status, 409);
    assert.equal(answer.json.code, "reference");
    assert.equal(answer.json.ref, ref);
    const away = await artifacts.api("GET", `${at(data, "v0")}/files/web?redirect=true`);
    assert.equal(away.headers.location, ref);
  });

  test("is listed, and is part of the manifest", async () => {
    const { items } = await artifacts.ok("GET", `${at(name, "v0")}/files`);
    assert.deepEqual(items.map(({ path }) => path), ["dir/ü b.bin", "empty", "t.txt"]);
    const { url, ...file } = items[0];
    assert.deepEqual(file, { path: "dir/ü b.bin", size: 2, digest: digestOf(Buffer.from([0, 255])), ref: null });
    assert.equal((await server.api("GET", here(url))).bytes.length, 2);
    const some = await artifacts.ok("GET", `${at(name, "v0")}/files?prefix=dir/&limit=1`);
    assert.deepEqual(some.items.map(({ path }) => path), ["dir/ü b.bin"]);
    assert.equal(some.next_cursor, null);
    const paths = (await listAll(server, `${artifacts.path}${at(name, "v0")}/files`, { limit: 1 })).map(({ path }) => path);
    assert.equal(paths.length, 3);
    const manifest = await artifacts.ok("GET", `${at(name, "v0")}/manifest`);
    assert.equal(manifest.version, 1);
    assert.equal(manifest.storagePolicyConfig.storageLayout, "V2");
    assert.equal(manifest.contents["t.txt"].size, 10);
    assert.equal(manifestDigest(manifest.contents), (await artifacts.ok("GET", at(name, "v0"))).digest);
  });

  test("of a gigabyte is uploaded and downloaded with little memory", async () => {
    const own = await startServer();
    try {
      const project = new ArtifactProject(own, (await makeTeam(own)).name);
      const block = Buffer.alloc(1 << 20, 0).map((_, i) => i * 7);
      const count = 1024;
      const size = block.length * count;
      const hash = createHash("md5");
      for (let i = 0; i < count; ++i) hash.update(block);
      const manifest = { big: { digest: hash.digest("base64"), size } };
      const body = { type: "dataset", manifest };
      const { version, uploads } = await project.ok("POST", at("data"), { body });
      const peak = () => Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${own.program.pid}/status`, "utf8"))[1]);
      const before = peak();
      const [{ url, headers }] = uploads;
      const status = await new Promise((resolve, reject) => {
        const outgoing = request(url, { method: "PUT", headers: { ...headers, "content-length": size } }, (incoming) => {
          incoming.resume().on("end", () => resolve(incoming.statusCode));
        });
        outgoing.on("error", reject);
        let left = count;
        const more = () => {
          while (left > 0) {
            left -= 1;
            if (!outgoing.write(block)) return outgoing.once("drain", more);
          }
          return outgoing.end();
        };
        more();
      });
      assert.equal(status, 200);
      await project.commit("data", version.id);
      const read = createHash("md5");
      await new Promise((resolve, reject) => {
        const path = `${own.url}${project.path}${at("data", "v0")}/files/big`;
        request(path, { headers: { authorization: `Bearer ${own.adminKey}` } }, (incoming) => {
          incoming.on("data", (chunk) => read.update(chunk)).on("end", resolve).on("error", reject);
        }).end();
      });
      assert.equal(read.digest("base64"), manifest.big.digest);
      expectGrowthBelow(peak() - before, 64 * 1024);
    } finally {
      await own.dispose();
    }
  });
});

describe("aliases and tags", () => {
  test("are added, listed and removed", async () => {
    const name = freshName("data");
    await artifacts.put(name, { a: "1" });
    await artifacts.put(name, { a: "2" });
    for (const version of ["v0", "v0", "v1"]) await artifacts.ok("PUT", `${at(name, version)}/aliases/prod`);
    assert.deepEqual(await artifacts.ok("GET", `${at(name, "v0")}/aliases`), { items: [] });
    assert.deepEqual(await artifacts.ok("GET", `${at(name, "v1")}/aliases`), { items: ["latest", "prod"] });
    expectError(await artifacts.api("DELETE", `${at(name, "v0")}/aliases/prod`), 404, "not_found");
    await artifacts.ok("DELETE", `${at(name, "v1")}/aliases/prod`);
    expectError(await artifacts.api("GET", at(name, "prod")), 404, "not_found");
    for (const version of ["v0", "v1"]) await artifacts.ok("PUT", `${at(name, version)}/tags/very%20good`);
    assert.deepEqual(await artifacts.ok("GET", `${at(name, "v0")}/tags`), { items: ["very good"] });
    await artifacts.ok("DELETE", `${at(name, "v0")}/tags/very%20good`);
    expectError(await artifacts.api("DELETE", `${at(name, "v0")}/tags/very%20good`), 404, "not_found");
    assert.equal((await artifacts.api("PUT", `${at(name, "v0")}/aliases/v7`)).status, 422);
    assert.equal((await artifacts.api("PUT", `${at(name, "v0")}/tags/a.b`)).status, 422);
  });
});

describe("a collection", () => {
  test("is created, read, changed and deleted", async () => {
    const name = freshName("things");
    const body = { name, type: "model", description: "text", tags: ["b", "a", "b"] };
    const answer = await artifacts.api("POST", "/collections", { body });
    assert.equal(answer.status, 201, answer.text);
    expectMembers(answer.json, [
      "id", "name", "type", "kind", "description", "tags", "created_by", "created_at", "updated_at",
    ]);
    expectId(answer.json.id, "col");
    assert.equal(answer.json.kind, "SEQUENCE");
    assert.deepEqual(answer.json.tags, ["a", "b"]);
    expectError(await artifacts.api("POST", "/collections", { body }), 409, "collection_name_taken");
    const path = `/collections/${name}`;
    assert.deepEqual(await artifacts.ok("GET", path), answer.json);
    await artifacts.ok("PUT", `${path}/tags/c`);
    await artifacts.ok("DELETE", `${path}/tags/a`);
    expectError(await artifacts.api("DELETE", `${path}/tags/a`), 404, "not_found");
    const renamed = freshName("things");
    const stale = { headers: { "If-Match": '"77"' }, body: { name: renamed } };
    expectError(await artifacts.api("PATCH", path, stale), 412, "precondition_failed");
    const changed = await artifacts.ok("PATCH", path, { body: { name: renamed, description: "" } });
    assert.deepEqual(changed.tags, ["b", "c"]);
    expectError(await artifacts.api("GET", path), 404, "not_found");
    await artifacts.ok("DELETE", `/collections/${renamed}`);
    expectError(await artifacts.api("DELETE", `/collections/${renamed}`), 404, "not_found");
  });

  test("is listed newest first; a project that does not exist yet is empty", async () => {
    const fresh = new ArtifactProject(server, artifacts.team, { project: freshName("project") });
    assert.deepEqual(await fresh.ok("GET", "/collections"), { items: [], next_cursor: null });
    for (const name of ["a", "b", "c"]) await fresh.ok("POST", "/collections", { body: { name, type: "x" } });
    const names = (await listAll(server, `${fresh.path}/collections`, { limit: 2 })).map(({ name }) => name);
    assert.deepEqual(names, ["c", "b", "a"]);
  });
});

describe("resolving", () => {
  const resolve = (path, options = {}, more = "") =>
    server.api("GET", `/api/v1/artifacts/resolve?path=${encodeURIComponent(path)}${more}`, options);

  test("finds a version by every form of its name", async () => {
    const name = freshName("data");
    const version = await artifacts.put(name, { a: "1" }, { aliases: ["prod"] });
    const number = version.id.slice(4);
    const whole = `${artifacts.team}/lab/${name}`;
    const hex = Buffer.from(`Artifact:${number}`).toString("hex");
    const forms = [
      whole, `${whole}:latest`, `${whole}:v0`, `${whole}:prod`, `svc-artifact:///${whole}:v0`,
      `svc-artifact://_id/${Buffer.from(`Artifact:${number}`).toString("base64")}`,
      `svc-artifact://${hex}/a`,
    ];
    for (const form of forms) {
      const answer = await resolve(form);
      assert.equal(answer.status, 200, `${form}: ${answer.text}`);
      const { entity, project, entry_path: entry, ...rest } = answer.json;
      assert.deepEqual(rest, version);
      assert.deepEqual([entity, project], [artifacts.team, "lab"]);
      assert.equal(entry, form.endsWith("/a") ? "a" : null);
    }
    const short = await resolve(name, {}, `&team=${artifacts.team}&project=lab`);
    assert.equal(short.json.id, version.id);
    assert.equal((await resolve(`lab/${name}:v0`, {}, `&team=${artifacts.team}`)).json.id, version.id);
  });

  test("rejects invalid names and finds nothing for outsiders", async () => {
    const name = freshName("data");
    const version = await artifacts.put(name, { a: "1" });
    for (const path of ["", "a/b/c/d", "name:v1", "svc-artifact:///x:v1", "https://x/y"]) {
      expectViolations(await resolve(path), ["value_error", "query", "path"]);
    }
    const outsider = await makeUser(server);
    const id = Buffer.from(`Artifact:${version.id.slice(4)}`).toString("base64");
    const unknown = Buffer.from("Artifact:999999").toString("base64");
    const answers = await Promise.all(
      [`${artifacts.team}/lab/${name}:v0`, "no-such-team/lab/x:v0", `svc-artifact://_id/${id}`, `svc-artifact://_id/${unknown}`]
        .map((path) => resolve(path, { key: outsider.key })),
    );
    for (const answer of answers) {
      expectError(answer, 404, "not_found");
      assert.equal(answer.text, answers[0].text);
    }
  });
});
