// Differences of two texts as rows: lines side by side, with the changed words inside changed lines.

import { diffLines, diffWordsWithSpace } from "diff";

export interface DiffPart {
  text: string;
  changed: boolean;
}

/** One line of either side. `left` or `right` is null where the other side has a line more. */
export interface DiffRow {
  kind: "same" | "changed" | "removed" | "added";
  left: DiffPart[] | null;
  right: DiffPart[] | null;
  leftNumber: number | null;
  rightNumber: number | null;
}

export interface DiffResult {
  rows: DiffRow[];
  added: number;
  removed: number;
  /** True if the texts differ too much to be compared line by line within the time limit. */
  coarse: boolean;
}

const TIMEOUT_MILLISECONDS = 400;
/** Longer lines are not compared by words. */
const WORD_LIMIT = 4000;
const MAX_WORD_PAIRS = 500;

const linesOf = (text: string): string[] => {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
};
const whole = (text: string, changed: boolean): DiffPart[] => [{ text, changed }];

/** Returns the words of two lines, or null where they share too little for it to help. */
function wordParts(left: string, right: string): [DiffPart[], DiffPart[]] | null {
  if (left.length > WORD_LIMIT || right.length > WORD_LIMIT) return null;
  const changes = diffWordsWithSpace(left, right, { timeout: 50 });
  if (!changes) return null;
  const same = changes.reduce((sum, change) => sum + (change.added || change.removed ? 0 : change.value.trim().length), 0);
  if (same * 4 < Math.min(left.length, right.length)) return null;
  return [
    changes.filter(({ added }) => !added).map(({ value, removed }) => ({ text: value, changed: Boolean(removed) })),
    changes.filter(({ removed }) => !removed).map(({ value, added }) => ({ text: value, changed: Boolean(added) })),
  ];
}

export function diffTexts(before: string, after: string): DiffResult {
  // A missing line break at the end is no difference of the last line.
  const ended = (text: string) => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
  const changes = diffLines(ended(before), ended(after), { timeout: TIMEOUT_MILLISECONDS, stripTrailingCr: true });
  const blocks = changes ?? [
    { value: before, removed: true, added: false },
    { value: after, added: true, removed: false },
  ];
  const rows: DiffRow[] = [];
  let [left, right, added, removed, pairs] = [0, 0, 0, 0, 0];
  for (let i = 0; i < blocks.length; i++) {
    const block = blocks[i]!;
    const lines = linesOf(block.value);
    if (!block.added && !block.removed) {
      for (const line of lines) rows.push({ kind: "same", left: whole(line, false), right: whole(line, false), leftNumber: ++left, rightNumber: ++right });
      continue;
    }
    const next = blocks[i + 1];
    const paired = block.removed && next?.added ? linesOf(next.value) : [];
    const gone = block.removed ? lines : [];
    const fresh = block.added ? lines : paired;
    if (paired.length > 0) i += 1;
    removed += gone.length;
    added += fresh.length;
    for (let line = 0; line < Math.max(gone.length, fresh.length); line++) {
      const [a, b] = [gone[line], fresh[line]];
      const words = a !== undefined && b !== undefined && pairs++ < MAX_WORD_PAIRS ? wordParts(a, b) : null;
      rows.push({
        kind: a === undefined ? "added" : b === undefined ? "removed" : "changed",
        left: a === undefined ? null : words?.[0] ?? whole(a, true),
        right: b === undefined ? null : words?.[1] ?? whole(b, true),
        leftNumber: a === undefined ? null : ++left,
        rightNumber: b === undefined ? null : ++right,
      });
    }
  }
  return { rows, added, removed, coarse: changes === undefined };
}

/** A run of rows, or equal rows that are left out. */
export type DiffSection = { kind: "rows"; from: number; to: number } | { kind: "gap"; from: number; to: number };

const CONTEXT = 3;

/** Leaves out equal rows far from changes; `open` holds the starts of gaps that the reader opened. */
export function diffSections(rows: DiffRow[], open: ReadonlySet<number>): DiffSection[] {
  const sections: DiffSection[] = [];
  const add = (kind: "rows" | "gap", from: number, to: number) => {
    const last = sections.at(-1);
    if (from >= to) return;
    if (last && last.kind === "rows" && kind === "rows") last.to = to;
    else sections.push({ kind, from, to });
  };
  for (let at = 0; at < rows.length; ) {
    let end = at;
    const same = rows[at]!.kind === "same";
    while (end < rows.length && (rows[end]!.kind === "same") === same) end += 1;
    const head = at === 0 ? 0 : CONTEXT;
    const tail = end === rows.length ? 0 : CONTEXT;
    if (same && end - at > head + tail + 2 && !open.has(at + head)) {
      add("rows", at, at + head);
      add("gap", at + head, end - tail);
      add("rows", end - tail, end);
    } else add("rows", at, end);
    at = end;
  }
  return sections;
}
