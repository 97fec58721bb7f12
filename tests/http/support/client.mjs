// An HTTP client with an API key and persistent connections.

import assert from "node:assert/strict";
import * as http from "node:http";
import * as https from "node:https";

import { responseViolation } from "./openapi_responses.mjs";
import { LoggedSecrets } from "./logged_secrets.mjs";
import { waitLimit } from "./time_limits.mjs";

// Makes a test fail when the server hangs.
const HANG_MS = waitLimit(30_000);
// Unused connections are closed here, before the server closes them (limits.idle_timeout, 75 s): a request that is sent
// while the server closes its connection gets no response.
const UNUSED_MS = 20_000;

export class Client {
  /**
   * ca          the certificate to trust, if the URL is https
   * documented  false to skip the comparison of responses with the API document: for another server, or one
   *             with another wire profile
   */
  constructor(url, key, { ca, documented = true } = {}) {
    this.url = url;
    this.key = key;
    this.secrets = new LoggedSecrets();
    this.documented = documented;
    this.protocol = new URL(url).protocol === "https:" ? https : http;
    this.agent = new this.protocol.Agent({ keepAlive: true, maxSockets: 64, timeout: UNUSED_MS, ca });
  }

  /**
   * key      the Bearer API key; the client's own key by default, null for none
   * body     a Buffer or string is sent unchanged, another value as JSON
   * Resolves with {status, headers, bytes, text, json}; json is undefined if the body is not JSON.
   * Rejects with an AssertionError if the API document does not allow the response.
   */
  request(method, path, { key = this.key, body, headers = {} } = {}) {
    const bytes = encode(body);
    this.secrets.addRequest({ key, path, bytes });
    const sent = {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(bytes === undefined ? {} : { "content-type": "application/json" }),
      ...(bytes === undefined ? {} : { "content-length": bytes.length }),
      ...lowerCased(headers),
    };
    return new Promise((resolve, reject) => {
      const outgoing = this.protocol.request(
        new URL(path, this.url),
        { method, headers: sent, agent: this.agent, timeout: HANG_MS },
        (incoming) => collect(incoming)
          .then((answer) => {
            this.secrets.addResponse(answer);
            return this.checkDocumented(method, path, sent, answer);
          })
          .then(resolve, reject),
      );
      outgoing.on("error", reject);
      outgoing.on("timeout", () => outgoing.destroy(new Error(`${method} ${path}: no response`)));
      outgoing.end(bytes);
    });
  }

  checkDocumented(method, path, sent, answer) {
    const complaint = this.documented && responseViolation(method, path, sent, answer);
    if (complaint) assert.fail(complaint);
    return answer;
  }

  close() {
    this.agent.destroy();
  }
}

function encode(body) {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

function lowerCased(headers) {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

async function collect(incoming) {
  const chunks = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const { statusCode: status, headers } = incoming;
  const text = headers["content-encoding"] === undefined ? bytes.toString("utf8") : "";
  const isJson = /^application\/json(;|$)/.test(headers["content-type"] ?? "");
  const json = isJson && text !== "" ? JSON.parse(text) : undefined;
  return { status, headers, bytes, text, json };
}
