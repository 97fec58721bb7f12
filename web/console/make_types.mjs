// Makes src/api/schema.ts, the types of the API's objects, from tests/golden/openapi.json:
//   node make_types.mjs
// A unit test fails when the file is not up to date.

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const SOURCE = join(HERE, "../../tests/golden/openapi.json");
const OUTPUT = join(HERE, "src/api/schema.ts");

const SCALARS = { string: "string", integer: "number", number: "number", boolean: "boolean", null: "null" };

function union(parts) {
  const different = [...new Set(parts)];
  return different.includes("unknown") ? "unknown" : different.join(" | ");
}

function arrayOf(schema, depth) {
  if (schema.prefixItems) return `[${schema.prefixItems.map((item) => typeOf(item, depth)).join(", ")}]`;
  const item = schema.items ? typeOf(schema.items, depth) : "unknown";
  return /[|&{ ]/.test(item) ? `Array<${item}>` : `${item}[]`;
}

function objectOf(schema, depth) {
  const { properties, additionalProperties } = schema;
  if (!properties || Object.keys(properties).length === 0) {
    if (additionalProperties === false) return "Record<string, never>";
    const value = typeof additionalProperties === "object" ? typeOf(additionalProperties, depth) : "unknown";
    return `Record<string, ${value}>`;
  }
  const indent = "  ".repeat(depth + 1);
  const lines = Object.entries(properties).map(([name, property]) => {
    const optional = schema.required?.includes(name) ? "" : "?";
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const text = property.description ? `${indent}/** ${comment(property.description)} */\n` : "";
    return `${text}${indent}${key}${optional}: ${typeOf(property, depth + 1)};`;
  });
  return `{\n${lines.join("\n")}\n${"  ".repeat(depth)}}`;
}

/** Returns the TypeScript type of a schema. */
function typeOf(schema, depth) {
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)));
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return union(variants.map((variant) => typeOf(variant, depth)));
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type }, depth)));
  if (schema.type === "array") return arrayOf(schema, depth);
  if (schema.type === "object") return objectOf(schema, depth);
  return SCALARS[schema.type] ?? "unknown";
}

function comment(text) {
  return text.replaceAll("*/", "* /").replaceAll("\n", " ");
}

function declaration(name, schema) {
  const text = schema.description ? `/** ${comment(schema.description)} */\n` : "";
  const type = typeOf(schema, 0);
  return type.startsWith("{") ? `${text}export interface ${name} ${type}\n` : `${text}export type ${name} = ${type};\n`;
}

function makeTypes(document) {
  const schemas = Object.entries(document.components.schemas).sort(([a], [b]) => (a < b ? -1 : 1));
  const head = "// Made by make_types.mjs from tests/golden/openapi.json. Do not edit.\n";
  return [head, ...schemas.map(([name, schema]) => declaration(name, schema))].join("\n");
}

/** Returns what src/api/schema.ts contains and what it should contain. */
export function compareTypes() {
  return { stored: readFileSync(OUTPUT, "utf8"), made: makeTypes(JSON.parse(readFileSync(SOURCE, "utf8"))) };
}

/** Writes src/api/schema.ts. */
export function writeTypes() {
  writeFileSync(OUTPUT, compareTypes().made);
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  writeTypes();
}
