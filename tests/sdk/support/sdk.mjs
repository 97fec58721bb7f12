// The real Node SDK, configured for a test server, and the server's view of the data it wrote.

import assert from "node:assert/strict";

import weave from "weave";

import { freshName } from "../../http/support/people.mjs";
import { makeFolder } from "../../http/support/program.mjs";

// The SDK writes an error log into the working folder.
process.chdir(makeFolder());
process.env.WEAVE_PRINT_CALL_LINK = "false";

export { weave };

/** Configures the SDK for the server and a new project. */
export async function trace(server, { key = server.adminKey } = {}) {
  process.env.WF_TRACE_SERVER_URL = server.url;
  process.env.WANDB_BASE_URL = server.url;
  process.env.WANDB_API_KEY = key;
  const project = `${freshName("team")}/sdk`;
  const client = await weave.init(project);
  return new Traced(server, client, project);
}

/** A traced project. Its requests do not come from the SDK, so responses have neutral names. */
class Traced {
  constructor(server, client, project) {
    this.server = server;
    this.client = client;
    this.project = project;
  }

  async post(path, body) {
    const answer = await this.server.api("POST", path, { body: { project_id: this.project, ...body } });
    assert.equal(answer.status, 200, `${path}: ${answer.text}`);
    return answer;
  }

  /** Waits until the SDK has sent its calls, and returns the server's calls, oldest first. */
  async calls(more = {}) {
    await this.client.waitForBatchProcessing();
    const { text } = await this.post("/calls/stream_query", more);
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  }

  /** Returns the only call of an op. */
  async callOf(name, more = {}) {
    const found = (await this.calls(more)).filter((call) => opName(call) === name);
    assert.equal(found.length, 1, `${found.length} calls of ${name}`);
    return found[0];
  }

  async object(object_id, digest = "latest") {
    return (await this.post("/obj/read", { object_id, digest })).json.obj;
  }

  async file(digest) {
    return (await this.post("/file/content", { digest })).bytes;
  }

  async rows(digest) {
    return (await this.post("/table/query", { digest })).json.rows;
  }

  /** Returns an evaluation run. */
  async run(id) {
    const answer = await this.server.api("GET", `/v2/${this.project}/evaluation_runs/${id}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  }

  async results(question) {
    return (await this.post(`/v2/${this.project}/eval_results/query`, question)).json;
  }

  async feedback() {
    return (await this.post("/feedback/query", {})).json.result;
  }
}

/** Returns `greet` for `svc:///team/project/op/greet:digest`. */
export function opName(call) {
  const found = /^svc:\/\/\/[^/]+\/[^/]+\/op\/([^:]+):[^:]+$/.exec(call.op_name);
  return found ? decodeURIComponent(found[1]) : call.op_name;
}

/** Returns name, digest and kind of a neutral reference. */
export function parseRef(ref) {
  const [, kind, name, digest] = /^svc:\/\/\/[^/]+\/[^/]+\/(\w+)\/([^:/]+)(?::([^/]+))?/.exec(ref);
  return { kind, name: decodeURIComponent(name), digest };
}
