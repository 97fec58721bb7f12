// The texts of the members of a JSON object, exactly as they were written: numbers keep their spelling.

/** Returns the position behind the string that starts at `at`. */
function stringEnd(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    const sign = text[i];
    if (sign === "\\") i += 1;
    else if (sign === '"') return i + 1;
  }
  return text.length;
}

function skipSpace(text: string, at: number): number {
  let i = at;
  while (i < text.length && (text[i] === " " || text[i] === "\n" || text[i] === "\r" || text[i] === "\t")) i += 1;
  return i;
}

/** Returns the position behind the value that starts at `at`. */
function valueEnd(text: string, at: number): number {
  let depth = 0;
  for (let i = at; i < text.length; ) {
    const sign = text[i];
    if (sign === '"') {
      i = stringEnd(text, i);
      if (depth === 0) return i;
      continue;
    }
    if (sign === "{" || sign === "[") depth += 1;
    else if (sign === "}" || sign === "]") {
      if (depth === 0) return i;
      depth -= 1;
      if (depth === 0) return i + 1;
    } else if (depth === 0 && (sign === "," || sign === " " || sign === "\n" || sign === "\r" || sign === "\t")) return i;
    i += 1;
  }
  return text.length;
}

/** Reads the members of the object that valid JSON text holds. Anything else has none. */
export function memberTexts(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let at = skipSpace(text, 0);
  if (text[at] !== "{") return members;
  at = skipSpace(text, at + 1);
  while (at < text.length && text[at] === '"') {
    const nameEnd = stringEnd(text, at);
    const name = JSON.parse(text.slice(at, nameEnd)) as string;
    const start = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = valueEnd(text, start);
    members.set(name, text.slice(start, end));
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return members;
}
