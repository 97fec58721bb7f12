// Maps times to positions between 0 and 1. The plain scale is proportional; the compressed one shortens the gaps in which
// nothing ran, on the reader's demand.

export interface Spans {
  start: ArrayLike<number>;
  /** NaN for a span that still runs. */
  end: ArrayLike<number>;
}

interface Segment {
  from: number;
  to: number;
  /** The position of `from`, and the position per unit of time. */
  at: number;
  slope: number;
  idle: boolean;
}

export class TimeScale {
  private constructor(private readonly segments: Segment[], readonly from: number, readonly to: number, readonly idleShare: number) {}

  /** A proportional scale from `from` to `to`. */
  static linear(from: number, to: number, idleShare = 0): TimeScale {
    const length = to - from || 1;
    return new TimeScale([{ from, to, at: 0, slope: 1 / length, idle: false }], from, from + length, idleShare);
  }

  /** A scale over all spans. With `compress`, each idle gap takes as much room as a fiftieth of the busy time. */
  static of(spans: Spans, { compress = false, now }: { compress?: boolean; now?: number } = {}): TimeScale {
    const busy = busyTimes(spans, now);
    const first = busy[0];
    const last = busy.at(-1);
    if (!first || !last) return TimeScale.linear(0, 1);
    const [from, to] = [first[0], last[1]];
    const worked = busy.reduce((sum, [start, end]) => sum + end - start, 0);
    const idleShare = to > from ? 1 - worked / (to - from) : 0;
    if (!compress || busy.length < 2) return TimeScale.linear(from, to, idleShare);
    const gap = (worked || to - from) / 50;
    const lengths = busy.flatMap(([start, end], index) => {
      const before = busy[index - 1];
      const idle = before ? [{ from: before[1], to: start, length: Math.min(gap, start - before[1]), idle: true }] : [];
      return [...idle, { from: start, to: end, length: end - start, idle: false }];
    });
    const total = lengths.reduce((sum, { length }) => sum + length, 0) || 1;
    let at = 0;
    const segments = lengths.map(({ from: start, to: end, length, idle }) => {
      const segment = { from: start, to: end, at, slope: end > start ? length / total / (end - start) : 0, idle };
      at += length / total;
      return segment;
    });
    return new TimeScale(segments, from, to, idleShare);
  }

  /** The position of a time, clamped to 0 and 1. */
  position(time: number): number {
    const segment = this.segments[this.find((item) => item.from <= time)]!;
    const inside = Math.max(segment.from, Math.min(time, segment.to));
    return Math.max(0, Math.min(1, segment.at + (inside - segment.from) * segment.slope));
  }

  /** The time at a position. */
  time(position: number): number {
    const segment = this.segments[this.find((item) => item.at <= position)]!;
    if (segment.slope === 0) return segment.from;
    return Math.max(segment.from, Math.min(segment.to, segment.from + (position - segment.at) / segment.slope));
  }

  /** The compressed gaps as positions, to be marked on the axis. */
  gaps(): { from: number; to: number; milliseconds: number }[] {
    return this.segments
      .filter(({ idle }) => idle)
      .map(({ from, to, at, slope }) => ({ from: at, to: at + (to - from) * slope, milliseconds: to - from }));
  }

  /** The index of the last segment that passes; the first one if none does. */
  private find(passes: (segment: Segment) => boolean): number {
    let low = 0;
    let high = this.segments.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (passes(this.segments[middle]!)) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** Returns the times in which at least one span ran, joined and in order. */
function busyTimes({ start, end }: Spans, now?: number): [number, number][] {
  const pairs: [number, number][] = [];
  for (let i = 0; i < start.length; i++) {
    const from = start[i]!;
    const to = Number.isNaN(end[i]!) ? now ?? from : end[i]!;
    if (Number.isFinite(from)) pairs.push([from, Math.max(from, to)]);
  }
  pairs.sort((a, b) => a[0] - b[0]);
  const joined: [number, number][] = [];
  for (const [from, to] of pairs) {
    const last = joined.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

/**
 * Keeps the spans without children, and the ends of the whole. Parents only wait for their children: with them, every
 * trace would be busy all the time.
 */
export function leafSpans(spans: Spans, children: ArrayLike<number>): Spans {
  const start: number[] = [];
  const end: number[] = [];
  let [first, last] = [Infinity, -Infinity];
  for (let i = 0; i < spans.start.length; i++) {
    first = Math.min(first, spans.start[i]!);
    last = Math.max(last, spans.start[i]!, Number.isNaN(spans.end[i]!) ? -Infinity : spans.end[i]!);
    if (children[i]) continue;
    start.push(spans.start[i]!);
    end.push(spans.end[i]!);
  }
  if (first <= last) {
    start.push(first, last);
    end.push(first, last);
  }
  return { start, end };
}

const LONG_STEPS = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400].map((seconds) => seconds * 1000);

/** Rounds a step up: to 1, 2 or 5 below a minute, to parts of hours and days above. */
function roundStep(raw: number): number {
  if (raw > 30_000) return LONG_STEPS.find((step) => step >= raw) ?? Math.ceil(raw / 86_400_000) * 86_400_000;
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= raw) ?? raw;
}

/** Returns round times for an axis with at most `count` lines. */
export function axisTicks(from: number, to: number, count: number): number[] {
  const raw = (to - from) / Math.max(1, count);
  if (!(raw > 0)) return [];
  const step = roundStep(raw);
  const ticks: number[] = [];
  for (let tick = Math.ceil(from / step) * step; tick <= to + step * 1e-6; tick += step) ticks.push(tick);
  return ticks;
}
