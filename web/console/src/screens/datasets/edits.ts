// Changes to a dataset that are not published yet.

import type { TableUpdateRequest } from "../../api/objects";

export type Row = Record<string, unknown>;

export interface Edits {
  /** New values of rows, by position. */
  changed: ReadonlyMap<number, Row>;
  removed: ReadonlySet<number>;
  /** Rows at the end. */
  added: readonly Row[];
}

export const NO_EDITS: Edits = { changed: new Map(), removed: new Set(), added: [] };

export function countEdits({ changed, removed, added }: Edits): number {
  return changed.size + removed.size + added.length;
}

/** Changes a row; positions from `count` on are added rows. A value equal to the stored one undoes the change. */
export function withRow(edits: Edits, index: number, count: number, row: Row, stored: Row | undefined): Edits {
  if (index >= count) return { ...edits, added: edits.added.map((other, at) => (at === index - count ? row : other)) };
  const changed = new Map(edits.changed);
  if (stored !== undefined && JSON.stringify(stored) === JSON.stringify(row)) changed.delete(index);
  else changed.set(index, row);
  return { ...edits, changed };
}

export function withAdded(edits: Edits, rows: readonly Row[]): Edits {
  return { ...edits, added: [...edits.added, ...rows] };
}

/** Removes rows. Added rows vanish at once, stored ones stay marked until the changes are published. */
export function withRemoved(edits: Edits, indexes: readonly number[], count: number): Edits {
  const gone = new Set(indexes.filter((index) => index >= count).map((index) => index - count));
  const removed = new Set([...edits.removed, ...indexes.filter((index) => index < count)]);
  const changed = new Map([...edits.changed].filter(([index]) => !removed.has(index)));
  return { changed, removed, added: edits.added.filter((_, at) => !gone.has(at)) };
}

export function withRestored(edits: Edits, index: number): Edits {
  const removed = new Set(edits.removed);
  removed.delete(index);
  const changed = new Map(edits.changed);
  changed.delete(index);
  return { ...edits, removed, changed };
}

/** The updates of a table without its additions. They go from the end to the start, so that positions stay valid. */
export function tableUpdates({ changed, removed }: Edits): TableUpdateRequest["updates"] {
  const indexes = [...new Set([...changed.keys(), ...removed])].sort((a, b) => b - a);
  return indexes.flatMap((index): TableUpdateRequest["updates"] => {
    const row = changed.get(index);
    const pop = { pop: { index } };
    return removed.has(index) || row === undefined ? [pop] : [pop, { insert: { index, row } }];
  });
}
