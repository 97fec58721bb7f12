// A client of the calls of a project.

import assert from "node:assert/strict";

import { freshName } from "./people.mjs";

let lastMilliseconds = 0;
let counter = 0;

/** Returns a UUIDv7; later ones sort after earlier ones. */
export function uuid7() {
  lastMilliseconds = Math.max(lastMilliseconds, Date.now());
  counter += 1;
  const time = lastMilliseconds.toString(16).padStart(12, "0");
  const count = (counter & 0xfff).toString(16).padStart(3, "0");
  const random = () => Math.floor(Math.random() * 0x10000).toString(16).padStart(4, "0");
  const tail = random() + random() + random();
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-8${random().slice(1)}-${tail}`;
}

/** Returns the time `seconds` after a fixed start. */
export function at(seconds) {
  return new Date(Date.UTC(2024, 4, 1) + seconds * 1000).toISOString();
}

/** A new project; it exists after the first write. */
export class Project {
  constructor(server, name = `${freshName("team")}/traces`) {
    this.server = server;
    this.id = name;
    [this.entity, this.project] = name.split("/");
  }

  post(path, body, options = {}) {
    return this.server.api("POST", path, { body, ...options });
  }

  /** Sends a POST that must succeed and resolves with its JSON. */
  async ok(path, body, options = {}) {
    const answer = await this.post(path, body, options);
    assert.equal(answer.status, 200, `POST ${path}: ${answer.text}`);
    return answer.json;
  }

  start(fields = {}) {
    const start = {
      project_id: this.id,
      id: uuid7(),
      trace_id: uuid7(),
      op_name: "op",
      started_at: at(0),
      attributes: {},
      inputs: {},
      ...fields,
    };
    return this.ok("/call/start", { start }).then(() => start);
  }

  end(id, fields = {}) {
    const end = { project_id: this.id, id, ended_at: at(1), summary: {}, ...fields };
    return this.ok("/call/end", { end });
  }

  /** Sends complete calls and resolves with them. */
  async complete(...calls) {
    const batch = calls.map((fields) => ({
      project_id: this.id,
      id: uuid7(),
      trace_id: uuid7(),
      op_name: "op",
      started_at: at(0),
      ended_at: at(1),
      attributes: {},
      inputs: {},
      summary: {},
      ...fields,
    }));
    await this.ok(`/v2/${this.id}/calls/complete`, { batch });
    return batch;
  }

  async read(id, fields = {}) {
    const { call } = await this.ok("/call/read", { project_id: this.id, id, ...fields });
    return call;
  }

  async query(fields = {}) {
    const answer = await this.post("/calls/stream_query", { project_id: this.id, ...fields });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers["content-type"], "application/jsonl");
    assert.ok(answer.text === "" || answer.text.endsWith("\n"), "lines end with a line break");
    return answer.text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  }

  stats(fields = {}) {
    return this.ok("/calls/query_stats", { project_id: this.id, ...fields });
  }
}

/** Expects a domain error of the tracing API: {"reason": text, …more}. */
export function expectReason(answer, status, reason) {
  assert.equal(answer.status, status, answer.text);
  if (reason instanceof RegExp) {
    assert.match(answer.json.reason, reason);
  } else {
    assert.equal(answer.json.reason, reason);
  }
}
