// Writes a filter as text. For a tree in normal form, parseFilter(printFilter(tree)) is the same tree.

import { tokenize } from "./tokens.ts";
import { type Filter, FilterError, type Term, type Value } from "./tree.ts";

function quote(text: string): string {
  const escaped = text.replace(/["\\]/g, "\\$&").replace(/\n/g, "\\n").replace(/\r/g, "\\r").replace(/\t/g, "\\t");
  return `"${escaped}"`;
}

/** Returns true if the text alone is one unquoted token of the kind. */
function isBare(source: string, kind: "text" | "field" | "value", text: string): boolean {
  try {
    const tokens = tokenize(source);
    const found = tokens.find((token) => token.kind === kind);
    const expected = { text: 1, field: 2, value: 3 }[kind];
    return tokens.length === expected && found !== undefined && found.text === text && !found.quoted;
  } catch (error) {
    if (error instanceof FilterError) return false;
    throw error;
  }
}

export function printField(field: string): string {
  return isBare(`${field}:`, "field", field) ? field : quote(field);
}

/** Writes a text so that it is compared as a text; quotes only where they are needed. */
export function printValue(text: string): string {
  return text !== "*" && isBare(`a:${text}`, "value", text) && !/^[=<>~]/.test(text) ? text : quote(text);
}

function printTermValue({ text, quoted }: Value): string {
  return quoted ? quote(text) : text;
}

function printTerm(term: Term): string {
  const field = printField(term.field);
  const values = term.values.map(printTermValue);
  if (term.operator === "present") return `${field}:*`;
  if (term.operator === "range") return `${field}:${values[0]}..${values[1]}`;
  return `${field}:${term.operator === "is" ? "" : term.operator}${values.join(",")}`;
}

function printItem(filter: Filter): string {
  const text = printFilter(filter);
  return filter.kind === "or" || filter.kind === "and" ? `(${text})` : text;
}

export function printFilter(filter: Filter | null): string {
  if (!filter) return "";
  switch (filter.kind) {
    case "text":
      return isBare(filter.text, "text", filter.text) ? filter.text : quote(filter.text);
    case "term":
      return printTerm(filter);
    case "not":
      return `-${printItem(filter.item)}`;
    case "and":
      return filter.items.map(printItem).join(" ");
    case "or":
      return filter.items.map((item) => (item.kind === "and" ? printFilter(item) : printItem(item))).join(" OR ");
  }
}
