// Validates every response of the tests against the API document: an operation may return only the statuses, media
// types and JSON that it documents. The document is the golden copy, which openapi.test.mjs compares with the
// document of the server.

import { readFileSync } from "node:fs";

import Ajv2020 from "ajv/dist/2020.js";

const DOCUMENT = new URL("../../golden/openapi.json", import.meta.url);
// Larger responses are not validated: their items are alike, and validation would take long.
const MOST_VALIDATED_BYTES = 64 * 1024;
const MOST_LINES = 10;
// Statuses for a request head or framing that the server rejects before routing.
const BEFORE_ROUTING = new Set([400, 408, 413, 414, 417, 431, 501]);
// Any other header may select another wire profile; see `wire.profile` in the docs.
const NEUTRAL_HEADERS = new Set([
  "authorization", "content-type", "content-length", "if-match", "idempotency-key", "range", "accept",
  "cookie", "host", "origin", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest", "x-csrf-token",
]);

let known;

/** Loads the document on first use, so that tests without requests do not load it. */
function loaded() {
  if (known) return known;
  const document = JSON.parse(readFileSync(DOCUMENT, "utf8"));
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, "document");
  known = { document, ajv, tree: treeOf(Object.keys(document.paths)), validators: new Map() };
  return known;
}

function segmentsOf(path) {
  return path.split("/").slice(1);
}

/** Builds a tree of path segments. A fixed name has precedence over a parameter, as in the server's router. */
function treeOf(paths) {
  const root = { fixed: new Map(), parameter: undefined, path: undefined };
  for (const path of paths) {
    let node = root;
    for (const segment of segmentsOf(path)) {
      const fresh = { fixed: new Map(), parameter: undefined, path: undefined, rest: segment === "{path}" };
      if (segment.startsWith("{")) {
        node.parameter ??= fresh;
        node = node.parameter;
      } else {
        if (!node.fixed.has(segment)) node.fixed.set(segment, fresh);
        node = node.fixed.get(segment);
      }
    }
    node.path = path;
  }
  return root;
}

/** Returns the path template of the document that matches a request path, or undefined. */
export function documentedPath(path) {
  let node = loaded().tree;
  for (const segment of segmentsOf(path)) {
    if (node.rest) return node.path;
    node = node.fixed.get(segment) ?? (segment === "" ? undefined : node.parameter);
    if (!node) return undefined;
  }
  return node.path;
}

function resolved(document, value) {
  if (value?.$ref === undefined) return { value };
  const steps = value.$ref.split("/").slice(1);
  return { value: steps.reduce((at, step) => at[step], document), pointer: steps };
}

function validatorFor(pointer) {
  const { ajv, validators } = loaded();
  const reference = `document#/${pointer.map((step) =>
    encodeURIComponent(String(step).replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`;
  if (!validators.has(reference)) validators.set(reference, ajv.compile({ $ref: reference }));
  return validators.get(reference);
}

function essenceOf(contentType) {
  return contentType.split(";")[0].trim().toLowerCase();
}

/**
 * Returns a description of how this response violates the document, or undefined. Ignores requests to undocumented
 * paths, such as pages.
 */
export function responseViolation(method, target, sentHeaders, answer) {
  const { document, ajv } = loaded();
  const path = documentedPath(new URL(target, "http://server").pathname);
  const verb = method === "HEAD" ? "get" : method.toLowerCase();
  const operation = path && document.paths[path][verb];
  if (!operation) return undefined;
  const where = `${method} ${path}: ${answer.status}`;
  const listed = operation.responses[answer.status];
  if (!listed) {
    return BEFORE_ROUTING.has(answer.status) ? undefined
      : `${where} is not a status of this operation in the API document\n${answer.text.slice(0, 500)}`;
  }
  if (method === "HEAD" || answer.bytes.length === 0) return undefined;
  const { value: response, pointer = ["paths", path, verb, "responses", answer.status] } = resolved(document, listed);
  const type = essenceOf(answer.headers["content-type"] ?? "");
  if (!response.content) return `${where} has a body, and the API document describes none`;
  if (!response.content[type]) return `${where} is ${type}, and the API document says ${Object.keys(response.content)}`;
  const plain = Object.keys(sentHeaders).every((name) => NEUTRAL_HEADERS.has(name));
  const values = plain && answer.bytes.length <= MOST_VALIDATED_BYTES ? valuesIn(answer, type) : [];
  if (values.length === 0) return undefined;
  const validate = validatorFor([...pointer, "content", type, "schema"]);
  const wrong = values.find((value) => !validate(value));
  if (wrong === undefined) return undefined;
  const shown = JSON.stringify(wrong).slice(0, 500);
  return `${where} is not as the API document describes it: ${ajv.errorsText(validate.errors)}\n${shown}`;
}

/** Returns the values to validate: the JSON body, or each of the first JSONL lines. */
function valuesIn(answer, type) {
  if (answer.json !== undefined) return [answer.json];
  if (type !== "application/jsonl") return [];
  return answer.text.split("\n").filter((line) => line !== "").slice(0, MOST_LINES).map((line) => JSON.parse(line));
}
