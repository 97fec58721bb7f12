// Differences between two versions of a dataset, row by row.

import type { TableRow } from "../../api/objects";

export interface RowChange {
  kind: "added" | "removed" | "changed";
  before: TableRow | null;
  after: TableRow | null;
}

export interface RowDifference {
  changes: RowChange[];
  same: number;
}

/**
 * Rows with equal digests are the same row, wherever they stand. Of the others, one that left and one that came
 * between the same neighbours count as one changed row.
 */
export function diffRows(before: readonly TableRow[], after: readonly TableRow[]): RowDifference {
  const left = new Map<string, number>();
  for (const { digest } of before) left.set(digest, (left.get(digest) ?? 0) + 1);
  const kept = new Map<string, number>();
  const added: TableRow[] = [];
  for (const row of after) {
    const count = left.get(row.digest) ?? 0;
    if (count === 0) added.push(row);
    else {
      left.set(row.digest, count - 1);
      kept.set(row.digest, (kept.get(row.digest) ?? 0) + 1);
    }
  }
  const same = after.length - added.length;
  const keptBefore = new Map(kept);
  const removed = before.filter(({ digest }) => {
    const count = keptBefore.get(digest) ?? 0;
    if (count > 0) keptBefore.set(digest, count - 1);
    return count === 0;
  });
  const anchor = (rows: readonly TableRow[], set: ReadonlySet<TableRow>): Map<TableRow, string> => {
    const anchors = new Map<TableRow, string>();
    let [last, run] = ["start", 0];
    for (const row of rows) {
      if (set.has(row)) anchors.set(row, `${last} ${run++}`);
      else [last, run] = [row.digest, 0];
    }
    return anchors;
  };
  const places = anchor(after, new Set(added));
  const byAnchor = new Map(added.map((row) => [places.get(row) ?? "", row]));
  const removedPlaces = anchor(before, new Set(removed));
  const changes: RowChange[] = [];
  const paired = new Set<TableRow>();
  for (const row of removed) {
    const partner = byAnchor.get(removedPlaces.get(row) ?? " ");
    if (partner && !paired.has(partner)) {
      paired.add(partner);
      changes.push({ kind: "changed", before: row, after: partner });
    } else changes.push({ kind: "removed", before: row, after: null });
  }
  for (const row of added) if (!paired.has(row)) changes.push({ kind: "added", before: null, after: row });
  const place = ({ before: old, after: fresh }: RowChange) => (fresh ?? old)!.original_index;
  return { changes: changes.sort((a, b) => place(a) - place(b)), same };
}
