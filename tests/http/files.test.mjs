// /file/* and /files/*.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";

import { expectViolations } from "./support/expect.mjs";
import { ProjectClient, contentDigest, form, expectOk, expectRefusal } from "./support/objects.mjs";
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
    test("store a file under its digest", async () => {
      const project = fresh();
      for (let again = 0; again < 2; again += 1) {
        assert.deepEqual(expectOk(await project.upload(create, "hello")), { digest: HELLO });
      }
      const answer = await project.post(content, { digest: HELLO });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers["content-type"], "application/octet-stream");
      assert.equal(answer.text, "hello");
      assert.deepEqual(expectOk(await project.post(stats)), { total_size_bytes: 5 });
    });

    test("store an empty file", async () => {
      const project = fresh();
      assert.deepEqual(expectOk(await project.upload(create, "")), { digest: EMPTY });
      const answer = await project.post(content, { digest: EMPTY });
      assert.equal(answer.status, 200);
      assert.equal(answer.bytes.length, 0);
    });

    test("store large binary files", async () => {
      const project = fresh();
      const bytes = randomBytes(20 * 1024 * 1024);
      const { digest } = expectOk(await project.upload(create, bytes));
      assert.equal(digest, contentDigest(bytes));
      const answer = await project.post(content, { digest });
      assert.ok(answer.bytes.equals(bytes));
      assert.deepEqual(expectOk(await project.post(stats)), { total_size_bytes: bytes.length });
    });

    test("reject a file with another digest than expected, and store nothing", async () => {
      const project = fresh();
      expectRefusal(
        await project.upload(create, "hello", { expected_digest: EMPTY }),
        409,
        `Client file 'obj.py' digest ${EMPTY} != server digest ${HELLO}`,
      );
      assert.deepEqual(expectOk(await project.post(stats)), { total_size_bytes: 0 });
      expectOk(await project.upload(create, "hello", { expected_digest: HELLO }));
    });

    test("return 422 for a form without a field, and for a body that is no form", async () => {
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

    test("return 400 for an invalid form", async () => {
      const headers = { "content-type": "multipart/form-data; boundary=x" };
      const answer = await server.api("POST", create, { body: "not a form", headers });
      assert.equal(answer.status, 400, answer.text);
      assert.deepEqual(Object.keys(answer.json), ["reason"]);
    });

    test("find only files of the project", async () => {
      const project = fresh();
      expectOk(await project.upload(create, "hello"));
      expectRefusal(await project.post(content, { digest: "nope" }), 404, "File nope not found");
      expectRefusal(await project.withProject().post(content, { digest: HELLO }), 404, `File ${HELLO} not found`);
      const outsider = project.as((await makeUser(server)).key);
      expectRefusal(await outsider.post(content, { digest: HELLO }), 404, "Project not found");
      expectRefusal(await outsider.upload(create, "mine"), 404, "Project not found");
      expectRefusal(await outsider.post(stats), 404, "Project not found");
    });
  });
}

describe("files", () => {
  test("survive a crash", async () => {
    const crashing = await startServer();
    const project = new ProjectClient(crashing);
    const bytes = randomBytes(300_000);
    const { digest } = expectOk(await project.upload("/files/create", bytes));
    await crashing.kill();
    const again = await startServer({ dataDir: crashing.dataDir });
    try {
      const answer = await new ProjectClient(again, project.project).post("/files/content", { digest });
      assert.ok(answer.bytes.equals(bytes));
    } finally {
      await again.dispose();
      await crashing.dispose();
    }
  });
});
