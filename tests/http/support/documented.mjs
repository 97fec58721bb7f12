// Holds every response of the tests against the API document: an operation answers only with the statuses that it
// lists, in the media types and with the JSON that it describes. The document is the golden copy, which
// openapi.test.mjs compares with the server's own.

import { readFileSync } from "node:fs";

import Ajv2020 from "ajv/dist/2020.js";

const DOCUMENT = new URL("../../golden/openapi.json", import.meta.url);
// A larger response is not validated: its items are alike, and the time is better spent elsewhere.
const MOST_VALIDATED_BYTES = 64 * 1024;
const MOST_LINES = 10;
// Statuses of a request whose head or framing the server refuses before it has chosen an operation.
const BEFORE_ROUTING = new Set([400, 408, 413, 414, 417, 431, 501]);
// With any other header the client may be one that is answered in other words; see docs on `wire.profile`.
const NEUTRAL_HEADERS = new Set([
  "authorization", "content-type", "content-length", "if-match", "idempotency-key", "range", "accept",
]);

let known;

/** Loads the document on first use: a file of tests without requests does not pay for it. */
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

/** The paths by segment: a fixed name wins over a parameter, as in the server's router. */
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

/** The path of the document that a request's path is an instance of, or undefined. */
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
 * Returns what the document does not allow in this response, as text, or undefined. Requests of no operation, such
 * as those of a page, are not judged.
 */
export function undocumented(method, target, sentHeaders, answer) {
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

/** What a schema describes: the JSON of a body, or each of its first lines. */
function valuesIn(answer, type) {
  if (answer.json !== undefined) return [answer.json];
  if (type !== "application/jsonl") return [];
  return answer.text.split("\n").filter((line) => line !== "").slice(0, MOST_LINES).map((line) => JSON.parse(line));
}
