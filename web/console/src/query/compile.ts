// Compiles a filter to the server's query language. A negation selects exactly the calls that its operand does not
// select: where the server's comparison with a missing value is unknown, the compiler adds a test for null.

import { type Zone } from "../format/time.ts";
import { compileTerm } from "./compile_term.ts";
import { type CallQuery, type Expression, type Operand, all, any, compare, contains, countOperators, get, isNull, not } from "./expression.ts";
import { UNAVAILABLE, fieldOf, isAttribute } from "./fields.ts";
import { parseFilter } from "./parse.ts";
import { type Filter, FilterError, type Term, type Text } from "./tree.ts";

export interface CompileOptions {
  /** The zone of times without an offset. */
  zone?: Zone;
  /** The current time in milliseconds, for `now-2h`. */
  now?: number;
}

/** A condition, and the operands whose null makes it unknown. */
export interface Condition {
  test: Expression;
  nullable: Operand[];
}

/** The server's limit of nodes in a query, less what bounds of time add. */
const MAX_OPERATORS = 1900;

const SEARCHED_TEXTS = ["summary.svc.trace_name", "op_name", "exception"];
const SEARCHED_JSON = ["inputs", "output"];

/** Finds a text in a whole JSON value, whose strings are escaped unless the value itself is a string. */
export function containsInJson(path: string, text: string): Expression {
  const escaped = JSON.stringify(text).slice(1, -1);
  const forms = escaped === text ? [text] : [text, escaped];
  return any(forms.map((form) => contains(get(path), form)));
}

function compileText({ text }: Text): Condition {
  return {
    test: any([
      ...SEARCHED_TEXTS.map((path) => contains(get(path), text)),
      ...SEARCHED_JSON.map((path) => containsInJson(path, text)),
    ]),
    // A name always exists. An exception may be null: unknown OR true is true, unknown OR false must become false.
    nullable: [],
  };
}

function leaf(filter: Term | Text, negative: boolean, options: Required<CompileOptions>): Expression {
  if (filter.kind === "text") {
    const { test } = compileText(filter);
    if (!negative) return test;
    return any([
      ...[...SEARCHED_TEXTS].map((path) => all([not(isNull(get(path))), contains(get(path), filter.text)])),
      ...SEARCHED_JSON.map((path) => containsInJson(path, filter.text)),
    ]);
  }
  const hint = isAttribute(filter.field) ? UNAVAILABLE[filter.field] : undefined;
  const place = filter.fieldPlace ?? { from: 0, to: 0 };
  if (hint) throw new FilterError(`Calls cannot be filtered by ${filter.field}`, place, `${hint} The attribute is attributes.${filter.field}.`);
  const { test, nullable } = compileTerm(filter, fieldOf(filter.field), options);
  return negative && nullable.length > 0 ? all([...nullable.map((operand) => not(isNull(operand))), test]) : test;
}

function compileNode(filter: Filter, negative: boolean, options: Required<CompileOptions>): Expression {
  switch (filter.kind) {
    case "and":
      return all(filter.items.map((item) => compileNode(item, negative, options)));
    case "or":
      return any(filter.items.map((item) => compileNode(item, negative, options)));
    case "not":
      return not(compileNode(filter.item, true, options));
    default:
      return leaf(filter, negative, options);
  }
}

/** Compiles a tree. @throws FilterError for what the server cannot select */
export function compileFilter(filter: Filter, options: CompileOptions = {}): Expression {
  const expression = compileNode(filter, false, { zone: options.zone ?? "utc", now: options.now ?? Date.now() });
  if (countOperators(expression) > MAX_OPERATORS) {
    throw new FilterError("The filter has too many conditions", { from: 0, to: Number.MAX_SAFE_INTEGER }, "Remove conditions, or list values: id:a,b,c.");
  }
  return expression;
}

/** The text of a time with microseconds, as the server compares it. */
export function isoMicroseconds(milliseconds: number): string {
  const micros = Math.round(milliseconds * 1000);
  const whole = Math.floor(micros / 1000);
  const rest = String(micros - whole * 1000).padStart(3, "0");
  return new Date(whole).toISOString().replace("Z", `${rest}Z`);
}

/** Joins a filter and bounds of the start time to the `query` of a request; undefined selects all calls. */
export function callQuery(
  filter: Filter | null, bounds: { from: number | null; to: number | null }, options: CompileOptions = {},
): CallQuery | undefined {
  const items: Expression[] = [];
  if (bounds.from !== null) items.push(compare(">=", get("started_at"), isoMicroseconds(bounds.from)));
  if (bounds.to !== null) items.push(compare("<", get("started_at"), isoMicroseconds(bounds.to)));
  if (filter) items.push(compileFilter(filter, options));
  return items.length === 0 ? undefined : { $expr: all(items) };
}

export type FilterResult = { filter: Filter | null; error: null } | { filter: null; error: FilterError };

/** Reads a filter and checks that it compiles, without throwing. */
export function readFilter(source: string, options: CompileOptions = {}): FilterResult {
  try {
    const filter = parseFilter(source);
    if (filter) compileFilter(filter, options);
    return { filter, error: null };
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    const { from, to } = error.place;
    const place = { from: Math.min(from, source.length), to: Math.min(to, source.length) };
    return { filter: null, error: new FilterError(error.message, place, error.hint) };
  }
}

