// Spindle below a path prefix: `https://host/custom/v1` is a base URL for every client.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { ArtifactProject } from "./support/artifacts.mjs";
import { makeTeam } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";

let server;
before(async () => {
  server = await startServer({ env: { SPINDLE_BASE_PATH: "/custom/" } });
});
after(() => server.dispose());

test("every API works with and without the path prefix", async () => {
  for (const path of ["/v1/health", "/v1/models", "/api/v1/me", "/version", "/docs"]) {
    const [below, plain] = await Promise.all([server.api("GET", `/custom${path}`), server.api("GET", path)]);
    assert.equal(below.status, 200, `${path}: ${below.text}`);
    assert.equal(below.text, plain.text);
  }
  const made = await server.api("POST", "/custom/v1/preview/models", { body: {} });
  assert.equal(made.status, 422, made.text);
  assert.equal((await server.api("GET", "/customer/v1/health")).status, 404);
  assert.equal((await server.api("GET", "/custom/custom/v1/health")).status, 404);
  assert.equal((await server.api("GET", "/custom/api/v1/me", { key: null })).status, 401);
});

test("URLs in responses have the path prefix", async () => {
  const { headers } = await server.api("GET", "/custom", { key: null });
  assert.equal(headers.location, "/custom/console/", "regardless of the proxy's scheme");
  const below = new ArtifactProject(server, (await makeTeam(server)).name);
  below.path = `/custom${below.path}`;
  const files = { "a.txt": "hello" };
  const { version, uploads } = await below.begin("notes", files);
  assert.match(new URL(uploads[0].url).pathname, /^\/custom\/api\/v1\/blobs\//);
  await below.upload(uploads, files);
  await below.commit("notes", version.id);
  const { items } = await below.ok("GET", "/collections/notes/versions/v0/files");
  const { pathname } = new URL(items[0].url);
  assert.ok(pathname.startsWith(`${below.path}/collections/notes/`), pathname);
  assert.equal((await server.api("GET", pathname)).text, "hello");
});
