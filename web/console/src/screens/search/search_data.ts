// What a search shows: snippets with the found text marked.

/** Splits a snippet at the place of the match, which counts code points. */
export function markedParts(snippet: string, start: number, end: number): { before: string; match: string; after: string } {
  const points = [...snippet];
  const from = Math.max(0, Math.min(points.length, start));
  const to = Math.max(from, Math.min(points.length, end));
  return { before: points.slice(0, from).join(""), match: points.slice(from, to).join(""), after: points.slice(to).join("") };
}

const AROUND = 120;

/** Cuts a text around the first place that contains the words, in upper or lower case. */
export function snippetAround(text: string, wanted: string): { before: string; match: string; after: string } {
  const at = wanted === "" ? -1 : text.toLowerCase().indexOf(wanted.toLowerCase());
  if (at < 0) return { before: [...text].slice(0, 2 * AROUND).join(""), match: "", after: "" };
  // Lower case may be longer or shorter; then the place is near enough to read, and nothing is marked wrongly.
  const exact = text.slice(at, at + wanted.length).toLowerCase() === wanted.toLowerCase();
  const from = Math.max(0, at - AROUND);
  const to = at + wanted.length;
  return {
    before: `${from > 0 ? "…" : ""}${text.slice(from, at)}`,
    match: exact ? text.slice(at, to) : "",
    after: `${exact ? text.slice(to, to + AROUND) : text.slice(at, to + AROUND)}${to + AROUND < text.length ? "…" : ""}`,
  };
}

export const NO_CONVERSATION = "__NO_CONVERSATION__";
