// The lines of an overview of many spans: several spans share a line of pixels, so that what they cover together is
// drawn, not each of them: a few hundred rectangles instead of 10,000.

export interface Line {
  row: number;
  from: number;
  to: number;
}

export class LineMask {
  private readonly covered: Uint8Array;

  constructor(private readonly width: number, private readonly rows: number) {
    this.covered = new Uint8Array(width * rows);
  }

  /** Covers the pixels from `from` to `to` of a row, at least one. */
  add(row: number, from: number, to: number): void {
    const first = Math.max(0, Math.min(this.width - 1, Math.floor(from)));
    const last = Math.max(first + 1, Math.min(this.width, Math.ceil(to)));
    this.covered.fill(1, row * this.width + first, row * this.width + last);
  }

  /** Returns the covered parts of all rows. */
  lines(): Line[] {
    const lines: Line[] = [];
    for (let row = 0; row < this.rows; row++) {
      const start = row * this.width;
      const end = start + this.width;
      let at = this.covered.indexOf(1, start);
      while (at >= 0 && at < end) {
        const gap = this.covered.indexOf(0, at);
        const to = gap < 0 ? end : Math.min(gap, end);
        lines.push({ row, from: at - start, to: to - start });
        at = this.covered.indexOf(1, to);
      }
    }
    return lines;
  }
}
