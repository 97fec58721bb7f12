// Browser sessions: signing in, cookies, CSRF, foreign hosts, expiry and revocation.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { Browser, OWN_PAGE, cookieOf } from "./support/browser.mjs";
import { expectError, expectId, expectMembers, expectTimestamp, expectViolations } from "./support/expect.mjs";
import { freshName, makeKey, makeServiceAccount, makeTeam, makeUser } from "./support/people.mjs";
import { filesIn } from "./support/program.mjs";
import { startServer, withServer } from "./support/server.mjs";

const PASSWORD = "a password that is long enough";
// Routes that start a session or read by a secret in the body: pages of the server may call them without a token.
const WITHOUT_TOKEN = new Set(["POST /api/v1/session", "POST /api/v1/invitations/show"]);

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

/** Returns a browser in which a new user has signed in with an API key. */
async function signedIn(user) {
  const person = user ?? (await makeUser(server));
  const browser = new Browser(server);
  await browser.signIn({ api_key: person.key });
  return Object.assign(browser, { user: person });
}

async function makePerson() {
  const user = await makeUser(server);
  const answer = await server.api("PUT", `/api/v1/users/${user.username}/password`, { body: { new_password: PASSWORD } });
  assert.equal(answer.status, 204, answer.text);
  return user;
}

async function loginCode(...args) {
  const ended = await server.cli("login-link", "--json", ...args);
  assert.equal(ended.code, 0, ended.stderr);
  const { link } = JSON.parse(ended.stdout);
  const { hash, pathname, origin } = new URL(link);
  assert.equal(origin, server.url);
  assert.equal(pathname, "/console");
  assert.match(hash, /^#code=[A-Za-z0-9_-]{43}$/);
  return hash.slice("#code=".length);
}

describe("signing in", () => {
  test("with an API key starts a session", async () => {
    const user = await makeUser(server);
    const browser = new Browser(server);
    const answer = await browser.signIn({ api_key: user.key });
    expectMembers(answer.json, ["username", "name", "organization_admin", "csrf_token", "expires_at", "idle_expires_at"]);
    assert.equal(answer.json.username, user.username);
    assert.equal(answer.json.organization_admin, false);
    expectTimestamp(answer.json.expires_at);
    expectTimestamp(answer.json.idle_expires_at);
    assert.equal(answer.headers["cache-control"], "no-store");
    const me = await browser.request("GET", "/api/v1/me");
    assert.equal(me.status, 200);
    assert.equal(me.json.username, user.username);
    assert.equal(me.headers["cache-control"], "no-store");
  });

  test("with a password works in either case of the user name", async () => {
    const user = await makePerson();
    for (const username of [user.username, user.username.toUpperCase()]) {
      const answer = await new Browser(server).signIn({ username, password: PASSWORD });
      assert.equal(answer.json.username, user.username);
    }
  });

  test("with the code of a link works once", async () => {
    const code = await loginCode();
    const browser = new Browser(server);
    const answer = await browser.signIn({ code });
    assert.equal(answer.json.username, "admin");
    assert.equal(answer.json.organization_admin, true);
    expectError(await browser.request("POST", "/api/v1/session", { body: { code } }), 401, "invalid_credentials");
    const user = await makeUser(server);
    const other = await new Browser(server).signIn({ code: await loginCode("--user", user.username) });
    assert.equal(other.json.username, user.username);
  });

  test("is refused alike for every wrong credential", async () => {
    const user = await makePerson();
    const without = await makeUser(server);
    const browser = new Browser(server);
    const messages = new Set();
    for (const body of [
      { username: user.username, password: "wrong" },
      { username: without.username, password: "wrong" },
      { username: freshName("nobody"), password: PASSWORD },
    ]) {
      const answer = await browser.request("POST", "/api/v1/session", { body });
      expectError(answer, 401, "invalid_credentials");
      assert.equal(answer.headers["www-authenticate"], "Bearer", "no dialog of the browser");
      assert.equal(answer.headers["set-cookie"], undefined);
      messages.add(answer.json.detail);
    }
    assert.equal(messages.size, 1, "the message does not tell which users exist");
    for (const body of [{ api_key: `${user.key}x` }, { api_key: "x" }, { code: "x" }]) {
      expectError(await browser.request("POST", "/api/v1/session", { body }), 401, "invalid_credentials");
    }
  });

  test("needs exactly one kind of credential", async () => {
    const browser = new Browser(server);
    for (const body of [{}, { username: "a" }, { password: "b" }, { api_key: "a", code: "b" }, { api_key: "a", username: "b", password: "c" }]) {
      expectViolations(await browser.request("POST", "/api/v1/session", { body }), ["value_error", "body"]);
    }
    const typo = await browser.request("POST", "/api/v1/session", { body: { apikey: "some-secret-key" } });
    expectViolations(typo, ["extra_forbidden", "body", "apikey"]);
    assert.ok(!typo.text.includes("some-secret-key"), "secrets are not repeated");
  });

  test("ends for good when the user is suspended", async () => {
    const browser = await signedIn();
    const { username } = browser.user;
    const code = await loginCode("--user", username);
    for (const suspended of [true, false]) {
      const changed = await server.api("PATCH", `/api/v1/users/${username}`, { body: { suspended } });
      assert.equal(changed.status, 200, changed.text);
      assert.equal((await browser.request("GET", "/api/v1/session")).status, 401);
    }
    assert.equal((await new Browser(server).request("POST", "/api/v1/session", { body: { code } })).status, 401);
    await browser.signIn({ api_key: browser.user.key });
  });

  test("does not tell whether the password of a suspended user is right", async () => {
    const user = await makePerson();
    const suspended = await server.api("PATCH", `/api/v1/users/${user.username}`, { body: { suspended: true } });
    assert.equal(suspended.status, 200, suspended.text);
    const attempt = (password) =>
      new Browser(server).request("POST", "/api/v1/session", { body: { username: user.username, password } });
    const right = await attempt(PASSWORD);
    const wrong = await attempt("wrong");
    assert.deepEqual([right.status, right.text], [401, wrong.text]);
  });

  test("is limited per account and address, with the time to wait", async () => {
    const user = await makePerson();
    const browser = new Browser(server);
    const headers = { "x-forwarded-for": "203.0.113.1" };
    const attempt = (password, more = headers) =>
      browser.request("POST", "/api/v1/session", { body: { username: user.username, password }, headers: more });
    const session = await signedIn(user);
    let answer;
    let attempts = 0;
    do {
      answer = await attempt("wrong");
      attempts += 1;
    } while (answer.status === 401 && attempts < 40);
    assert.equal(answer.status, 429, answer.text);
    assert.equal(attempts, 11);
    assert.ok(Number(answer.headers["retry-after"]) > 0);
    assert.equal((await attempt(PASSWORD)).status, 429);
    // The attempts of a stranger concern neither the person elsewhere nor its sessions.
    assert.equal((await attempt(PASSWORD, { "x-forwarded-for": "203.0.113.2" })).status, 201);
    const body = { current_password: PASSWORD, new_password: `${PASSWORD}!` };
    const changed = await session.request("PUT", "/api/v1/me/password", { body });
    assert.equal(changed.status, 200, changed.text);
    assert.equal((await signedIn(user)).cookie !== undefined, true, "the API key still works");
  });

  test("is limited per address", async () => {
    const headers = { "x-forwarded-for": "198.51.100.7" };
    const browser = new Browser(server);
    const statuses = [];
    for (let i = 0; i < 32; i += 1) {
      statuses.push((await browser.request("POST", "/api/v1/session", { body: { api_key: `wrong-${i}` }, headers })).status);
    }
    assert.equal(statuses.filter((status) => status === 401).length >= 30, true, statuses.join());
    assert.equal(statuses.at(-1), 429);
    const { key } = await makeUser(server);
    const other = { "x-forwarded-for": "198.51.100.8" };
    assert.equal((await browser.request("POST", "/api/v1/session", { body: { api_key: key }, headers: other })).status, 201);
  });

  test("makes a new token and ends the former session of the browser", async () => {
    const browser = await signedIn();
    const former = { cookie: browser.cookie };
    await browser.signIn({ api_key: browser.user.key });
    assert.notEqual(browser.cookie, former.cookie);
    assert.equal((await browser.request("GET", "/api/v1/session", former)).status, 401);
    const planted = `spindle=${"A".repeat(43)}`;
    const fresh = new Browser(server);
    fresh.cookie = planted;
    await fresh.signIn({ api_key: browser.user.key });
    assert.notEqual(fresh.cookie, planted);
    assert.equal((await fresh.request("GET", "/api/v1/session", { cookie: planted })).status, 401);
  });

  test("ignores an Idempotency-Key", async () => {
    const user = await makeUser(server);
    const headers = { "idempotency-key": "once" };
    const first = await new Browser(server).signIn({ api_key: user.key }, { headers });
    const second = await new Browser(server).signIn({ api_key: user.key }, { headers });
    assert.notEqual(cookieOf(first).value, cookieOf(second).value);
  });
});

describe("the cookie", () => {
  const seconds = 7 * 24 * 3600;

  async function cookieFor(target, { path = "", headers = {} } = {}) {
    const browser = new Browser(target, { path });
    return cookieOf(await browser.signIn({ api_key: target.adminKey }, { headers }));
  }

  test("over HTTP is not readable by scripts and not sent by other sites", async () => {
    const { value, ...attributes } = await cookieFor(server);
    assert.match(value, /^[A-Za-z0-9_-]{43}$/);
    assert.deepEqual(attributes, { name: "spindle", path: "/", "max-age": String(seconds), httponly: true, samesite: "Lax" });
  });

  test("over HTTPS is Secure and has the __Host- prefix", async () => {
    const { value, ...attributes } = await cookieFor(server, { headers: { "x-forwarded-proto": "https" } });
    assert.ok(value);
    assert.deepEqual(attributes, {
      name: "__Host-spindle", path: "/", "max-age": String(seconds), httponly: true, samesite: "Lax", secure: true,
    });
  });

  test("below a path prefix is limited to it", async () => {
    await withServer({ env: { SPINDLE_BASE_PATH: "/custom" } }, async (below) => {
      const plain = await cookieFor(below, { path: "/custom" });
      assert.equal(plain.name, "spindle");
      assert.equal(plain.path, "/custom/");
      const secure = await cookieFor(below, { path: "/custom", headers: { "x-forwarded-proto": "https" } });
      assert.equal(secure.name, "__Secure-spindle");
      assert.equal(secure.path, "/custom/");
      assert.equal(secure.secure, true);
    });
  });

  test("of HTTP is ignored over HTTPS", async () => {
    const browser = await signedIn();
    const https = { "x-forwarded-proto": "https" };
    assert.equal((await browser.request("GET", "/api/v1/me", { headers: https })).status, 401);
    const renamed = browser.cookie.replace("spindle=", "__Host-spindle=");
    assert.equal((await browser.request("GET", "/api/v1/me", { cookie: renamed, headers: https })).status, 200);
  });

  test("counts only without another credential", async () => {
    const browser = await signedIn();
    const other = await makeUser(server);
    const bearer = { authorization: `Bearer ${other.key}` };
    assert.equal((await browser.request("GET", "/api/v1/me", { headers: bearer })).json.username, other.username);
    for (const authorization of ["Bearer wrong-key-01234567890123", "Bearer", "", "Basic x"]) {
      assert.equal((await browser.request("GET", "/api/v1/me", { headers: { authorization } })).status, 401, authorization);
    }
  });

  test("is neither stored nor logged", async () => {
    const browser = await signedIn();
    const { csrf } = browser;
    const token = browser.cookie.split("=")[1];
    assert.ok(!server.logs.includes(token));
    for (const name of filesIn(server.dataDir)) {
      const bytes = readFileSync(join(server.dataDir, name));
      assert.ok(!bytes.includes(token) && !bytes.includes(csrf), name);
    }
  });
});

describe("requests of other sites", () => {
  /** Sends every operation of the API document, except GET. */
  async function eachChange(work) {
    const document = (await server.api("GET", "/openapi.json", { key: null })).json;
    let count = 0;
    for (const [template, operations] of Object.entries(document.paths)) {
      for (const method of Object.keys(operations).map((name) => name.toUpperCase())) {
        if (method === "GET" || method === "HEAD") continue;
        count += 1;
        await work(method, template.replaceAll(/\{[^}]+\}/g, "x"), `${method} ${template}`);
      }
    }
    assert.ok(count > 150, `${count} operations`);
  }

  function expectRefused(answer, operation) {
    assert.equal(answer.status, 403, `${operation}: ${answer.status} ${answer.text}`);
    const message = answer.json.reason ?? answer.json.detail ?? answer.json.error?.message;
    assert.equal(typeof message, "string", answer.text);
  }

  test("change nothing on any route, even with the token", async () => {
    const browser = await signedIn();
    const sites = [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
      { "sec-fetch-site": undefined, origin: "https://evil.example" },
      { "sec-fetch-site": undefined, origin: "null" },
      { "sec-fetch-site": undefined },
    ];
    await eachChange(async (method, path, operation) => {
      for (const headers of sites) {
        expectRefused(await browser.request(method, path, { body: {}, headers }), operation);
      }
    });
  });

  test("change nothing on any route as a form", async () => {
    const browser = await signedIn();
    const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document", "content-type": "text/plain" };
    await eachChange(async (method, path, operation) => {
      if (method === "POST") expectRefused(await browser.request(method, path, { body: "{}", csrf: null, headers }), operation);
    });
  });

  test("no route accepts a change without the token of the session", async () => {
    const browser = await signedIn();
    const other = await signedIn();
    await eachChange(async (method, path, operation) => {
      if (WITHOUT_TOKEN.has(operation)) return;
      for (const csrf of [null, "x", other.csrf]) {
        expectRefused(await browser.request(method, path, { body: {}, csrf }), operation);
      }
    });
  });

  test("no route accepts a change at a foreign host", async () => {
    const browser = await signedIn();
    await eachChange(async (method, path, operation) => {
      expectRefused(await browser.request(method, path, { body: {}, headers: { host: "rebound.example" } }), operation);
    });
  });

  test("read nothing, except by navigating to it", async () => {
    const browser = await signedIn();
    const cross = { "sec-fetch-site": "cross-site" };
    for (const path of ["/api/v1/me", "/api/v1/session", "/v1/models", "/api/v1/nothing"]) {
      for (const mode of [
        { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script" },
        { "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" },
        { "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" },
      ]) {
        const answer = await browser.request("GET", path, { headers: { ...cross, ...mode } });
        assert.equal(answer.status, 403, `${path} ${JSON.stringify(mode)}`);
      }
      for (const origin of ["https://evil.example", "null"]) {
        const headers = { "sec-fetch-site": undefined, origin };
        const answer = await browser.request("GET", path, { headers });
        assert.equal(answer.status, 403, `${path} ${origin}`);
      }
    }
    const navigation = { ...cross, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    assert.equal((await browser.request("GET", "/api/v1/me", { headers: navigation })).status, 200);
    assert.equal((await browser.request("HEAD", "/api/v1/me")).status, 200);
  });

  test("cannot sign a person in", async () => {
    const { key } = await makeUser(server);
    const browser = new Browser(server);
    for (const headers of [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": undefined },
      { "sec-fetch-site": undefined, origin: "http://evil.example" },
      { host: "rebound.example" },
    ]) {
      const answer = await browser.request("POST", "/api/v1/session", { body: { api_key: key }, headers });
      assert.equal(answer.status, 403, JSON.stringify(headers));
      assert.equal(answer.headers["set-cookie"], undefined);
    }
    const origin = { "sec-fetch-site": undefined, origin: server.url };
    assert.equal((await browser.request("POST", "/api/v1/session", { body: { api_key: key }, headers: origin })).status, 201);
  });

  test("name the reason in the format of the API", async () => {
    const browser = await signedIn();
    expectError(await browser.request("POST", "/api/v1/teams", { body: {}, csrf: null }), 403, "csrf_token");
    expectError(await browser.request("GET", "/api/v1/me", { headers: { host: "evil.example:80" } }), 403, "foreign_host");
    const tracing = await browser.request("POST", "/calls/query", { body: {}, csrf: null });
    expectMembers(tracing.json, ["reason"]);
    const completions = await browser.request("POST", "/v1/chat/completions", { body: {}, csrf: null });
    assert.equal(completions.json.error.code, "csrf_token");
  });

  test("are refused before the body is read", async () => {
    const browser = await signedIn();
    const body = "x".repeat(4 * 1024 * 1024);
    assert.equal((await browser.request("POST", "/calls/query", { body, csrf: null })).status, 403);
  });
});

describe("a session", () => {
  test("is valid for every API", async () => {
    const browser = await signedIn();
    await makeTeam(server, { admin: browser.user.username });
    assert.equal((await browser.request("GET", "/v1/models")).status, 200);
    assert.equal((await browser.request("POST", "/calls/query", { body: {} })).status, 422);
    assert.equal((await browser.request("POST", "/api/v1/api-keys", { body: { name: "made in a browser" } })).status, 201);
    assert.equal((await browser.request("GET", "/api/v1/nothing")).status, 404);
    assert.equal((await browser.request("DELETE", "/api/v1/me")).status, 405);
  });

  test("shows itself and its token", async () => {
    const browser = await signedIn();
    const shown = await browser.request("GET", "/api/v1/session");
    assert.equal(shown.status, 200);
    assert.equal(shown.json.csrf_token, browser.csrf);
    const withKey = await server.api("GET", "/api/v1/session");
    assert.deepEqual(
      [withKey.json.username, withKey.json.csrf_token, withKey.json.expires_at, withKey.json.idle_expires_at],
      ["admin", null, null, null],
    );
    const without = await browser.request("GET", "/api/v1/session", { cookie: null });
    assert.equal(without.status, 401);
    assert.equal(without.headers["www-authenticate"], "Bearer", "no dialog of the browser");
  });

  test("ends by signing out", async () => {
    const browser = await signedIn();
    const answer = await browser.request("DELETE", "/api/v1/session");
    assert.equal(answer.status, 204);
    assert.equal(cookieOf(answer)["max-age"], "0");
    assert.equal((await browser.request("GET", "/api/v1/session")).status, 401);
    assert.equal((await server.api("DELETE", "/api/v1/session")).status, 404, "an API key has no session");
  });

  test("is listed and ended by its user and by admins only", async () => {
    const browser = await signedIn();
    const second = await signedIn(browser.user);
    const other = await signedIn();
    const { items } = (await browser.request("GET", "/api/v1/sessions")).json;
    assert.equal(items.length, 2);
    for (const item of items) {
      expectMembers(item, ["id", "created_at", "last_used_at", "expires_at", "client", "address", "current"]);
      expectId(item.id, "ses");
      assert.equal(item.address, "127.0.0.1");
    }
    assert.deepEqual(items.map((item) => item.current), [false, true]);
    const path = `/api/v1/sessions/${items[0].id}`;
    assert.equal((await other.request("DELETE", path)).status, 404);
    assert.equal((await other.request("GET", `/api/v1/sessions?username=${browser.user.username}`)).status, 403);
    assert.equal((await other.request("GET", `/api/v1/sessions?username=${freshName("nobody")}`)).status, 403);
    const byAdmin = await server.api("GET", `/api/v1/sessions?username=${browser.user.username}`);
    assert.equal(byAdmin.json.items.length, 2);
    assert.equal((await browser.request("DELETE", path)).status, 204);
    assert.equal((await browser.request("DELETE", path)).status, 404);
    assert.equal((await second.request("GET", "/api/v1/session")).status, 401);
    assert.equal((await server.api("DELETE", `/api/v1/sessions/${items[1].id}`)).status, 204);
    assert.equal((await browser.request("GET", "/api/v1/session")).status, 401);
  });

  test("of an API key ends with the key", async () => {
    const user = await makeUser(server);
    const made = await makeKey(server, user.username);
    const browser = new Browser(server);
    await browser.signIn({ api_key: made.key });
    assert.equal((await server.api("DELETE", `/api/v1/api-keys/${made.id}`)).status, 204);
    assert.equal((await browser.request("GET", "/api/v1/me")).status, 401);
  });

  test("of a service account ends with its team", async () => {
    const team = await makeTeam(server);
    const { api_key: key } = await makeServiceAccount(server, team.name);
    const browser = new Browser(server);
    await browser.signIn({ api_key: key });
    assert.equal((await server.api("DELETE", `/api/v1/teams/${team.name}`)).status, 204);
    assert.equal((await browser.request("GET", "/api/v1/me")).status, 401);
  });

  test("expires when it is not used", async () => {
    // The server's clock cannot be set from here; the unit tests use one that can.
    await withServer({ env: { SPINDLE_SESSION_IDLE: "5m", SPINDLE_SESSION_LIFETIME: "10m" } }, async (brief) => {
      const answer = await new Browser(brief).signIn({ api_key: brief.adminKey });
      const left = (text) => (Date.parse(text) - Date.now()) / 60_000;
      assert.ok(left(answer.json.expires_at) <= 10 && left(answer.json.expires_at) > 8);
      assert.ok(left(answer.json.idle_expires_at) <= 5 && left(answer.json.idle_expires_at) > 3);
      assert.equal(cookieOf(answer)["max-age"], "600");
    });
  });

  test("survives a restart", async () => {
    await withServer({}, async (first) => {
      const browser = new Browser(first);
      await browser.signIn({ api_key: first.adminKey });
      await first.stop();
      const second = await startServer({ dataDir: first.dataDir });
      try {
        const again = Object.assign(new Browser(second), { cookie: browser.cookie, csrf: browser.csrf });
        assert.equal((await again.request("GET", "/api/v1/session")).json.csrf_token, browser.csrf);
      } finally {
        await second.dispose();
      }
    });
  });

  test("shares the rate limit of its key", async () => {
    await withServer({ args: ["--limits-requests-per-minute", "30"] }, async (limited) => {
      const browser = new Browser(limited);
      await browser.signIn({ api_key: limited.adminKey });
      let answer;
      for (let i = 0; i < 40; i += 1) answer = await browser.request("GET", "/api/v1/me");
      assert.equal(answer.status, 429);
      assert.equal((await limited.api("GET", "/api/v1/me")).status, 429, "the key itself");
    });
  });
});

describe("passwords", () => {
  test("are set once without the current one, then need it", async () => {
    const browser = await signedIn();
    const second = await signedIn(browser.user);
    const path = "/api/v1/me/password";
    const set = await browser.request("PUT", path, { body: { new_password: PASSWORD } });
    assert.equal(set.status, 200, set.text);
    assert.equal((await browser.request("GET", "/api/v1/session")).status, 401, "the former cookie");
    assert.equal((await second.request("GET", "/api/v1/session")).status, 401, "other sessions");
    browser.keep(set);
    assert.equal((await browser.request("GET", "/api/v1/session")).status, 200);
    for (const current of [undefined, "wrong"]) {
      const body = { current_password: current, new_password: `${PASSWORD}!` };
      expectError(await browser.request("PUT", path, { body }), 403, "wrong_password");
    }
    const body = { current_password: PASSWORD, new_password: `${PASSWORD}!` };
    assert.equal((await browser.request("PUT", path, { body })).status, 200);
    const { username } = browser.user;
    await new Browser(server).signIn({ username, password: `${PASSWORD}!` });
  });

  test("have at least 12 characters and are not repeated in errors", async () => {
    const browser = await signedIn();
    const answer = await browser.request("PUT", "/api/v1/me/password", { body: { new_password: "elevenchars" } });
    expectViolations(answer, ["string_too_short", "body", "new_password"]);
    assert.ok(!answer.text.includes("elevenchars"));
    const long = await browser.request("PUT", "/api/v1/me/password", { body: { new_password: "x".repeat(1025) } });
    expectViolations(long, ["string_too_long", "body", "new_password"]);
  });

  test("of others are set by organization admins only", async () => {
    const browser = await signedIn();
    const user = await makeUser(server);
    const body = { new_password: PASSWORD };
    for (const name of [user.username, "nobody"]) {
      expectError(await browser.request("PUT", `/api/v1/users/${name}/password`, { body }), 404, "not_found");
    }
    expectError(await server.api("PUT", "/api/v1/users/nobody/password", { body }), 404, "not_found");
    expectError(await server.api("PUT", "/api/v1/users/admin/password", { body }), 409, "own_password");
    const team = await makeTeam(server);
    const { account } = await makeServiceAccount(server, team.name);
    expectError(await server.api("PUT", `/api/v1/users/${account.username}/password`, { body }), 409, "service_account");
  });
});

describe("host names", () => {
  test("are accepted when they are configured", async () => {
    const env = { SPINDLE_PUBLIC_URL: "https://spindle.example.com", SPINDLE_ALLOWED_HOSTS: "*.corp.example" };
    await withServer({ env }, async (named) => {
      const browser = new Browser(named);
      const answer = await browser.signIn({ api_key: named.adminKey }, { headers: { host: "spindle.example.com" } });
      assert.equal(cookieOf(answer).name, "__Host-spindle", "the public URL is https");
      const other = await new Browser(named).signIn({ api_key: named.adminKey }, { headers: { host: "a.corp.example:8080" } });
      assert.equal(cookieOf(other).name, "spindle");
      const refused = await browser.request("POST", "/api/v1/session", {
        body: { api_key: named.adminKey }, headers: { host: "corp.example.evil" },
      });
      assert.equal(refused.status, 403);
    });
  });

  test("matter to sessions only", async () => {
    for (const host of ["rebound.example", "anything"]) {
      assert.equal((await server.api("GET", "/api/v1/me", { headers: { host } })).status, 200, "with a key");
      assert.equal((await server.api("GET", "/health", { key: null, headers: { host, ...OWN_PAGE } })).status, 200);
    }
  });
});
