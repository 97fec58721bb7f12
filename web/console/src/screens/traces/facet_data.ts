// Which facets are asked for, under which filter, and what a click on a value does.

import { excludeValue, includeValue, removeValue, stateOf, type ValueState } from "../../query/edit";
import { parseFilter } from "../../query/parse";
import { FilterError, type Filter } from "../../query/tree";
import { opName } from "../shared_calls/call_facts";

export interface FacetField {
  /** The field of the facets endpoint. */
  field: string;
  /** The name in the filter. */
  name: string;
  title: string;
}

export const FIXED_FACETS: readonly FacetField[] = [
  { field: "status", name: "status", title: "Status" },
  { field: "op_name", name: "op", title: "Op" },
  { field: "model", name: "model", title: "Model" },
];

/** The server's words for states, as the filter writes them. */
const STATUS_WORDS: Record<string, string> = { success: "ok" };

/** Returns the value of a facet as the filter writes it. */
export function filterValue(field: string, value: string): string {
  if (field === "status") return STATUS_WORDS[value] ?? value;
  return field === "op_name" ? opName(value) : value;
}

/** Joins values that are one value in the filter: the versions of an op. */
export function joinValues(field: string, values: readonly { value: string; count: number }[]): { value: string; count: number }[] {
  const joined = new Map<string, number>();
  for (const { value, count } of values) {
    const name = filterValue(field, value);
    joined.set(name, (joined.get(name) ?? 0) + count);
  }
  return [...joined].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count);
}

function parsed(text: string): Filter | null {
  try {
    return parseFilter(text);
  } catch (error) {
    if (error instanceof FilterError) return null;
    throw error;
  }
}

/** Returns the values of a field that the filter names in plain conditions. */
export function namedValues(text: string, name: string): string[] {
  const filter = parsed(text);
  const items = filter === null ? [] : filter.kind === "and" ? filter.items : [filter];
  return items.flatMap((item) => {
    const term = item.kind === "not" ? item.item : item;
    return term.kind === "term" && term.field === name && term.operator === "is" ? term.values.map((value) => value.text) : [];
  });
}

/** Returns the filter without the plain conditions on a field: its facet shows the values that one could choose instead. */
export function withoutField(text: string, name: string): string {
  return namedValues(text, name).reduce((rest, value) => removeValue(rest, name, value), text);
}

/** Groups facets that are counted under the same filter into one request. */
export function facetRequests(text: string, fields: readonly FacetField[]): { text: string; fields: FacetField[] }[] {
  const groups = new Map<string, FacetField[]>();
  for (const field of fields) {
    const rest = withoutField(text, field.name);
    groups.set(rest, [...(groups.get(rest) ?? []), field]);
  }
  return [...groups].map(([rest, list]) => ({ text: rest, fields: list }));
}

/** A click includes a value, or takes back what was said about it. */
export function toggled(text: string, name: string, value: string, how: "include" | "exclude"): string {
  const state: ValueState = stateOf(parsed(text), name, value);
  if (state === (how === "include" ? "included" : "excluded")) return removeValue(text, name, value);
  return how === "include" ? includeValue(text, name, value) : excludeValue(text, name, value);
}
