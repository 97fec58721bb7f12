// Checks JSON text and finds the place of its first error.

import { JsonIndex } from "./json_index.ts";

/** Returns the first error of a text, with its line and column starting at 1; null if it is JSON. */
export function checkJson(text: string): { line: number; column: number; message: string } | null {
  try {
    JSON.parse(text);
    return null;
  } catch {
    const index = new JsonIndex(text);
    index.build();
    const position = index.error?.position ?? text.length;
    const before = text.slice(0, position);
    const line = before.split("\n").length;
    // What the index accepts and JSON does not is inside a string: escapes and control characters.
    return { line, column: position - before.lastIndexOf("\n"), message: index.error?.message ?? "A text contains a character that JSON does not allow" };
  }
}
