// Builders of the server's query language (docs/tracing.md, "query parameters").

export type Literal = string | number | boolean | null;

export type Operand =
  | { $literal: Literal }
  | { $getField: string }
  | { $convert: { input: Operand; to: "double" | "string" | "int" | "bool" | "exists" } }
  | { $size: Operand }
  | Expression;

export type Expression =
  | { $and: Operand[] }
  | { $or: Operand[] }
  | { $not: [Operand] }
  | { $eq: [Operand, Operand] }
  | { $gt: [Operand, Operand] }
  | { $gte: [Operand, Operand] }
  | { $lt: [Operand, Operand] }
  | { $lte: [Operand, Operand] }
  | { $in: [Operand, Operand[]] }
  | { $contains: { input: Operand; substr: Operand; case_insensitive: boolean } };

/** The value of `query` in requests for calls. */
export interface CallQuery {
  $expr: Expression;
}

export type Comparison = ">" | ">=" | "<" | "<=";

export const get = (path: string): Operand => ({ $getField: path });
export const literal = (value: Literal): Operand => ({ $literal: value });
export const asNumber = (input: Operand): Operand => ({ $convert: { input, to: "double" } });
export const eq = (left: Operand, value: Literal): Expression => ({ $eq: [left, literal(value)] });
export const not = (operand: Operand): Expression => ({ $not: [operand] });
export const isNull = (operand: Operand): Expression => eq(operand, null);
export const contains = (input: Operand, text: string, anyCase = true): Expression => ({
  $contains: { input, substr: literal(text), case_insensitive: anyCase },
});

export function compare(operator: Comparison, left: Operand, value: Literal): Expression {
  const right = literal(value);
  if (operator === ">") return { $gt: [left, right] };
  if (operator === ">=") return { $gte: [left, right] };
  return operator === "<" ? { $lt: [left, right] } : { $lte: [left, right] };
}

export function all(items: Expression[]): Expression {
  const [only] = items;
  return items.length === 1 && only ? only : { $and: items };
}

export function any(items: Expression[]): Expression {
  const [only] = items;
  return items.length === 1 && only ? only : { $or: items };
}

export function among(left: Operand, values: string[]): Expression {
  const [only] = values;
  return values.length === 1 && only !== undefined ? eq(left, only) : { $in: [left, values.map(literal)] };
}

/** Counts the nodes other than literals, which the server limits. */
export function countOperators(node: unknown): number {
  if (Array.isArray(node)) return node.reduce((sum: number, item) => sum + countOperators(item), 0);
  if (typeof node !== "object" || node === null || "$literal" in node) return 0;
  const own = Object.keys(node).some((key) => key.startsWith("$")) ? 1 : 0;
  return own + Object.values(node).reduce((sum: number, item) => sum + countOperators(item), 0);
}
