// The files of the console: pages, assets, caching, compression and content security, also below a path prefix.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";

import { ArtifactProject } from "./support/artifacts.mjs";
import { Browser } from "./support/browser.mjs";
import { makeTeam } from "./support/people.mjs";
import { startServer, withServer } from "./support/server.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const get = (path, headers = {}) => server.api("GET", path, { key: null, headers });

/** Returns the names of the scripts and styles that the page loads. */
function filesOf(html) {
  return [...html.matchAll(/(?:src|href)="([^"/]+\.(?:js|css|svg))"/g)].map((found) => found[1]);
}

describe("the console", () => {
  test("is where / and /console lead", async () => {
    for (const path of ["/", "/console"]) {
      const answer = await get(path);
      assert.equal(answer.status, 302);
      assert.equal(answer.headers.location, "/console/");
    }
  });

  test("has one page for all screens", async () => {
    const page = await get("/console/");
    assert.equal(page.status, 200);
    assert.match(page.headers["content-type"], /^text\/html/);
    assert.match(page.text, /<base href="\/console\/">/);
    for (const path of ["/console/p/acme/support/traces", "/console/p/acme/v1.2", "/console/t/acme?tab=members", "/console/index.html"]) {
      const other = await get(path);
      assert.equal(other.status, 200, path);
      assert.equal(other.text, page.text, path);
    }
  });

  test("runs under a strict policy", async () => {
    const { headers } = await get("/console/");
    assert.equal(
      headers["content-security-policy"],
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; " +
        "connect-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'; trusted-types 'none'",
    );
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["referrer-policy"], "same-origin");
  });

  test("is revalidated, its files are kept", async () => {
    const page = await get("/console/");
    assert.equal(page.headers["cache-control"], "private, no-cache");
    assert.equal((await get("/console/", { "if-none-match": page.headers.etag })).status, 304);
    const files = filesOf(page.text);
    assert.ok(files.length >= 2, page.text);
    for (const name of files) {
      const file = await get(`/console/${name}`);
      assert.equal(file.status, 200, name);
      assert.equal(file.headers["cache-control"], "public, max-age=31536000, immutable", name);
      assert.equal(file.headers["x-content-type-options"], "nosniff");
    }
  });

  test("sends files compressed, with a tag of their own", async () => {
    for (const name of filesOf((await get("/console/")).text)) {
      const plain = await get(`/console/${name}`);
      const zipped = await get(`/console/${name}`, { "accept-encoding": "gzip, deflate, br, zstd" });
      if (zipped.headers["content-encoding"] === undefined) continue; // too small to gain anything
      assert.equal(zipped.headers["content-encoding"], "gzip", name);
      assert.deepEqual(gunzipSync(zipped.bytes), plain.bytes, name);
      assert.notEqual(zipped.headers.etag, plain.headers.etag);
      assert.equal(zipped.headers.vary, "Accept-Encoding");
      const again = await get(`/console/${name}`, { "accept-encoding": "gzip", "if-none-match": zipped.headers.etag });
      assert.equal(again.status, 304);
    }
  });

  test("has no other files", async () => {
    for (const path of ["/console/app.js", "/console/favicon.ico", "/console/console-0ffffffff.js", "/console/.env", "/console/p/a/x-0ffffffff.js"]) {
      assert.equal((await get(path)).status, 404, path);
    }
    const climbing = await get("/console/..%2f..%2fetc%2fpasswd");
    assert.ok(!climbing.text.includes("root:"));
    assert.equal((await server.api("POST", "/console/", { body: {} })).status, 405);
  });

  test("knows its path prefix and escapes it", async () => {
    await withServer({ env: { SPINDLE_BASE_PATH: "/custom" } }, async (below) => {
      const page = await below.api("GET", "/custom/console/t/x", { key: null });
      assert.match(page.text, /<base href="\/custom\/console\/">/);
      const redirected = await below.api("GET", "/custom/console", { key: null });
      assert.equal(redirected.headers.location, "/custom/console/");
      const [script] = filesOf(page.text);
      assert.equal((await below.api("GET", `/custom/console/${script}`, { key: null })).status, 200);
    });
    for (const prefix of ['/"><script>', "//evil.example", "javascript:x", "/a b", "/%22"]) {
      assert.match((await get("/console/", { "x-forwarded-prefix": prefix })).text, /<base href="\/console\/">/, prefix);
    }
    assert.match((await get("/console/", { "x-forwarded-prefix": "/tools" })).text, /<base href="\/tools\/console\/">/);
  });
});

test("stored content never runs as a page of the server", async () => {
  const team = (await makeTeam(server)).name;
  const project = new ArtifactProject(server, team);
  const files = { "page.html": "<script>alert(1)</script>" };
  const { version, uploads } = await project.begin("pages", files);
  await project.upload(uploads, files);
  await project.commit("pages", version.id);
  const { items } = await project.ok("GET", "/collections/pages/versions/v0/files");
  const browser = new Browser(server);
  await browser.signIn({ api_key: server.adminKey });
  const headers = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
  const { pathname, search } = new URL(items[0].url);
  const file = await browser.request("GET", pathname + search, { headers });
  assert.equal(file.text, files["page.html"]);
  assert.match(file.headers["content-security-policy"], /sandbox/);
  assert.equal(file.headers["x-content-type-options"], "nosniff");
});
