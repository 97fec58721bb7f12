// The types of the API's objects.

import assert from "node:assert/strict";
import { test } from "node:test";

import { compareTypes } from "../make_types.mjs";

test("the types of the API are those of the OpenAPI document", () => {
  const { stored, made } = compareTypes();
  assert.ok(stored === made, "src/api/schema.ts is not up to date: run node make_types.mjs in web/console");
});
