// Values of rows, inputs and outputs as short texts.

import { cutText } from "../../format/truncate";

const LONGEST = 400;

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value on one line or few: texts as they are, everything else as JSON. Cut for cells of tables. */
export function valueText(value: unknown, longest = LONGEST): string {
  if (value === undefined) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? "";
  return cutText(text, longest);
}

/** A value as indented JSON or, for texts, as it is: for differences and editors. */
export function valueLines(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2) ?? "";
}

const INPUT_NAMES = ["question", "input", "prompt", "query", "text", "message", "messages"];
const EXPECTED_NAMES = ["target", "expected", "answer", "expected_output", "reference", "label", "output"];

function firstOf(row: Record<string, unknown>, names: readonly string[]): string | null {
  return names.find((name) => row[name] !== undefined && row[name] !== null) ?? null;
}

/** The member of a row that people know it by, and the answer that is expected. */
export function rowTitle(row: unknown): { title: string; expected: string | null } {
  if (!isRecord(row)) return { title: valueText(row), expected: null };
  const expectedName = firstOf(row, EXPECTED_NAMES);
  const name = firstOf(row, INPUT_NAMES) ?? Object.keys(row).find((key) => key !== expectedName && typeof row[key] === "string");
  return {
    title: name === undefined || name === null ? valueText(row) : valueText(row[name]),
    expected: expectedName === null ? null : valueText(row[expectedName]),
  };
}

/** The values of an object and of the objects in it, with their paths; at most three levels deep. */
export function leaves(value: Record<string, unknown>, before = "", depth = 0): [path: string, value: unknown][] {
  return Object.entries(value).flatMap(([name, item]): [string, unknown][] => {
    const path = before === "" ? name : `${before}.${name}`;
    return isRecord(item) && depth < 2 && Object.keys(item).length > 0 ? leaves(item, path, depth + 1) : [[path, item]];
  });
}
