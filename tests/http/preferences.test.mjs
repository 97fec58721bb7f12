// /api/v1/me/preferences.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { expectError, expectUnauthenticated, expectViolations } from "./support/expect.mjs";
import { makeServiceAccount, makeTeam, makeUser } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";

const PATH = "/api/v1/me/preferences";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const get = (key) => server.api("GET", PATH, { key });
const put = (key, preferences, headers = {}) => server.api("PUT", PATH, { key, headers, body: { preferences } });
const deep = (depth) => (depth === 1 ? {} : { a: deep(depth - 1) });

describe("preferences", () => {
  test("are empty at first, replaced as a whole, and private", async () => {
    const ada = await makeUser(server);
    const bob = await makeUser(server);
    assert.deepEqual((await get(ada.key)).json, { preferences: {} });
    const views = { theme: "dark", views: [{ name: "slow", query: "latency:>2s" }] };
    assert.deepEqual((await put(ada.key, views)).json, { preferences: views });
    assert.deepEqual((await get(ada.key)).json, { preferences: views });
    assert.deepEqual((await get(bob.key)).json, { preferences: {} });
    assert.deepEqual((await put(ada.key, { theme: "light" })).json.preferences, { theme: "light" });
  });

  test("keep the spelling of numbers and any text", async () => {
    const { key } = await makeUser(server);
    const text = '{"preferences":{"big":12345678901234567890,"exact":1.10,"html":"<img onerror=x>\\u0000"}}';
    const answer = await server.api("PUT", PATH, { key, body: text });
    assert.equal(answer.status, 200, answer.text);
    assert.match((await get(key)).text, /12345678901234567890.*1\.10/);
  });

  test("have a version", async () => {
    const { key } = await makeUser(server);
    const first = (await get(key)).headers.etag;
    assert.equal((await put(key, { a: 1 }, { "If-Match": first })).status, 200);
    expectError(await put(key, { a: 2 }, { "If-Match": first }), 412, "precondition_failed");
    assert.deepEqual((await get(key)).json.preferences, { a: 1 });
    assert.equal((await put(key, { a: 3 })).status, 200);
  });

  test("refuse other values, large ones and deep ones", async () => {
    const { key } = await makeUser(server);
    for (const value of [[], "x", 1, null]) {
      expectViolations(await put(key, value), ["dict_type", "body", "preferences"]);
    }
    expectViolations(await server.api("PUT", PATH, { key, body: {} }), ["missing", "body", "preferences"]);
    expectViolations(await server.api("PUT", PATH, { key, body: { preferences: {}, x: 1 } }), [
      "extra_forbidden", "body", "x",
    ]);
    assert.equal((await put(key, deep(16))).status, 200);
    assert.equal((await put(key, deep(17))).status, 422);
    assert.equal((await put(key, { text: "x".repeat(65_000) })).status, 200);
    assert.equal((await put(key, { text: "x".repeat(65_536) })).status, 413);
    assert.equal((await server.api("PUT", PATH, { key, body: "{" })).status, 422);
  });

  test("need a credential, of any kind", async () => {
    expectUnauthenticated(await get(null));
    expectUnauthenticated(await put(null, {}));
    const { name: team } = await makeTeam(server);
    const { api_key } = await makeServiceAccount(server, team);
    assert.equal((await put(api_key, { a: 1 })).status, 200);
  });
});
