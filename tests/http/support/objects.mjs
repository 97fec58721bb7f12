// A client of the objects, tables and files of a project.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";

import { freshName } from "./people.mjs";

/** Returns an unused project name. */
export function freshProject() {
  return `${freshName("team")}/lab`;
}

/** Returns the 43-character digest of bytes. */
export function contentDigest(bytes) {
  const text = createHash("sha256").update(bytes).digest("base64url");
  return text.replaceAll("-", "X").replaceAll("_", "Y");
}

/** Expects a successful response and returns its JSON. */
export function expectOk(answer) {
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

/** Expects a domain error: {"reason"} and the members of `more`. */
export function expectRefusal(answer, status, reason, more = {}) {
  assert.equal(answer.status, status, answer.text);
  assert.match(answer.headers["content-type"] ?? "", /^application\/json/);
  if (reason instanceof RegExp) assert.match(answer.json.reason, reason);
  else assert.equal(answer.json.reason, reason);
  assert.deepEqual({ ...answer.json, reason: "" }, { reason: "", ...more });
}

/** Builds a multipart body; fields are strings, `file` is {name, bytes}. */
export function form(fields) {
  const boundary = "spindle-form-boundary";
  const parts = [];
  for (const [name, value] of Object.entries(fields)) {
    const file = typeof value === "object" && !Buffer.isBuffer(value);
    const disposition = `form-data; name="${name}"${file ? `; filename="${value.name}"` : ""}`;
    parts.push(Buffer.from(`--${boundary}\r\nContent-Disposition: ${disposition}\r\n\r\n`));
    parts.push(Buffer.from(file ? value.bytes : value), Buffer.from("\r\n"));
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  return {
    body: Buffer.concat(parts),
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
  };
}

/** A client of one project with one API key. */
export class ProjectClient {
  constructor(server, project = freshProject(), key = server.adminKey) {
    this.server = server;
    this.project = project;
    this.key = key;
  }

  /** Returns a client of the same project with another key. */
  as(key) {
    return new ProjectClient(this.server, this.project, key);
  }

  /** Returns a client of another project with the same key. */
  withProject(project = freshProject()) {
    return new ProjectClient(this.server, project, this.key);
  }

  send(method, path, body, headers) {
    return this.server.api(method, path, { body, key: this.key, headers });
  }

  /** Sends a POST; adds the project's name to the body. */
  post(path, body = {}, headers) {
    return this.send("POST", path, { project_id: this.project, ...body }, headers);
  }

  put(path, body = {}) {
    return this.send("PUT", path, { project_id: this.project, ...body });
  }

  get(path) {
    return this.send("GET", `${path}?project_id=${encodeURIComponent(this.project)}`);
  }

  create(object_id, val, more = {}, headers) {
    const obj = { project_id: this.project, object_id, val, ...more };
    return this.send("POST", "/obj/create", { obj }, headers);
  }

  /** Publishes a value and returns its digest. */
  async publish(object_id, val, more) {
    return expectOk(await this.create(object_id, val, more)).digest;
  }

  read(object_id, digest = "latest", more = {}, headers) {
    return this.post("/obj/read", { object_id, digest, ...more }, headers);
  }

  async object(object_id, digest, more, headers) {
    return expectOk(await this.read(object_id, digest, more, headers)).obj;
  }

  async objects(more) {
    return expectOk(await this.post("/objs/query", more)).objs;
  }

  /** Creates a table and returns {digest, row_digests}. */
  async table(rows) {
    const table = { project_id: this.project, rows };
    return expectOk(await this.send("POST", "/table/create", { table }));
  }

  async rows(digest, more) {
    return expectOk(await this.post("/table/query", { digest, ...more })).rows;
  }

  upload(path, bytes, more = {}) {
    const { body, headers } = form({
      project_id: this.project,
      file: { name: "obj.py", bytes },
      ...more,
    });
    return this.send("POST", path, body, headers);
  }

  ref(kind, name, version) {
    return `svc:///${this.project}/${kind}/${name}:${version}`;
  }
}
