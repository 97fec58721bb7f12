// Compiles one `field:value` of a filter.

import { parseDuration } from "../format/durations.ts";
import { parseTime } from "../format/time.ts";
import { type CompileOptions, type Condition, containsInJson, isoMicroseconds } from "./compile.ts";
import { type Comparison, type Expression, type Literal, type Operand, all, among, any, asNumber, compare, contains, eq, get, isNull, not } from "./expression.ts";
import { type Field, STATUSES } from "./fields.ts";
import { FilterError, type Term, type TermOperator, type Value } from "./tree.ts";

type Options = Required<CompileOptions>;

function isComparison(operator: TermOperator): operator is Comparison {
  return operator === ">" || operator === ">=" || operator === "<" || operator === "<=";
}

function refuse(message: string, value: Value | undefined, term: Term, hint: string): FilterError {
  return new FilterError(message, value?.place ?? term.place ?? { from: 0, to: 0 }, hint);
}

const certain = (test: Expression): Condition => ({ test, nullable: [] });
const unlessNull = (operand: Operand, test: Expression): Condition => ({ test, nullable: [operand] });

/** Rejects the operators that a field does not have. */
function allow(term: Term, operators: TermOperator[], hint: string): void {
  if (operators.includes(term.operator)) return;
  const sign = term.operator === "range" ? "a range" : term.operator === "present" ? "*" : term.operator;
  throw refuse(`${term.field} cannot be compared with ${sign}`, term.values[0], term, hint);
}

/** `sea*` looks like a pattern; the server has none. */
function rejectPattern(term: Term): void {
  const pattern = term.values.find(({ text, quoted }) => !quoted && text.includes("*"));
  if (!pattern) return;
  const part = pattern.text.replaceAll("*", "");
  throw refuse("* is no wildcard inside a value", pattern, term, `Write ${term.field}:~${part} for a part of the text, or quotes for the sign itself.`);
}

function compileTextField(term: Term, field: Field, byDefault: "is" | "~"): Condition {
  const operand = get(field.path);
  const isJson = ["inputs", "output", "attributes", "summary"].includes(field.path);
  if (term.operator === "present") {
    return certain(not(isJson ? eq(operand, "") : isNull(operand)));
  }
  allow(term, ["is", "=", "~"], `Write ${term.field}:text, ${term.field}:=text or ${term.field}:~text.`);
  rejectPattern(term);
  const texts = term.values.map(({ text }) => text);
  if (term.operator === "~" || (term.operator === "is" && byDefault === "~")) {
    const test = any(texts.map((text) => (isJson ? containsInJson(field.path, text) : contains(operand, text))));
    return isJson ? certain(test) : unlessNull(operand, test);
  }
  return isJson ? certain(among(operand, texts)) : unlessNull(operand, among(operand, texts));
}

/** `search` means the op of that name in every version; a whole reference means one version. */
function compileOp(term: Term, field: Field): Condition {
  if (term.operator !== "is") return compileTextField(term, field, "is");
  rejectPattern(term);
  const operand = get(field.path);
  const tests = term.values.flatMap(({ text }) =>
    text.includes(":///") ? [eq(operand, text)] : [eq(operand, text), contains(operand, `/op/${encodeURIComponent(text)}:`, false)],
  );
  return certain(any(tests));
}

/** The models of a call are the keys of its usage; gateways also record the requested model as an input. */
function compileModel(term: Term): Condition {
  const usage = get("summary.usage");
  if (term.operator === "present") return certain(not(eq(usage, "")));
  allow(term, ["is", "="], "Models are selected by their whole name: model:gpt-4o. For a part: inputs.model:~gpt.");
  rejectPattern(term);
  return certain(any(term.values.map(({ text }) => any([
    not(eq(get(`summary.usage.${escapeKey(text)}`), "")),
    eq(get("inputs.model"), text),
  ]))));
}

/** Escapes a key that becomes one part of a path. */
export function escapeKey(key: string): string {
  return key.replaceAll(".", "\\.");
}

function compileStatus(term: Term, field: Field): Condition {
  const words = Object.keys(STATUSES).filter((word) => word !== "success");
  allow(term, ["is", "="], `Write status:${words.join(", status:")}.`);
  const statuses = term.values.flatMap((value) => {
    const known = STATUSES[value.text.toLowerCase()];
    if (!known) throw refuse(`${value.text} is no status`, value, term, `Statuses are ${words.join(", ")}.`);
    return known;
  });
  return certain(among(get(field.path), [...new Set(statuses)]));
}

function compileRoot(term: Term, field: Field): Condition {
  allow(term, ["is", "="], "Write root:true or root:false.");
  const [value] = term.values;
  if (term.values.length !== 1 || !value || !/^(true|false)$/.test(value.text)) {
    throw refuse("root is true or false", value, term, "Write root:true or root:false.");
  }
  const test = isNull(get(field.path));
  return certain(value.text === "true" ? test : not(test));
}

/** Compiles numbers of a plain column. */
function compileNumbers(term: Term, field: Field, read: (value: Value) => number): Condition {
  const operand = get(field.path);
  if (term.operator === "present") return certain(not(isNull(operand)));
  allow(term, ["is", "=", ">", ">=", "<", "<=", "range"], `Write ${term.field}:>value or ${term.field}:low..high.`);
  const [first, second] = term.values.map(read);
  if (term.operator === "range") return unlessNull(operand, between(operand, term, first ?? 0, second ?? 0));
  if (isComparison(term.operator)) return unlessNull(operand, compare(term.operator, operand, first ?? 0));
  return unlessNull(operand, any(term.values.map((value) => eq(operand, read(value)))));
}

function between(operand: Operand, term: Term, low: Literal, high: Literal): Expression {
  if (low! > high!) throw refuse("The range ends before it starts", term.values[0], term, "Write the smaller value first.");
  return all([compare(">=", operand, low), compare("<=", operand, high)]);
}

function durationOf(term: Term): (value: Value) => number {
  return (value) => {
    const milliseconds = parseDuration(value.text);
    if (milliseconds === null) {
      const hint = /^[\d.]+$/.test(value.text) ? `Write ${value.text}ms or ${value.text}s.` : "Write a number with us, ms, s, m, h or d: 1.5s, 1m30s.";
      throw refuse(`${value.text} is no duration`, value, term, hint);
    }
    if (!Number.isInteger(milliseconds)) {
      throw refuse(`${value.text} is no whole number of milliseconds`, value, term, "The server stores latencies in whole milliseconds.");
    }
    return milliseconds;
  };
}

function integerOf(term: Term): (value: Value) => number {
  return (value) => {
    const number = Number(value.text);
    if (!/^-?\d+$/.test(value.text) || !Number.isSafeInteger(number)) {
      throw refuse(`${value.text} is no whole number`, value, term, `Write ${term.field}:10 or ${term.field}:>10.`);
    }
    return number;
  };
}

/** Reads a moment, or the first and last moment of a day, minute or second. */
function timeOf(value: Value, term: Term, { zone, now }: Options): { from: number; to: number } {
  const relative = /^now(?:-(.+))?$/.exec(value.text);
  if (relative) {
    const ago = relative[1] === undefined ? 0 : parseDuration(relative[1]);
    if (ago !== null) return { from: now - ago, to: now - ago };
  }
  const time = parseTime(value.text, zone);
  if (!time) throw refuse(`${value.text} is no time`, value, term, `Write ${term.field}:>2026-11-18, ${term.field}:>2026-11-18T08:30 or ${term.field}:>now-2h.`);
  return time;
}

function compileTime(term: Term, field: Field, options: Options): Condition {
  const operand = get(field.path);
  if (term.operator === "present") return certain(not(isNull(operand)));
  allow(term, ["is", "=", ">", ">=", "<", "<=", "range"], `Write ${term.field}:>2026-11-18 or ${term.field}:2026-11-17..2026-11-18.`);
  const times = term.values.map((value) => timeOf(value, term, options));
  const [first, second] = times;
  if (!first) throw refuse("The time is missing", undefined, term, `Write ${term.field}:>now-2h.`);
  const after = (time: { from: number; to: number }) => (time.from === time.to
    ? compare(">", operand, isoMicroseconds(time.to))
    : compare(">=", operand, isoMicroseconds(time.to + 1)));
  const until = (time: { from: number; to: number }) => (time.from === time.to
    ? compare("<=", operand, isoMicroseconds(time.to))
    : compare("<", operand, isoMicroseconds(time.to + 1)));
  const since = (time: { from: number }) => compare(">=", operand, isoMicroseconds(time.from));
  if (term.operator === "range" && second) {
    if (second.to < first.from) throw refuse("The range ends before it starts", term.values[0], term, "Write the earlier time first.");
    return unlessNull(operand, all([since(first), until(second)]));
  }
  if (term.operator === ">") return unlessNull(operand, after(first));
  if (term.operator === ">=") return unlessNull(operand, since(first));
  if (term.operator === "<") return unlessNull(operand, compare("<", operand, isoMicroseconds(first.from)));
  if (term.operator === "<=") return unlessNull(operand, until(first));
  return unlessNull(operand, any(times.map((time) => all([since(time), until(time)]))));
}

/** Lists of texts: the value is one of the list. */
function compileList(term: Term, field: Field): Condition {
  allow(term, ["is", "="], `Write ${term.field}: and a whole reference.`);
  rejectPattern(term);
  const operand = get(field.path);
  return unlessNull(operand, any(term.values.map(({ text }) => contains(operand, text, false))));
}

const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;

/** The text by which the server compares a JSON value: numbers have one spelling. */
function jsonText({ text, quoted }: Value): string {
  if (quoted || !NUMBER.test(text)) return text;
  const number = Number(text);
  const exact = Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
  return exact && String(number) !== "0" && /\./.test(text) ? String(number) : text;
}

/** Values inside JSON, of feedback too: compared as texts when equal, as numbers or texts when ordered. */
function compileJson(term: Term, field: Field): Condition {
  const operand = get(field.path);
  const related = field.kind === "feedback";
  if (term.operator === "present") return certain(related ? not(isNull(operand)) : not(eq(operand, "")));
  rejectPattern(term);
  if (term.operator === "~") return certain(any(term.values.map(({ text }) => contains(operand, text))));
  if (term.operator === "is" || term.operator === "=") return certain(among(operand, term.values.map(jsonText)));
  const ordered = term.values.map((value) => orderedValue(value, term));
  if (ordered.some((value) => typeof value !== typeof ordered[0])) {
    throw refuse("The range mixes a number and a text", term.values[1], term, "Write two numbers, or both values in quotes.");
  }
  const [first = "", second = ""] = ordered;
  const numeric = typeof first === "number";
  const left = numeric ? asNumber(operand) : operand;
  const test = isComparison(term.operator) ? compare(term.operator, left, first) : between(left, term, first, second);
  // A text is never less than another because it is missing.
  if (!numeric) return certain(related ? test : all([not(eq(operand, "")), test]));
  return related ? certain(test) : unlessNull(left, test);
}

function orderedValue(value: Value, term: Term): number | string {
  if (value.quoted) return value.text;
  const number = Number(value.text);
  if (NUMBER.test(value.text) && Number.isFinite(number)) return number;
  if (parseTime(value.text) !== null) return value.text;
  const hint = parseDuration(value.text) === null
    ? `Write quotes to compare as texts: ${term.field}:>"${value.text}".`
    : `The unit of ${term.field} is not known. Write a number in that unit.`;
  throw refuse(`${value.text} is no number`, value, term, hint);
}

export function compileTerm(term: Term, field: Field, options: Options): Condition {
  switch (field.kind) {
    case "text": return compileTextField(term, field, "is");
    case "search": return compileTextField(term, field, "~");
    case "op": return compileOp(term, field);
    case "model": return compileModel(term);
    case "status": return compileStatus(term, field);
    case "root": return compileRoot(term, field);
    case "integer": return compileNumbers(term, field, integerOf(term));
    case "duration": return compileNumbers(term, field, durationOf(term));
    case "time": return compileTime(term, field, options);
    case "list": return compileList(term, field);
    case "json":
    case "feedback": return compileJson(term, field);
  }
}
