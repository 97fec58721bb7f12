// /file/* and /files/*, through the running server.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";

import { expectViolations } from "./support/expect.mjs";
import { ProjectClient, contentDigest, form, good, refused } from "./support/objects.mjs";
import { makeUser } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";

const HELLO = "LPJNulXwow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ";
const EMPTY = "47DEQpj8HBSaXYTImWX5JCeuQeRkm5NMpJWZG3hSuFU";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const fresh = () => new ProjectClient(server);

for (const [create, content, stats] of [
  ["/file/create", "/file/content", "/files/query_stats"],
  ["/files/create", "/files/content", "/files/stats"],
]) {
  describe(`${create}, ${content} and ${stats}`, () => {
    test("keep a file under its published digest", async () => {
      const lab = fresh();
      for (let again = 0; again < 2; again += 1) {
        assert.deepEqual(good(await lab.upload(create, "hello")), { digest: HELLO });
      }
      const answer = await lab.post(content, { digest: HELLO });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers["content-type"], "application/octet-stream");
      assert.equal(answer.text, "hello");
      assert.deepEqual(good(await lab.post(stats)), { total_size_bytes: 5 });
    });

    test("keep an empty file", async () => {
      const lab = fresh();
      assert.deepEqual(good(await lab.upload(create, "")), { digest: EMPTY });
      const answer = await lab.post(content, { digest: EMPTY });
      assert.equal(answer.status, 200);
      assert.equal(answer.bytes.length, 0);
    });

    test("keep any bytes, many of them", async () => {
      const lab = fresh();
      const bytes = randomBytes(20 * 1024 * 1024);
      const { digest } = good(await lab.upload(create, bytes));
      assert.equal(digest, contentDigest(bytes));
      const answer = await lab.post(content, { digest });
      assert.ok(answer.bytes.equals(bytes));
      assert.deepEqual(good(await lab.post(stats)), { total_size_bytes: bytes.length });
    });

    test("refuse another digest than expected, and keep nothing", async () => {
      const lab = fresh();
      refused(
        await lab.upload(create, "hello", { expected_digest: EMPTY }),
        409,
        `Client file 'obj.py' digest ${EMPTY} != server digest ${HELLO}`,
      );
      assert.deepEqual(good(await lab.post(stats)), { total_size_bytes: 0 });
      good(await lab.upload(create, "hello", { expected_digest: HELLO }));
    });

    test("answer 422 for a form that lacks a field, and for no form", async () => {
      const send = (fields) => {
        const { body, headers } = form(fields);
        return server.api("POST", create, { body, headers });
      };
      expectViolations(await send({ file: { name: "x", bytes: "x" } }), ["missing", "body", "project_id"]);
      expectViolations(await send({ project_id: "a/b" }), ["missing", "body", "file"]);
      const both = [["missing", "body", "project_id"], ["missing", "body", "file"]];
      expectViolations(await send({}), ...both);
      expectViolations(await server.api("POST", create, { body: { project_id: "a/b" } }), ...both);
      expectViolations(await server.api("POST", create), ...both);
      expectViolations(await server.api("POST", content, { body: { digest: 1 } }),
        ["missing", "body", "project_id"],
        ["string_type", "body", "digest"],
      );
      expectViolations(await server.api("POST", stats, { body: {} }), ["missing", "body", "project_id"]);
    });

    test("answer 400 for a broken form", async () => {
      const headers = { "content-type": "multipart/form-data; boundary=x" };
      const answer = await server.api("POST", create, { body: "not a form", headers });
      assert.equal(answer.status, 400, answer.text);
      assert.deepEqual(Object.keys(answer.json), ["reason"]);
    });

    test("know only files that were given to the project", async () => {
      const lab = fresh();
      good(await lab.upload(create, "hello"));
      refused(await lab.post(content, { digest: "nope" }), 404, "File nope not found");
      refused(await lab.beside().post(content, { digest: HELLO }), 404, `File ${HELLO} not found`);
      const stranger = lab.as((await makeUser(server)).key);
      refused(await stranger.post(content, { digest: HELLO }), 404, "Project not found");
      refused(await stranger.upload(create, "mine"), 404, "Project not found");
      refused(await stranger.post(stats), 404, "Project not found");
    });
  });
}

describe("files", () => {
  test("are still there after a crash", async () => {
    const crashing = await startServer();
    const lab = new ProjectClient(crashing);
    const bytes = randomBytes(300_000);
    const { digest } = good(await lab.upload("/files/create", bytes));
    await crashing.kill();
    const again = await startServer({ dataDir: crashing.dataDir });
    try {
      const answer = await new ProjectClient(again, lab.project).post("/files/content", { digest });
      assert.ok(answer.bytes.equals(bytes));
    } finally {
      await again.dispose();
      await crashing.dispose();
    }
  });
});
