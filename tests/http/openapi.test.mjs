// The document at /openapi.json: valid, complete, and equal to the golden copy. After an intended
// change: UPDATE_GOLDEN=1 node tests/http/openapi.test.mjs, which also makes the console's types anew.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";

import { Validator } from "@seriousme/openapi-schema-validator";
import Ajv2020 from "ajv/dist/2020.js";

import { writeTypes } from "../../web/console/make_types.mjs";
import { makeServiceAccount, makeTeam, makeUser } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";

const GOLDEN = new URL("../golden/openapi.json", import.meta.url);
const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

let server;
let document;
before(async () => {
  server = await startServer();
  document = (await server.api("GET", "/openapi.json", { key: null })).json;
});
after(() => server.dispose());

/** Returns [path, method, operation] of every operation. */
function operations() {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => [path, method, item[method]]),
  );
}

describe("the document", () => {
  test("is valid against the OpenAPI 3.1 meta-schema", async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document));
    assert.deepEqual(result.errors ?? [], []);
    assert.equal(result.valid, true);
    assert.equal(validator.version, "3.1");
  });

  test("has a title and a version", () => {
    assert.equal(document.openapi, "3.1.0");
    assert.equal(document.info.version, "0.1.0");
    assert.equal(document.info.title, "Spindle");
  });

  test("contains every endpoint of the management API and the public ones", () => {
    const found = operations().map(([path, method]) => `${method.toUpperCase()} ${path}`);
    const expected = [
      "GET /health",
      "GET /version",
      "GET /metrics",
      "GET /api/v1/me",
      "GET /api/v1/users",
      "POST /api/v1/users",
      "GET /api/v1/teams",
      "POST /api/v1/teams",
      "GET /api/v1/teams/{team}",
      "PATCH /api/v1/teams/{team}",
      "DELETE /api/v1/teams/{team}",
      "GET /api/v1/teams/{team}/members",
      "PUT /api/v1/teams/{team}/members/{username}",
      "DELETE /api/v1/teams/{team}/members/{username}",
      "POST /api/v1/teams/{team}/service-accounts",
      "GET /api/v1/api-keys",
      "POST /api/v1/api-keys",
      "DELETE /api/v1/api-keys/{id}",
    ];
    assert.deepEqual(expected.filter((operation) => !found.includes(operation)), []);
  });

  test("describes every operation", () => {
    for (const [path, method, operation] of operations()) {
      const where = `${method} ${path}`;
      assert.match(operation.operationId ?? "", /^[a-zA-Z][a-zA-Z0-9_]*$/, where);
      assert.ok(operation.summary, `${where} has no summary`);
      assert.ok(operation.tags?.length > 0, `${where} has no tag`);
      assert.ok(Array.isArray(operation.security), `${where} has no security`);
      const statuses = Object.keys(operation.responses);
      assert.ok(statuses.some((status) => /^[23]/.test(status)), `${where} never succeeds`);
    }
    const ids = operations().map(([, , operation]) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length, "operation ids repeat");
  });

  test("declares each parameter of each path, and no other", () => {
    for (const [path, method, operation] of operations()) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
      assert.deepEqual(declared.map(({ name }) => name).sort(), inPath.sort(), `${method} ${path}`);
    }
  });

  test("names only security schemes and schemas that exist", () => {
    const schemes = Object.keys(document.components.securitySchemes);
    for (const [, , operation] of operations()) {
      for (const way of operation.security) {
        for (const name of Object.keys(way)) assert.ok(schemes.includes(name), name);
      }
    }
    const text = JSON.stringify(document);
    for (const [, name] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      assert.ok(document.components.schemas[name], name);
    }
  });

  test("lists the common error responses of every operation with a key", () => {
    for (const [path, method, operation] of operations()) {
      if (operation.security.length === 0) continue;
      for (const status of ["401", "403", "422", "429", "500", "503"]) {
        assert.ok(operation.responses[status], `${method} ${path}: ${status}`);
      }
      const taken = operation.requestBody ? ["408", "413", "415"] : [];
      for (const status of taken) assert.ok(operation.responses[status], `${method} ${path}: ${status}`);
    }
  });

  test("is correct about which operations need a key", async () => {
    for (const [path, method, operation] of operations()) {
      const filled = path.replaceAll(/\{\w+\}/g, "x");
      const { status } = await server.api(method.toUpperCase(), filled, { key: null });
      const open = operation.security.length === 0 || operation.security.some((way) => Object.keys(way).length === 0);
      assert.equal(status === 401, !open, `${method} ${path}: ${status}`);
    }
  });
});

/** Escapes a step of a JSON pointer for a URI. */
function escaped(step) {
  return encodeURIComponent(String(step).replaceAll("~", "~0").replaceAll("/", "~1"));
}

describe("responses", () => {
  test("match the document", async () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(document, "document");
    const expectAsDescribed = (answer, path, method) => {
      const own = ["paths", path, method, "responses", answer.status];
      const shared = document.paths[path][method].responses[answer.status].$ref?.split("/").slice(1);
      const pointer = [...(shared ?? own), "content", "application/json", "schema"];
      const validate = ajv.compile({ $ref: `document#/${pointer.map(escaped).join("/")}` });
      const valid = validate(answer.json);
      assert.ok(valid, `${method} ${path}: ${ajv.errorsText(validate.errors)}\n${answer.text}`);
    };

    const user = await makeUser(server);
    const { name } = await makeTeam(server, { admin: user.username });
    await makeServiceAccount(server, name);
    const team = "/api/v1/teams/{team}";
    const requests = [
      ["GET", "/health"],
      ["GET", "/version"],
      ["GET", "/api/v1/me"],
      ["GET", "/api/v1/users"],
      ["POST", "/api/v1/users", { username: `${name}-u`, email: `${name}@example.test` }],
      ["POST", "/api/v1/users", { username: 1 }],
      ["GET", "/api/v1/teams"],
      ["POST", "/api/v1/teams", { name: `${name}-b` }],
      ["GET", team],
      ["PATCH", team, { default_artifact_ttl_days: 3 }],
      ["GET", `${team}/members`],
      ["PUT", `${team}/members/{username}`, { role: "ADMIN" }],
      ["POST", `${team}/service-accounts`, { description: "d" }],
      ["GET", "/api/v1/api-keys"],
      ["POST", "/api/v1/api-keys", { name: "k", expires_at: "2099-01-01T00:00:00Z" }],
    ];
    for (const [method, path, body] of requests) {
      const filled = path.replace("{team}", name).replace("{username}", user.username);
      const answer = await server.api(method, filled, { body });
      expectAsDescribed(answer, path, method.toLowerCase());
    }
  });
});

describe("the golden copy", () => {
  test("equals the document", () => {
    const text = `${JSON.stringify(document, null, 2)}\n`;
    if (process.env.UPDATE_GOLDEN) {
      mkdirSync(new URL(".", GOLDEN), { recursive: true });
      writeFileSync(GOLDEN, text);
      writeTypes();
    }
    assert.deepEqual(document, JSON.parse(readFileSync(GOLDEN, "utf8")));
    assert.equal(text, readFileSync(GOLDEN, "utf8"), "the order of members differs");
  });
});
