// Wire profiles: the server accepts neutral and vendor names, and chooses one of them for its responses.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { expectViolations } from "./support/expect.mjs";
import { freshName } from "./support/people.mjs";
import { startServer, withServer } from "./support/server.mjs";

const NEUTRAL = "min_required_svc_python_version";
const VENDOR = "min_required_weave_python_version";
const SDK = { "x-weave-client-capabilities": "trace_id_on_end" };
const NODE_SDK = { "user-agent": "W&B Weave JS Client 0.11.1" };

async function spelled(server, headers) {
  const { json } = await server.api("GET", "/server_info", { headers });
  return Object.keys(json)[0];
}

describe("responses", () => {
  test("use the names of the client by default", () =>
    withServer({}, async (server) => {
      assert.equal(await spelled(server, {}), NEUTRAL);
      assert.equal(await spelled(server, { "user-agent": "curl/8.0" }), NEUTRAL);
      assert.equal(await spelled(server, SDK), VENDOR);
      assert.equal(await spelled(server, NODE_SDK), VENDOR);
    }));

  test("use one profile if the operator sets it", async () => {
    for (const [profile, expected] of [["neutral", NEUTRAL], ["vendor", VENDOR]]) {
      await withServer({ args: ["--wire-profile", profile] }, async (server) => {
        for (const headers of [{}, SDK, NODE_SDK]) assert.equal(await spelled(server, headers), expected);
      });
    }
  });
});

describe("requests", () => {
  let server;
  before(async () => (server = await startServer()));
  after(() => server.dispose());
  const post = (path, body, headers = {}) => server.api("POST", path, { body, headers });

  test("may use either names, for every client", async () => {
    const project_id = `${freshName("team")}/app`;
    const start = { project_id, op_name: "f", started_at: "2026-01-01T00:00:00Z", inputs: {} };
    for (const [attributes, run, headers] of [
      [{ svc: { a: 1 } }, { svc_run_id: `${project_id}/run-1`, svc_run_step: 3 }, {}],
      [{ weave: { a: 1 } }, { wb_run_id: `${project_id}/run-1`, wb_run_step: 3 }, SDK],
    ]) {
      const answer = await post("/call/start", { start: { ...start, attributes, ...run } }, headers);
      assert.equal(answer.status, 200, answer.text);
    }
    for (const [filter, field] of [
      [{ svc_run_ids: [`${project_id}/run-1`] }, "attributes.svc.a"],
      [{ wb_run_ids: [`${project_id}/run-1`] }, "attributes.weave.a"],
    ]) {
      const query = { $expr: { $eq: [{ $getField: field }, { $literal: 1 }] } };
      const { json } = await post("/calls/query_stats", { project_id, filter, query });
      assert.equal(json.count, 2);
    }
    const lines = async (headers) =>
      (await post("/calls/stream_query", { project_id }, headers)).text.trim().split("\n").map(JSON.parse);
    for (const call of await lines({})) {
      assert.equal(call.svc_run_step, 3);
      assert.equal(call.attributes.svc.a, 1);
      assert.equal(call.summary.svc.status, "running");
    }
    for (const call of await lines(SDK)) {
      assert.equal(call.wb_run_step, 3);
      assert.equal(call.attributes.weave.a, 1);
      assert.equal(call.summary.weave.status, "running");
    }
  });

  test("get errors with the names they used", async () => {
    const body = { project_id: "a/b", feedback_type: "x", payload: {} };
    expectViolations(await post("/feedback/create", body), ["missing", "body", "svc_ref"]);
    expectViolations(await post("/feedback/create", body, SDK), ["missing", "body", "weave_ref"]);
    expectViolations(await post("/feedback/create", { ...body, weave_ref: 7 }), ["string_type", "body", "weave_ref"]);
    expectViolations(await post("/feedback/create", { ...body, svc_ref: 7 }, SDK), ["string_type", "body", "svc_ref"]);
  });
});
