// Assertions about responses.

import assert from "node:assert/strict";

/** Expects an error of the management API: {"detail": text, "code"}. */
export function expectError(answer, status, code) {
  assert.equal(answer.status, status, answer.text);
  assert.match(answer.headers["content-type"] ?? "", /^application\/json/);
  assert.deepEqual(Object.keys(answer.json).sort(), ["code", "detail"], answer.text);
  assert.equal(typeof answer.json.detail, "string");
  assert.notEqual(answer.json.detail, "");
  assert.equal(answer.json.code, code);
}

/** Expects a refusal with this status and a reason, in whichever shape its API has. */
export function expectStatus(answer, status) {
  assert.equal(answer.status, status, answer.text);
  assert.ok(answer.json?.detail ?? answer.json?.reason, answer.text);
}

/** Expects a 422 with exactly these violations, given as [type, ...loc] in any order. */
export function expectViolations(answer, ...expected) {
  assert.equal(answer.status, 422, answer.text);
  const found = answer.json.detail.map(({ type, loc }) => [type, ...loc]);
  const sorted = (rows) => rows.map((row) => JSON.stringify(row)).sort();
  assert.deepEqual(sorted(found), sorted(expected), answer.text);
  for (const violation of answer.json.detail) {
    assert.equal(typeof violation.msg, "string");
    const known = ["type", "loc", "msg", "input", "ctx"];
    assert.deepEqual(Object.keys(violation).filter((name) => !known.includes(name)), []);
    assert.ok("input" in violation, answer.text);
  }
}

export function expectUnauthenticated(answer) {
  expectError(answer, 401, "unauthenticated");
  assert.equal(answer.json.detail, "Not authenticated");
  assert.equal(answer.headers["www-authenticate"], 'Bearer, Basic realm="svc"');
}

export function expectTimestamp(text) {
  assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
}

export function expectId(text, prefix) {
  assert.match(text, new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`));
}

/** Expects the object to have exactly these members. */
export function expectMembers(value, names) {
  assert.deepEqual(Object.keys(value).sort(), [...names].sort());
}

/** Asserts how much more memory the server used. A sanitizer keeps freed memory, which makes the number meaningless. */
export function expectGrowthBelow(grown_kb, limit_kb) {
  if (!process.env.SPINDLE_SANITIZED) assert.ok(grown_kb < limit_kb, `${grown_kb} kB more, limit ${limit_kb} kB`);
}
