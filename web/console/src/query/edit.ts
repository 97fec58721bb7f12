// Changes of a filter by clicks on facets and cells. Text that the change does not concern stays as it was written.

import { parseFilter } from "./parse.ts";
import { printField, printFilter, printValue } from "./print.ts";
import { type Filter, FilterError, type Term } from "./tree.ts";

export type ValueState = "included" | "excluded" | null;

interface Found {
  term: Term;
  excluded: boolean;
  /** The text of the whole condition, with its sign. */
  from: number;
  to: number;
}

/** Returns the conditions that every selected call must meet. */
function conditions(filter: Filter | null): Filter[] {
  if (!filter) return [];
  return filter.kind === "and" ? filter.items : [filter];
}

function equalities(filter: Filter | null, field: string): Found[] {
  return conditions(filter).flatMap((item) => {
    const term = item.kind === "not" ? item.item : item;
    const place = item.kind === "not" || item.kind === "term" ? item.place : undefined;
    if (term.kind !== "term" || term.field !== field || term.operator !== "is" || !place) return [];
    return [{ term, excluded: item.kind === "not", ...place }];
  });
}

function read(source: string): Filter | null {
  try {
    return parseFilter(source);
  } catch (error) {
    if (error instanceof FilterError) return null;
    throw error;
  }
}

/** Tells whether the filter includes or excludes the value of the field. */
export function stateOf(filter: Filter | null, field: string, value: string): ValueState {
  const found = equalities(filter, field).find(({ term }) => term.values.some(({ text }) => text === value));
  if (!found) return null;
  return found.excluded ? "excluded" : "included";
}

function append(source: string, condition: string): string {
  const filter = read(source);
  const base = source.trim();
  if (base === "") return condition;
  // A new condition behind `a OR b` would belong to `b` alone.
  return filter?.kind === "or" ? `(${base}) ${condition}` : `${base} ${condition}`;
}

function replace(source: string, { from, to }: { from: number; to: number }, text: string): string {
  const before = source.slice(0, from).trimEnd();
  const after = source.slice(to).trimStart();
  return [before, text, after].filter(Boolean).join(" ");
}

function printTerm(term: Term, values: Term["values"], excluded: boolean): string {
  const text = printFilter({ ...term, values });
  return excluded ? `-${text}` : text;
}

/** Adds a value to the included values of the field: `op:a` becomes `op:a,b`. */
export function includeValue(source: string, field: string, value: string): string {
  const cleared = removeValue(source, field, value);
  const found = equalities(read(cleared), field).find(({ excluded }) => !excluded);
  if (!found) return append(cleared, `${printField(field)}:${printValue(value)}`);
  const printed = printValue(value);
  const added = { text: value, quoted: printed.startsWith('"') };
  return replace(cleared, found, printTerm(found.term, [...found.term.values, added], false));
}

/** Adds a condition that excludes the value. */
export function excludeValue(source: string, field: string, value: string): string {
  return append(removeValue(source, field, value), `-${printField(field)}:${printValue(value)}`);
}

/** Removes the value from the included and excluded values of the field. */
export function removeValue(source: string, field: string, value: string): string {
  let text = source;
  for (;;) {
    const found = equalities(read(text), field).find(({ term }) => term.values.some((item) => item.text === value));
    if (!found) return text;
    const rest = found.term.values.filter((item) => item.text !== value);
    text = replace(text, found, rest.length === 0 ? "" : printTerm(found.term, rest, found.excluded));
  }
}

/** Adds any condition, such as `latency:>2s`. */
export function addCondition(source: string, condition: string): string {
  return append(source, condition);
}

/** Returns the filters that remain when one condition is removed, to find the one that removes most calls. */
export function withoutEachCondition(source: string): { removed: string; rest: Filter | null }[] {
  const items = conditions(read(source));
  return items.map((item, index) => {
    const others = items.filter((_, other) => other !== index);
    const [only] = others;
    const rest: Filter | null = others.length === 0 ? null : others.length === 1 && only ? only : { kind: "and", items: others };
    return { removed: printFilter(item), rest };
  });
}
