// Authentication: credentials, their forms and their expiry; public routes.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { expectError, expectUnauthenticated, expectViolations } from "./support/expect.mjs";
import { makeKey, makeServiceAccount, makeTeam, makeUser } from "./support/people.mjs";
import { filesIn } from "./support/program.mjs";
import { RawConnection, rawRequest } from "./support/raw_connection.mjs";
import { startServer } from "./support/server.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

/** Sends GET /api/v1/me with this Authorization header. */
function me(authorization) {
  const headers = authorization === undefined ? {} : { authorization };
  return server.api("GET", "/api/v1/me", { key: null, headers });
}

function basic(text) {
  return `Basic ${Buffer.from(text).toString("base64")}`;
}

describe("credentials", () => {
  test("that are missing give 401 with WWW-Authenticate", async () => {
    expectUnauthenticated(await me(undefined));
  });

  test("are accepted as Bearer and as Basic with any user name", async () => {
    const user = await makeUser(server);
    const forms = [
      `Bearer ${user.key}`,
      `bearer ${user.key}`,
      basic(`api:${user.key}`),
      basic(`${user.username}:${user.key}`),
      basic(`:${user.key}`),
      `basic ${basic(`api:${user.key}`).slice("Basic ".length)}`,
    ];
    for (const form of forms) {
      const answer = await me(form);
      assert.equal(answer.status, 200, form);
      assert.equal(answer.json.username, user.username);
    }
  });

  test("in another form are rejected with the same message", async () => {
    const { key } = await makeUser(server);
    const wrongEnd = key.slice(0, -1) + (key.endsWith("A") ? "B" : "A");
    const forms = [
      "",
      "Bearer",
      "Bearer ",
      `Bearer ${wrongEnd}`,
      `Bearer ${key.slice(0, -1)}`,
      `Bearer ${key}x`,
      `Bearer ${key.slice(0, key.lastIndexOf("_"))}`,
      `Bearer ${"x".repeat(8000)}`,
      `Bearer ' OR '1'='1`,
      `Bearer${key}`,
      `Token ${key}`,
      key,
      basic(key),
      basic(`${key}:`),
      basic(`api:${wrongEnd}`),
      "Basic ***",
      "Basic",
      `Basic api:${key}`,
    ];
    for (const form of forms) expectUnauthenticated(await me(form));
  });

  test("in the query string are ignored", async () => {
    const path = `/api/v1/me?api_key=${server.adminKey}&access_token=${server.adminKey}`;
    expectUnauthenticated(await server.api("GET", path, { key: null }));
  });

  test("are checked before the body is read", async () => {
    const options = { key: null, body: "not json" };
    expectUnauthenticated(await server.api("POST", "/api/v1/users", options));
  });

  test("of a service account identify it as one", async () => {
    const team = await makeTeam(server);
    const { account, api_key: key } = await makeServiceAccount(server, team.name);
    const answer = await me(`Bearer ${key}`);
    assert.equal(answer.status, 200);
    assert.equal(answer.json.kind, "service");
    assert.equal(answer.json.username, account.username);
  });

  test("are neither stored as plain text nor logged", async () => {
    const user = await makeUser(server);
    assert.equal((await me(basic(`api:${user.key}`))).status, 200);
    const secret = user.key.slice(user.key.lastIndexOf("_") + 1);
    assert.ok(!server.logs.includes(secret));
    for (const name of filesIn(server.dataDir)) {
      assert.ok(!readFileSync(join(server.dataDir, name)).includes(secret), name);
    }
  });
});

describe("an API key", () => {
  test("that is revoked is rejected at the next request", async () => {
    const user = await makeUser(server);
    const { id, key } = await makeKey(server, user.username);
    assert.equal((await me(`Bearer ${key}`)).status, 200);
    assert.equal((await server.api("DELETE", `/api/v1/api-keys/${id}`, { key })).status, 204);
    expectUnauthenticated(await me(`Bearer ${key}`));
    assert.equal((await me(`Bearer ${user.key}`)).status, 200, "other keys stay valid");
  });

  test("that is revoked is rejected on an existing connection", async () => {
    const user = await makeUser(server);
    const { id, key } = await makeKey(server, user.username);
    const connection = await RawConnection.open(server.url);
    try {
      const request = rawRequest("GET /api/v1/me HTTP/1.1", [`Authorization: Bearer ${key}`]);
      await connection.send(request);
      assert.equal((await connection.response()).status, 200);
      assert.equal((await server.api("DELETE", `/api/v1/api-keys/${id}`)).status, 204);
      await connection.send(request);
      assert.equal((await connection.response()).status, 401);
    } finally {
      connection.destroy();
    }
  });

  test("with an expiry in the past is rejected on creation", async () => {
    const body = { name: "late", expires_at: "2020-01-01T00:00:00Z" };
    const answer = await server.api("POST", "/api/v1/api-keys", { body });
    expectViolations(answer, ["value_error", "body"]);
  });

  test("is rejected after its expiry", async () => {
    const user = await makeUser(server);
    const expiresAt = new Date(Date.now() + 1000).toISOString();
    const key = await makeKey(server, user.username, { name: "brief", expires_at: expiresAt });
    assert.equal(Date.parse(key.expires_at), Date.parse(expiresAt));
    let answer = await me(`Bearer ${key.key}`);
    assert.equal(answer.status, 200);
    while (answer.status === 200) answer = await me(`Bearer ${key.key}`);
    assert.ok(Date.now() >= Date.parse(expiresAt));
    expectUnauthenticated(answer);
    expectUnauthenticated(await me(`Bearer ${key.key}`));
  });
});

describe("paths that do not exist", () => {
  const unknown = ["/api/v1/nothing", "/api/v1/", "/nothing", "/api/v2/me", "/docs2", "/API/V1/ME"];

  test("are 401 without a key, 404 with one", async () => {
    for (const path of unknown) {
      const outsider = await server.api("GET", path, { key: null });
      assert.equal(outsider.status, 401, path);
      assert.equal(outsider.json.detail, "Not authenticated");
      assert.equal(outsider.headers["www-authenticate"], 'Bearer, Basic realm="svc"');
      const known = await server.api("GET", path);
      assert.equal(known.status, 404, path);
      assert.equal(known.json.detail, "Not Found");
    }
  });

  test("of the management API give an error code", async () => {
    expectError(await server.api("GET", "/api/v1/nothing"), 404, "not_found");
  });

  test("below /v1 accept Bearer only", async () => {
    const headers = { authorization: basic(`api:${server.adminKey}`) };
    const refused = await server.api("GET", "/v1/nothing", { key: null, headers });
    assert.equal(refused.status, 401);
    assert.equal(refused.headers["www-authenticate"], "Bearer");
    assert.deepEqual(refused.json, { detail: "Not authenticated" });
    assert.equal((await server.api("GET", "/v1/nothing", { key: null })).status, 401);
    assert.equal((await server.api("GET", "/v1/nothing")).status, 404);
  });
});

describe("methods that a path does not have", () => {
  test("give 405 with the allowed methods", async () => {
    const answer = await server.api("DELETE", "/api/v1/me");
    expectError(answer, 405, "method_not_allowed");
    const allowed = answer.headers.allow.split(", ");
    assert.ok(allowed.includes("GET") && allowed.includes("HEAD"), answer.headers.allow);
    assert.ok(!allowed.includes("DELETE"));
  });

  test("need a key first", async () => {
    expectUnauthenticated(await server.api("DELETE", "/api/v1/me", { key: null }));
  });
});

describe("public routes", () => {
  const paths = ["/health", "/version", "/openapi.json", "/docs"];

  test("respond without a key and ignore an invalid key", async () => {
    for (const path of paths) {
      for (const key of [null, "no-such-key-0123456789"]) {
        assert.equal((await server.api("GET", path, { key })).status, 200, path);
      }
    }
  });

  test("return the documented content", async () => {
    assert.deepEqual((await server.api("GET", "/health", { key: null })).json, { status: "ok" });
    const version = await server.api("GET", "/version", { key: null });
    assert.equal(version.json.version, "0.1.0");
  });

  test("the root redirects to the console", async () => {
    const answer = await server.api("GET", "/", { key: null });
    assert.ok([301, 302, 303, 307, 308].includes(answer.status), String(answer.status));
    assert.equal(new URL(answer.headers.location, server.url).href, `${server.url}/console/`);
  });

  test("HEAD returns the headers of GET without the body", async () => {
    const connection = await RawConnection.open(server.url);
    try {
      await connection.send(rawRequest("HEAD /health HTTP/1.1"));
      const head = await connection.response({ bodyless: true });
      assert.equal(head.status, 200);
      assert.equal(head.headers["content-length"], String('{"status":"ok"}'.length));
      await connection.send(rawRequest("GET /health HTTP/1.1"));
      assert.equal((await connection.response()).text, '{"status":"ok"}');
    } finally {
      connection.destroy();
    }
  });
});

describe("metrics", () => {
  test("are Prometheus text that counts requests", async () => {
    await server.api("GET", "/health", { key: null });
    const answer = await server.api("GET", "/metrics");
    assert.equal(answer.status, 200);
    assert.match(answer.headers["content-type"], /^text\/plain; version=0\.0\.4/);
    const lines = answer.text.trimEnd().split("\n");
    const sample = /^[a-zA-Z_:][a-zA-Z0-9_:]*(\{.*\})? (-?[0-9.e+-]+|[+-]Inf|NaN)$/;
    for (const line of lines) assert.match(line, line.startsWith("#") ? /^# (HELP|TYPE) / : sample);
    const counted = lines.filter((line) => /requests_total\{.*"\/health"/.test(line));
    assert.ok(counted.length > 0, answer.text);
  });

  test("need a key if the API document says so", async () => {
    const document = (await server.api("GET", "/openapi.json", { key: null })).json;
    const { security } = document.paths["/metrics"].get;
    const open = security.length === 0 || security.some((way) => Object.keys(way).length === 0);
    const answer = await server.api("GET", "/metrics", { key: null });
    assert.equal(answer.status, open ? 200 : 401);
  });
});

describe("the rate limit", () => {
  test("is off unless it is set", async () => {
    const answer = await server.api("GET", "/api/v1/me");
    assert.equal(answer.headers["ratelimit-limit"], undefined);
  });

  test("applies per key and returns Retry-After", async () => {
    const limited = await startServer({ args: ["--limits-requests-per-minute", "30"] });
    try {
      const other = await makeUser(limited);
      let answer;
      let served = 0;
      do {
        answer = await limited.api("GET", "/api/v1/me");
        served += answer.status === 200 ? 1 : 0;
        assert.equal(answer.headers["ratelimit-limit"], "30");
      } while (answer.status === 200 && served < 100);
      expectError(answer, 429, "rate_limited");
      assert.ok(served <= 31, `${served} requests let through`);
      assert.equal(answer.headers["ratelimit-remaining"], "0");
      assert.ok(Number(answer.headers["ratelimit-reset"]) > 0);
      assert.ok(Number(answer.headers["retry-after"]) > 0);
      assert.equal((await limited.api("GET", "/api/v1/me", { key: other.key })).status, 200);
      assert.equal((await limited.api("GET", "/health")).status, 200);
    } finally {
      await limited.dispose();
    }
  });
});
