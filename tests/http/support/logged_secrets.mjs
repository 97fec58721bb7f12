// Collects every credential that a test sends or is given, and checks that none is in a server's log.

import assert from "node:assert/strict";

// Shorter values occur in log lines by chance.
const SHORTEST = 12;
// Bodies beyond this are data.
const LONGEST_BODY = 256 * 1024;

/** Members of request bodies whose values are credentials, wherever they stand. */
const SENT = new Set(["key", "value", "secret", "token", "access_token", "api_key", "password"]);
/** What a server gives out: API keys, URLs with a token, lease tokens. */
const GIVEN = [/spk_[A-Za-z0-9]{12}_[A-Za-z0-9]{40}/g, /\/blobs\/([A-Za-z0-9_.~-]+)/g, /"token":"([^"]+)"/g];

export class LoggedSecrets {
  #secrets = new Set();

  add(text) {
    if (typeof text === "string" && text.length >= SHORTEST) this.#secrets.add(text);
  }

  /** A request: the key it is sent with, its path and its body. */
  sent({ key, path, bytes }) {
    this.add(key);
    this.#find(path);
    if (bytes === undefined || bytes.length > LONGEST_BODY || !/^\/api\/v1\/.*(upstreams|secrets|webhooks)/.test(path)) return;
    try {
      this.#walk(JSON.parse(bytes.toString("utf8")));
    } catch {
      // Not JSON: a test of bad input.
    }
  }

  /** The answer to one. */
  given({ headers, text }) {
    this.#find(headers.location ?? "");
    if (text.length <= LONGEST_BODY) this.#find(text);
  }

  /** Fails when a line of the log has one of them. */
  check(log) {
    for (const secret of this.#secrets) {
      const at = log.indexOf(secret);
      if (at < 0) continue;
      const line = log.slice(log.lastIndexOf("\n", at) + 1, log.indexOf("\n", at)).replaceAll(secret, "<SECRET>");
      assert.fail(`the log shows a credential that the test used: ${line}`);
    }
  }

  #find(text) {
    for (const pattern of GIVEN) {
      for (const found of text.matchAll(pattern)) this.add(found[1] ?? found[0]);
    }
  }

  #walk(value, name) {
    if (typeof value === "string" && SENT.has(name)) this.add(value);
    if (value === null || typeof value !== "object") return;
    for (const [member, inner] of Object.entries(value)) this.#walk(inner, Array.isArray(value) ? name : member);
  }
}
