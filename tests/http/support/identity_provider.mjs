// Identity providers for tests of the sign-in with OpenID Connect: a real one, and one that sends any token.

import { createSign, generateKeyPairSync, randomBytes } from "node:crypto";
import { createServer } from "node:http";

import Provider from "oidc-provider";

const CLIENT = { client_id: "spindle", client_secret: "client-secret-of-the-tests" };

/** Returns the environment of a server that signs people in with this provider. */
export function oidcSettings(issuer, more = {}) {
  return {
    SPINDLE_OIDC_ISSUER: issuer,
    SPINDLE_OIDC_CLIENT_ID: CLIENT.client_id,
    SPINDLE_OIDC_CLIENT_SECRET: CLIENT.client_secret,
    SPINDLE_OIDC_CREATE_USERS: "true",
    SPINDLE_OIDC_NAME: "Example ID",
    ...more,
  };
}

function listen(handler) {
  const server = createServer((request, response) => handler(request, response));
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve({ server, issuer: `http://127.0.0.1:${server.address().port}` }));
  });
}

function close(server) {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
}

export function keyPair(kid, type = "rsa") {
  const { publicKey, privateKey } =
    type === "rsa"
      ? generateKeyPairSync("rsa", { modulusLength: 2048 })
      : generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = (key) => ({ ...key.export({ format: "jwk" }), kid, use: "sig", alg: type === "rsa" ? "RS256" : "ES256" });
  return { kid, privateKey, publicJwk: jwk(publicKey), privateJwk: jwk(privateKey) };
}

/**
 * Starts oidc-provider. The login name of a person is its subject; `people` has its claims. Call use() with the URL of
 * the server under test before the first sign-in.
 */
export async function startIdentityProvider(people, { algorithm = "RS256" } = {}) {
  let callback = (_request, response) => response.writeHead(503).end();
  const { server, issuer } = await listen((request, response) => callback(request, response));
  const keys = [keyPair("k1").privateJwk, keyPair("k2", "ec").privateJwk];
  return {
    issuer,
    close: () => close(server),
    use(url) {
      const provider = new Provider(issuer, {
        clients: [
          {
            ...CLIENT,
            redirect_uris: [`${url}/api/v1/session/oidc/callback`],
            id_token_signed_response_alg: algorithm,
          },
        ],
        claims: { openid: ["sub"], profile: ["name", "preferred_username"], email: ["email", "email_verified"] },
        conformIdTokenClaims: false,
        cookies: { keys: [randomBytes(16).toString("hex")] },
        findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...people[sub] }) }),
        jwks: { keys },
        pkce: { required: () => true },
        responseTypes: ["code"],
      });
      callback = provider.callback();
    },
  };
}

/**
 * Starts a provider whose tokens the test makes. `tokenFor({nonce, issuer, clientId, keys})` returns the ID token of
 * the next exchange, or an answer {status, body}.
 */
export async function startHostileProvider() {
  const provider = { keys: [keyPair("k1")], requests: [], tokenFor: null, nonces: new Map(), metadata: {} };
  const send = (response, body, status = 200) =>
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  const { server, issuer } = await listen(async (request, response) => {
    const { pathname } = new URL(request.url, "http://x");
    provider.requests.push(`${request.method} ${pathname}`);
    let text = "";
    for await (const piece of request) text += piece;
    if (pathname === "/.well-known/openid-configuration") {
      return send(response, {
        issuer: provider.issuer,
        authorization_endpoint: `${provider.issuer}/auth`,
        token_endpoint: `${provider.issuer}/token`,
        jwks_uri: `${provider.issuer}/jwks`,
        ...provider.metadata,
      });
    }
    if (pathname === "/jwks") return send(response, { keys: provider.keys.map(({ publicJwk }) => publicJwk) });
    if (pathname !== "/token") return response.writeHead(404).end();
    provider.tokenRequest = { form: new URLSearchParams(text), authorization: request.headers.authorization };
    const answer = provider.tokenFor(provider.tokenRequest);
    if (typeof answer === "object") return send(response, answer.body, answer.status);
    return send(response, { access_token: "x", token_type: "Bearer", id_token: answer });
  });
  provider.issuer = issuer;
  provider.close = () => close(server);
  return provider;
}

/** Returns a signed token. `header` replaces members of the usual header. */
export function signedToken(claims, key, header = {}) {
  const alg = key.publicJwk.alg;
  const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${part({ alg, kid: key.kid, typ: "JWT", ...header })}.${part(claims)}`;
  const options = alg === "ES256" ? { key: key.privateKey, dsaEncoding: "ieee-p1363" } : key.privateKey;
  return `${text}.${createSign("sha256").update(text).sign(options).toString("base64url")}`;
}

/** A browser without pages: follows redirects by hand and keeps the cookies of each origin. */
export class Browser {
  #cookies = new Map();

  async send(url, { method = "GET", form, headers = {} } = {}) {
    const { origin } = new URL(url);
    const jar = this.#cookies.get(origin) ?? new Map();
    this.#cookies.set(origin, jar);
    const response = await fetch(url, {
      method,
      redirect: "manual",
      body: form && new URLSearchParams(form),
      headers: { Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; "), ...headers },
    });
    for (const field of response.headers.getSetCookie()) {
      const [name, value] = field.split(";")[0].split(/=(.*)/s);
      if (/max-age=0/i.test(field) || value === "") jar.delete(name);
      else jar.set(name, value);
    }
    const location = response.headers.get("location");
    return {
      status: response.status,
      location: location === null ? null : new URL(location, url).href,
      cookies: response.headers.getSetCookie(),
      text: await response.text(),
    };
  }

  cookie(url, name) {
    return this.#cookies.get(new URL(url).origin)?.get(name);
  }

  setCookie(url, name, value) {
    this.#cookies.get(new URL(url).origin).set(name, value);
  }

  /** Follows redirects until a page, or until `stop` accepts the next URL. Resolves with the last answer and URL. */
  async follow(url, stop = () => false) {
    for (let hops = 0; hops < 20; ++hops) {
      if (stop(url)) return { url };
      const answer = await this.send(url);
      if (answer.location === null) return { url, answer };
      url = answer.location;
    }
    throw new Error(`too many redirects: ${url}`);
  }

  /** Signs in at oidc-provider's own pages, up to the URL of the server under test with the code. */
  async passProvider(url, login, back) {
    const returned = (next) => next.startsWith(back);
    let at = await this.follow(url, returned);
    for (let pages = 0; pages < 4 && at.answer; ++pages) {
      const form = /name="prompt" value="login"/.test(at.answer.text)
        ? { prompt: "login", login, password: "any" }
        : { prompt: "consent" };
      const [, action] = at.answer.text.match(/<form[^>]*action="([^"]+)"/);
      const posted = await this.send(new URL(action, at.url).href, { method: "POST", form });
      at = await this.follow(posted.location, returned);
    }
    return at.url;
  }
}
