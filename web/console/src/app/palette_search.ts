// Matching of typed text with the entries of the palette.

/** Returns how well a text matches: higher is better, null is no match. Letters must appear in order. */
export function matchScore(text: string, typed: string): number | null {
  const hay = text.toLowerCase();
  const needle = typed.toLowerCase().trim();
  if (needle === "") return 0;
  const whole = hay.indexOf(needle);
  if (whole >= 0) {
    const startsWord = whole === 0 || /[\s/·_-]/.test(hay[whole - 1] ?? "");
    return 1000 - whole - hay.length / 100 + (startsWord ? 500 : 0);
  }
  let score = 0;
  let at = -1;
  for (const letter of needle.replace(/\s+/g, "")) {
    const next = hay.indexOf(letter, at + 1);
    if (next < 0) return null;
    const startsWord = next === 0 || /[\s/·_-]/.test(hay[next - 1] ?? "");
    score += next === at + 1 ? 8 : startsWord ? 6 : 1;
    at = next;
  }
  // Scattered letters of a long text are chance.
  return score < needle.length * 3 ? null : score - hay.length / 100;
}

/** Returns the items that match, the best first; equal ones keep their order. */
export function search<T>(items: readonly T[], typed: string, textOf: (item: T) => string, most = 50): T[] {
  return items
    .map((item, index) => ({ item, index, score: matchScore(textOf(item), typed) }))
    .filter((entry): entry is { item: T; index: number; score: number } => entry.score !== null)
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, most)
    .map(({ item }) => item);
}

/** Returns true for texts that can be an id of the API or a reference: worth asking the server. */
export function looksLikeId(text: string): boolean {
  const typed = text.trim();
  return /^[\w-]{3,20}:\/\/\//.test(typed) || (/^[\w.:-]{8,128}$/.test(typed) && /\d/.test(typed));
}
