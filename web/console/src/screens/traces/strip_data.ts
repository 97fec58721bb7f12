// The buckets of the strip: a width that gives about a hundred bars, and bars for times without calls.

import type { CallStrip, StatsBucket } from "../../api/calls";
import type { StripBucket } from "../../ui/plots/strip";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WIDTHS = [
  SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 15 * SECOND, 30 * SECOND, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE,
  15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY,
];
const MOST_BARS = 100;
const LONGEST_BAR = 28 * DAY;
/** The longest range of one request. */
const LONGEST_RANGE = 31 * DAY;

/** Returns the length of a bar in milliseconds. */
export function bucketWidth(from: number, to: number): number {
  const least = (to - from) / MOST_BARS;
  return WIDTHS.find((width) => width >= least) ?? LONGEST_BAR;
}

/** Splits a range at the ends of bars into ranges that one request may ask for. */
export function stripPieces(from: number, to: number, width: number): [from: number, to: number][] {
  const length = Math.floor(LONGEST_RANGE / width) * width;
  const pieces: [number, number][] = [];
  for (let start = from; start < to; ) {
    const end = Math.min(to, Math.floor(start / width) * width + length);
    pieces.push([start, end]);
    start = end;
  }
  return pieces;
}

function numberIn(bucket: StatsBucket | undefined, name: string): number | null {
  const value = bucket?.[name];
  return typeof value === "number" ? value : null;
}

/** Returns one bar for each width between the bounds. Times without calls have no bucket in the answer. */
export function stripBuckets(strip: Pick<CallStrip, "call_buckets">, from: number, to: number, width: number): StripBucket[] {
  const known = new Map<number, StatsBucket>();
  for (const bucket of strip.call_buckets) known.set(Math.floor(Date.parse(bucket.timestamp) / width), bucket);
  const bars: StripBucket[] = [];
  for (let index = Math.floor(from / width); index * width < to; index++) {
    const bucket = known.get(index);
    bars.push({
      start: index * width,
      count: numberIn(bucket, "sum_call_count") ?? 0,
      errors: numberIn(bucket, "sum_error_count") ?? 0,
      line: numberIn(bucket, "p95_latency_ms"),
    });
  }
  return bars;
}
