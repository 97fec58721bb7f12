// The check that every response of the other tests goes through: it must see what the API document does not allow.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { documentedPath, undocumented } from "./support/documented.mjs";

/** A response as Client.request resolves with it. */
function answerOf(status, json, type = "application/json") {
  const text = json === undefined ? "" : JSON.stringify(json);
  return { status, headers: { "content-type": type }, bytes: Buffer.from(text), text, json };
}

describe("a path of the document", () => {
  test("is found by its parameters", () => {
    assert.equal(documentedPath("/api/v1/teams/blue"), "/api/v1/teams/{team}");
    assert.equal(documentedPath("/api/v1/teams"), "/api/v1/teams");
  });

  test("with a fixed name wins over one with a parameter", () => {
    assert.equal(documentedPath("/annotation_queues/query"), "/annotation_queues/query");
    assert.equal(documentedPath("/annotation_queues/7"), "/annotation_queues/{queue_id}");
  });

  test("takes the rest where it names a file", () => {
    const files = "/api/v1/projects/{team}/{project}/collections/{collection}/versions/{version}/files/{path}";
    assert.equal(documentedPath("/api/v1/projects/t/p/collections/c/versions/v0/files/a/b/c.txt"), files);
  });

  test("is undefined for what is no operation", () => {
    assert.equal(documentedPath("/docs/index.html"), undefined);
    assert.equal(documentedPath("/api/v1/teams/"), undefined);
  });
});

describe("a response", () => {
  test("with a status that the operation does not have is named", () => {
    const complaint = undocumented("GET", "/api/v1/teams/blue", {}, answerOf(418, { detail: "x", code: "y" }));
    assert.match(complaint, /^GET \/api\/v1\/teams\/\{team\}: 418 is not a status/);
  });

  test("with another media type is named", () => {
    const complaint = undocumented("GET", "/api/v1/teams/blue", {}, answerOf(404, { detail: "x" }, "text/html"));
    assert.match(complaint, /404 is text\/html/);
  });

  test("with a body that breaks its schema is named", () => {
    assert.match(undocumented("GET", "/api/v1/teams/blue", {}, answerOf(404, { reason: "x" })), /must have required/);
    assert.match(undocumented("GET", "/api/v1/teams/blue", {}, answerOf(200, { id: "1" })), /must have required/);
  });

  test("as described is fine", () => {
    assert.equal(undocumented("GET", "/api/v1/teams/blue", {}, answerOf(404, { detail: "x", code: "not_found" })), undefined);
    assert.equal(undocumented("DELETE", "/api/v1/teams/blue", {}, answerOf(204)), undefined);
    assert.equal(undocumented("HEAD", "/api/v1/teams/blue", {}, answerOf(200)), undefined);
  });

  test("of no operation, or from before routing, is not judged", () => {
    assert.equal(undocumented("GET", "/docs", {}, answerOf(418)), undefined);
    assert.equal(undocumented("GET", "/api/v1/teams/blue", {}, answerOf(431, { detail: "x" })), undefined);
  });

  test("is judged by its status alone where names may be spelled in another way", () => {
    const answer = answerOf(404, { reason: "x" });
    assert.equal(undocumented("GET", "/api/v1/teams/blue", { "user-agent": "sdk" }, answer), undefined);
  });
});
