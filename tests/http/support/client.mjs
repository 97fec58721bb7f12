// HTTP with an API key, over kept-alive connections.

import assert from "node:assert/strict";
import * as http from "node:http";
import * as https from "node:https";

import { undocumented } from "./documented.mjs";
import { LoggedSecrets } from "./logged_secrets.mjs";

// Only so that a server that hangs fails a test instead of stopping the run.
const HANG_MS = 30_000;

export class Client {
  /**
   * ca          the certificate to trust where the URL is https
   * documented  false where responses are not held against the API document: of a server that is not ours, or
   *             that spells names in another way
   */
  constructor(url, key, { ca, documented = true } = {}) {
    this.url = url;
    this.key = key;
    this.secrets = new LoggedSecrets();
    this.documented = documented;
    this.protocol = new URL(url).protocol === "https:" ? https : http;
    this.agent = new this.protocol.Agent({ keepAlive: true, maxSockets: 64, ca });
  }

  /**
   * key      the API key as Bearer; the client's own when left out, null for none
   * body     a Buffer or string goes as it is, anything else as JSON
   * Resolves with {status, headers, bytes, text, json}; json is undefined where the body is none.
   * Rejects with an AssertionError where the API document does not allow the response.
   */
  request(method, path, { key = this.key, body, headers = {} } = {}) {
    const bytes = encode(body);
    this.secrets.sent({ key, path, bytes });
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
            this.secrets.given(answer);
            return this.documentedOnly(method, path, sent, answer);
          })
          .then(resolve, reject),
      );
      outgoing.on("error", reject);
      outgoing.on("timeout", () => outgoing.destroy(new Error(`${method} ${path}: no answer`)));
      outgoing.end(bytes);
    });
  }

  documentedOnly(method, path, sent, answer) {
    const complaint = this.documented && undocumented(method, path, sent, answer);
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
