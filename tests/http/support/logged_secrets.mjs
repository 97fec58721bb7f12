// Collects every credential in the requests and responses of a test, and checks that the server's log contains none.

import assert from "node:assert/strict";

// Shorter values can occur in log lines by chance.
const SHORTEST = 12;
// Larger bodies contain data and are not searched.
const LONGEST_BODY = 256 * 1024;

/** Members of request bodies, at any depth, whose values are credentials. */
const CREDENTIAL_MEMBERS = new Set(["key", "value", "secret", "token", "access_token", "api_key", "password", "new_password", "code"]);
/** Credentials in responses: API keys, URLs with a token, lease tokens. */
const CREDENTIAL_PATTERNS = [/spk_[A-Za-z0-9]{12}_[A-Za-z0-9]{40}/g, /\/blobs\/([A-Za-z0-9_.~-]+)/g, /"token":"([^"]+)"/g, /"csrf_token":"([^"]+)"/g];

export class LoggedSecrets {
  #secrets = new Set();

  add(text) {
    if (typeof text === "string" && text.length >= SHORTEST) this.#secrets.add(text);
  }

  /** Collects the credentials of a request from its key, path and body. */
  addRequest({ key, path, bytes }) {
    this.add(key);
    this.#find(path);
    if (bytes === undefined || bytes.length > LONGEST_BODY || !/^\/api\/v1\/.*(upstreams|secrets|webhooks|session|password)/.test(path)) return;
    try {
      this.#walk(JSON.parse(bytes.toString("utf8")));
    } catch {
      // Not JSON: the test sends invalid input.
    }
  }

  /** Collects the credentials of a response. */
  addResponse({ headers, text }) {
    this.#find(headers.location ?? "");
    for (const cookie of headers["set-cookie"] ?? []) this.add(cookie.slice(cookie.indexOf("=") + 1).split(";")[0]);
    if (text.length <= LONGEST_BODY) this.#find(text);
  }

  /** Fails if a line of the log contains a collected credential. */
  check(log) {
    for (const secret of this.#secrets) {
      const at = log.indexOf(secret);
      if (at < 0) continue;
      const line = log.slice(log.lastIndexOf("\n", at) + 1, log.indexOf("\n", at)).replaceAll(secret, "<SECRET>");
      assert.fail(`the log shows a credential that the test used: ${line}`);
    }
  }

  #find(text) {
    for (const pattern of CREDENTIAL_PATTERNS) {
      for (const found of text.matchAll(pattern)) this.add(found[1] ?? found[0]);
    }
  }

  #walk(value, name) {
    if (typeof value === "string" && CREDENTIAL_MEMBERS.has(name)) this.add(value);
    if (value === null || typeof value !== "object") return;
    for (const [member, inner] of Object.entries(value)) this.#walk(inner, Array.isArray(value) ? name : member);
  }
}
