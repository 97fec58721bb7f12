// Signing in with OpenID Connect: with a real provider, and with a hostile one.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import {
  Browser,
  keyPair,
  oidcSettings,
  signedToken,
  startHostileProvider,
  startIdentityProvider,
} from "./support/identity_provider.mjs";
import { freshName, makeTeam } from "./support/people.mjs";
import { startServer, withServer } from "./support/server.mjs";

const START = "/api/v1/session/oidc/start";
const CALLBACK = "/api/v1/session/oidc/callback";

const sessionOf = async (browser, server) => {
  const answer = await browser.send(`${server.url}/api/v1/session`, { headers: { "Sec-Fetch-Site": "same-origin" } });
  return answer.status === 200 ? JSON.parse(answer.text) : answer.status;
};

describe("without a provider", () => {
  test("the methods say so, and the routes are 404", async () => {
    await withServer({}, async (server) => {
      const methods = await server.api("GET", "/api/v1/session/methods", { key: null });
      assert.deepEqual(methods.json, { api_key: true, password: true, oidc: null });
      for (const path of [START, CALLBACK]) {
        assert.equal((await server.api("GET", path, { key: null })).status, 404);
      }
    });
  });
});

for (const algorithm of ["RS256", "ES256"]) {
  describe(`with oidc-provider (${algorithm})`, () => {
    const people = {
      ada: { email: "ada@example.test", email_verified: true, name: "Ada L", preferred_username: "ada" },
      eve: { email: "ada@example.test", email_verified: false, preferred_username: "eve" },
      heir: { email: "ada@example.test", email_verified: true, preferred_username: "heir" },
      root: { email: "root@example.test", email_verified: true, preferred_username: "root" },
      bob: { email: "bob@elsewhere.test", email_verified: true, preferred_username: "admin" },
    };
    let provider;
    let server;
    before(async () => {
      provider = await startIdentityProvider(people, { algorithm });
      server = await startServer({ env: oidcSettings(provider.issuer, { SPINDLE_OIDC_TEAM: "newcomers" }) });
      provider.use(server.url);
      await makeTeam(server, { name: "newcomers" });
    });
    after(async () => {
      await server.dispose();
      await provider.close();
    });

    async function signIn(login, next = "/console/p/a/b") {
      const browser = new Browser();
      const start = await browser.send(`${server.url}${START}?next=${encodeURIComponent(next)}`);
      assert.equal(start.status, 302, start.text);
      const back = await browser.passProvider(start.location, login, `${server.url}${CALLBACK}`);
      return { browser, start, back, answer: await browser.send(back) };
    }

    test("signs a person in and opens the page", async () => {
      const { browser, start, answer } = await signIn("ada");
      const asked = new URL(start.location).searchParams;
      assert.equal(asked.get("response_type"), "code");
      assert.equal(asked.get("code_challenge_method"), "S256");
      for (const name of ["state", "nonce", "code_challenge"]) assert.ok(asked.get(name).length >= 43, name);
      assert.match(start.cookies[0], /; HttpOnly; SameSite=Lax/);
      assert.equal(answer.status, 302, answer.text);
      assert.equal(answer.location, `${server.url}/console/p/a/b`);
      const session = await sessionOf(browser, server);
      assert.equal(session.username, "ada");
      assert.equal(session.organization_admin, false);
      assert.equal(browser.cookie(server.url, "spindle-oidc"), undefined);

      const { json } = await server.api("GET", "/api/v1/users/ada");
      assert.equal(json.email, "ada@example.test");
      assert.equal(json.name, "Ada L");
      const members = (await server.api("GET", "/api/v1/teams/newcomers/members")).json.items;
      assert.ok(members.some(({ user, role }) => user.username === "ada" && role === "MEMBER"));
    });

    test("knows the person again", async () => {
      await signIn("ada");
      const count = async () => (await server.api("GET", "/api/v1/users")).json.items.length;
      const before = await count();
      const { browser } = await signIn("ada");
      assert.equal((await sessionOf(browser, server)).username, "ada");
      assert.equal(await count(), before);
    });

    test("connects a verified address only", async () => {
      await signIn("ada");
      const { browser } = await signIn("eve"); // the same address, not verified
      assert.equal((await sessionOf(browser, server)).username, "eve");
      assert.equal((await server.api("GET", "/api/v1/users/eve")).json.email, null);
    });

    test("does not give a connected user to another subject with the same address", async () => {
      await signIn("ada");
      const users = async () => (await server.api("GET", "/api/v1/users")).json.items.length;
      const before = await users();
      const { browser, answer } = await signIn("heir");
      assert.equal(answer.location, `${server.url}/console/login?error=oidc_no_user`);
      assert.equal(await sessionOf(browser, server), 401);
      assert.equal(await users(), before);
      assert.equal((await sessionOf((await signIn("ada")).browser, server)).username, "ada");
    });

    test("does not connect an organization admin by its address", async () => {
      const change = (organization_admin) => server.api("PATCH", "/api/v1/users/root", { body: { organization_admin } });
      const body = { username: "root", email: "root@example.test" };
      assert.equal((await server.api("POST", "/api/v1/users", { body })).status, 201);
      assert.equal((await change(true)).status, 200);
      const { browser, answer } = await signIn("root");
      assert.equal(answer.location, `${server.url}/console/login?error=oidc_no_user`);
      assert.equal(await sessionOf(browser, server), 401);
      assert.equal((await change(false)).status, 200);
      assert.equal((await sessionOf((await signIn("root")).browser, server)).username, "root");
      assert.equal((await change(true)).status, 200);
      const again = await sessionOf((await signIn("root")).browser, server);
      assert.equal(again.organization_admin, true, "a connected user stays connected");
    });

    test("never gives the name of another user", async () => {
      const { browser } = await signIn("bob");
      const { username, organization_admin } = await sessionOf(browser, server);
      assert.equal(username, "admin-2");
      assert.equal(organization_admin, false);
    });

    test("refuses a suspended user at the next request and at the next sign-in", async () => {
      const { browser } = await signIn("ada");
      const change = (suspended) => server.api("PATCH", "/api/v1/users/ada", { body: { suspended } });
      assert.equal((await change(true)).status, 200);
      assert.equal(await sessionOf(browser, server), 401);
      const { answer, browser: again } = await signIn("ada");
      assert.equal(answer.location, `${server.url}/console/login?error=oidc_suspended`);
      assert.equal(await sessionOf(again, server), 401);
      assert.equal((await change(false)).status, 200);
    });

    test("ignores a page of another site", async () => {
      for (const next of ["https://evil.example/", "//evil.example", "/console/\\evil", "/consolex", "/api/v1/me"]) {
        const { answer } = await signIn("ada", next);
        assert.equal(answer.location, `${server.url}/console/`);
      }
    });

    test("refuses a repeated callback", async () => {
      const browser = new Browser();
      const start = await browser.send(`${server.url}${START}`);
      const back = await browser.passProvider(start.location, "ada", `${server.url}${CALLBACK}`);
      const cookie = browser.cookie(server.url, "spindle-oidc");
      assert.match((await browser.send(back)).location, /\/console\/$/);
      browser.setCookie(server.url, "spindle-oidc", cookie);
      assert.match((await browser.send(back)).location, /\/console\/login\?error=oidc_refused$/);
    });

    test("refuses the code of another browser", async () => {
      const victim = new Browser();
      await victim.send(`${server.url}${START}`);
      const attacker = new Browser();
      const start = await attacker.send(`${server.url}${START}`);
      const back = await attacker.passProvider(start.location, "eve", `${server.url}${CALLBACK}`);
      const { location } = await victim.send(back);
      assert.match(location, /error=oidc_state$/);
      assert.equal(await sessionOf(victim, server), 401);
      assert.match((await new Browser().send(back)).location, /error=oidc_state$/);
    });

    test("leaves entries in the audit log", async () => {
      await signIn("ada");
      const { items } = (await server.api("GET", "/api/v1/audit?action=user.connect")).json;
      assert.ok(items.some(({ target, details }) => target.name === "ada" && details.issuer === provider.issuer));
    });
  });
}

describe("with a hostile provider", () => {
  let provider;
  let server;
  before(async () => {
    provider = await startHostileProvider();
    server = await startServer({
      env: oidcSettings(provider.issuer, { SPINDLE_OIDC_ALLOWED_DOMAINS: "example.test, corp.test" }),
    });
  });
  after(async () => {
    await server.dispose();
    await provider.close();
  });

  const seconds = () => Math.floor(Date.now() / 1000);
  const claims = (nonce, more = {}) => ({
    iss: provider.issuer,
    aud: "spindle",
    sub: freshName("subject"),
    exp: seconds() + 300,
    iat: seconds(),
    nonce,
    email: `${freshName("person")}@example.test`,
    email_verified: true,
    ...more,
  });

  /** Signs in; `make(nonce)` returns the token. Resolves with the word after `error=`, or "ok". */
  async function outcome(make, { change = (query) => query, browser = new Browser() } = {}) {
    const start = await browser.send(`${server.url}${START}`);
    const asked = new URL(start.location).searchParams;
    provider.tokenFor = () => make(asked.get("nonce"));
    const query = change(new URLSearchParams({ code: "c", state: asked.get("state") }));
    const { status, location } = await browser.send(`${server.url}${CALLBACK}?${query}`);
    assert.equal(status, 302);
    const failed = location.match(/\/console\/login\?error=oidc_(\w+)$/);
    const session = await sessionOf(browser, server);
    assert.equal(typeof session, failed ? "number" : "object", "a session only after success");
    return failed ? failed[1] : "ok";
  }
  const withClaims = (more) => outcome((nonce) => signedToken(claims(nonce, more), provider.keys[0]));

  test("a good token signs in", async () => {
    assert.equal(await withClaims({}), "ok");
    const { form, authorization } = provider.tokenRequest;
    assert.equal(form.get("grant_type"), "authorization_code");
    assert.ok(form.get("code_verifier").length >= 43);
    assert.equal(form.get("redirect_uri"), `${server.url}${CALLBACK}`);
    assert.match(authorization, /^Basic /);
    assert.equal(form.get("client_secret"), null);
  });

  test("tokens with other algorithms are refused", async () => {
    const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const unsigned = (alg) => (nonce) => `${part({ alg })}.${part(claims(nonce))}.`;
    for (const alg of ["none", "None", "NONE", "HS256"]) assert.equal(await outcome(unsigned(alg)), "refused", alg);
    const confused = (nonce) => signedToken(claims(nonce), provider.keys[0], { alg: "HS256" });
    assert.equal(await outcome(confused), "refused");
  });

  test("tokens with another key or a changed text are refused", async () => {
    const other = keyPair("k1"); // the id of a known key
    assert.equal(await outcome((nonce) => signedToken(claims(nonce), other)), "refused");
    const changed = (nonce) => {
      const [header, , signature] = signedToken(claims(nonce), provider.keys[0]).split(".");
      return `${header}.${Buffer.from(JSON.stringify(claims(nonce, { sub: "x" }))).toString("base64url")}.${signature}`;
    };
    assert.equal(await outcome(changed), "refused");
    for (const text of ["", "x", "a.b.c", "..."]) {
      assert.match(await outcome(() => text || { status: 200, body: {} }), /^(refused|unavailable)$/);
    }
  });

  const wrong = {
    "another issuer": { iss: "https://evil.example" },
    "another client": { aud: "other" },
    "several clients without azp": { aud: ["spindle", "other"] },
    "another party": { azp: "other" },
    "an expired token": { exp: 1_600_000_000 },
    "no expiry": { exp: undefined },
    "a token of the future": { iat: 4_000_000_000 },
    "another nonce": { nonce: "x" },
    "no nonce": { nonce: undefined },
    "no subject": { sub: undefined },
  };
  for (const [what, more] of Object.entries(wrong)) {
    test(`${what} is refused`, async () => assert.equal(await withClaims(more), "refused"));
  }

  test("the nonce of another sign-in is refused", async () => {
    let first;
    await outcome((nonce) => {
      first = nonce;
      return "x.y.z";
    });
    assert.equal(await outcome(() => signedToken(claims(first), provider.keys[0])), "refused");
  });

  test("other domains and addresses that are not verified may not sign in", async () => {
    assert.equal(await withClaims({ email: "eve@evil.test" }), "domain");
    assert.equal(await withClaims({ email: "eve@example.test.evil.test" }), "domain");
    assert.equal(await withClaims({ email_verified: false }), "domain");
    assert.equal(await withClaims({ email_verified: "true" }), "domain");
    assert.equal(await withClaims({ email: undefined }), "domain");
    assert.equal(await withClaims({ email: `${freshName("p")}@CORP.test` }), "ok");
  });

  test("a new key of the provider is fetched, once per while", async () => {
    const fetched = () => provider.requests.filter((line) => line === "GET /jwks").length;
    const before = fetched();
    const fresh = keyPair("k2", "ec");
    provider.keys.push(fresh);
    assert.equal(await outcome((nonce) => signedToken(claims(nonce), fresh)), "ok");
    assert.equal(fetched(), before + 1);
    const later = keyPair("k3");
    provider.keys.push(later);
    assert.equal(await outcome((nonce) => signedToken(claims(nonce), later)), "refused");
    assert.equal(await withClaims({}), "ok");
    assert.equal(fetched(), before + 1);
  });

  test("a state that is wrong, missing, changed or of another issuer is refused", async () => {
    const good = (nonce) => signedToken(claims(nonce), provider.keys[0]);
    const set = (name, value) => (query) => {
      query.set(name, value);
      return query;
    };
    assert.equal(await outcome(good, { change: set("state", "x") }), "state");
    assert.equal(await outcome(good, { change: set("state", "") }), "state");
    assert.equal(await outcome(good, { change: set("iss", "https://evil.example") }), "state");
    assert.equal(await outcome(good, { change: set("code", "") }), "state");
    assert.equal(await outcome(good, { change: set("error", "access_denied") }), "cancelled");
  });

  test("a used state is refused although the provider takes the code again", async () => {
    const browser = new Browser();
    const start = await browser.send(`${server.url}${START}`);
    const asked = new URL(start.location).searchParams;
    provider.tokenFor = () => signedToken(claims(asked.get("nonce")), provider.keys[0]);
    const cookie = browser.cookie(server.url, "spindle-oidc");
    const url = `${server.url}${CALLBACK}?${new URLSearchParams({ code: "c", state: asked.get("state") })}`;
    assert.match((await browser.send(url)).location, /\/console\/$/);
    browser.setCookie(server.url, "spindle-oidc", cookie);
    assert.match((await browser.send(url)).location, /error=oidc_replayed$/);
    browser.setCookie(server.url, "spindle-oidc", `${cookie.slice(0, -4)}AAAA`);
    assert.match((await browser.send(url)).location, /error=oidc_state$/);
  });

  test("a failing provider is not called again at once", async () => {
    const broken = await startHostileProvider();
    broken.metadata = { issuer: "https://other.example" };
    try {
      await withServer({ env: oidcSettings(broken.issuer) }, async (own) => {
        for (let i = 0; i < 5; ++i) {
          const answer = await own.api("GET", START, { key: null });
          assert.equal(answer.status, 302);
          assert.match(answer.headers.location, /error=oidc_unavailable$/);
        }
      });
      assert.equal(broken.requests.length, 1);
    } finally {
      await broken.close();
    }
  });

  test("endpoints at forbidden addresses are not called", async () => {
    const tricky = await startHostileProvider();
    tricky.metadata = { token_endpoint: "http://169.254.169.254/token" };
    try {
      await withServer({ env: oidcSettings(tricky.issuer) }, async (own) => {
        const browser = new Browser();
        const start = await browser.send(`${own.url}${START}`);
        const state = new URL(start.location).searchParams.get("state");
        const { location } = await browser.send(`${own.url}${CALLBACK}?code=c&state=${state}`);
        assert.match(location, /error=oidc_unavailable$/);
      });
    } finally {
      await tricky.close();
    }
  });

  test("secrets do not reach the log", () => {
    assert.ok(!server.logs.includes("client-secret-of-the-tests"));
  });

  test("many failed callbacks of an address are refused without a call of the provider", async () => {
    let last = "";
    for (let i = 0; i < 120 && last !== "too_many_attempts"; ++i) last = await outcome(() => "x.y.z");
    assert.equal(last, "too_many_attempts");
    const before = provider.requests.length;
    assert.equal(await outcome(() => "x.y.z"), "too_many_attempts");
    assert.equal(provider.requests.length, before);
  });
});
