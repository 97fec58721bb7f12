// A browser as far as sessions are concerned: it keeps the cookie and the CSRF token of one session.

import assert from "node:assert/strict";

/** Headers of a request that a page of the server sends. */
export const OWN_PAGE = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" };

export class Browser {
  constructor(server, { path = "" } = {}) {
    this.server = server;
    this.path = path; // the prefix below which the browser reaches the server
    this.cookie = undefined;
    this.csrf = undefined;
  }

  /** Signs in with `{api_key}`, `{username, password}` or `{code}`, and keeps the session. */
  async signIn(body, { headers = {} } = {}) {
    const answer = await this.request("POST", "/api/v1/session", { body, csrf: null, headers });
    assert.equal(answer.status, 201, answer.text);
    this.keep(answer);
    return answer;
  }

  /** Keeps the cookie and the token of a response that starts a session. */
  keep(answer) {
    [this.cookie] = answer.headers["set-cookie"][0].split(";");
    this.csrf = answer.json.csrf_token;
  }

  /**
   * Sends a request as a page of the server does.
   *
   * csrf     the token; null for none
   * cookie   null for none
   * headers  replace those of OWN_PAGE; undefined removes one
   */
  request(method, path, { body, csrf = this.csrf, cookie = this.cookie, headers = {} } = {}) {
    const all = {
      ...OWN_PAGE,
      ...(cookie ? { cookie } : {}),
      ...(csrf && method !== "GET" && method !== "HEAD" ? { "x-csrf-token": csrf } : {}),
      ...headers,
    };
    const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    return this.server.api(method, `${this.path}${path}`, { key: null, body, headers: sent });
  }
}

/** Returns the attributes of the response's only cookie: {name, value, path, "max-age", httponly, …}. */
export function cookieOf(answer) {
  assert.equal(answer.headers["set-cookie"]?.length, 1);
  const [pair, ...attributes] = answer.headers["set-cookie"][0].split("; ");
  const found = Object.fromEntries(
    attributes.map((attribute) => {
      const [name, value = true] = attribute.split("=");
      return [name.toLowerCase(), value];
    }),
  );
  const equals = pair.indexOf("=");
  return { name: pair.slice(0, equals), value: pair.slice(equals + 1), ...found };
}
