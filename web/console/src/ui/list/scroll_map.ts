// Maps the scroll position of an element to a position in a list that may be higher than a browser allows an element
// to be. Small movements are exact; large ones, such as drags of the scroll bar, are proportional.

/** Firefox ends at 17.9 million pixels, Chromium at 33.5 million. */
const MAX_HEIGHT = 12_000_000;

export class ScrollMap {
  /** The position in the list, in pixels. */
  position = 0;
  private total = 0;
  private viewport = 0;
  private physical = 0;

  constructor(private readonly maxHeight = MAX_HEIGHT) {}

  /** The height of the scrolled element. */
  get height(): number {
    return Math.min(this.total, this.maxHeight);
  }

  get compressed(): boolean {
    return this.total > this.maxHeight;
  }

  /** What to add to a position in the list to get a position in the element. */
  get shift(): number {
    return this.compressed ? this.physical - this.position : 0;
  }

  private get end(): number {
    return Math.max(0, this.total - this.viewport);
  }

  private get physicalEnd(): number {
    return Math.max(1, this.height - this.viewport);
  }

  resize(total: number, viewport: number): void {
    this.total = total;
    this.viewport = viewport;
    this.position = Math.min(this.position, this.end);
  }

  /** Takes the element's new scroll position. */
  scrolled(physical: number): void {
    const step = physical - this.physical;
    this.physical = physical;
    if (!this.compressed) {
      this.position = physical;
      return;
    }
    const atEdge = physical <= 0 || physical >= this.physicalEnd - 1;
    const exact = Math.abs(step) <= this.viewport * 1.5 && !atEdge;
    this.position = exact ? Math.max(0, Math.min(this.position + step, this.end)) : this.proportional(physical);
  }

  private proportional(physical: number): number {
    return Math.min(this.end, (Math.max(0, physical) / this.physicalEnd) * this.end);
  }

  /** Moves to a position in the list. Returns the scroll position to set. */
  moveTo(position: number): number {
    this.position = Math.max(0, Math.min(position, this.end));
    this.physical = this.compressed ? Math.round((this.position / (this.end || 1)) * this.physicalEnd) : this.position;
    return this.physical;
  }

  /** Returns the scroll position that is proportional again after exact steps, or null if it already is. */
  settled(): number | null {
    if (!this.compressed) return null;
    const before = this.physical;
    const after = this.moveTo(this.position);
    return Math.abs(after - before) < 1 ? null : after;
  }
}
