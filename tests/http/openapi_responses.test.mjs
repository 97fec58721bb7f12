// Tests of the validation that all responses of the other tests pass through: it must detect violations of the API
// document.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { documentedPath, responseViolation } from "./support/openapi_responses.mjs";

/** Returns a response in the format of Client.request. */
function answerOf(status, json, type = "application/json") {
  const text = json === undefined ? "" : JSON.stringify(json);
  return { status, headers: { "content-type": type }, bytes: Buffer.from(text), text, json };
}

describe("a path of the document", () => {
  test("is found with its parameters", () => {
    assert.equal(documentedPath("/api/v1/teams/blue"), "/api/v1/teams/{team}");
    assert.equal(documentedPath("/api/v1/teams"), "/api/v1/teams");
  });

  test("with a fixed name has precedence over one with a parameter", () => {
    assert.equal(documentedPath("/annotation_queues/query"), "/annotation_queues/query");
    assert.equal(documentedPath("/annotation_queues/7"), "/annotation_queues/{queue_id}");
  });

  test("with {path} at its end matches the rest of the path", () => {
    const files = "/api/v1/projects/{team}/{project}/collections/{collection}/versions/{version}/files/{path}";
    assert.equal(documentedPath("/api/v1/projects/t/p/collections/c/versions/v0/files/a/b/c.txt"), files);
  });

  test("is undefined for undocumented paths", () => {
    assert.equal(documentedPath("/docs/index.html"), undefined);
    assert.equal(documentedPath("/api/v1/teams/"), undefined);
  });
});

describe("a response", () => {
  test("with an undocumented status is a violation", () => {
    const complaint = responseViolation("GET", "/api/v1/teams/blue", {}, answerOf(418, { detail: "x", code: "y" }));
    assert.match(complaint, /^GET \/api\/v1\/teams\/\{team\}: 418 is not a status/);
  });

  test("with another media type is a violation", () => {
    const complaint = responseViolation("GET", "/api/v1/teams/blue", {}, answerOf(404, { detail: "x" }, "text/html"));
    assert.match(complaint, /404 is text\/html/);
  });

  test("with a body that does not match its schema is a violation", () => {
    assert.match(responseViolation("GET", "/api/v1/teams/blue", {}, answerOf(404, { reason: "x" })), /must have required/);
    assert.match(responseViolation("GET", "/api/v1/teams/blue", {}, answerOf(200, { id: "1" })), /must have required/);
  });

  test("that matches the document is accepted", () => {
    assert.equal(responseViolation("GET", "/api/v1/teams/blue", {}, answerOf(404, { detail: "x", code: "not_found" })), undefined);
    assert.equal(responseViolation("DELETE", "/api/v1/teams/blue", {}, answerOf(204)), undefined);
    assert.equal(responseViolation("HEAD", "/api/v1/teams/blue", {}, answerOf(200)), undefined);
  });

  test("without an operation, or from before routing, is not validated", () => {
    assert.equal(responseViolation("GET", "/docs", {}, answerOf(418)), undefined);
    assert.equal(responseViolation("GET", "/api/v1/teams/blue", {}, answerOf(431, { detail: "x" })), undefined);
  });

  test("with another wire profile is validated by status only", () => {
    const answer = answerOf(404, { reason: "x" });
    assert.equal(responseViolation("GET", "/api/v1/teams/blue", { "user-agent": "sdk" }, answer), undefined);
  });
});
