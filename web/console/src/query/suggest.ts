// Suggestions at the caret of a filter input: fields, operators' examples, and values of facets.

import { FIELDS, fieldOf } from "./fields.ts";
import { printField, printValue } from "./print.ts";
import { type Token, tokenize } from "./tokens.ts";
import { FilterError } from "./tree.ts";

export interface Suggestion {
  /** The text that replaces `from` to `to`. */
  insert: string;
  label: string;
  about: string;
  kind: "field" | "value" | "example";
}

export interface Suggestions {
  from: number;
  to: number;
  items: Suggestion[];
  /** The field whose values are wanted, and the start that was typed: load its facet and ask again. */
  wants: { field: string; path: string; prefix: string } | null;
}

export interface SuggestionSources {
  /** Attribute paths without `attributes.`. */
  attributes?: { path: string; count?: number }[];
  /** Values of a field by the name in the filter; undefined while they are not loaded. */
  values?: (field: string) => { value: string; count?: number }[] | undefined;
}

const LIMIT = 12;

const EXAMPLES: Record<string, [string, string][]> = {
  duration: [[">1s", "longer than a second"], [">10s", "longer than 10 seconds"], ["100ms..1s", "between"]],
  time: [[">now-1h", "in the last hour"], [">now-24h", "in the last 24 hours"]],
  json: [["*", "any value"]],
  text: [["*", "any value"]],
  search: [["*", "any value"]],
};

function tokensOf(source: string): Token[] {
  try {
    return tokenize(source);
  } catch (error) {
    if (error instanceof FilterError) return [];
    throw error;
  }
}

/** Ranks a start before an occurrence inside. */
function rank(label: string, typed: string): number {
  const at = label.toLowerCase().indexOf(typed.toLowerCase());
  return at < 0 ? -1 : at === 0 ? 0 : 1;
}

function ranked<Item>(items: Item[], label: (item: Item) => string, typed: string): Item[] {
  return items
    .map((item, index) => ({ item, index, rank: rank(label(item), typed) }))
    .filter((entry) => entry.rank >= 0)
    .sort((a, b) => a.rank - b.rank || a.index - b.index)
    .slice(0, LIMIT)
    .map(({ item }) => item);
}

const counted = (count: number | undefined) => (count === undefined ? "" : String(count));

function suggestFields(typed: string, from: number, to: number, sources: SuggestionSources): Suggestions {
  const attributes = (sources.attributes ?? []).map(({ path, count }) => ({
    name: FIELDS.some(({ name }) => name === path) ? `attributes.${path}` : path, about: `attribute ${counted(count)}`.trim(),
  }));
  const candidates = [...FIELDS.map(({ name, about }) => ({ name, about })), ...attributes];
  const items = ranked(candidates, ({ name }) => name, typed).map(({ name, about }): Suggestion => ({
    insert: `${printField(name)}:`, label: `${name}:`, about, kind: "field",
  }));
  return { from, to, items, wants: null };
}

function suggestValues(field: string, typed: string, from: number, to: number, sources: SuggestionSources): Suggestions {
  const known = fieldOf(field);
  const loaded = sources.values?.(field);
  const fixed = (known.values ?? []).map((value) => ({ value, count: undefined }));
  const candidates = fixed.length > 0 && !loaded?.length ? fixed : loaded ?? [];
  const items = ranked(candidates, ({ value }) => value, typed).map(({ value, count }): Suggestion => ({
    insert: `${printValue(value)} `, label: value, about: counted(count), kind: "value",
  }));
  const examples = ranked(EXAMPLES[known.kind] ?? [], ([text]) => text, typed).map(([text, about]): Suggestion => ({
    insert: `${text} `, label: `${field}:${text}`, about, kind: "example",
  }));
  const wants = fixed.length === 0 && ["text", "op", "model", "json"].includes(known.kind)
    ? { field, path: known.path, prefix: typed } : null;
  return { from, to, items: [...items, ...examples].slice(0, LIMIT), wants };
}

/** Returns what may stand at the caret. */
export function suggest(source: string, caret: number, sources: SuggestionSources = {}): Suggestions {
  const tokens = tokensOf(source);
  const index = tokens.findIndex(({ from, to }) => from < caret && caret <= to);
  const token = tokens[index];
  if (!token || token.kind === "open" || token.kind === "not" && token.text === "-") return suggestFields("", caret, caret, sources);
  if (token.kind === "field" || token.kind === "text" || token.kind === "and" || token.kind === "or" || token.kind === "not") {
    if (token.quoted || token.kind === "text" && /\W$/.test(token.text)) return { from: caret, to: caret, items: [], wants: null };
    // Replace the colon of an existing field too.
    const to = token.kind === "field" ? token.to + 1 : token.to;
    return suggestFields(source.slice(token.from, caret), token.from, to, sources);
  }
  if (token.kind === "close") return { from: caret, to: caret, items: [], wants: null };
  const field = tokens.slice(0, index).reverse().find(({ kind }) => kind === "field");
  if (!field) return { from: caret, to: caret, items: [], wants: null };
  if (token.kind !== "value") {
    // After a comparison sign only the reader knows the value.
    const plain = token.kind === "comma" || token.text === "is" || token.text === "=";
    return plain ? suggestValues(field.text, "", caret, caret, sources) : { from: caret, to: caret, items: [], wants: null };
  }
  const typed = token.quoted ? token.text : source.slice(token.from, caret);
  return suggestValues(field.text, typed, token.from, token.to, sources);
}

/** Applies a suggestion. Returns the new text and caret. */
export function applySuggestion(source: string, { from, to }: Suggestions, item: Suggestion): { text: string; caret: number } {
  const rest = source.slice(to);
  const insert = item.insert.endsWith(" ") && /^[\s,)]/.test(rest) ? item.insert.trimEnd() : item.insert;
  return { text: source.slice(0, from) + insert + rest, caret: from + insert.length };
}
