// The tree of a filter. A tree is in normal form when no `and` or `or` has fewer than two items or an item of its own
// kind, and no `not` contains a `not`; the parser returns only normal forms.

/** A half-open range of the filter's text. */
export interface Place {
  from: number;
  to: number;
}

/** A value of a term. Quoted values are compared exactly as written; others may be numbers, times or durations. */
export interface Value {
  text: string;
  quoted: boolean;
  place?: Place;
}

export type TermOperator = "is" | "=" | "~" | ">" | ">=" | "<" | "<=" | "range" | "present";

/** `field:value`. `is`, `=` and `~` have one or more values, of which one must match; `range` has two. */
export interface Term {
  kind: "term";
  field: string;
  operator: TermOperator;
  values: Value[];
  place?: Place;
  fieldPlace?: Place;
}

/** A text to find anywhere in the name, inputs, output or exception of a call. */
export interface Text {
  kind: "text";
  text: string;
  place?: Place;
}

export interface Junction {
  kind: "and" | "or";
  items: Filter[];
}

export interface Not {
  kind: "not";
  item: Filter;
  place?: Place;
}

export type Filter = Term | Text | Junction | Not;

/** An error in a filter, with its place in the text and a way to mend it. */
export class FilterError extends Error {
  constructor(message: string, readonly place: Place, readonly hint: string) {
    super(message);
    this.name = "FilterError";
  }
}

/** Joins filters and keeps the normal form. */
export function junction(kind: "and" | "or", items: Filter[]): Filter {
  const flat = items.flatMap((item) => (item.kind === kind ? item.items : [item]));
  const [only] = flat;
  return flat.length === 1 && only ? only : { kind, items: flat };
}

/** Negates a filter and keeps the normal form. */
export function negated(item: Filter, place?: Place): Filter {
  if (item.kind === "not") return item.item;
  return place ? { kind: "not", item, place } : { kind: "not", item };
}

/** Calls the function for every term and text. */
export function visitLeaves(filter: Filter, visitor: (leaf: Term | Text, negative: boolean) => void, negative = false): void {
  if ("items" in filter) for (const item of filter.items) visitLeaves(item, visitor, negative);
  else if (filter.kind === "not") visitLeaves(filter.item, visitor, !negative);
  else visitor(filter, negative);
}
