// Which rows of a JSON text are visible, given the containers that are closed; and search.

import { JsonIndex, RowKind, UNFINISHED } from "./json_index.ts";

export class JsonFolds {
  private readonly closed = new Set<number>();
  private rows: Uint32Array | null = null;
  private builtFor = -1;

  constructor(private readonly index: JsonIndex) {}

  isClosed(row: number): boolean {
    return this.closed.has(row);
  }

  /** Closes or opens a finished container. */
  toggle(row: number): void {
    if (!this.closed.delete(row) && this.index.partner(row) !== UNFINISHED) this.closed.add(row);
    this.rows = null;
  }

  /** Closes all containers at `depth` and deeper. */
  closeFrom(depth: number): void {
    this.closed.clear();
    for (let row = 0; row < this.index.rows; row++) {
      if (this.index.kind(row) === RowKind.Open && this.index.depth(row) >= depth && this.index.partner(row) !== UNFINISHED) this.closed.add(row);
    }
    this.rows = null;
  }

  openAll(): void {
    this.closed.clear();
    this.rows = null;
  }

  /** Opens all containers around a row. */
  reveal(row: number): void {
    for (let parent = this.index.parent(row); parent >= 0; parent = this.index.parent(parent)) this.closed.delete(parent);
    this.rows = null;
  }

  get count(): number {
    return this.closed.size === 0 ? this.index.rows : this.list().length;
  }

  /** The row of the index at a place of the visible list. */
  at(place: number): number {
    return this.closed.size === 0 ? place : this.list()[place] ?? 0;
  }

  /** The place of a row in the visible list, or -1. */
  placeOf(row: number): number {
    if (this.closed.size === 0) return row;
    const list = this.list();
    let low = 0;
    let high = list.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      if (list[middle] === row) return middle;
      if (list[middle]! < row) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  private list(): Uint32Array {
    if (this.rows && this.builtFor === this.index.rows) return this.rows;
    const rows = new Uint32Array(this.index.rows);
    let length = 0;
    for (let row = 0; row < this.index.rows; row++) {
      rows[length++] = row;
      if (this.closed.has(row)) row = this.index.partner(row);
    }
    this.rows = rows.subarray(0, length);
    this.builtFor = this.index.rows;
    return this.rows;
  }
}

const MAX_MATCHES = 10_000;

/** Returns the rows that contain the text, in upper or lower case; each row once, at most 10,000. */
export function searchRows(index: JsonIndex, text: string): number[] {
  if (text === "") return [];
  // Strings are searched as they are written, so quotes and line breaks of the needle are escaped too.
  const forms = [...new Set([text, JSON.stringify(text).slice(1, -1)])];
  const pattern = new RegExp(forms.map((form) => form.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"), "gi");
  const rows: number[] = [];
  for (let match = pattern.exec(index.text); match && rows.length < MAX_MATCHES; match = pattern.exec(index.text)) {
    const row = index.rowAt(match.index);
    if (row >= index.rows || (index.rows > 0 && match.index < index.start(0))) continue;
    if (rows.at(-1) !== row) rows.push(row);
  }
  return rows;
}
